// The inner loops for hosts: AVX2, where the processor that runs them has it, else plain C++. Sixteen taps are widened
// at once; VPMADDWD adds two products, which are exact in 32 bits.
#include "hal/kernels/inner_loops.h"

#include <immintrin.h>

#include "hal/kernels/scalar_loops.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kLanes = 16U;  // taps, or half as many channels of a depthwise convolution
constexpr std::uint32_t kWords = 8U;
constexpr std::uint32_t kFour = 4U;

[[nodiscard]] bool has_avx2() noexcept {
    return __builtin_cpu_supports("avx2");
}

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

void accumulate_row(const TapRows& rows, const std::int8_t* row, const FilterRows& filter, ChannelSums& sums) noexcept {
    const std::int8_t* weights = filter.weights;
    std::uint32_t channel = 0U;
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

void depthwise_channels(const DepthwiseWindow& window, const std::int8_t* parameters, std::uint32_t channels,
                        const Requantisation& r, std::int8_t* output) noexcept {
    std::uint32_t channel = 0U;
    for (; (channel + kWords) <= channels; channel += kWords) {
        std::array<std::int32_t, kWords> sums{};
        depthwise_eight(window, channel, sums);
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
    accumulate_row(rows, rows.first, filter, sums[0U]);
    if (rows.rows == kRowBlock) {
        accumulate_row(rows, rows.second, filter, sums[1U]);
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
