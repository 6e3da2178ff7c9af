// Layer table: what a layer reads next to its weights, and the launch that reads it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture_host/decompile/operation.h"
#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::decompile {

// Where a layer has its operands, and how wide its sums are: 8 bytes, or the 4 that int8 has.
struct LayerRoles {
    std::size_t input{0U};
    std::size_t bias{2U};
    std::uint32_t sum_bytes{refdev::kNarrowSumBytes};
};

// Layers of int16 sum as wide as their bias is; `absent` is the type of one that there is not.
[[nodiscard]] std::uint32_t sum_bytes_of(const Operation& op, std::size_t bias, std::int8_t absent);

// Per channel: bias, mantissa and shift.
[[nodiscard]] Tokens channel_table(const Operation& op, std::size_t channels, bool is_single_precision,
                                   const LayerRoles& roles);

// The output is what the layer computes, by the kernel of its input's type.
template <typename Arguments>
void compute_layer(Operation& op, refdev::KernelId int8, refdev::KernelId int16, const Arguments& arguments,
                   const LayerRoles& roles, const std::vector<Tokens>& operands) {
    if (is_int16(op.in(roles.input))) {
        op.compute(int16, refdev::Int16Layer<Arguments>{arguments, roles.sum_bytes}, operands);
    } else {
        op.compute(int8, arguments, operands);
    }
}

}  // namespace pianola::decompile
