// The inner loops with AVX2.
#include <immintrin.h>

#include "hal/devices/refdev/kernels/scalar_loops.h"
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev::avx2 {
namespace {

// A word of eight channels' parameters; `word` points to the first channel's.
[[nodiscard, gnu::target("avx2")]] inline __m256i every_channel(const std::int8_t* word) noexcept {
    constexpr std::int32_t kWordsApart = kChannelParametersBytes / sizeof(std::int32_t);
    const __m256i places =
        _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(kWordsApart));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-041
    return _mm256_i32gather_epi32(reinterpret_cast<const std::int32_t*>(word), places, sizeof(std::int32_t));
}

}  // namespace

// Sums of products with AVX2. Sixteen taps are widened at once; VPMADDWD adds two products, which are exact in 32 bits.
namespace {

constexpr std::uint32_t kLanes = 16U;  // taps
constexpr std::uint32_t kFour = 4U;

// Sixteen bytes, widened.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen(const std::int8_t* from) noexcept {
    __m128i bytes{};
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_cvtepi8_epi16(bytes);
}

// Four sums of eight lanes each.
[[nodiscard, gnu::target("avx2")]] inline __m128i add_lanes(__m256i a, __m256i b, __m256i c, __m256i d) noexcept {
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

// Up to sixteen bytes, and zeros.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_some(const std::int8_t* from, std::uint32_t count) noexcept {
    std::array<std::int8_t, kLanes> bytes{};
    std::memcpy(bytes.data(), from, count);
    return widen(bytes.data());
}

// One row by four channels, whose weights are `stride` apart.
[[gnu::target("avx2")]] void one_by_four(const TapRows& rows, const std::int8_t* row, const std::int8_t* weights,
                                         std::size_t stride, std::int32_t* sums) noexcept {
    const std::int8_t* const weights1 = weights + stride;
    const std::int8_t* const weights2 = weights1 + stride;
    const std::int8_t* const weights3 = weights2 + stride;
    const __m256i offset = _mm256_set1_epi16(static_cast<std::int16_t>(rows.offset));
    __m256i sum0 = _mm256_setzero_si256();
    __m256i sum1 = sum0;
    __m256i sum2 = sum0;
    __m256i sum3 = sum0;
    const std::uint32_t rest = rows.taps % kLanes;
    const std::uint32_t whole = rows.taps - rest;
    for (std::size_t tap = 0U; tap < whole; tap += kLanes) {
        const __m256i taps = _mm256_add_epi16(widen(row + tap), offset);
        sum0 = _mm256_add_epi32(sum0, _mm256_madd_epi16(taps, widen(weights + tap)));
        sum1 = _mm256_add_epi32(sum1, _mm256_madd_epi16(taps, widen(weights1 + tap)));
        sum2 = _mm256_add_epi32(sum2, _mm256_madd_epi16(taps, widen(weights2 + tap)));
        sum3 = _mm256_add_epi32(sum3, _mm256_madd_epi16(taps, widen(weights3 + tap)));
    }
    if (rest != 0U) {
        const __m256i taps = _mm256_add_epi16(widen_some(row + whole, rest), offset);
        sum0 = _mm256_add_epi32(sum0, _mm256_madd_epi16(taps, widen_some(weights + whole, rest)));
        sum1 = _mm256_add_epi32(sum1, _mm256_madd_epi16(taps, widen_some(weights1 + whole, rest)));
        sum2 = _mm256_add_epi32(sum2, _mm256_madd_epi16(taps, widen_some(weights2 + whole, rest)));
        sum3 = _mm256_add_epi32(sum3, _mm256_madd_epi16(taps, widen_some(weights3 + whole, rest)));
    }
    __m128i all{};
    std::memcpy(&all, sums, sizeof(all));
    all = _mm_add_epi32(all, add_lanes(sum0, sum1, sum2, sum3));
    std::memcpy(sums, &all, sizeof(all));
}

// Eight bytes and eight zeros, widened.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_eight(const std::int8_t* from) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_cvtepi8_epi16(_mm_cvtsi64_si128(bytes));
}

// Sums of one row and four channels, eight lanes each; and sixteen taps' weights of these channels.
struct FourVectors {
    __m256i of0;
    __m256i of1;
    __m256i of2;
    __m256i of3;
};

