// Sizes of a sliding window along one dimension.
//
// The formulas of the published SAME and VALID padding schemes, for the importer's operators and for tensors'
// operations. Pure functions; sizes are below 2^32, so that nothing here overflows.
#pragma once

#include <cstdint>

namespace pianola::operators {

// Positions that a filter covers: at least 1 for a filter and a dilation of at least 1.
[[nodiscard]] constexpr std::uint64_t window_reach(std::uint64_t filter, std::uint64_t dilation) noexcept {
    return ((filter - 1U) * dilation) + 1U;
}

// Windows inside `input` positions, which include padding; 0 if none fits.
[[nodiscard]] constexpr std::uint64_t windows_inside(std::uint64_t input, std::uint64_t reach,
                                                     std::uint64_t stride) noexcept {
    return (reach > input) ? 0U : (((input - reach) / stride) + 1U);
}

// Windows of the SAME scheme.
[[nodiscard]] constexpr std::uint64_t windows_same(std::uint64_t input, std::uint64_t stride) noexcept {
    return (input + (stride - 1U)) / stride;
}

// Padding of the SAME scheme on both sides together; the smaller half comes first.
[[nodiscard]] constexpr std::uint64_t padding_same(std::uint64_t input, std::uint64_t output, std::uint64_t reach,
                                                   std::uint64_t stride) noexcept {
    const std::uint64_t covered = ((output - 1U) * stride) + reach;
    return (covered > input) ? (covered - input) : 0U;
}

}  // namespace pianola::operators
