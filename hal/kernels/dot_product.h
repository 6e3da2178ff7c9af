// Sums of products over one block of output channels, shared by the fully connected and convolution kernels.
//
// Place in the whole: the inner loops that decide the speed of a replay. Taps are widened to 16 bits once, with the
// input offset added, and are then used for all channels of the block: plain loops over 16-bit by 8-bit products, which
// compilers turn into the packed multiply-accumulate instructions of the machine.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "hal/kernels/arguments.h"
#include "hal/kernels/fixed_point.h"

namespace pianola::refdev {

inline constexpr std::uint32_t kTapBlock = 160U;     // 320 bytes of stack
inline constexpr std::uint32_t kChannelBlock = 32U;  // 128 bytes of stack

using TapBuffer = std::array<std::int16_t, kTapBlock>;
using Accumulators = std::array<std::int32_t, kChannelBlock>;

// taps[i] = input[i] + offset
inline void widen(const std::int8_t* input, std::uint32_t count, std::int32_t offset, std::int16_t* taps) noexcept {
    const std::int16_t narrow_offset = static_cast<std::int16_t>(offset);
    for (std::uint32_t i = 0U; i < count; ++i) {
        taps[i] = static_cast<std::int16_t>(input[i] + narrow_offset);
    }
}

// At most kMaxTaps products of [-255, 255] by [-128, 127] are ever added up, so no sum overflows.
[[nodiscard]] inline std::int32_t dot_product(const std::int16_t* taps, const std::int8_t* weights,
                                              std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const std::int16_t weight = weights[i];
        sum += static_cast<std::int32_t>(taps[i]) * static_cast<std::int32_t>(weight);
    }
    return sum;
}

// Adds to the accumulator of each of `channels` channels the products of `tap_count` taps. Consecutive channels'
// weights are weight_stride apart.
inline void accumulate_channels(const TapBuffer& taps, std::uint32_t tap_count, const std::int8_t* weights,
                                std::uint32_t weight_stride, std::uint32_t channels, Accumulators& sums) noexcept {
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        sums[channel] +=
            dot_product(taps.data(), weights + (static_cast<std::size_t>(channel) * weight_stride), tap_count);
    }
}

// Biases, scales, clamps and stores a block. `parameters` shows ChannelParameters in device memory, of any alignment
// here.
inline void store_channels(const Accumulators& sums, const std::int8_t* parameters, std::uint32_t channels,
                           const OutputRange& range, std::int8_t* output) noexcept {
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        ChannelParameters channel_parameters{};
        std::memcpy(&channel_parameters, parameters + (static_cast<std::size_t>(channel) * kChannelParametersBytes),
                    kChannelParametersBytes);
        const Scale scale{channel_parameters.multiplier, channel_parameters.shift};
        output[channel] = range.place(scale.apply(wrapping_add(sums[channel], channel_parameters.bias)));
    }
}

[[nodiscard]] constexpr std::uint32_t smaller_count(std::uint32_t left, std::uint32_t right) noexcept {
    return (left < right) ? left : right;
}

}  // namespace pianola::refdev
