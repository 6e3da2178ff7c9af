// Depthwise sums and requantisation with SSE2: eight channels at once.
//
// The short form (requantisation.h) with products alone: t is rounding_doubling_high_multiply() of the sum and the
// multiplier, and floor((t - [sum < 0] + 2^(s-1)) / 2^s) is that of t - [sum < 0] and 2^(31-s). For s = 0, without
// [sum < 0], it is t. The output's zero point is added last.
#include "hal/devices/refdev/kernels/x86/sse2_vectors.h"

namespace pianola::refdev::sse2 {
namespace {

// Factors of four channels' sums, in order.
struct FourScales {
    __m128i multipliers;
    __m128i powers;  // 2^(31-s), without a sign
    __m128i shifts;  // -s
};

// Powers for shifts from -31 to 0. The negative power, which always fits, is built from sign and exponent of a
// floating-point number.
[[nodiscard]] inline FourScales four_scales(const FourParameters& of) noexcept {
    constexpr std::int32_t kMinusHighestBit = 256 + 127 + 31;
    constexpr std::int32_t kFractionBits = 23;
    const __m128i exponents = _mm_add_epi32(of.shifts, _mm_set1_epi32(kMinusHighestBit));
    const __m128i negative = _mm_cvttps_epi32(_mm_castsi128_ps(_mm_slli_epi32(exponents, kFractionBits)));
    return {of.multipliers, _mm_sub_epi32(_mm_setzero_si128(), negative), of.shifts};
}

// Between the products, words at even and odd indices stay separate.
[[nodiscard]] inline __m128i scale_four(__m128i sums, const FourScales& scales) noexcept {
    const __m128i from = raised(sums);
    const __m128i even = multiply_lower(from, scales.multipliers);
    const __m128i odd = multiply_lower(upper_words(from), upper_words(scales.multipliers));
    const __m128i below = _mm_srai_epi32(_mm_and_si128(sums, scales.shifts), kSign);  // if both are negative
    const __m128i nudge = _mm_sub_epi32(below, raised(scales.multipliers));  // and raised again, from t + multiplier
    const __m128i scaled =
        all_words(multiply_lower(_mm_add_epi32(even, nudge), scales.powers),
                  multiply_lower(_mm_add_epi32(odd, upper_words(nudge)), upper_words(scales.powers)));
    return _mm_sub_epi32(scaled, scales.powers);
}

// The range of the output, for eight elements of 16 bits.
struct EightRanges {
    __m128i offset;
    __m128i lowest;
    __m128i highest;

    explicit EightRanges(const Requantisation& r) noexcept
        : offset{_mm_set1_epi16(static_cast<std::int16_t>(r.offset))},
          lowest{_mm_set1_epi16(static_cast<std::int16_t>(r.lowest))},
          highest{_mm_set1_epi16(static_cast<std::int16_t>(r.highest))} {}
};

struct EightWords {
    __m128i low;
    __m128i high;
};

inline void store(const EightWords& sums, const FourScales& low, const FourScales& high, const EightRanges& range,
                  std::int8_t* output) noexcept {
    const std::int64_t elements = eight_elements(scale_four(sums.low, low), scale_four(sums.high, high), range.offset,
                                                 range.lowest, range.highest);
    std::memcpy(output, &elements, sizeof(elements));
}

// Products of eight channels' taps and weights: at most 255 * 128 in magnitude, they fit into 16 bits.
[[nodiscard]] inline __m128i eight_products(const std::int8_t* taps, const std::int8_t* weights,
                                            __m128i offset) noexcept {
    return _mm_mullo_epi16(_mm_add_epi16(widen_eight(taps), offset), widen_eight(weights));
}

// Two products of each channel.
inline void add_both(__m128i left, __m128i right, EightWords& sums) noexcept {
    const __m128i ones = _mm_set1_epi16(1);
    sums.low = _mm_add_epi32(sums.low, _mm_madd_epi16(_mm_unpacklo_epi16(left, right), ones));
    sums.high = _mm_add_epi32(sums.high, _mm_madd_epi16(_mm_unpackhi_epi16(left, right), ones));
}

// Adds the products of eight channels of a window from `channel` on.
inline void add_window(const DepthwiseWindow& window, std::size_t channel, EightWords& sums) noexcept {
    const __m128i offset = _mm_set1_epi16(static_cast<std::int16_t>(window.offset));
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        std::uint32_t column = 0U;
        for (; (column + 2U) <= window.columns; column += 2U) {
            const __m128i first = eight_products(input, weights, offset);
            input += window.input_column;
            weights += window.weight_column;
            add_both(first, eight_products(input, weights, offset), sums);
            input += window.input_column;
            weights += window.weight_column;
        }
        if (column < window.columns) {
            add_both(eight_products(input, weights, offset), _mm_setzero_si128(), sums);
        }
    }
}

}  // namespace

void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                      const Requantisation& requantisation, std::int8_t* output) noexcept {
    const EightRanges range{requantisation};
    for (std::size_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const of_eight = parameters + (channel * kChannelParametersBytes);
        const FourParameters low = four_parameters(of_eight);
        const FourParameters high = four_parameters(of_eight + (std::size_t{kFour} * kChannelParametersBytes));
        EightWords sums{low.biases, high.biases};
        add_window(window, channel, sums);
        if (requantisation.is_short) {
            store(sums, four_scales(low), four_scales(high), range, output + channel);
        } else {
            EightSums words{};
            std::memcpy(words.data(), &sums, sizeof(sums));
            store_long(words, of_eight, requantisation, output + channel);
        }
    }
}

void store_eights(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                  const Requantisation& requantisation, const OutputRows& output) noexcept {
    const EightRanges range{requantisation};
    for (std::size_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const of_eight = parameters + (channel * kChannelParametersBytes);
        const FourScales low = four_scales(four_parameters(of_eight));
        const FourScales high = four_scales(four_parameters(of_eight + (std::size_t{kFour} * kChannelParametersBytes)));
        std::int8_t* to = output.first + channel;
        for (std::uint32_t row = 0U; row < output.rows; ++row) {
            const std::int32_t* const from = &sums[row][channel];
            store(EightWords{load_sixteen(from), load_sixteen(from + kFour)}, low, high, range, to);
            to += output.stride;
        }
    }
}

}  // namespace pianola::refdev::sse2
