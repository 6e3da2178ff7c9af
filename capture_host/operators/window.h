// Sizes of images and of the windows that slide over them.
//
// The formulas are those of the published SAME and VALID padding schemes. Pure functions; sizes are below 2^32, so that
// nothing here overflows.
#pragma once

#include <cstdint>

namespace pianola::operators {

// Dimensions of an NHWC tensor of rank 4.
struct ImageShape {
    std::uint32_t batches{0U};
    std::uint32_t height{0U};
    std::uint32_t width{0U};
    std::uint32_t channels{0U};
};

// A window along one dimension.
struct WindowAxis {
    std::uint32_t filter{1U};
    std::uint32_t stride{1U};
    std::uint32_t dilation{1U};
    std::uint32_t pad_before{0U};
};

struct Window {
    WindowAxis height;
    WindowAxis width;
};

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
