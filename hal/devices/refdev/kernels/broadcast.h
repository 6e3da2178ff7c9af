// Broadcasting: operands that a kernel repeats along some dimensions of its result.
//
// An operand is dense; its stride is 0 on the dimensions in which it is repeated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kBroadcastRank = 4U;

using BroadcastDims = std::array<std::uint32_t, kBroadcastRank>;

// An operand's size, from its strides in the result.
struct BroadcastShape {
    std::uint64_t elements;
    std::uint32_t wrong_dimension;  // kBroadcastRank if the strides are those of a dense operand
};

[[nodiscard]] constexpr BroadcastShape broadcast_shape(const BroadcastDims& dims,
                                                       const BroadcastDims& strides) noexcept {
    std::uint64_t size = 1U;
    for (std::uint32_t i = kBroadcastRank; i > 0U; --i) {
        const std::uint32_t dimension = i - 1U;
        if (strides[dimension] != 0U) {
            if (strides[dimension] != size) {
                return BroadcastShape{size, dimension};
            }
            size = (size * dims[dimension] > kMaxOperandBytes) ? (kMaxOperandBytes + 1U) : (size * dims[dimension]);
        }
    }
    return BroadcastShape{size, kBroadcastRank};
}

// One run of the innermost dimension, given by its index in the others. Its stride there is 0 or 1.
struct BroadcastRun {
    std::size_t i;
    std::size_t j;
    std::size_t k;

    [[nodiscard]] constexpr std::size_t start(const BroadcastDims& strides) const noexcept {
        return (i * strides[0]) + (j * strides[1]) + (k * strides[2]);
    }
};

// Turns of the loops of for_each_run(), for a result that is an operand.
struct BroadcastTurns {
    std::uint64_t outer;
    std::uint64_t middle;
    std::uint64_t runs;
    std::uint64_t elements;

    explicit constexpr BroadcastTurns(const BroadcastDims& dims) noexcept
        : outer{dims[0]},
          middle{bounded_product(outer, dims[1])},
          runs{bounded_product(middle, dims[2])},
          elements{bounded_product(runs, dims[3])} {}
};

// Calls run(BroadcastRun) for every run of the result, in order.
template <typename Run>
void for_each_run(const BroadcastDims& dims, Run run) noexcept {
    for (std::size_t i = 0U; i < dims[0]; ++i) {
        for (std::size_t j = 0U; j < dims[1]; ++j) {
            for (std::size_t k = 0U; k < dims[2]; ++k) {
                run(BroadcastRun{i, j, k});
            }
        }
    }
}

}  // namespace pianola::refdev
