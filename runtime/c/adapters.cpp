#include "runtime/c/adapters.h"

#include <cstring>
namespace pianola::c_api {
namespace {

[[nodiscard]] constexpr Status to_status(pnl_status_t status) noexcept {
    return static_cast<Status>(status);
}
}  // namespace

Status CDevice::describe(DeviceDescription& description) const noexcept {
    const Status status = to_status(ops_.describe(context_, c_twin<pnl_device_description_t>(&description)));
    return ((description.family != nullptr) && (description.capacities != nullptr)) ? status : Status::kInternal;
}

Status CDevice::reset() noexcept {
    return to_status(ops_.reset(context_));
}

Status CDevice::program_region(const RegionConfig& region) noexcept {
    return to_status(ops_.program_region(context_, c_twin<pnl_region_t>(&region)));
}

Status CDevice::programmed_region(std::uint32_t index, RegionConfig& region) const noexcept {
    return to_status(ops_.programmed_region(context_, index, c_twin<pnl_region_t>(&region)));
}

Status CDevice::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    return to_status(ops_.read_back(context_, address, out.data(), out.size()));
}

Status CDevice::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    return to_status(ops_.patch_word(context_, address, word));
}

Status CDevice::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    return to_status(ops_.bind_source(context_, slot, memory.data(), memory.size()));
}

Status CDevice::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    return to_status(ops_.bind_destination(context_, slot, memory.data(), memory.size()));
}

ByteSpan CDevice::bound_source(std::uint32_t slot) const noexcept {
    ByteSpan bound;
    ops_.bound_source(context_, slot, c_twin<pnl_bytes_t>(&bound));
    return bound;
}

ByteSpan CDevice::bound_destination(std::uint32_t slot) const noexcept {
    ByteSpan bound;
    ops_.bound_destination(context_, slot, c_twin<pnl_bytes_t>(&bound));
    return bound;
}

MutableByteSpan CDevice::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    std::uint8_t* const view = ops_.host_view(context_, address, size_bytes);
    return MutableByteSpan{view, (view != nullptr) ? size_bytes : 0U};
}

void CDevice::give_to_device(ByteSpan view) noexcept {
    ops_.give_to_device(context_, view.data(), view.size());
}

void CDevice::take_from_device(MutableByteSpan view) noexcept {
    ops_.take_from_device(context_, view.data(), view.size());
}

Status CDevice::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    return to_status(ops_.enqueue(context_, queue, c_twin<pnl_queue_command_t>(&command)));
}

Status CDevice::ring_doorbell(std::uint32_t queue) noexcept {
    return to_status(ops_.ring_doorbell(context_, queue));
}

Status CDevice::service() noexcept {
    return to_status(ops_.service(context_));
}

Status CDevice::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    return to_status(ops_.completion(context_, queue, token, c_twin<pnl_completion_t>(&completion)));
}

std::uint64_t CPlatform::now_us() noexcept {
    return ops_.now_us(context_);
}

void CPlatform::idle() noexcept {
    ops_.idle(context_);
}

void CPlatform::serve_watchdog() noexcept {
    ops_.serve_watchdog(context_);
}

Status CPlatform::lowest_security_version(std::uint32_t& version) noexcept {
    return to_status(ops_.lowest_security_version(context_, &version));
}

Status CPlatform::raise_security_version(std::uint32_t version) noexcept {
    return to_status(ops_.raise_security_version(context_, version));
}

void CPlatform::enter_safe_state(const FaultRecord& fault) noexcept {
    ops_.enter_safe_state(context_, c_twin<pnl_fault_t>(&fault));
}

Status CCommandSet::decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                           DecodeError& error) const noexcept {
    command.extents.clear();
    const Status status =
        to_status(ops_.decode(context_, words.data(), words.size(), c_twin<pnl_decode_state_t>(&state),
                              c_twin<pnl_decoded_command_t>(&command), c_twin<pnl_decode_error_t>(&error)));
    if (error.field == nullptr) {
        error.field = "";
    }
    if ((command.extents.view().size() > kMaxExtentsPerCommand) || (state.used > kMaxDecodeStateWords)) {
        return Status::kRefused;
    }
    return status;
}

KernelIdentity CCommandSet::kernel(std::uint32_t id) const noexcept {
    KernelIdentity kernel;
    ops_.kernel(context_, id, c_twin<pnl_kernel_t>(&kernel));
    return kernel;
}

