// The inner loops for Arm cores with the vector extension (Cortex-M55): VMLADAV takes sixteen products at once. Bytes
// are multiplied without the offset; its part of a sum, offset * (sum of the weights), is added once for a block of
// channels. Predicated loads end where the operands end.
#include "hal/devices/refdev/kernels/inner_loops.h"

#include <arm_mve.h>

#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/scalar_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLanes = kMveLanes;          // of bytes
constexpr std::uint32_t kHalfLanes = kMveHalfLanes;  // of 16 bits
constexpr std::uint32_t kWordLanes = kMveWordLanes;  // of 32 bits
constexpr std::uint32_t kTriple = kMveTriple;        // channels that are computed together: with two rows, six sums

// Two rows by three channels. Assembly, because a tail-predicated loop (LETP) handles the rest of a vector without
// extra code, and the compiler emits none; a separate function, because it leaves few registers.
[[gnu::noinline]] void two_by_three(const TapRows& rows, const std::int8_t* filter, std::size_t stride,
                                    std::uint32_t triples, BlockSums& sums) noexcept {
    std::int32_t* first_sums = sums[0U].data();
    std::int32_t* second_sums = sums[1U].data();
    for (std::uint32_t left = triples; left != 0U; --left) {
        const std::int8_t* row0 = rows.first;
        const std::int8_t* row1 = rows.second;
        const std::int8_t* weights = filter;
        const std::int8_t* weights1 = weights + stride;
        const std::int8_t* weights2 = weights1 + stride;
        filter = weights2 + stride;
        std::int32_t sum00 = first_sums[0U];
        std::int32_t sum01 = first_sums[1U];
        std::int32_t sum02 = first_sums[2U];
        std::int32_t sum10 = second_sums[0U];
        std::int32_t sum11 = second_sums[1U];
        std::int32_t sum12 = second_sums[2U];
        __asm__ volatile(
            "ldr lr, %[taps]\n\t"
            "dlstp.8 lr, lr\n"
            "1:\n\t"
            "vldrb.8 q0, [%[row0]], #16\n\t"
            "vldrb.8 q1, [%[weights]], #16\n\t"
            "vmladava.s8 %[sum00], q0, q1\n\t"
            "vldrb.8 q2, [%[row1]], #16\n\t"
            "vmladava.s8 %[sum10], q2, q1\n\t"
            "vldrb.8 q1, [%[weights1]], #16\n\t"
            "vmladava.s8 %[sum01], q0, q1\n\t"
            "vmladava.s8 %[sum11], q2, q1\n\t"
            "vldrb.8 q1, [%[weights2]], #16\n\t"
            "vmladava.s8 %[sum02], q0, q1\n\t"
            "vmladava.s8 %[sum12], q2, q1\n\t"
            "letp lr, 1b"
            : [row0] "+r"(row0), [row1] "+r"(row1), [weights] "+r"(weights), [weights1] "+r"(weights1),
              [weights2] "+r"(weights2), [sum00] "+Te"(sum00), [sum01] "+Te"(sum01), [sum02] "+Te"(sum02),
              [sum10] "+Te"(sum10), [sum11] "+Te"(sum11), [sum12] "+Te"(sum12)
            : [taps] "m"(rows.taps)
            : "q0", "q1", "q2", "lr", "memory");
        first_sums[0U] = sum00;
        first_sums[1U] = sum01;
        first_sums[2U] = sum02;
        second_sums[0U] = sum10;
        second_sums[1U] = sum11;
        second_sums[2U] = sum12;
        first_sums += kTriple;
        second_sums += kTriple;
    }
}

