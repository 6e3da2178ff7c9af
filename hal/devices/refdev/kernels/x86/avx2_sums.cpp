// Sums of products with AVX2. Sixteen taps are widened at once; VPMADDWD adds two products, which are exact in 32 bits.
#include <immintrin.h>

#include "hal/devices/refdev/kernels/scalar_loops.h"
#include "hal/devices/refdev/kernels/x86/avx2_parameters.h"

namespace pianola::refdev::avx2 {
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

}  // namespace pianola::refdev::avx2
