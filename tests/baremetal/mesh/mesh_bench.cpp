#include "tests/baremetal/mesh/mesh_bench.h"

namespace pianola::baremetal {

std::uint32_t record_bytes(const Plan& plan) noexcept {
    std::uint32_t bytes = 0U;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        bytes += plan.inputs[i].bytes;
    }
    return bytes;
}

Inputs record(const Plan& plan, ByteSpan inputs, std::uint32_t number) noexcept {
    Inputs given;
    given.count = plan.input_count;
    std::uint32_t offset = number * record_bytes(plan);
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        given.tensors[i] = inputs.subspan(offset, plan.inputs[i].bytes);
        offset += plan.inputs[i].bytes;
    }
    return given;
}

}  // namespace pianola::baremetal