// Two rows by one channel; likewise.
[[gnu::noinline]] void two_by_one(const TapRows& rows, const std::int8_t* weights, std::int32_t& first_sum,
                                  std::int32_t& second_sum) noexcept {
    const std::int8_t* row0 = rows.first;
    const std::int8_t* row1 = rows.second;
    std::int32_t sum0 = first_sum;
    std::int32_t sum1 = second_sum;
    __asm__ volatile(
        "dlstp.8 lr, %[taps]\n"
        "1:\n\t"
        "vldrb.8 q0, [%[weights]], #16\n\t"
        "vldrb.8 q1, [%[row0]], #16\n\t"
        "vmladava.s8 %[sum0], q0, q1\n\t"
        "vldrb.8 q2, [%[row1]], #16\n\t"
        "vmladava.s8 %[sum1], q0, q2\n\t"
        "letp lr, 1b"
        : [row0] "+r"(row0), [row1] "+r"(row1), [weights] "+r"(weights), [sum0] "+Te"(sum0), [sum1] "+Te"(sum1)
        : [taps] "r"(rows.taps)
        : "q0", "q1", "q2", "lr", "memory");
    first_sum = sum0;
    second_sum = sum1;
}

// One row by three channels, and the sums of their weights; likewise. `parameters` shows the first channel's.
[[gnu::noinline]] void one_by_three(const TapRows& rows, const FilterRows& filter, std::uint32_t triples,
                                    const std::int8_t* parameters, std::int32_t* sums) noexcept {
    const std::int8_t* next = filter.weights;
    for (std::uint32_t left = triples; left != 0U; --left) {
        const std::int8_t* row = rows.first;
        const std::int8_t* weights = next;
        const std::int8_t* weights1 = weights + filter.stride;
        const std::int8_t* weights2 = weights1 + filter.stride;
        next = weights2 + filter.stride;
        std::int32_t sum0 = bias_of(parameters, 0U);
        std::int32_t sum1 = bias_of(parameters, 1U);
        std::int32_t sum2 = bias_of(parameters, 2U);
        std::int32_t of_weights0 = 0;
        std::int32_t of_weights1 = 0;
        std::int32_t of_weights2 = 0;
        __asm__ volatile(
            "ldr lr, %[taps]\n\t"
            "dlstp.8 lr, lr\n"
            "1:\n\t"
            "vldrb.8 q0, [%[row]], #16\n\t"
            "vldrb.8 q1, [%[weights]], #16\n\t"
            "vmladava.s8 %[sum0], q0, q1\n\t"
            "vaddva.s8 %[of_weights0], q1\n\t"
            "vldrb.8 q2, [%[weights1]], #16\n\t"
            "vmladava.s8 %[sum1], q0, q2\n\t"
            "vaddva.s8 %[of_weights1], q2\n\t"
            "vldrb.8 q3, [%[weights2]], #16\n\t"
            "vmladava.s8 %[sum2], q0, q3\n\t"
            "vaddva.s8 %[of_weights2], q3\n\t"
            "letp lr, 1b"
            : [row] "+r"(row), [weights] "+r"(weights), [weights1] "+r"(weights1), [weights2] "+r"(weights2),
              [sum0] "+Te"(sum0), [sum1] "+Te"(sum1), [sum2] "+Te"(sum2), [of_weights0] "+Te"(of_weights0),
              [of_weights1] "+Te"(of_weights1), [of_weights2] "+Te"(of_weights2)
            : [taps] "m"(rows.taps)
            : "q0", "q1", "q2", "q3", "lr", "memory");
        sums[0U] = wrapping_add(sum0, rows.offset * of_weights0);
        sums[1U] = wrapping_add(sum1, rows.offset * of_weights1);
        sums[2U] = wrapping_add(sum2, rows.offset * of_weights2);
        sums += kTriple;
        parameters += std::size_t{kTriple} * kChannelParametersBytes;
    }
}

// One row by one channel; likewise.
void one_by_one(const TapRows& rows, const std::int8_t* weights, std::int32_t& sum) noexcept {
    const std::int8_t* row = rows.first;
    std::int32_t result = sum;
    __asm__ volatile(
        "dlstp.8 lr, %[taps]\n"
        "1:\n\t"
        "vldrb.8 q0, [%[weights]], #16\n\t"
        "vldrb.8 q1, [%[row]], #16\n\t"
        "vmladava.s8 %[sum], q0, q1\n\t"
        "letp lr, 1b"
        : [row] "+r"(row), [weights] "+r"(weights), [sum] "+Te"(result)
        : [taps] "r"(rows.taps)
        : "q0", "q1", "lr", "memory");
    sum = result;
}

