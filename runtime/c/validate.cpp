// Validation without a session.
#include "runtime/c/storage.h"

namespace c_api = pianola::c_api;

pnl_status_t pnl_validate(const uint8_t* file, size_t file_bytes, const pnl_device_description_t* description,
                          const pnl_command_set_t* command_set, const pnl_trust_t* trust, pnl_validation_t* storage,
                          size_t storage_bytes, pnl_verdict_t* verdict) {
    static_assert(sizeof(c_api::ValidationStorage) <= sizeof(pnl_validation_t), "pianola_sizes.h is of another build");
    static_assert(alignof(c_api::ValidationStorage) <= alignof(pnl_validation_t));
    if (verdict == nullptr) {
        return PNL_INVALID_ARGUMENT;
    }
    pianola::Verdict& result = *c_api::twin(verdict);
    reset(result);
    if ((description == nullptr) || (description->family == nullptr) || (trust == nullptr) || (storage == nullptr) ||
        (storage_bytes != sizeof(pnl_validation_t)) || !c_api::is_aligned(storage) ||
        ((file == nullptr) && (file_bytes != 0U)) || !c_api::is_made(command_set) || !c_api::is_whole(*trust)) {
        return PNL_INVALID_ARGUMENT;
    }
    // Like Session::load(), validation accepts memory with any contents.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    auto& memory = *std::launder(reinterpret_cast<c_api::ValidationStorage*>(storage));
    memory.description = *c_api::twin(description);
    if (memory.description.capacities == nullptr) {
        memory.description.capacities = &pianola::kDeviceCapacities;
    }
    return static_cast<pnl_status_t>(validate(pianola::ByteSpan{file, file_bytes}, memory.description,
                                              c_api::as_cpp(*command_set), *c_api::twin(trust), memory.workspace,
                                              memory.workspace.image, memory.plan, result));
}

bool pnl_is_enough(pnl_attestation_t attestation, pnl_evidence_t least) {
    return is_enough(static_cast<pianola::Attestation>(attestation), static_cast<pianola::Evidence>(least));
}
