// The inner loops for Arm cores with the 16-bit SIMD instructions: SMLAD takes two products at once. Tested on the
// Cortex-M7, M33 and R5F; words are loaded at any address, so the core must not trap unaligned loads. Taps are widened
// once for a block of channels, in the order in which SXTB16 unpacks four bytes (0 and 2, then 1 and 3), so that
// neither side is shuffled.
#include "hal/devices/refdev/kernels/inner_loops.h"

#include "hal/devices/refdev/kernels/dsp/pairs.h"
#include "hal/devices/refdev/kernels/layer_work.h"
#include "hal/devices/refdev/kernels/scalar_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kWideTaps = kDspWideTaps;
constexpr std::uint32_t kWideWords = kWideTaps / 2U;  // of one row
using WideTaps = std::array<std::uint32_t, kRowBlock * kWideWords>;

// One row's taps, `step` words from one pair of words to the next. After the last tap come sums of zero and the offset;
// the weights there are zero.
void widen(const std::int8_t* taps, std::uint32_t count, std::uint32_t offsets, std::uint32_t step,
           std::uint32_t* wide) noexcept {
    std::uint32_t left = count;
    for (; left >= kQuad; left -= kQuad) {
        const Pairs pairs = unpack_add(load_quad(taps), offsets);
        wide[0U] = pairs.even;
        wide[1U] = pairs.odd;
        taps += kQuad;
        wide += step;
    }
    if (left != 0U) {
        const Pairs pairs = unpack_add(load_some(taps, left), offsets);
        wide[0U] = pairs.even;
        wide[1U] = pairs.odd;
    }
}

// Sums of two rows, whose pairs alternate, by two channels.
struct TwoByTwo {
    std::int32_t sum00;
    std::int32_t sum01;
    std::int32_t sum10;
    std::int32_t sum11;

    void add(const std::uint32_t* wide, std::uint32_t quad, std::uint32_t next_quad) noexcept {
        const Pairs first{wide[0U], wide[1U]};
        const Pairs second{wide[2U], wide[3U]};
        const Pairs weight = unpack(quad);
        sum00 = multiply_add(first, weight, sum00);
        sum10 = multiply_add(second, weight, sum10);
        const Pairs next_weight = unpack(next_quad);
        sum01 = multiply_add(first, next_weight, sum01);
        sum11 = multiply_add(second, next_weight, sum11);
    }
};

// Eight taps, `count` times, which is not 0. Assembly, because it needs twelve registers and the compiler spills.
inline void eight_taps(const std::uint32_t*& taps, const std::int8_t*& weights, const std::int8_t*& next_weights,
                       TwoByTwo& sums, std::uint32_t count) noexcept {
    std::uint32_t even = 0U;
    std::uint32_t odd = 0U;
    std::uint32_t weight = 0U;
    std::uint32_t even_weights = 0U;
    __asm__ volatile(
        "1:\n"
        ".set place, 0\n"
        ".rept 2\n\t"
        "ldr %[weight], [%[weights]], #4\n\t"
        "ldrd %[even], %[odd], [%[taps], #place]\n\t"
        "sxtb16 %[even_weights], %[weight]\n\t"
        "sxtb16 %[weight], %[weight], ror #8\n\t"
        "smlad %[sum00], %[even], %[even_weights], %[sum00]\n\t"
        "smlad %[sum00], %[odd], %[weight], %[sum00]\n\t"
        "ldrd %[even], %[odd], [%[taps], #place + 8]\n\t"
        "smlad %[sum10], %[even], %[even_weights], %[sum10]\n\t"
        "smlad %[sum10], %[odd], %[weight], %[sum10]\n\t"
        "ldr %[weight], [%[next_weights]], #4\n\t"
        "sxtb16 %[even_weights], %[weight]\n\t"
        "sxtb16 %[weight], %[weight], ror #8\n\t"
        "smlad %[sum11], %[even], %[even_weights], %[sum11]\n\t"
        "smlad %[sum11], %[odd], %[weight], %[sum11]\n\t"
        "ldrd %[even], %[odd], [%[taps], #place]\n\t"
        "smlad %[sum01], %[even], %[even_weights], %[sum01]\n\t"
        "smlad %[sum01], %[odd], %[weight], %[sum01]\n"
        ".set place, place + 16\n"
        ".endr\n\t"
        "subs %[count], %[count], #1\n\t"
        "add %[taps], %[taps], #32\n\t"
        "bne 1b"
        : [taps] "+r"(taps), [weights] "+r"(weights), [next_weights] "+r"(next_weights), [count] "+r"(count),
          [sum00] "+r"(sums.sum00), [sum01] "+r"(sums.sum01), [sum10] "+r"(sums.sum10), [sum11] "+r"(sums.sum11),
          [even] "=&r"(even), [odd] "=&r"(odd), [weight] "=&r"(weight), [even_weights] "=&r"(even_weights)
        :
        : "cc", "memory");
}