// The sum of `count` bytes.
[[nodiscard]] std::int32_t sum_of(const std::int8_t* weights, std::uint32_t count) noexcept {
    std::int32_t sum = 0;
    for (std::uint32_t left = count / kLanes; left != 0U; --left) {
        sum = vaddvaq_s8(sum, vldrbq_s8(weights));
        weights += kLanes;
    }
    const std::uint32_t rest = count % kLanes;
    return (rest == 0U) ? sum : vaddvaq_s8(sum, vldrbq_z_s8(weights, vctp8q(rest)));
}

// Offsets of the parameters of four channels, kStep words apart.
template <std::int32_t kStep>
[[nodiscard]] inline uint32x4_t every_channel() noexcept {
    return vmulq_n_u32(vidupq_n_u32(0U, kStep), kChannelParametersBytes);
}

// Reads a word of four channels' parameters, which are 4-byte aligned in device memory and for this core. `word` points
// to the first channel's.
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

// The elements of four sums, for shifts from -31 to 0. VQRDMULH is the first rounding. VRSHL rounds halves up:
// subtracting the sign bit first makes that away from zero, for shifts below 0.
[[nodiscard]] inline int32x4_t requantise_short(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts,
                                                const Requantisation& r) noexcept {
    constexpr std::int32_t kSign = 31;
    const int32x4_t signs = vandq_s32(vshrq_n_s32(sums, kSign), vshrq_n_s32(shifts, kSign));
    const int32x4_t scaled = vrshlq_s32(vaddq_s32(vqrdmulhq_s32(sums, multipliers), signs), shifts);
    const int32x4_t placed = vqaddq_n_s32(scaled, r.offset);
    return vminq_s32(vmaxq_s32(placed, vdupq_n_s32(r.lowest)), vdupq_n_s32(r.highest));
}

// The elements of four sums, for any parameters: see scale_long().
[[nodiscard]] inline int32x4_t requantise_long(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts,
                                               const Requantisation& r) noexcept {
    constexpr std::int32_t kSign = 31;
    const int32x4_t none = vdupq_n_s32(0);
    const int32x4_t left = vminq_s32(vmaxq_s32(shifts, none), vdupq_n_s32(kMaxShift));
    const int32x4_t right = vmaxq_s32(vminq_s32(shifts, none), vdupq_n_s32(kMinShift));
    const int32x4_t high = vqrdmulhq_s32(vshlq_s32(sums, left), multipliers);
    const int32x4_t signs = vandq_s32(vshrq_n_s32(high, kSign), vshrq_n_s32(right, kSign));
    const int32x4_t placed = vqaddq_n_s32(vrshlq_s32(vaddq_s32(high, signs), right), r.offset);
    return vminq_s32(vmaxq_s32(placed, vdupq_n_s32(r.lowest)), vdupq_n_s32(r.highest));
}

template <bool kIsShort>
[[nodiscard]] inline int32x4_t requantise(int32x4_t sums, int32x4_t multipliers, int32x4_t shifts,
                                          const Requantisation& r) noexcept {
    return kIsShort ? requantise_short(sums, multipliers, shifts, r) : requantise_long(sums, multipliers, shifts, r);
}

