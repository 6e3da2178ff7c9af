// The inner loops for hosts: AVX2, where the processor that runs them has it, else plain C++. Sixteen taps are widened
// at once; VPMADDWD adds two products, which are exact in 32 bits.
#include "hal/kernels/inner_loops.h"

#include <immintrin.h>

#include "hal/kernels/scalar_loops.h"
#include "hal/kernels/x86/channel_words.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLanes = 16U;  // taps, or half as many channels of a depthwise convolution
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

// Eight bytes and eight zeros are what the end of a small layer's row has most often.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_rest(const std::int8_t* from, std::uint32_t count) noexcept {
    return (count == kWords) ? widen_eight(from) : widen_some(from, count);
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

// Eight bytes, widened to words.
[[nodiscard, gnu::target("avx2")]] inline __m256i widen_to_words(const std::int8_t* from) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(bytes));
}

// Sums of eight channels of a depthwise convolution's window, without biases.
[[gnu::target("avx2")]] void depthwise_eight(const DepthwiseWindow& window, std::size_t channel,
                                             std::array<std::int32_t, kWords>& sums) noexcept {
    const __m256i offset = _mm256_set1_epi32(window.offset);
    __m256i sum = _mm256_setzero_si256();
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
    std::memcpy(sums.data(), &sum, sizeof(sum));
}

// requantise_short() of eight sums.
[[gnu::target("avx2")]] inline void store_eight(__m256i sums, const std::int8_t* parameters, const Requantisation& r,
                                                std::int8_t* output) noexcept {
    constexpr std::int32_t kHigh = 32;
    constexpr std::int32_t kSign = 31;
    constexpr std::int32_t kOddWords = 0xAA;
    const __m256i multipliers = every_channel(parameters + offsetof(ChannelParameters, multiplier));
    const __m256i shifts = every_channel(parameters + offsetof(ChannelParameters, shift));
    const __m256i bits = _mm256_sub_epi32(_mm256_setzero_si256(), shifts);
    const __m256i nudges =
        _mm256_sllv_epi32(_mm256_set1_epi32((2 * r.offset) + 1), _mm256_sub_epi32(bits, _mm256_set1_epi32(1)));
    const __m256i twice = _mm256_slli_epi32(sums, 1);
    const __m256i half = _mm256_set1_epi64x(INT64_C(0x8000'0000));
    const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(twice, multipliers), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epi32(_mm256_srli_epi64(twice, kHigh), _mm256_srli_epi64(multipliers, kHigh)), half);
    const __m256i scaled = _mm256_blend_epi32(_mm256_srli_epi64(even, kHigh), odd, kOddWords);
    const __m256i nudged = _mm256_add_epi32(scaled, _mm256_add_epi32(nudges, _mm256_srai_epi32(sums, kSign)));
    const __m256i placed = _mm256_srav_epi32(nudged, bits);
    const __m256i clamped =
        _mm256_min_epi32(_mm256_max_epi32(placed, _mm256_set1_epi32(r.lowest)), _mm256_set1_epi32(r.highest));
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(clamped), _mm256_extracti128_si256(clamped, 1));
    const std::int64_t elements = _mm_cvtsi128_si64(_mm_packs_epi16(halves, halves));
    std::memcpy(output, &elements, sizeof(elements));
}

[[gnu::target("avx2")]] void store_row(const ChannelSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                                       const Requantisation& r, std::int8_t* output) noexcept {
    std::uint32_t channel = 0U;
    for (; (channel + kWords) <= channels; channel += kWords) {
        __m256i eight{};
        std::memcpy(&eight, &sums[channel], sizeof(eight));
        store_eight(eight, parameters + (std::size_t{channel} * kChannelParametersBytes), r, output + channel);
    }
    for (; channel < channels; ++channel) {
        output[channel] = requantise_short(sums[channel], parameters, channel, r);
    }
}

[[gnu::target("avx2")]] void store_depthwise_eight(const std::array<std::int32_t, kWords>& sums,
                                                   const std::int8_t* parameters, const Requantisation& r,
                                                   std::int8_t* output) noexcept {
    __m256i eight{};
    std::memcpy(&eight, sums.data(), sizeof(eight));
    const __m256i biases = every_channel(parameters + offsetof(ChannelParameters, bias));
    store_eight(_mm256_add_epi32(eight, biases), parameters, r, output);
}

void depthwise_channels(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                        const Requantisation& r, std::int8_t* output) noexcept {
    std::uint32_t channel = 0U;
    for (; (channel + kWords) <= channels; channel += kWords) {
        std::array<std::int32_t, kWords> sums{};
        depthwise_eight(window, channel, sums);
        if (r.is_short) {
            store_depthwise_eight(sums, parameters + (std::size_t{channel} * kChannelParametersBytes), r,
                                  output + channel);
            continue;
        }
        for (std::uint32_t i = 0U; i < kWords; ++i) {
            const std::size_t of = std::size_t{channel} + i;
            output[of] = requantise(wrapping_add(sums[i], bias_of(parameters, of)), parameters, of, r);
        }
    }
    for (; channel < channels; ++channel) {
        output[channel] = scalar::depthwise_channel(window, channel, parameters, r);
    }
}

}  // namespace

const ShortForm kShortForm = scalar::kShortForm;

void start_sums(const FilterRows& filter, std::uint32_t /*taps*/, std::int32_t /*offset*/,
                const std::int8_t* parameters, ChannelSums& sums) noexcept {
    scalar::start_sums(filter, parameters, sums);
}

void accumulate(const TapRows& rows, const FilterRows& filter, BlockSums& sums) noexcept {
    if (!has_avx2()) {
        scalar::accumulate(rows, filter, sums);
        return;
    }
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
    if (has_avx2()) {
        for (; (channel + kWords) <= filter.channels; channel += kWords) {
            one_by_eight(rows, filter.weights + (channel * filter.stride), filter.stride,
                         parameters + (std::size_t{channel} * kChannelParametersBytes), &sums[channel]);
        }
    }
    if (channel == filter.channels) {
        return;
    }
    const FilterRows left{filter.weights + (channel * filter.stride), filter.stride, filter.channels - channel};
    BlockSums block{};
    scalar::start_sums(left, parameters + (std::size_t{channel} * kChannelParametersBytes), block[0U]);
    accumulate(rows, left, block);
    for (std::uint32_t i = 0U; i < left.channels; ++i) {
        sums[channel + i] = block[0U][i];
    }
}

void store_sums(const BlockSums& sums, const std::int8_t* parameters, std::uint32_t channels,
                const Requantisation& requantisation, const OutputRows& output) noexcept {
    if (!requantisation.is_short || !has_avx2()) {
        scalar::store_sums(sums, parameters, channels, requantisation, output);
        return;
    }
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    std::int8_t* to = output.first;
    for (std::uint32_t row = 0U; row < output.rows; ++row) {
        store_row(sums[row], parameters, channels, r, to);
        to += output.stride;
    }
}

void depthwise_pixel(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                     const Requantisation& requantisation, std::int8_t* output) noexcept {
    if (!has_avx2()) {
        scalar::depthwise_pixel(window, parameters, channels, requantisation, output);
        return;
    }
    const Requantisation r = requantisation;  // a copy: stores of int8 may alias it
    depthwise_channels(window, parameters, channels, r, output);
}

void copy_taps(const std::int8_t* from, std::uint32_t count, std::int8_t* to) noexcept {
    std::memcpy(to, from, count);
}

void fill_taps(std::int8_t value, std::uint32_t count, std::int8_t* to) noexcept {
    std::memset(to, value, count);
}

}  // namespace pianola::refdev