void two_by_two(const std::uint32_t* wide, std::uint32_t count, const std::int8_t* weights, std::size_t to_next,
                std::int32_t* first_sums, std::int32_t* second_sums, std::size_t next) noexcept {
    const std::uint32_t* taps = wide;
    const std::int8_t* next_weights = weights + to_next;
    TwoByTwo sums{first_sums[0U], first_sums[next], second_sums[0U], second_sums[next]};
    const std::uint32_t rest = count % kQuad;
    std::uint32_t left = count / (2U * kQuad);
    if (left != 0U) {
        eight_taps(taps, weights, next_weights, sums, left);
    }
    if ((count & kQuad) != 0U) {
        sums.add(taps, load_quad(weights), load_quad(next_weights));
        weights += kQuad;
        next_weights += kQuad;
        taps += kQuad;
    }
    if (rest != 0U) {
        sums.add(taps, load_some(weights, rest), load_some(next_weights, rest));
    }
    first_sums[0U] = sums.sum00;
    first_sums[next] = sums.sum01;
    second_sums[0U] = sums.sum10;
    second_sums[next] = sums.sum11;
}

// One row by four channels.
void one_by_four(const std::uint32_t* wide, std::uint32_t count, const std::int8_t* weights, std::size_t stride,
                 std::int32_t* sums) noexcept {
    const std::size_t to_last = 3U * stride;
    const std::uint32_t rest = count % kQuad;
    std::int32_t sum_a = sums[0U];
    std::int32_t sum_b = sums[1U];
    std::int32_t sum_c = sums[2U];
    std::int32_t sum_d = sums[3U];
    std::uint32_t left = count / kQuad;
    if (left != 0U) {
        std::uint32_t even = 0U;
        std::uint32_t odd = 0U;
        std::uint32_t weight = 0U;
        std::uint32_t even_weights = 0U;
        __asm__ volatile(
            "1:\n\t"
            "ldrd %[even], %[odd], [%[taps]], #8\n\t"
            "ldr %[weight], [%[weights], %[stride]]\n\t"
            "sxtb16 %[even_weights], %[weight]\n\t"
            "sxtb16 %[weight], %[weight], ror #8\n\t"
            "smlad %[sum_b], %[even], %[even_weights], %[sum_b]\n\t"
            "smlad %[sum_b], %[odd], %[weight], %[sum_b]\n\t"
            "ldr %[weight], [%[weights], %[stride], lsl #1]\n\t"
            "sxtb16 %[even_weights], %[weight]\n\t"
            "sxtb16 %[weight], %[weight], ror #8\n\t"
            "smlad %[sum_c], %[even], %[even_weights], %[sum_c]\n\t"
            "smlad %[sum_c], %[odd], %[weight], %[sum_c]\n\t"
            "ldr %[weight], [%[weights], %[to_last]]\n\t"
            "sxtb16 %[even_weights], %[weight]\n\t"
            "sxtb16 %[weight], %[weight], ror #8\n\t"
            "smlad %[sum_d], %[even], %[even_weights], %[sum_d]\n\t"
            "smlad %[sum_d], %[odd], %[weight], %[sum_d]\n\t"
            "ldr %[weight], [%[weights]], #4\n\t"
            "sxtb16 %[even_weights], %[weight]\n\t"
            "sxtb16 %[weight], %[weight], ror #8\n\t"
            "smlad %[sum_a], %[even], %[even_weights], %[sum_a]\n\t"
            "smlad %[sum_a], %[odd], %[weight], %[sum_a]\n\t"
            "subs %[left], %[left], #1\n\t"
            "bne 1b"
            : [taps] "+&r"(wide), [weights] "+&r"(weights), [left] "+&r"(left), [sum_a] "+&r"(sum_a),
              [sum_b] "+&r"(sum_b), [sum_c] "+&r"(sum_c), [sum_d] "+&r"(sum_d), [even] "=&r"(even), [odd] "=&r"(odd),
              [weight] "=&r"(weight), [even_weights] "=&r"(even_weights)
            : [stride] "r"(stride), [to_last] "r"(to_last)
            : "cc", "memory");
    }
    if (rest != 0U) {
        const Pairs taps{wide[0U], wide[1U]};
        sum_a = multiply_add(taps, unpack(load_some(weights, rest)), sum_a);
        sum_b = multiply_add(taps, unpack(load_some(weights + stride, rest)), sum_b);
        sum_c = multiply_add(taps, unpack(load_some(weights + (2U * stride), rest)), sum_c);
        sum_d = multiply_add(taps, unpack(load_some(weights + to_last, rest)), sum_d);
    }
    sums[0U] = sum_a;
    sums[1U] = sum_b;
    sums[2U] = sum_c;
    sums[3U] = sum_d;
}