[[gnu::target("avx2")]] inline void add_products(__m256i taps, const FourVectors& weights, FourVectors& sums) noexcept {
    sums.of0 = _mm256_add_epi32(sums.of0, _mm256_madd_epi16(taps, weights.of0));
    sums.of1 = _mm256_add_epi32(sums.of1, _mm256_madd_epi16(taps, weights.of1));
    sums.of2 = _mm256_add_epi32(sums.of2, _mm256_madd_epi16(taps, weights.of2));
    sums.of3 = _mm256_add_epi32(sums.of3, _mm256_madd_epi16(taps, weights.of3));
}

[[gnu::target("avx2")]] inline void add_to(const FourVectors& lanes, std::int32_t* sums) noexcept {
    __m128i all{};
    std::memcpy(&all, sums, sizeof(all));
    all = _mm_add_epi32(all, add_lanes(lanes.of0, lanes.of1, lanes.of2, lanes.of3));
    std::memcpy(sums, &all, sizeof(all));
}

// The end of a small layer's row most often has eight bytes, padded with eight zeros.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_rest(const std::int8_t* from, std::uint32_t count) noexcept {
    return (count == kEight) ? widen_eight(from) : widen_some(from, count);
}

[[nodiscard, gnu::target("avx2")]] inline FourVectors four_channels(const std::int8_t* weights,
                                                                    std::size_t stride) noexcept {
    return {widen(weights), widen(weights + stride), widen(weights + (2U * stride)), widen(weights + (3U * stride))};
}
[[nodiscard, gnu::target("avx2")]] inline FourVectors rest_of_four(const std::int8_t* weights, std::size_t stride,
                                                                   std::uint32_t rest) noexcept {
    return {widen_rest(weights, rest), widen_rest(weights + stride, rest), widen_rest(weights + (2U * stride), rest),
            widen_rest(weights + (3U * stride), rest)};
}

// One row by eight channels, biases included: each tap is widened once for all of them.
[[gnu::target("avx2")]] void one_by_eight(const TapRows& rows, const std::int8_t* weights, std::size_t stride,
                                          const std::int8_t* parameters, std::int32_t* sums) noexcept {
    const __m256i offset = _mm256_set1_epi16(static_cast<std::int16_t>(rows.offset));
    const std::int8_t* const next_weights = weights + (kFour * stride);
    FourVectors low{};
    FourVectors high{};
    const std::uint32_t rest = rows.taps % kLanes;
    const std::uint32_t whole = rows.taps - rest;
    for (std::size_t tap = 0U; tap < whole; tap += kLanes) {
        const __m256i taps = _mm256_add_epi16(widen(rows.first + tap), offset);
        add_products(taps, four_channels(weights + tap, stride), low);
        add_products(taps, four_channels(next_weights + tap, stride), high);
    }
    if (rest != 0U) {
        const __m256i taps = _mm256_add_epi16(widen_rest(rows.first + whole, rest), offset);
        add_products(taps, rest_of_four(weights + whole, stride, rest), low);
        add_products(taps, rest_of_four(next_weights + whole, stride, rest), high);
    }
    const __m256i all = _mm256_set_m128i(add_lanes(high.of0, high.of1, high.of2, high.of3),
                                         add_lanes(low.of0, low.of1, low.of2, low.of3));
    const __m256i biases = every_channel(parameters + offsetof(ChannelParameters, bias));
    const __m256i with_biases = _mm256_add_epi32(all, biases);
    std::memcpy(sums, &with_biases, sizeof(with_biases));
}

