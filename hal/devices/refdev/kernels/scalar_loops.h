// The inner loops in plain C++: the whole portable variant, and parts of others.
#pragma once

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev::scalar {

// See requantisation.h.
inline constexpr ShortForm kShortForm{-22, -1, 0x4000'0000U};

// Biases.
inline void start_sums(const FilterRows& filter, const std::int8_t* parameters, ChannelSums& sums) noexcept {
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        sums[channel] = bias_of(parameters, channel);
    }
}

// At most kMaxTaps products of [-255, 255] by [-128, 127] are summed, so no sum overflows.
inline void two_by_two(const TapRows& rows, const std::int8_t* weights, const std::int8_t* next_weights,
                       std::uint32_t channel, BlockSums& sums) noexcept {
    const std::int8_t* const first = rows.first;
    const std::int8_t* const second = rows.second;
    const auto offset = static_cast<std::int16_t>(rows.offset);
    const std::uint32_t taps = rows.taps;
    std::int32_t sum00 = 0;
    std::int32_t sum01 = 0;
    std::int32_t sum10 = 0;
    std::int32_t sum11 = 0;
    for (std::uint32_t tap = 0U; tap < taps; ++tap) {
        const auto first_tap = static_cast<std::int16_t>(first[tap] + offset);
        const auto second_tap = static_cast<std::int16_t>(second[tap] + offset);
        const std::int16_t weight = weights[tap];
        const std::int16_t next_weight = next_weights[tap];
        sum00 += first_tap * weight;
        sum01 += first_tap * next_weight;
        sum10 += second_tap * weight;
        sum11 += second_tap * next_weight;
    }
    sums[0U][channel] = wrapping_add(sums[0U][channel], sum00);
    sums[0U][channel + 1U] = wrapping_add(sums[0U][channel + 1U], sum01);
    sums[1U][channel] = wrapping_add(sums[1U][channel], sum10);
    sums[1U][channel + 1U] = wrapping_add(sums[1U][channel + 1U], sum11);
}

[[nodiscard]] inline std::int32_t dot_product(const std::int8_t* taps, const std::int8_t* weights, std::uint32_t count,
                                              std::int32_t offset) noexcept {
    const auto narrow_offset = static_cast<std::int16_t>(offset);
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const auto tap = static_cast<std::int16_t>(taps[i] + narrow_offset);
        const std::int16_t weight = weights[i];
        sum += tap * weight;
    }
    return sum;
}

// Blocks of two rows by two channels, so that each loaded byte is used in two products.
inline void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    std::uint32_t channel = 0U;
    const std::int8_t* weights = filter.weights;
    if (rows.rows == kRowBlock) {
        for (; (filter.channels - channel) >= 2U; channel += 2U) {
            two_by_two(rows, weights, weights + filter.stride, channel, sums);
            weights += 2U * filter.stride;
        }
    }
    for (; channel < filter.channels; ++channel) {
        sums[0U][channel] = wrapping_add(sums[0U][channel], dot_product(rows.first, weights, rows.taps, rows.offset));
        if (rows.rows == kRowBlock) {
            sums[1U][channel] =
                wrapping_add(sums[1U][channel], dot_product(rows.second, weights, rows.taps, rows.offset));
        }
        weights += filter.stride;
    }
}

inline void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
                     ChannelSums& sums) noexcept {
    const std::int8_t* weights = filter.weights;
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        sums[channel] =
            wrapping_add(bias_of(parameters, channel), dot_product(rows.first, weights, rows.taps, rows.offset));
        weights += filter.stride;
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

inline void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                            const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    for (std::size_t channel = 0U; channel < channels; ++channel) {
        output[channel] = depthwise_channel(window, channel, parameters, r);
    }
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

// Words, then the rest without a loop: compilers replace a loop over bytes by a call of memset().
inline void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    constexpr std::uint32_t kInEachByte = 0x0101'0101U;
    constexpr std::uint32_t kWord = sizeof(std::uint32_t);
    constexpr std::uint32_t kHalf = sizeof(std::uint16_t);
    const std::uint32_t word = kInEachByte * static_cast<std::uint8_t>(value);
    std::uint32_t done = 0U;
    for (; (count - done) >= kWord; done += kWord) {
        std::memcpy(to + done, &word, kWord);
    }
    if ((count & kHalf) != 0U) {
        std::memcpy(to + done, &word, kHalf);
        done += kHalf;
    }
    if ((count & 1U) != 0U) {
        to[done] = value;
    }
}

}  // namespace pianola::refdev::scalar