// requantise_short() if every int8 is in the range: the sum's high product is rounded and added in one instruction.
// Entirely in assembly, because its shifts are defined for any distance: parameters are in memory, and may have changed
// since they were checked.
[[nodiscard]] inline std::int8_t requantise_to_int8(std::int32_t sum, const std::int8_t* parameters,
                                                    std::size_t channel, std::int32_t nudge) noexcept {
    const auto bits = 0U - static_cast<std::uint32_t>(shift_of(parameters, channel));
    std::int32_t element = 0;
    __asm__(
        "lsl %[element], %[nudge], %[before_last]\n\t"
        "add %[element], %[element], %[sum], asr #31\n\t"
        "smmlar %[element], %[twice], %[multiplier], %[element]\n\t"
        "asr %[element], %[element], %[bits]\n\t"
        "ssat %[element], #8, %[element]"
        : [element] "=&r"(element)
        : [nudge] "r"(nudge), [before_last] "r"(bits - 1U), [sum] "r"(sum), [twice] "r"(wrapping_shift_left(sum, 1U)),
          [multiplier] "r"(multiplier_of(parameters, channel)), [bits] "r"(bits));
    return static_cast<std::int8_t>(element);
}

[[nodiscard]] inline bool is_short_to_int8(const Requantisation& r) noexcept {
    return r.is_short && r.is_int8();
}

void accumulate_two_rows(const WideTaps& wide, std::uint32_t count, const std::int8_t* weights,
                         const FilterRows& filter, BlockSums& sums) noexcept {
    for (std::uint32_t channel = 0U; channel < filter.channels; channel += 2U) {
        // A last channel without a neighbour is taken twice.
        const bool has_next = (channel + 1U) < filter.channels;
        two_by_two(wide.data(), count, weights, has_next ? filter.stride : 0U, &sums[0U][channel], &sums[1U][channel],
                   has_next ? 1U : 0U);
        weights += 2U * filter.stride;
    }
}

void accumulate_one_row(const WideTaps& wide, std::uint32_t count, const std::int8_t* weights, const FilterRows& filter,
                        ChannelSums& sums) noexcept {
    std::uint32_t channel = 0U;
    for (; (filter.channels - channel) >= kQuad; channel += kQuad) {
        one_by_four(wide.data(), count, weights, filter.stride, &sums[channel]);
        weights += kQuad * filter.stride;
    }
    for (; channel < filter.channels; ++channel) {
        std::array<std::int32_t, kQuad> same{};
        same[0U] = sums[channel];
        one_by_four(wide.data(), count, weights, 0U, same.data());
        sums[channel] = same[0U];
        weights += filter.stride;
    }
}

// The elements of some channels for any parameters: see scale_long().
[[gnu::noinline]] void store_long(const std::int32_t* sums, std::uint32_t channels, const std::int8_t* parameters,
                                  const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    const std::int32_t halves = (2 * r.offset) + 1;
    for (std::uint32_t i = 0U; i < channels; ++i) {
        const DoubledMultiplier multiplier = doubled(multiplier_of(parameters, i));
        const std::int32_t shift = shift_of(parameters, i);
        std::int32_t scaled = 0;
        if (shift < 0) {
            const auto before_last = static_cast<std::uint32_t>(smaller_of(-1 - shift, -1 - kMinShift));
            const std::int32_t twice = floor_shift_right(multiplier.signed_high(sums[i]), before_last);
            scaled = floor_shift_right(__qadd(twice, halves), 1U);
        } else {
            const auto left = static_cast<std::uint32_t>(smaller_of(shift, kMaxShift));
            const std::int32_t high = multiplier.signed_high(wrapping_shift_left(sums[i], left));
            scaled = __qadd(without_sign(high), r.offset);
        }
        output[i] = static_cast<std::int8_t>(clamp_to(scaled, r.lowest, r.highest));
    }
}

