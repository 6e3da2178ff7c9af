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

[[nodiscard]] inline std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t i = 0U; i < count; ++i) {
        sum += taps[i];
    }
    return sum;
}

inline void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept {
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        sums[channel] = wrapping_add(sums[channel], value);
    }
}

inline void store_row(const ChannelSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    if (!r.is_short) {
        for (std::uint32_t channel = 0U; channel < channels; ++channel) {
            output[channel] = requantise_long(sums[channel], parameters, channel, r);
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

// The products of an output channel that shares its input channel with others. A separate function, because its
// registers would be spilled in the loop over channels.
[[gnu::noinline]] inline std::int32_t shared_sum(const DepthwiseWindow& window, std::uint32_t channel) noexcept {
    const std::int8_t* input_row = window.input;
    const std::int8_t* weight_row = window.weights + channel;
    std::int32_t sum = 0;
    for (std::uint32_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = input_row;
        const std::int8_t* weights = weight_row;
        for (std::uint32_t left = window.columns; left != 0U; --left) {
            sum += (*input + window.offset) * *weights;
            input += window.input_column;
            weights += window.weight_column;
        }
        input_row += window.input_row;
        weight_row += window.weight_row;
    }
    return sum;
}

inline void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                             const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        const std::int32_t sum = wrapping_add(shared_sum(window, channel), bias_of(parameters, channel));
        output[channel] = requantise_long(sum, parameters, channel, r);
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

// Element by element.
inline void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                         std::uint32_t count) noexcept {
    const AddPlan p = plan;  // a copy: stores of int8 may alias it
    for (std::uint32_t i = 0U; i < count; ++i) {
        output[i] = p.element(input1[i], input2[i]);
    }
}

// Conditions under which the short form of requantisation is exact.

// Largest bias in magnitude for which the short form is exact, for sums of products below form.sums.
[[nodiscard]] inline std::uint32_t largest_bias_of(const ShortForm& form, std::uint64_t largest_sum) noexcept {
    constexpr std::uint64_t kAnyBias = INT32_MAX;
    const std::uint64_t room = form.sums - largest_sum - 1U;
    return static_cast<std::uint32_t>((room < kAnyBias) ? room : kAnyBias);
}

[[nodiscard]] inline bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels,
                                              std::uint64_t largest_sum) noexcept {
    const ShortForm form = refdev::kShortForm;  // the linked variant's
    if (largest_sum >= form.sums) {
        return false;
    }
    const std::uint32_t largest_bias = largest_bias_of(form, largest_sum);
    const auto shifts = static_cast<std::uint32_t>(form.highest_shift - form.lowest_shift);
    bool is_exact = true;
    for (std::size_t i = 0U; i < channels; ++i) {
        // Compared as distances from the lowest accepted value, modulo 2^32.
        const std::uint32_t bias = static_cast<std::uint32_t>(bias_of(parameters, i)) + largest_bias;
        const auto shift = static_cast<std::uint32_t>(wrapping_subtract(shift_of(parameters, i), form.lowest_shift));
        is_exact =
            is_exact && (shift <= shifts) && (multiplier_of(parameters, i) >= 0) && (bias <= (2U * largest_bias));
    }
    return is_exact;
}

// Packed weights of every layout: for any core, and as a reference for the others' loops.

inline constexpr std::uint32_t kEveryLayout = (std::uint32_t{1} << static_cast<std::uint32_t>(WeightsLayout::kDsp)) |
                                              (std::uint32_t{1} << static_cast<std::uint32_t>(WeightsLayout::kMve));
inline constexpr PackedLoops kPackedLoops{kEveryLayout, kRowBlock};

// A sum of a group, of channel and row.
[[nodiscard]] constexpr std::size_t sum_position(std::uint32_t channel, std::uint32_t row) noexcept {
    return ((((channel / kPackedGroup) * std::size_t{kPackedRows}) + row) * kPackedGroup) + (channel % kPackedGroup);
}

[[nodiscard]] inline std::int32_t packed_word(const PackedBlock& block, std::uint32_t channel,
                                              std::size_t member) noexcept {
    std::int32_t word = 0;
    std::memcpy(&word, block.parameters + packed_parameter(channel, member), sizeof(word));
    return word;
}

[[nodiscard]] inline std::int32_t wrapping_product(std::int32_t left, std::int32_t right) noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(left) * static_cast<std::uint32_t>(right));
}

// The products of one row's taps and one channel's weights. Weights may have any value in memory: sums wrap.
[[nodiscard]] inline std::int32_t packed_products(const PackedBlock& block, std::uint32_t channel,
                                                  const std::int8_t* row, const PackedTaps& taps) noexcept {
    constexpr std::uint32_t kRun = 16U;  // taps with adjacent weights
    const bool is_dsp = block.layout == WeightsLayout::kDsp;
    const std::int32_t offset = is_dsp ? block.offset : 0;
    std::int32_t sum = 0;
    std::uint32_t done = 0U;
    while (done < taps.count) {
        const std::int8_t* const weights =
            block.weights + packed_position(block.layout, block.taps, channel, taps.first + done);
        const std::uint32_t count = ((taps.count - done) < kRun) ? (taps.count - done) : kRun;
        for (std::uint32_t i = 0U; i < count; ++i) {
            std::int32_t weight = weights[i];
            if (is_dsp) {
                std::int16_t wide = 0;
                std::memcpy(&wide, weights + packed_position(WeightsLayout::kDsp, kRun, 0U, i), sizeof(wide));
                weight = wide;
            }
            sum = wrapping_add(sum, wrapping_product(row[done + i] + offset, weight));
        }
        done += count;
    }
    return sum;
}

inline void accumulate_packed(const PackedBlock& block, const PackedTaps& taps, PackedSums& sums) noexcept {
    for (std::uint32_t channel = 0U; channel < block.channels; ++channel) {
        for (std::uint32_t row = 0U; row < taps.used; ++row) {
            std::int32_t& sum = sums[sum_position(channel, row)];
            const std::int32_t start =
                (taps.first == 0U) ? packed_word(block, channel, offsetof(ChannelParameters, bias)) : sum;
            sum = wrapping_add(start, packed_products(block, channel, taps.rows[row], taps));
        }
    }
}

inline void store_packed(const PackedBlock& block, const PackedSums& sums, const Requantisation& requantisation,
                         const OutputRows& output) noexcept {
    const OutputRange range{requantisation.offset, requantisation.lowest, requantisation.highest};
    for (std::uint32_t channel = 0U; channel < block.channels; ++channel) {
        const Scale scale{packed_word(block, channel, offsetof(ChannelParameters, multiplier)),
                          packed_word(block, channel, offsetof(ChannelParameters, shift))};
        std::int8_t* to = output.first + channel;
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            const std::int32_t sum = sums[sum_position(channel, row)];
            *to = range.place(scale.apply((block.layout == WeightsLayout::kDsp) ? floor_shift_right(sum, 1U) : sum));
            to += output.stride;
        }
    }
}

}  // namespace pianola::refdev::scalar
