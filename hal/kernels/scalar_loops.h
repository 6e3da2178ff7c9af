// What the variants without vectors share of the inner loops.
//
// Place in the whole: included by variants only.
#pragma once

#include "hal/kernels/inner_loops.h"

namespace pianola::refdev::scalar {

// See requantisation.h.
inline constexpr ShortForm kShortForm{-22, -1, 0x4000'0000U};

// Biases.
inline void start_sums(const FilterRows& filter, const std::int8_t* parameters, ChannelSums& sums) noexcept {
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        sums[channel] = bias_of(parameters, channel);
    }
}

inline void store_row(const ChannelSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    if (!r.is_short) {
        for (std::uint32_t channel = 0U; channel < channels; ++channel) {
            output[channel] = requantise(sums[channel], parameters, channel, r);
        }
        return;
    }
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        output[channel] = requantise_short(sums[channel], parameters, channel, r);
    }
}
inline void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                       const Requantisation& requantisation, const OutputRows& output) noexcept {
    std::int8_t* to = output.first;
    for (std::uint32_t row = 0U; row < output.rows; ++row) {
        store_row(sums[row], parameters, channels, requantisation, to);
        to += output.stride;
    }
}

// One channel of a depthwise convolution's window.
[[nodiscard]] inline std::int8_t depthwise_channel(const DepthwiseWindow& window, std::size_t channel,
                                                   const std::int8_t* parameters, const Requantisation& r) noexcept {
    std::int32_t sum = 0;
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            sum += (*input + window.offset) * *weights;
            input += window.input_column;
            weights += window.weight_column;
        }
    }
    return requantise(wrapping_add(sum, bias_of(parameters, channel)), parameters, channel, r);
}

inline void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    std::uint32_t done = 0U;
    for (; (count - done) >= kWord; done += kWord) {
        std::memcpy(to + done, from + done, kWord);
    }
    for (; done < count; ++done) {
        to[done] = from[done];
    }
}

inline void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    for (std::uint32_t i = 0U; i < count; ++i) {
        to[i] = value;
    }
}

}  // namespace pianola::refdev::scalar
