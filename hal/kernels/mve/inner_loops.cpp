// The inner loops for Arm cores with the vector extension (Cortex-M55): VMLADAV takes sixteen products at once. Bytes
// are multiplied as they are; the offset's part of a sum, offset * (sum of the weights), is added once for a block of
// channels. Predicated loads end where the operands end.
#include "hal/kernels/inner_loops.h"

#include <arm_mve.h>

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLanes = 16U;     // of bytes
constexpr std::uint32_t kHalfLanes = 8U;  // of 16 bits
constexpr std::uint32_t kWordLanes = 4U;  // of 32 bits
constexpr std::uint32_t kTriple = 3U;     // channels that are taken at once: with two rows, six sums

// Two rows by three channels; weights of the others start `stride` behind one another.
void two_by_three(const TapRows& rows, const std::int8_t* weights, std::size_t second, std::size_t third,
                  std::int32_t* first_sums, std::int32_t* second_sums) noexcept {
    const std::int8_t* taps0 = rows.first;
    const std::int8_t* taps1 = rows.second;
    const std::int8_t* weights1 = weights + second;
    const std::int8_t* weights2 = weights + third;
    std::int32_t sum00 = first_sums[0U];
    std::int32_t sum01 = first_sums[1U];
    std::int32_t sum02 = first_sums[2U];
    std::int32_t sum10 = second_sums[0U];
    std::int32_t sum11 = second_sums[1U];
    std::int32_t sum12 = second_sums[2U];
    for (std::uint32_t left = rows.taps / kLanes; left != 0U; --left) {
        const int8x16_t row0 = vldrbq_s8(taps0);
        const int8x16_t row1 = vldrbq_s8(taps1);
        const int8x16_t channel0 = vldrbq_s8(weights);
        sum00 = vmladavaq_s8(sum00, row0, channel0);
        sum10 = vmladavaq_s8(sum10, row1, channel0);
        const int8x16_t channel1 = vldrbq_s8(weights1);
        sum01 = vmladavaq_s8(sum01, row0, channel1);
        sum11 = vmladavaq_s8(sum11, row1, channel1);
        const int8x16_t channel2 = vldrbq_s8(weights2);
        sum02 = vmladavaq_s8(sum02, row0, channel2);
        sum12 = vmladavaq_s8(sum12, row1, channel2);
        taps0 += kLanes;
        taps1 += kLanes;
        weights += kLanes;
        weights1 += kLanes;
        weights2 += kLanes;
    }
    const std::uint32_t rest = rows.taps % kLanes;
    if (rest != 0U) {
        const mve_pred16_t inside = vctp8q(rest);
        const int8x16_t row0 = vldrbq_z_s8(taps0, inside);
        const int8x16_t row1 = vldrbq_z_s8(taps1, inside);
        const int8x16_t channel0 = vldrbq_z_s8(weights, inside);
        sum00 = vmladavaq_s8(sum00, row0, channel0);
        sum10 = vmladavaq_s8(sum10, row1, channel0);
        const int8x16_t channel1 = vldrbq_z_s8(weights1, inside);
        sum01 = vmladavaq_s8(sum01, row0, channel1);
        sum11 = vmladavaq_s8(sum11, row1, channel1);
        const int8x16_t channel2 = vldrbq_z_s8(weights2, inside);
        sum02 = vmladavaq_s8(sum02, row0, channel2);
        sum12 = vmladavaq_s8(sum12, row1, channel2);
    }
    first_sums[0U] = sum00;
    first_sums[1U] = sum01;
    first_sums[2U] = sum02;
    second_sums[0U] = sum10;
    second_sums[1U] = sum11;
    second_sums[2U] = sum12;
}

