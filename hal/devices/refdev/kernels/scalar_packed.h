// Packed weights of every layout in plain C++: for any core, and as a reference for the others' loops.
#pragma once

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev::scalar {

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