// Two rows by four channels: every weight is widened once.
[[gnu::target("avx2")]] void two_by_four(const TapRows& rows, const std::int8_t* weights, std::size_t stride,
                                         std::int32_t* first_sums, std::int32_t* second_sums) noexcept {
    const std::int8_t* const weights1 = weights + stride;
    const std::int8_t* const weights2 = weights1 + stride;
    const std::int8_t* const weights3 = weights2 + stride;
    const __m256i offset = _mm256_set1_epi16(static_cast<std::int16_t>(rows.offset));
    FourVectors first{};
    FourVectors second{};
    const std::uint32_t rest = rows.taps % kLanes;
    const std::uint32_t whole = rows.taps - rest;
    for (std::size_t tap = 0U; tap < whole; tap += kLanes) {
        const FourVectors of_taps{widen(weights + tap), widen(weights1 + tap), widen(weights2 + tap),
                                  widen(weights3 + tap)};
        add_products(_mm256_add_epi16(widen(rows.first + tap), offset), of_taps, first);
        add_products(_mm256_add_epi16(widen(rows.second + tap), offset), of_taps, second);
    }
    if (rest != 0U) {
        const FourVectors of_taps{widen_some(weights + whole, rest), widen_some(weights1 + whole, rest),
                                  widen_some(weights2 + whole, rest), widen_some(weights3 + whole, rest)};
        add_products(_mm256_add_epi16(widen_some(rows.first + whole, rest), offset), of_taps, first);
        add_products(_mm256_add_epi16(widen_some(rows.second + whole, rest), offset), of_taps, second);
    }
    add_to(first, first_sums);
    add_to(second, second_sums);
}

// Channels from `channel` on.
void accumulate_row(const TapRows& rows, const std::int8_t* row, const FilterRows& filter, ChannelSums& sums,
                    std::uint32_t channel) noexcept {
    const std::int8_t* weights = filter.weights + (channel * filter.stride);
    for (; (channel + kFour) <= filter.channels; channel += kFour) {
        one_by_four(rows, row, weights, filter.stride, &sums[channel]);
        weights += kFour * filter.stride;
    }
    for (; channel < filter.channels; ++channel) {
        std::array<std::int32_t, kFour> same{sums[channel]};
        one_by_four(rows, row, weights, 0U, same.data());
        sums[channel] = same[0U];
        weights += filter.stride;
    }
}

}  // namespace

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    if (rows.rows != kRowBlock) {
        accumulate_row(rows, rows.first, filter, sums[0U], 0U);
        return;
    }
    std::uint32_t channel = 0U;
    for (; (channel + kFour) <= filter.channels; channel += kFour) {
        two_by_four(rows, filter.weights + (channel * filter.stride), filter.stride, &sums[0U][channel],
                    &sums[1U][channel]);
    }
    accumulate_row(rows, rows.first, filter, sums[0U], channel);
    accumulate_row(rows, rows.second, filter, sums[1U], channel);
}

void sum_once(const TapRows& rows, const FilterRows& filter, const std::int8_t* parameters,
              ChannelSums& sums) noexcept {
    std::uint32_t channel = 0U;
    for (; (channel + kEight) <= filter.channels; channel += kEight) {
        one_by_eight(rows, filter.weights + (channel * filter.stride), filter.stride,
                     parameters + (std::size_t{channel} * kChannelParametersBytes), &sums[channel]);
    }
    if (channel == filter.channels) {
        return;
    }
    const FilterRows left{filter.weights + (channel * filter.stride), filter.stride, filter.channels - channel};
    BlockSums block{};
    scalar::start_sums(left, parameters + (std::size_t{channel} * kChannelParametersBytes), block[0U]);
    avx2::accumulate(rows, left, block);
    for (std::uint32_t i = 0U; i < left.channels; ++i) {
        sums[channel + i] = block[0U][i];
    }
}

// Depthwise sums and requantisation with AVX2: eight channels at once.
namespace {

// Eight bytes, widened to words.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_to_words(const std::int8_t* from) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes));
}