template <bool kIsShort>
void store_vectors(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                   const Requantisation& requantisation, const OutputRows& output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    const uint32x4_t places = every_channel<1>();
    std::uint32_t channel = 0U;
    for (; (channel + kWordLanes) <= channels; channel += kWordLanes) {
        const std::int8_t* const of_channels = parameters + (channel * kChannelParametersBytes);
        const int32x4_t multipliers = AllChannels{places}.at(&of_channels[offsetof(ChannelParameters, multiplier)]);
        const int32x4_t shifts = AllChannels{places}.at(&of_channels[offsetof(ChannelParameters, shift)]);
        std::int8_t* to = output.first + channel;
        vstrbq_s32(to, requantise<kIsShort>(vldrwq_s32(&sums[0U][channel]), multipliers, shifts, r));
        if (output.rows == kRowBlock) {
            to += output.stride;
            vstrbq_s32(to, requantise<kIsShort>(vldrwq_s32(&sums[1U][channel]), multipliers, shifts, r));
        }
    }
    if (channel < channels) {
        const SomeChannels some{places, vctp32q(channels - channel)};
        const std::int8_t* const of_channels = parameters + (channel * kChannelParametersBytes);
        const int32x4_t multipliers = some.at(&of_channels[offsetof(ChannelParameters, multiplier)]);
        const int32x4_t shifts = some.at(&of_channels[offsetof(ChannelParameters, shift)]);
        std::int8_t* to = output.first + channel;
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            const int32x4_t of_row = vldrwq_z_s32(&sums[row][channel], some.inside);
            vstrbq_p_s32(to, requantise<kIsShort>(of_row, multipliers, shifts, r), some.inside);
            to += output.stride;
        }
    }
}

}  // namespace

const ShortForm kShortForm{kMinShift, 0, UINT64_MAX};

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
        const std::uint32_t triples = filter.channels / kTriple;
        two_by_three(rows, weights, filter.stride, triples, sums);
        channel = kTriple * triples;
        weights += channel * filter.stride;
        for (; channel < filter.channels; ++channel) {
            two_by_one(rows, weights, sums[0U][channel], sums[1U][channel]);
            weights += filter.stride;
        }
        return;
    }
    for (; channel < filter.channels; ++channel) {
        one_by_one(rows, weights, sums[0U][channel]);
        weights += filter.stride;
    }
}

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    const std::uint32_t triples = filter.channels / kTriple;
    one_by_three(rows, filter, triples, parameters, sums.data());
    for (std::uint32_t channel = kTriple * triples; channel < filter.channels; ++channel) {
        const std::int8_t* const weights = filter.weights + (channel * filter.stride);
        sums[channel] = wrapping_add(bias_of(parameters, channel), rows.offset * sum_of(weights, rows.taps));
        one_by_one(rows, weights, sums[channel]);
    }
}

void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept {
    for (std::uint32_t done = 0U; done < channels; done += kWordLanes) {
        const mve_pred16_t inside = vctp32q(channels - done);
        vstrwq_p_s32(&sums[done], vaddq_n_s32(vldrwq_z_s32(&sums[done], inside), value), inside);
    }
}

std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept {
    return sum_of(taps, count);
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    if (requantisation.is_short) {
        store_vectors<true>(sums, parameters, channels, requantisation, output);
    } else {
        store_vectors<false>(sums, parameters, channels, requantisation, output);
    }
}

namespace {

// Eight channels of a depthwise convolution's window. Products are 16 by 16 bits, separately for even and odd channels.
// `parameters` and `output` begin at the first of the eight.
template <bool kIsShort, typename Bytes, typename Channels>
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
        requantise<kIsShort>(even_sums, even.at(&parameters[offsetof(ChannelParameters, multiplier)]),
                             even.at(&parameters[offsetof(ChannelParameters, shift)]), r);
    const int32x4_t odd_elements =
        requantise<kIsShort>(odd_sums, odd.at(&next[offsetof(ChannelParameters, multiplier)]),
                             odd.at(&next[offsetof(ChannelParameters, shift)]), r);
    bytes.store(output, vmovntq_s32(vreinterpretq_s16_s32(even_elements), odd_elements));
}