// One row by four channels.
void one_by_four(const TapRows& rows, const std::int8_t* weights, std::size_t stride, std::int32_t* sums) noexcept {
    const std::int8_t* taps = rows.first;
    const std::int8_t* weights1 = weights + stride;
    const std::int8_t* weights2 = weights1 + stride;
    const std::int8_t* weights3 = weights2 + stride;
    std::int32_t sum0 = sums[0U];
    std::int32_t sum1 = sums[1U];
    std::int32_t sum2 = sums[2U];
    std::int32_t sum3 = sums[3U];
    for (std::uint32_t left = rows.taps / kLanes; left != 0U; --left) {
        const int8x16_t row = vldrbq_s8(taps);
        sum0 = vmladavaq_s8(sum0, row, vldrbq_s8(weights));
        sum1 = vmladavaq_s8(sum1, row, vldrbq_s8(weights1));
        sum2 = vmladavaq_s8(sum2, row, vldrbq_s8(weights2));
        sum3 = vmladavaq_s8(sum3, row, vldrbq_s8(weights3));
        taps += kLanes;
        weights += kLanes;
        weights1 += kLanes;
        weights2 += kLanes;
        weights3 += kLanes;
    }
    const std::uint32_t rest = rows.taps % kLanes;
    if (rest != 0U) {
        const mve_pred16_t inside = vctp8q(rest);
        const int8x16_t row = vldrbq_z_s8(taps, inside);
        sum0 = vmladavaq_s8(sum0, row, vldrbq_z_s8(weights, inside));
        sum1 = vmladavaq_s8(sum1, row, vldrbq_z_s8(weights1, inside));
        sum2 = vmladavaq_s8(sum2, row, vldrbq_z_s8(weights2, inside));
        sum3 = vmladavaq_s8(sum3, row, vldrbq_z_s8(weights3, inside));
    }
    sums[0U] = sum0;
    sums[1U] = sum1;
    sums[2U] = sum2;
    sums[3U] = sum3;
}

// The sum of `count` weights.
[[nodiscard]] std::int32_t sum_of(const std::int8_t* weights, std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t left = count / kLanes; left != 0U; --left) {
        sum = vaddvaq_s8(sum, vldrbq_s8(weights));
        weights += kLanes;
    }
    const std::uint32_t rest = count % kLanes;
    return (rest == 0U) ? sum : vaddvaq_s8(sum, vldrbq_z_s8(weights, vctp8q(rest)));
}

// Four channels' words, every `step`-th channel's from the first on, that are inside.
struct ChannelWords {
    const std::int8_t* parameters;
    uint32x4_t places;
    mve_pred16_t inside;

    [[nodiscard]] int32x4_t at(std::size_t offset) const noexcept {
        // The parameters are 4-byte aligned in device memory and here: see describe(), and the device's memory.
        return vldrwq_gather_offset_z_s32(reinterpret_cast<const std::int32_t*>(parameters + offset), places, inside);
    }
    [[nodiscard]] int32x4_t biases() const noexcept { return at(offsetof(ChannelParameters, bias)); }
    [[nodiscard]] int32x4_t multipliers() const noexcept { return at(offsetof(ChannelParameters, multiplier)); }
    [[nodiscard]] int32x4_t shifts() const noexcept { return at(offsetof(ChannelParameters, shift)); }
};

// The elements of four sums, for shifts of at most -1: VRSHL rounds halves up, and the sign makes that away from zero.
[[nodiscard]] inline int32x4_t requantise_short(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts,
                                                const Requantisation& r) noexcept {
    constexpr int kSign = 31;
    const int32x4_t high = vqrdmulhq_s32(sums, multipliers);
    const int32x4_t scaled = vrshlq_s32(vaddq_s32(high, vshrq_n_s32(sums, kSign)), shifts);
    const int32x4_t placed = vaddq_n_s32(scaled, r.offset);
    return vminq_s32(vmaxq_s32(placed, vdupq_n_s32(r.lowest)), vdupq_n_s32(r.highest));
}

}  // namespace

void start_sums(const FilterRows& filter, std::uint32_t taps, std::int32_t offset, const std::int8_t* parameters,
                ChannelSums& sums) noexcept {
    const std::int8_t* weights = filter.weights;
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        const std::int32_t by_offset = offset * sum_of(weights, taps);  // fits: at most kMaxTaps products
        sums[channel] = wrapping_add(bias_of(parameters, channel), by_offset);
        weights += filter.stride;
    }
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    std::uint32_t channel = 0U;
    const std::int8_t* weights = filter.weights;
    if (rows.rows == kRowBlock) {
        for (; (channel + kTriple) <= filter.channels; channel += kTriple) {
            two_by_three(rows, weights, filter.stride, 2U * filter.stride, &sums[0U][channel], &sums[1U][channel]);
            weights += kTriple * filter.stride;
        }
        if (channel < filter.channels) {  // sums behind the last channel are nobody's
            const std::size_t second = ((filter.channels - channel) == 2U) ? filter.stride : 0U;
            two_by_three(rows, weights, second, second, &sums[0U][channel], &sums[1U][channel]);
        }
        return;
    }
    for (; (channel + kWordLanes) <= filter.channels; channel += kWordLanes) {
        one_by_four(rows, weights, filter.stride, &sums[0U][channel]);
        weights += kWordLanes * filter.stride;
    }
    for (; channel < filter.channels; ++channel) {
        std::array<std::int32_t, kWordLanes> same{};
        same[0U] = sums[0U][channel];
        one_by_four(rows, weights, 0U, same.data());
        sums[0U][channel] = same[0U];
        weights += filter.stride;
    }
}