// The elements of some channels in the short form, in any range.
[[gnu::noinline]] void store_short(const std::int32_t* sums, std::uint32_t channels, const std::int8_t* parameters,
                                   const Requantisation& requantisation, std::int8_t* output) noexcept {
    const std::int32_t lowest = requantisation.lowest;
    const std::int32_t highest = requantisation.highest;
    const std::int32_t nudge = (2 * requantisation.offset) + 1;
    for (std::uint32_t i = 0U; i < channels; ++i) {
        const std::int32_t element = requantise_to_int8(sums[i], parameters, i, nudge);
        output[i] = static_cast<std::int8_t>(clamp_to(element, lowest, highest));
    }
}

void store_any(const std::int32_t* sums, std::uint32_t channels, const std::int8_t* parameters,
               const Requantisation& requantisation, std::int8_t* output) noexcept {
    if (requantisation.is_short) {
        store_short(sums, channels, parameters, requantisation, output);
    } else {
        store_long(sums, channels, parameters, requantisation, output);
    }
}

// Four channels that share an input channel.
void shared_quad(const DepthwiseWindow& window, std::uint32_t channel, const std::int8_t* parameters,
                 const Requantisation& r, std::int8_t* output) noexcept {
    const std::int32_t offset = window.offset;
    const std::size_t input_column = window.input_column;
    const std::size_t weight_column = window.weight_column;
    const std::int8_t* input_row = window.input;
    const std::int8_t* weight_row = window.weights + channel;
    std::array<std::int32_t, kQuad> sums{bias_of(parameters, channel), bias_of(parameters, channel + 1U),
                                         bias_of(parameters, channel + 2U), bias_of(parameters, channel + 3U)};
    for (std::uint32_t rows = window.rows; rows != 0U; --rows) {
        const std::int8_t* input = input_row;
        const std::int8_t* weights = weight_row;
        for (std::uint32_t columns = window.columns; columns != 0U; --columns) {
            const auto tap = static_cast<int16x2_t>(*input + offset);
            const Pairs weight = unpack(load_quad(weights));
            sums[0U] = __smlabb(tap, static_cast<int16x2_t>(weight.even), sums[0U]);
            sums[1U] = __smlabb(tap, static_cast<int16x2_t>(weight.odd), sums[1U]);
            sums[2U] = __smlabt(tap, static_cast<int16x2_t>(weight.even), sums[2U]);
            sums[3U] = __smlabt(tap, static_cast<int16x2_t>(weight.odd), sums[3U]);
            input += input_column;
            weights += weight_column;
        }
        input_row += window.input_row;
        weight_row += window.weight_row;
    }
    store_any(sums.data(), kQuad, parameters + (std::size_t{channel} * kChannelParametersBytes), r, output + channel);
}

// Four channels of a depthwise convolution's window.
void depthwise_quad(const DepthwiseWindow& window, std::size_t channel, const std::int8_t* parameters,
                    const Requantisation& r, std::int8_t* output) noexcept {
    const std::uint32_t offsets = offsets_of(window.offset);
    const std::size_t input_column = window.input_column;
    const std::size_t weight_column = window.weight_column;
    std::int32_t sum_a = bias_of(parameters, channel);
    std::int32_t sum_b = bias_of(parameters, channel + 1U);
    std::int32_t sum_c = bias_of(parameters, channel + 2U);
    std::int32_t sum_d = bias_of(parameters, channel + 3U);
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        for (std::uint32_t column = window.columns; column != 0U; --column) {
            const Pairs taps = unpack_add(load_quad(input), offsets);
            const Pairs weight = unpack(load_quad(weights));
            sum_a = __smlabb(static_cast<int16x2_t>(taps.even), static_cast<int16x2_t>(weight.even), sum_a);
            sum_b = __smlabb(static_cast<int16x2_t>(taps.odd), static_cast<int16x2_t>(weight.odd), sum_b);
            sum_c = __smlatt(static_cast<int16x2_t>(taps.even), static_cast<int16x2_t>(weight.even), sum_c);
            sum_d = __smlatt(static_cast<int16x2_t>(taps.odd), static_cast<int16x2_t>(weight.odd), sum_d);
            input += input_column;
            weights += weight_column;
        }
    }
    if (is_short_to_int8(r)) {
        const std::int32_t nudge = (2 * r.offset) + 1;
        output[channel] = requantise_to_int8(sum_a, parameters, channel, nudge);
        output[channel + 1U] = requantise_to_int8(sum_b, parameters, channel + 1U, nudge);
        output[channel + 2U] = requantise_to_int8(sum_c, parameters, channel + 2U, nudge);
        output[channel + 3U] = requantise_to_int8(sum_d, parameters, channel + 3U, nudge);
        return;
    }
    const std::array<std::int32_t, kQuad> sums{sum_a, sum_b, sum_c, sum_d};
    store_any(sums.data(), kQuad, parameters + (channel * kChannelParametersBytes), r, output + channel);
}

}  // namespace