template <bool kIsShort>
[[gnu::noinline]] void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters,
                                        std::uint32_t channels, const Requantisation& requantisation,
                                        std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    const uint32x4_t places = every_channel<2>();
    std::uint32_t channel = 0U;
    for (; (channel + kHalfLanes) <= channels; channel += kHalfLanes) {
        depthwise_eight<kIsShort>(window, channel, AllBytes{}, AllChannels{places}, AllChannels{places}, parameters, r,
                                  output);
        parameters += kHalfLanes * kChannelParametersBytes;
        output += kHalfLanes;
    }
    const std::uint32_t left = channels - channel;
    if (left != 0U) {
        depthwise_eight<kIsShort>(window, channel, SomeBytes{vctp16q(left)},
                                  SomeChannels{places, vctp32q((left + 1U) / 2U)},
                                  SomeChannels{places, vctp32q(left / 2U)}, parameters, r, output);
    }
}

}  // namespace

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    if (requantisation.is_short) {
        depthwise_eights<true>(window, parameters, channels, requantisation, output);
    } else {
        depthwise_eights<false>(window, parameters, channels, requantisation, output);
    }
}

namespace {

// The elements of four channels, in any form.
template <typename Channels>
[[nodiscard]] inline int32x4_t requantise_any(int32x4_t sums, const Channels& channels, const std::int8_t* parameters,
                                              const Requantisation& r) noexcept {
    const int32x4_t multipliers = channels.at(&parameters[offsetof(ChannelParameters, multiplier)]);
    const int32x4_t shifts = channels.at(&parameters[offsetof(ChannelParameters, shift)]);
    return r.is_short ? requantise_short(sums, multipliers, shifts, r) : requantise_long(sums, multipliers, shifts, r);
}

// Eight channels that share an input channel: vectors of four, times one tap.
[[gnu::noinline]] void shared_eight(const DepthwiseWindow& window, std::uint32_t channel, const std::int8_t* parameters,
                                    const Requantisation& requantisation, std::int8_t* output) noexcept {
    const AllChannels channels{every_channel<1>()};
    const std::int8_t* const next = parameters + (kWordLanes * kChannelParametersBytes);
    int32x4_t sums = channels.at(&parameters[offsetof(ChannelParameters, bias)]);
    int32x4_t next_sums = channels.at(&next[offsetof(ChannelParameters, bias)]);
    const std::int32_t offset = window.offset;
    const std::size_t input_column = window.input_column;
    const std::size_t weight_column = window.weight_column;
    const std::int8_t* input_row = window.input;
    const std::int8_t* weight_row = window.weights + channel;
    for (std::uint32_t rows = window.rows; rows != 0U; --rows) {
        const std::int8_t* input = input_row;
        const std::int8_t* weights = weight_row;
        for (std::uint32_t columns = window.columns; columns != 0U; --columns) {
            const std::int32_t tap = *input + offset;
            sums = vmlaq_n_s32(sums, vldrbq_s32(weights), tap);
            next_sums = vmlaq_n_s32(next_sums, vldrbq_s32(weights + kWordLanes), tap);
            input += input_column;
            weights += weight_column;
        }
        input_row += window.input_row;
        weight_row += window.weight_row;
    }
    const Requantisation r = requantisation;
    vstrbq_s32(output, requantise_any(sums, channels, parameters, r));
    vstrbq_s32(output + kWordLanes, requantise_any(next_sums, channels, next, r));
}

// At most four of them.
[[gnu::noinline]] void shared_some(const DepthwiseWindow& window, std::uint32_t channel, mve_pred16_t inside,
                                   const std::int8_t* parameters, const Requantisation& requantisation,
                                   std::int8_t* output) noexcept {
    const SomeChannels channels{every_channel<1>(), inside};
    int32x4_t sums = channels.at(&parameters[offsetof(ChannelParameters, bias)]);
    const std::int32_t offset = window.offset;
    const std::int8_t* input_row = window.input;
    const std::int8_t* weight_row = window.weights + channel;
    for (std::uint32_t rows = window.rows; rows != 0U; --rows) {
        const std::int8_t* input = input_row;
        const std::int8_t* weights = weight_row;
        for (std::uint32_t columns = window.columns; columns != 0U; --columns) {
            sums = vmlaq_n_s32(sums, vldrbq_z_s32(weights, inside), *input + offset);
            input += window.input_column;
            weights += window.weight_column;
        }
        input_row += window.input_row;
        weight_row += window.weight_row;
    }
    const Requantisation r = requantisation;
    vstrbq_p_s32(output, requantise_any(sums, channels, parameters, r), inside);
}

}  // namespace