PatchKind CCommandSet::patch_kind(WordSpan words, std::uint32_t word) const noexcept {
    return static_cast<PatchKind>(ops_.patch_kind(context_, words.data(), words.size(), word));
}

std::uint32_t CCommandSet::queue_words(const QueueCommand& command) const noexcept {
    return ops_.queue_words(context_, c_twin<pnl_queue_command_t>(&command));
}

std::uint64_t CCommandSet::queue_cycles(const QueueCommand& command) const noexcept {
    return ops_.queue_cycles(context_, c_twin<pnl_queue_command_t>(&command));
}

std::uint64_t CCommandSet::seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                QueueCommand& command) const noexcept {
    return ops_.seal(context_, digest, number, trace_digest, c_twin<pnl_queue_command_t>(&command));
}

std::uint64_t CCommandSet::trace_digest(std::uint64_t digest, WordSpan words) const noexcept {
    return ops_.trace_digest(context_, digest, words.data(), words.size());
}

Status CVerifier::verify(const Sha256Digest& digest, const Signature& signature, const PublicKey& key) const noexcept {
    return static_cast<Status>(ops_.verify(context_, digest.data(), signature.data(), key.data()));
}

Status CDigestEngine::begin() noexcept {
    return static_cast<Status>(ops_.begin(context_));
}

Status CDigestEngine::update(ByteSpan bytes) noexcept {
    return static_cast<Status>(ops_.update(context_, bytes.data(), bytes.size()));
}

Status CDigestEngine::finish(Sha256Digest& digest) noexcept {
    return static_cast<Status>(ops_.finish(context_, digest.data()));
}

bool is_whole(const void* table, std::uint32_t table_bytes) noexcept {
    struct Head {
        std::uint32_t struct_size;
        std::uint32_t version;
    } head{};
    if (table == nullptr) {
        return false;
    }
    // NOLINTNEXTLINE(pianola-misra-8.2.6): DEV-052
    const ByteSpan bytes{static_cast<const std::uint8_t*>(table), table_bytes};
    std::memcpy(&head, table, sizeof(head));
    bool is = (head.struct_size == table_bytes) && (head.version == PNL_API_VERSION);
    for (std::uint32_t offset = sizeof(head); is && (offset < table_bytes); offset += sizeof(std::uintptr_t)) {
        std::uintptr_t function = 0U;
        std::memcpy(&function, &bytes[offset], sizeof(function));
        is = function != 0U;
    }
    return is;
}

namespace {

// Returns whether an object may be made here from this table.
[[nodiscard, gnu::noinline]] bool may_be_made(const void* object, const void* table,
                                              std::uint32_t table_bytes) noexcept {
    return (object != nullptr) && is_aligned(object) && is_whole(table, table_bytes);
}

template <typename Adapter, typename C, typename Ops, typename Context>
[[nodiscard]] pnl_status_t make(C* object, const Ops* ops, Context* context) noexcept {
    static_assert((sizeof(Adapter) <= sizeof(C)) && (alignof(Adapter) <= alignof(C)));
    if (!may_be_made(object, ops, sizeof(Ops))) {
        return PNL_INVALID_ARGUMENT;
    }
    static_cast<void>(new (object) Adapter{*ops, context});  // NOLINT(pianola-misra-21.6.3): DEV-053
    return PNL_OK;
}

}  // namespace
}  // namespace pianola::c_api

namespace c_api = pianola::c_api;

pnl_status_t pnl_device_init(pnl_device_t* device, const pnl_device_ops_t* ops, void* context) {
    return c_api::make<c_api::CDevice>(device, ops, context);
}

pnl_status_t pnl_platform_init(pnl_platform_t* platform, const pnl_platform_ops_t* ops, void* context) {
    return c_api::make<c_api::CPlatform>(platform, ops, context);
}

pnl_status_t pnl_command_set_init(pnl_command_set_t* command_set, const pnl_command_set_ops_t* ops,
                                  const void* context) {
    return c_api::make<c_api::CCommandSet>(command_set, ops, context);
}

pnl_status_t pnl_verifier_init(pnl_verifier_t* verifier, const pnl_verifier_ops_t* ops, const void* context) {
    return c_api::make<c_api::CVerifier>(verifier, ops, context);
}

pnl_status_t pnl_digest_engine_init(pnl_digest_engine_t* engine, const pnl_digest_engine_ops_t* ops, void* context) {
    return c_api::make<c_api::CDigestEngine>(engine, ops, context);
}