const ShortForm kShortForm = scalar::kShortForm;

void start_sums(const FilterRows& filter, std::uint32_t /*taps*/, std::int32_t /*offset*/,
                const std::int8_t* parameters, ChannelSums& sums) noexcept {
    scalar::start_sums(filter, parameters, sums);
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    WideTaps wide;  // NOLINT(pianola-misra-11.6.1): DEV-039
    const std::uint32_t offsets = offsets_of(rows.offset);
    std::uint32_t done = 0U;
    while (done < rows.taps) {
        const std::uint32_t left = rows.taps - done;
        const std::uint32_t count = (left < kWideTaps) ? left : kWideTaps;
        if (rows.rows == kRowBlock) {
            widen(rows.first + done, count, offsets, 2U * kRowBlock, wide.data());
            widen(rows.second + done, count, offsets, 2U * kRowBlock, wide.data() + 2U);
            accumulate_two_rows(wide, count, filter.weights + done, filter, sums);
        } else {
            widen(rows.first + done, count, offsets, 2U, wide.data());
            accumulate_one_row(wide, count, filter.weights + done, filter, sums[0U]);
        }
        done += count;
    }
}

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    BlockSums block;  // NOLINT(pianola-misra-11.6.1): DEV-039
    scalar::start_sums(filter, parameters, block[0U]);
    accumulate(rows, filter, block);
    for (std::uint32_t channel = 0U; channel < filter.channels; ++channel) {
        sums[channel] = block[0U][channel];
    }
}

std::int32_t sum_taps(const std::int8_t* taps, std::uint32_t count) noexcept {
    constexpr std::uint32_t kOnes = 0x0001'0001U;
    std::int32_t sum = 0;
    std::uint32_t left = count;
    for (; left >= kQuad; left -= kQuad) {
        sum = multiply_add(unpack(load_quad(taps)), Pairs{kOnes, kOnes}, sum);
        taps += kQuad;
    }
    return multiply_add(unpack(load_some(taps, left)), Pairs{kOnes, kOnes}, sum);
}

void add_to_sums(ChannelSums& sums, std::uint32_t channels, std::int32_t value) noexcept {
    scalar::add_to_sums(sums, channels, value);
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    if (!is_short_to_int8(requantisation)) {
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            store_any(sums[row].data(), channels, parameters, requantisation,
                      output.first + (std::size_t{row} * output.stride));
        }
        return;
    }
    const std::int32_t nudge = (2 * requantisation.offset) + 1;
    std::int8_t* to = output.first;
    for (std::uint32_t row = 0U; row < output.rows; ++row) {
        for (std::uint32_t channel = 0U; channel < channels; ++channel) {
            to[channel] = requantise_to_int8(sums[row][channel], parameters, channel, nudge);
        }
        to += output.stride;
    }
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    const Requantisation r = requantisation;
    std::size_t channel = 0U;
    for (; (channels - channel) >= kQuad; channel += kQuad) {
        depthwise_quad(window, channel, parameters, r, output);
    }
    for (; channel < channels; ++channel) {
        output[channel] = scalar::depthwise_channel(window, channel, parameters, r);
    }
}

void depthwise_shared(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    std::uint32_t channel = 0U;
    for (; (channels - channel) >= kQuad; channel += kQuad) {
        shared_quad(window, channel, parameters, requantisation, output);
    }
    for (; channel < channels; ++channel) {
        const std::int32_t sum = wrapping_add(scalar::shared_sum(window, channel), bias_of(parameters, channel));
        store_any(&sum, 1U, parameters + (std::size_t{channel} * kChannelParametersBytes), requantisation,
                  output + channel);
    }
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::copy_taps(from, count, to);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    scalar::fill_taps(value, count, to);
}

void add_elements(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2, std::int8_t* output,
                  std::uint32_t count) noexcept {
    scalar::add_elements(plan, input1, input2, output, count);
}

}  // namespace pianola::refdev
