// The inner loops for Arm cores with the vector extension (Cortex-M55): VMLADAV takes sixteen products at once. Bytes
// are multiplied as they are; the offset's part of a sum, offset * (sum of the weights), is added once for a block of
// channels. Predicated loads end where the operands end.
#include "hal/kernels/inner_loops.h"

#include <arm_mve.h>

#include "hal/kernels/scalar_loops.h"

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

// Places of the parameters of four channels, each the kStep-th from the one before.
template <int kStep>
[[nodiscard]] inline uint32x4_t every_channel() noexcept {
    return vmulq_n_u32(vidupq_n_u32(0U, kStep), kChannelParametersBytes);
}

// How the words of four channels are read from their parameters, which are 4-byte aligned in device memory, and where
// this core sees it. `word` shows the first channel's.
struct AllChannels {
    uint32x4_t places;

    [[nodiscard]] int32x4_t at(const std::int8_t* word) const noexcept {
        return vldrwq_gather_offset_s32(reinterpret_cast<const std::int32_t*>(word), places);
    }
};
struct SomeChannels {
    uint32x4_t places;
    mve_pred16_t inside;

    [[nodiscard]] int32x4_t at(const std::int8_t* word) const noexcept {
        return vldrwq_gather_offset_z_s32(reinterpret_cast<const std::int32_t*>(word), places, inside);
    }
};

// Eight bytes, widened, and stores of them.
struct AllBytes {
    [[nodiscard]] int16x8_t load(const std::int8_t* from) const noexcept { return vldrbq_s16(from); }
    void store(std::int8_t* to, int16x8_t elements) const noexcept { vstrbq_s16(to, elements); }
};
struct SomeBytes {
    mve_pred16_t inside;

    [[nodiscard]] int16x8_t load(const std::int8_t* from) const noexcept { return vldrbq_z_s16(from, inside); }
    void store(std::int8_t* to, int16x8_t elements) const noexcept { vstrbq_p_s16(to, elements, inside); }
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

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    if (!requantisation.is_short) {
        scalar::store_sums(sums, parameters, channels, requantisation, output);
        return;
    }
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    const uint32x4_t places = every_channel<1>();
    std::uint32_t channel = 0U;
    for (; (channel + kWordLanes) <= channels; channel += kWordLanes) {
        const std::int8_t* const of_channels = parameters + (channel * kChannelParametersBytes);
        const int32x4_t multipliers = AllChannels{places}.at(&of_channels[offsetof(ChannelParameters, multiplier)]);
        const int32x4_t shifts = AllChannels{places}.at(&of_channels[offsetof(ChannelParameters, shift)]);
        std::int8_t* to = output.first + channel;
        vstrbq_s32(to, requantise_short(vldrwq_s32(&sums[0U][channel]), multipliers, shifts, r));
        if (output.rows == kRowBlock) {
            to += output.stride;
            vstrbq_s32(to, requantise_short(vldrwq_s32(&sums[1U][channel]), multipliers, shifts, r));
        }
    }
    if (channel < channels) {
        const SomeChannels some{places, vctp32q(channels - channel)};
        const std::int8_t* const of_channels = parameters + (channel * kChannelParametersBytes);
        const int32x4_t multipliers = some.at(&of_channels[offsetof(ChannelParameters, multiplier)]);
        const int32x4_t shifts = some.at(&of_channels[offsetof(ChannelParameters, shift)]);
        std::int8_t* to = output.first + channel;
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            vstrbq_p_s32(to, requantise_short(vldrwq_s32(&sums[row][channel]), multipliers, shifts, r), some.inside);
            to += output.stride;
        }
    }
}

namespace {

// Eight channels of a depthwise convolution's window. Products are 16 by 16 bits, those of even channels and of odd ones
// apart. `parameters` and `output` show the first of the eight.
template <typename Bytes, typename Channels>
inline void depthwise_eight(const DepthwiseWindow& window, std::size_t channel, const Bytes& bytes,
                            const Channels& even, const Channels& odd, const std::int8_t* parameters,
                            const Requantisation& r, std::int8_t* output) noexcept {
    const std::int8_t* const next = parameters + kChannelParametersBytes;
    int32x4_t even_sums = even.at(&parameters[offsetof(ChannelParameters, bias)]);
    int32x4_t odd_sums = odd.at(&next[offsetof(ChannelParameters, bias)]);
    const auto offset = static_cast<std::int16_t>(window.offset);
    const std::size_t input_column = window.input_column;
    const std::size_t weight_column = window.weight_column;
    const std::int8_t* input_row = window.input + channel;
    const std::int8_t* weight_row = window.weights + channel;
    for (std::uint32_t rows = window.rows; rows != 0U; --rows) {
        const std::int8_t* input = input_row;
        const std::int8_t* weights = weight_row;
        for (std::uint32_t columns = window.columns; columns != 0U; --columns) {
            const int16x8_t taps = vaddq_n_s16(bytes.load(input), offset);
            const int16x8_t weight = bytes.load(weights);
            even_sums = vaddq_s32(even_sums, vmullbq_int_s16(taps, weight));
            odd_sums = vaddq_s32(odd_sums, vmulltq_int_s16(taps, weight));
            input += input_column;
            weights += weight_column;
        }
        input_row += window.input_row;
        weight_row += window.weight_row;
    }
    const int32x4_t even_elements =
        requantise_short(even_sums, even.at(&parameters[offsetof(ChannelParameters, multiplier)]),
                         even.at(&parameters[offsetof(ChannelParameters, shift)]), r);
    const int32x4_t odd_elements = requantise_short(odd_sums, odd.at(&next[offsetof(ChannelParameters, multiplier)]),
                                                    odd.at(&next[offsetof(ChannelParameters, shift)]), r);
    bytes.store(output, vmovntq_s32(vreinterpretq_s16_s32(even_elements), odd_elements));
}

}  // namespace

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    if (!r.is_short) {
        for (std::size_t channel = 0U; channel < channels; ++channel) {
            output[channel] = scalar::depthwise_channel(window, channel, parameters, r);
        }
        return;
    }
    const uint32x4_t places = every_channel<2>();
    std::uint32_t channel = 0U;
    for (; (channel + kHalfLanes) <= channels; channel += kHalfLanes) {
        depthwise_eight(window, channel, AllBytes{}, AllChannels{places}, AllChannels{places}, parameters, r, output);
        parameters += kHalfLanes * kChannelParametersBytes;
        output += kHalfLanes;
    }
    const std::uint32_t left = channels - channel;
    if (left != 0U) {
        depthwise_eight(window, channel, SomeBytes{vctp16q(left)}, SomeChannels{places, vctp32q((left + 1U) / 2U)},
                        SomeChannels{places, vctp32q(left / 2U)}, parameters, r, output);
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
