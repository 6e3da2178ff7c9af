// Vectors of SSE2 that several of its loops use. SSE2 has no instructions that widen bytes, multiply 32-bit words with
// signs, or shift each word by a separate count: these functions use other instructions for that.
#pragma once

#include <emmintrin.h>

#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev::sse2 {

inline constexpr std::uint32_t kFour = 4U;     // 32-bit words in a vector
inline constexpr std::int32_t kFraction = 31;  // fractional bits of a multiplier
inline constexpr std::int32_t kSign = 31;

[[nodiscard]] inline __m128i load_sixteen(const void* from) noexcept {
    __m128i bytes{};
    std::memcpy(&bytes, from, sizeof(bytes));
    return bytes;
}

// Eight bytes and eight zeros.
[[nodiscard]] inline __m128i load_eight(const std::int8_t* from) noexcept {
    std::int64_t bytes = 0;
    std::memcpy(&bytes, from, sizeof(bytes));
    return _mm_cvtsi64_si128(bytes);
}

// Eight bytes, widened to 16 bits.
[[nodiscard]] inline __m128i widen_eight(const std::int8_t* from) noexcept {
    constexpr std::int32_t kByte = 8;
    const __m128i bytes = load_eight(from);
    return _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), kByte);
}

// PMULUDQ multiplies the lower word of each half, unsigned. So words are raised by 2^31 before a product, which adds
// the other factor to what multiply_lower() gives.
[[nodiscard]] inline __m128i raised(__m128i words) noexcept {
    return _mm_xor_si128(words, _mm_set1_epi32(INT32_MIN));
}
[[nodiscard]] inline __m128i upper_words(__m128i halves) noexcept {
    constexpr std::int32_t kWord = 32;
    return _mm_srli_epi64(halves, kWord);
}
// floor((word * factor + 2^30) / 2^31) of the lower words; only the lower words of the result are valid.
[[nodiscard]] inline __m128i multiply_lower(__m128i words, __m128i factors) noexcept {
    const __m128i half = _mm_set1_epi64x(INT64_C(0x4000'0000));
    return _mm_srli_epi64(_mm_add_epi64(_mm_mul_epu32(words, factors), half), kFraction);
}
// The lower words of two vectors, interleaved.
[[nodiscard]] inline __m128i all_words(__m128i even, __m128i odd) noexcept {
    constexpr std::int32_t kLower = 0x08;  // words 0 and 2 first
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, kLower), _mm_shuffle_epi32(odd, kLower));
}

// rounding_doubling_high_multiply() of each word and a multiplier that is not negative.
[[nodiscard]] inline __m128i multiply_high(__m128i words, __m128i multipliers) noexcept {
    const __m128i from = raised(words);
    const __m128i product =
        all_words(multiply_lower(from, multipliers), multiply_lower(upper_words(from), upper_words(multipliers)));
    return _mm_sub_epi32(product, multipliers);
}

// The ChannelParameters of four channels, member by member.
struct FourParameters {
    __m128i biases;
    __m128i multipliers;
    __m128i shifts;
};

// The last of the channels is loaded with the word before it: nothing is read after it.
[[nodiscard]] inline FourParameters four_parameters(const std::int8_t* parameters) noexcept {
    constexpr std::size_t kWord = sizeof(std::int32_t);
    constexpr std::size_t kNext = kChannelParametersBytes;
    const __m128i first = load_sixteen(parameters);
    const __m128i second = load_sixteen(parameters + kNext);
    const __m128i third = load_sixteen(parameters + (2U * kNext));
    const __m128i last = _mm_srli_si128(load_sixteen(parameters + ((3U * kNext) - kWord)), kWord);
    const __m128i low_pairs = _mm_unpacklo_epi32(first, second);  // two biases, two multipliers
    const __m128i high_pairs = _mm_unpacklo_epi32(third, last);
    return {_mm_unpacklo_epi64(low_pairs, high_pairs), _mm_unpackhi_epi64(low_pairs, high_pairs),
            _mm_unpacklo_epi64(_mm_unpackhi_epi32(first, second), _mm_unpackhi_epi32(third, last))};
}

// Eight words, clamped to 16 bits and to the output's range. Offset and bounds of the range are 16 bits wide, so
// clamping early changes nothing.
[[nodiscard]] inline std::int64_t eight_elements(__m128i low, __m128i high, __m128i offset, __m128i lowest,
                                                 __m128i highest) noexcept {
    const __m128i placed = _mm_adds_epi16(_mm_packs_epi32(low, high), offset);
    const __m128i clamped = _mm_min_epi16(_mm_max_epi16(placed, lowest), highest);
    return _mm_cvtsi128_si64(_mm_packs_epi16(clamped, clamped));
}

}  // namespace pianola::refdev::sse2