// The short form (requantisation.h) of eight sums. The last division rounds by the highest bit that it drops, of which
// there is none for a shift of 0, so no sum is too large.
[[gnu::target("avx2")]] inline void store_sums(__m256i sums, const std::int8_t* parameters, const Requantisation& r,
                                               std::int8_t* output) noexcept {
    constexpr std::int32_t kHigh = 32;
    constexpr std::int32_t kFraction = 31;
    constexpr std::int32_t kOddWords = 0xAA;
    const __m256i multipliers = every_channel(parameters + offsetof(ChannelParameters, multiplier));
    const __m256i shifts = every_channel(parameters + offsetof(ChannelParameters, shift));
    const __m256i half = _mm256_set1_epi64x(INT64_C(0x4000'0000));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(sums, multipliers), half);
    const __m256i odd =
        _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sums, kHigh), _mm256_srli_epi64(multipliers, kHigh)), half);
    const __m256i scaled = _mm256_blend_epi32(_mm256_srli_epi64(even, kFraction), _mm256_slli_epi64(odd, 1), kOddWords);
    const __m256i below = _mm256_srai_epi32(_mm256_and_si256(sums, shifts), kFraction);  // if both are negative
    const __m256i nudged = _mm256_add_epi32(scaled, below);
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i bits = _mm256_sub_epi32(_mm256_setzero_si256(), shifts);
    const __m256i dropped = _mm256_and_si256(_mm256_srlv_epi32(nudged, _mm256_sub_epi32(bits, one)), one);
    const __m256i divided = _mm256_add_epi32(_mm256_srav_epi32(nudged, bits), dropped);
    const __m256i clamped = _mm256_min_epi32(_mm256_max_epi32(divided, _mm256_set1_epi32(r.lowest - r.offset)),
                                             _mm256_set1_epi32(r.highest - r.offset));
    const __m256i placed = _mm256_add_epi32(clamped, _mm256_set1_epi32(r.offset));
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(placed), _mm256_extracti128_si256(placed, 1));
    const std::int64_t elements = _mm_cvtsi128_si64(_mm_packs_epi16(halves, halves));
    std::memcpy(output, &elements, sizeof(elements));
}

// Sums of eight channels of a window from `channel` on, with biases.
[[nodiscard, gnu::target("avx2")]] inline __m256i sum_eight(const DepthwiseWindow& window, std::size_t channel,
                                                            const std::int8_t* parameters) noexcept {
    const __m256i offset = _mm256_set1_epi32(window.offset);
    __m256i sum = every_channel(parameters + offsetof(ChannelParameters, bias));
    for (std::size_t row = 0U; row < window.rows; ++row) {
        const std::int8_t* input = window.input + (row * window.input_row) + channel;
        const std::int8_t* weights = window.weights + (row * window.weight_row) + channel;
        for (std::uint32_t column = 0U; column < window.columns; ++column) {
            const __m256i taps = _mm256_add_epi32(widen_to_words(input), offset);
            sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(taps, widen_to_words(weights)));
            input += window.input_column;
            weights += window.weight_column;
        }
    }
    return sum;
}

}  // namespace

[[gnu::target("avx2")]] void depthwise_eights(const DepthwiseWindow& window, const std::int8_t* parameters,
                                              std::uint32_t channels, const Requantisation& requantisation,
                                              std::int8_t* output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    for (std::size_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const of_eight = parameters + (channel * kChannelParametersBytes);
        const __m256i sums = sum_eight(window, channel, of_eight);
        if (r.is_short) {
            store_sums(sums, of_eight, r, output + channel);
        } else {
            EightSums words{};
            std::memcpy(words.data(), &sums, sizeof(sums));
            store_long(words, of_eight, r, output + channel);
        }
    }
}

[[gnu::target("avx2")]] void store_eights(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                                          const Requantisation& requantisation, const OutputRows& output) noexcept {
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    std::int8_t* to = output.first;
    for (std::uint32_t row = 0U; row < output.rows; ++row) {
        for (std::uint32_t channel = 0U; channel < channels; channel += kEight) {
            __m256i eight{};
            std::memcpy(&eight, &sums[row][channel], sizeof(eight));
            store_sums(eight, parameters + (std::size_t{channel} * kChannelParametersBytes), r, to + channel);
        }
        to += output.stride;
    }
}

// Conditions under which the short form of requantisation is exact, with AVX2. Each channel is compared as in plain
// C++; values above a limit set bits.

