// Depthwise sums and requantisation with AVX2: eight channels at once.
#include <immintrin.h>

#include "hal/devices/refdev/kernels/x86/avx2_parameters.h"

namespace pianola::refdev::avx2 {
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

}  // namespace pianola::refdev::avx2
