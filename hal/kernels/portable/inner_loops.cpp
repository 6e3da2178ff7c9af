// The inner loops for any core, in plain C++: blocks of two rows by two channels, so that each byte that is loaded
// counts for two products.
#include "hal/kernels/inner_loops.h"

#include "hal/kernels/scalar_loops.h"

namespace pianola::refdev {
namespace {

// At most kMaxTaps products of [-255, 255] by [-128, 127] are ever added up, so no sum overflows.
void two_by_two(const TapRows& rows, const std::int8_t* weights, const std::int8_t* next_weights, std::uint32_t channel,
                BlockSums& sums) noexcept {
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

[[nodiscard]] std::int32_t dot_product(const std::int8_t* taps, const std::int8_t* weights, std::uint32_t count,
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

}  // namespace

const ShortForm kShortForm = scalar::kShortForm;

void start_sums(const FilterRows& filter, std::uint32_t /*taps*/, std::int32_t /*offset*/,
                const std::int8_t* parameters, ChannelSums& sums) noexcept {
    scalar::start_sums(filter, parameters, sums);
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
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

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    BlockSums block{};
    scalar::start_sums(filter, parameters, block[0U]);
    accumulate(rows, filter, block);
    sums = block[0U];
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    scalar::store_sums(sums, parameters, channels, requantisation, output);
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    for (std::size_t channel = 0U; channel < channels; ++channel) {
        output[channel] = scalar::depthwise_channel(window, channel, parameters, r);
    }
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::copy_taps(from, count, to);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::fill_taps(value, count, to);
}

}  // namespace pianola::refdev
