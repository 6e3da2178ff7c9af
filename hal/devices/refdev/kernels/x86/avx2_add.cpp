// Addition with AVX2: eight elements at once.
#include <immintrin.h>

#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev::avx2 {
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