void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    std::uint32_t channel = 0U;
    while (channel < channels) {
        const std::uint32_t left = channels - channel;
        const std::uint32_t computed = (left >= kHalfLanes) ? kHalfLanes : kWordLanes;
        if (left >= kHalfLanes) {
            shared_eight(window, channel, parameters, requantisation, output);
        } else {
            shared_some(window, channel, vctp32q(left), parameters, requantisation, output);
        }
        channel += computed;
        parameters += std::size_t{computed} * kChannelParametersBytes;
        output += computed;
    }
}

// NOLINTNEXTLINE(readability-non-const-parameter): DEV-040
void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    __asm__ volatile(
        "wlstp.8 lr, %[count], 2f\n"
        "1:\n\t"
        "vldrb.8 q0, [%[from]], #16\n\t"
        "vstrb.8 q0, [%[to]], #16\n\t"
        "letp lr, 1b\n"
        "2:"
        : [from] "+r"(from), [to] "+r"(to)
        : [count] "r"(count)
        : "q0", "lr", "memory");
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    const int8x16_t values = vdupq_n_s8(value);
    for (std::uint32_t done = 0U; done < count; done += kLanes) {
        vstrbq_p_s8(to + done, values, vctp8q(count - done));
    }
}

namespace {

// Scale::apply() for shifts from -31 to 0. VQRDMULH is the first rounding, VRSHL the second; it rounds halves up;
// subtracting the sign bit first makes that away from zero, if any bits are dropped.
struct VectorScale {
    std::int32_t multiplier;
    int32x4_t shifts;
    int32x4_t sign_bits;  // all bits if the shift is below 0

    explicit VectorScale(const Scale& scale) noexcept
        : multiplier{scale.multiplier()},
          shifts{vdupq_n_s32(scale.shift())},
          sign_bits{vdupq_n_s32((scale.shift() < 0) ? -1 : 0)} {}

    [[nodiscard]] int32x4_t apply(int32x4_t values) const noexcept {
        constexpr std::int32_t kSign = 31;
        const int32x4_t high = vqrdmulhq_n_s32(values, multiplier);
        return vrshlq_s32(vaddq_s32(high, vandq_s32(vshrq_n_s32(high, kSign), sign_bits)), shifts);
    }
};

struct VectorTerm {
    std::int32_t offset;
    std::int32_t left_shift;
    VectorScale scale;

    explicit VectorTerm(const ScaledTerm& term) noexcept
        : offset{term.offset}, left_shift{static_cast<std::int32_t>(term.left_shift)}, scale{term.scale} {}

    [[nodiscard]] int32x4_t values(int32x4_t elements) const noexcept {
        return scale.apply(vshlq_r_s32(vaddq_n_s32(elements, offset), left_shift));
    }
};

}  // namespace

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    const VectorTerm term1{plan.term1};
    const VectorTerm term2{plan.term2};
    const VectorScale scale{plan.output_scale};
    const OutputRange range = plan.range;
    const auto elements = [&term1, &term2, &scale, &range](int32x4_t first, int32x4_t second) {
        const int32x4_t scaled = scale.apply(vaddq_s32(term1.values(first), term2.values(second)));
        const int32x4_t fitting =
            vminq_s32(vmaxq_s32(scaled, vdupq_n_s32(range.lowest())), vdupq_n_s32(range.highest()));
        return vaddq_n_s32(fitting, range.offset());
    };
    std::uint32_t left = count;
    static_assert(kWordLanes == kAddLanes);
    for (; left >= kWordLanes; left -= kWordLanes) {
        vstrbq_s32(output, elements(vldrbq_s32(input1), vldrbq_s32(input2)));
        input1 += kWordLanes;
        input2 += kWordLanes;
        output += kWordLanes;
    }
    if (left != 0U) {
        const mve_pred16_t inside = vctp32q(left);
        vstrbq_p_s32(output, elements(vldrbq_z_s32(input1, inside), vldrbq_z_s32(input2, inside)), inside);
    }
}

}  // namespace pianola::refdev