[[gnu::target("avx2")]] bool are_eights_exact(const std::int8_t* parameters, std::uint32_t channels,
                                              std::uint32_t largest_bias) noexcept {
    constexpr std::int32_t kSign = 31;
    const __m256i bias_limit = _mm256_set1_epi32(static_cast<std::int32_t>(2U * largest_bias));
    const __m256i largest = _mm256_set1_epi32(static_cast<std::int32_t>(largest_bias));
    const __m256i shift_limit = _mm256_set1_epi32(kShortForm.highest_shift - kShortForm.lowest_shift);
    const __m256i lowest_shift = _mm256_set1_epi32(kShortForm.lowest_shift);
    __m256i biases = _mm256_setzero_si256();
    __m256i shifts = biases;
    __m256i multipliers = biases;
    for (std::uint32_t channel = 0U; channel < channels; channel += kEight) {
        const std::int8_t* const words = parameters + (std::size_t{channel} * kChannelParametersBytes);
        const __m256i bias = _mm256_add_epi32(every_channel(words + offsetof(ChannelParameters, bias)), largest);
        const __m256i shift = _mm256_sub_epi32(every_channel(words + offsetof(ChannelParameters, shift)), lowest_shift);
        biases = _mm256_max_epu32(biases, bias);
        shifts = _mm256_max_epu32(shifts, shift);
        multipliers = _mm256_or_si256(multipliers, every_channel(words + offsetof(ChannelParameters, multiplier)));
    }
    const __m256i too_much = _mm256_or_si256(_mm256_xor_si256(_mm256_max_epu32(biases, bias_limit), bias_limit),
                                             _mm256_xor_si256(_mm256_max_epu32(shifts, shift_limit), shift_limit));
    const __m256i wrong = _mm256_or_si256(too_much, _mm256_srli_epi32(multipliers, kSign));
    return _mm256_testz_si256(wrong, wrong) != 0;
}

// Addition with AVX2: eight elements at once.
namespace {

// Scale::apply() for shifts from -31 to 0 and multipliers that are not negative.
[[nodiscard, gnu::target("avx2")]] inline __m256i apply(const Scale& scale, __m256i values) noexcept {
    constexpr std::int32_t kHigh = 32;
    constexpr std::int32_t kFraction = 31;
    constexpr std::int32_t kOddWords = 0xAA;
    const __m256i multipliers = _mm256_set1_epi32(scale.multiplier());
    const __m256i half = _mm256_set1_epi64x(INT64_C(0x4000'0000));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(values, multipliers), half);
    const __m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(values, kHigh), multipliers), half);
    const __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, kFraction), _mm256_slli_epi64(odd, 1), kOddWords);
    const auto bits = static_cast<std::uint32_t>(-scale.shift());
    const __m256i rounding = _mm256_set1_epi32(static_cast<std::int32_t>((std::uint32_t{1} << bits) >> 1U));
    const __m256i magnitude = _mm256_add_epi32(_mm256_abs_epi32(high), rounding);
    const __m256i shifted = _mm256_srl_epi32(magnitude, _mm_cvtsi32_si128(static_cast<std::int32_t>(bits)));
    return _mm256_sign_epi32(shifted, high);
}

[[nodiscard, gnu::target("avx2")]] inline __m256i term(const ScaledTerm& of, const std::int8_t* elements) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, elements, sizeof(bytes));
    const __m256i wide = _mm256_add_epi32(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes)), _mm256_set1_epi32(of.offset));
    return apply(of.scale, _mm256_sll_epi32(wide, _mm_cvtsi32_si128(static_cast<std::int32_t>(of.left_shift))));
}

}  // namespace

[[gnu::target("avx2")]] std::uint32_t add_vectors(const AddPlan& plan, const std::int8_t* input1,
                                                  const std::int8_t* input2, std::int8_t* output,
                                                  std::uint32_t count) noexcept {
    const AddPlan p = plan;  // a copy: stores of int8 may alias it
    std::uint32_t done = 0U;
    for (; (done + kEight) <= count; done += kEight) {
        const __m256i sums = _mm256_add_epi32(term(p.term1, input1 + done), term(p.term2, input2 + done));
        const __m256i scaled = apply(p.output_scale, sums);
        const __m256i clamped = _mm256_min_epi32(_mm256_max_epi32(scaled, _mm256_set1_epi32(p.range.lowest())),
                                                 _mm256_set1_epi32(p.range.highest()));
        const __m256i placed = _mm256_add_epi32(clamped, _mm256_set1_epi32(p.range.offset()));
        const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(placed), _mm256_extracti128_si256(placed, 1));
        const std::int64_t elements = _mm_cvtsi128_si64(_mm_packs_epi16(halves, halves));
        std::memcpy(output + done, &elements, sizeof(elements));
    }
    return done;
}

}  // namespace pianola::refdev::avx2
