// Shared by the layers with a filter: checks for every type of activations, and sums of products of int16 and their
// conversion to elements.
//
// The functions of int16 are the counterpart of inner_loops.h, the same plain loops on every core. Operands are bytes
// in device memory, as elements.h says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/elements.h"
#include "hal/devices/refdev/kernels/inner_loops.h"
#include "hal/devices/refdev/kernels/launch_check.h"

namespace pianola::refdev {

struct LayerElements {
    std::uint32_t activation_bytes;  // 1 or 2
    std::uint32_t parameters_bytes;  // of a channel

    [[nodiscard]] constexpr bool are_bytes() const noexcept { return activation_bytes == 1U; }
    [[nodiscard]] constexpr bool are_aligned(std::uint32_t address) const noexcept {
        return (address & (activation_bytes - 1U)) == 0U;
    }
};
inline constexpr LayerElements kInt8Elements{1U, kChannelParametersBytes};

// Check relations between words, which are within their ranges already, and the operands.
Status check_layer(const FullyConnectedArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;
Status check_layer(const Conv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;
Status check_layer(const DepthwiseConv2dArguments& a, const LayerElements& elements, LaunchCheck& check) noexcept;

// Multiply-accumulates of a launch.
[[nodiscard]] std::uint64_t products_of(const FullyConnectedArguments& a) noexcept;
[[nodiscard]] std::uint64_t products_of(const Conv2dArguments& a) noexcept;
[[nodiscard]] std::uint64_t products_of(const DepthwiseConv2dArguments& a) noexcept;

using WideSums = std::array<std::int64_t, kChannelBlock>;

// left + right modulo 2^64.
[[nodiscard]] constexpr std::int64_t wrapping_sum(std::int64_t left, std::int64_t right) noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) + static_cast<std::uint64_t>(right));
}

// Products are at most 2^22 in magnitude: that many of them fit into 32 bits.
inline constexpr std::uint32_t kNarrowTaps = 256U;

// Sum of the products of `count` int16 taps and weights; at most kMaxTaps.
[[nodiscard]] std::int64_t wide_sum(const std::int8_t* taps, const std::int8_t* weights, std::uint32_t count) noexcept;

// Adds the products of `count` int16 taps with the weights of each channel; the filter begins at the weights of the
// first tap. At most kMaxTaps taps are summed, so no sum overflows.
void add_products(const std::int8_t* taps, std::uint32_t count, const FilterRows& filter, WideSums& sums) noexcept;

// Conversion of sums to elements: bias, scale and activation.
struct Int16Output {
    std::int32_t lowest;
    std::int32_t highest;
    std::uint32_t sum_bytes;

    [[nodiscard]] std::uint32_t parameters_bytes() const noexcept {
        return (sum_bytes == kWideSumBytes) ? kWideChannelParametersBytes : kChannelParametersBytes;
    }
    // The element of a channel with these parameters.
    [[nodiscard]] std::int32_t element(std::int64_t sum, const std::int8_t* parameters) const noexcept;
    // The elements of the first `channels` channels; parameters and elements begin at the first one.
    void store(const WideSums& sums, const std::int8_t* parameters, std::uint32_t channels,
               std::int8_t* output) const noexcept;
};

}  // namespace pianola::refdev