void store_sums(const ChannelSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    if (!r.is_short) {
        for (std::uint32_t channel = 0U; channel < channels; ++channel) {
            output[channel] = requantise(sums[channel], parameters, channel, r);
        }
        return;
    }
    const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0U, 1), kChannelParametersBytes);
    for (std::uint32_t channel = 0U; channel < channels; channel += kWordLanes) {
        const mve_pred16_t inside = vctp32q(channels - channel);
        const ChannelWords words{parameters + (channel * kChannelParametersBytes), places, inside};
        const int32x4_t elements = requantise_short(vldrwq_s32(&sums[channel]), words.multipliers(), words.shifts(), r);
        vstrbq_p_s32(output + channel, elements, inside);
    }
}

namespace {

// Eight channels of a depthwise convolution's window, of which `channels` are there. Products are 16 by 16 bits, those
// of even channels and of odd ones apart.
void depthwise_eight(const DepthwiseWindow& window, std::size_t channel, std::uint32_t channels,
                     const std::int8_t* parameters, const Requantisation& r, std::int8_t* output) noexcept {
    const mve_pred16_t inside = vctp16q(channels);
    const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0U, 2), kChannelParametersBytes);
    const std::int8_t* const first = parameters + (channel * kChannelParametersBytes);
    const ChannelWords even{first, places, vctp32q((channels + 1U) / 2U)};
    const ChannelWords odd{first + kChannelParametersBytes, places, vctp32q(channels / 2U)};
    int32x4_t even_sums = even.biases();
    int32x4_t odd_sums = odd.biases();
    const auto offset = static_cast<std::int16_t>(window.offset);
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        for (std::uint32_t column = window.columns; column != 0U; --column) {
            const int16x8_t taps = vaddq_n_s16(vldrbq_z_s16(input, inside), offset);
            const int16x8_t weight = vldrbq_z_s16(weights, inside);
            even_sums = vaddq_s32(even_sums, vmullbq_int_s16(taps, weight));
            odd_sums = vaddq_s32(odd_sums, vmulltq_int_s16(taps, weight));
            input += window.input_column;
            weights += window.weight_column;
        }
    }
    const int32x4_t even_elements = requantise_short(even_sums, even.multipliers(), even.shifts(), r);
    const int32x4_t odd_elements = requantise_short(odd_sums, odd.multipliers(), odd.shifts(), r);
    const int16x8_t elements = vmovntq_s32(vreinterpretq_s16_s32(even_elements), odd_elements);
    vstrbq_p_s16(output + channel, elements, inside);
}

[[nodiscard]] std::int8_t depthwise_channel(const DepthwiseWindow& window, std::size_t channel,
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

}  // namespace

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    if (!r.is_short) {
        for (std::size_t channel = 0U; channel < channels; ++channel) {
            output[channel] = depthwise_channel(window, channel, parameters, r);
        }
        return;
    }
    for (std::uint32_t channel = 0U; channel < channels; channel += kHalfLanes) {
        depthwise_eight(window, channel, channels - channel, parameters, r, output);
    }
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    for (std::uint32_t done = 0U; done < count; done += kLanes) {
        const mve_pred16_t inside = vctp8q(count - done);
        vstrbq_p_s8(to + done, vldrbq_z_s8(from + done, inside), inside);
    }
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    const int8x16_t values = vdupq_n_s8(value);
    for (std::uint32_t done = 0U; done < count; done += kLanes) {
        vstrbq_p_s8(to + done, values, vctp8q(count - done));
    }
}

}  // namespace pianola::refdev
