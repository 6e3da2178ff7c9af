// Addition with SSE2: eight elements at once.
#include "hal/devices/refdev/kernels/x86/sse2_vectors.h"

namespace pianola::refdev::sse2 {
namespace {

// Negates the value if the sign is -1; unchanged if it is 0.
[[nodiscard]] inline __m128i negate_where(__m128i sign, __m128i words) noexcept {
    return _mm_sub_epi32(_mm_xor_si128(words, sign), sign);
}

// Scale::apply() for shifts from -31 to 0 and multipliers that are not negative.
[[nodiscard]] inline __m128i apply(const Scale& scale, __m128i words) noexcept {
    const auto bits = static_cast<std::uint32_t>(-scale.shift());
    const __m128i rounding = _mm_set1_epi32(static_cast<std::int32_t>((std::uint32_t{1} << bits) >> 1U));
    const __m128i high = multiply_high(words, _mm_set1_epi32(scale.multiplier()));
    const __m128i sign = _mm_srai_epi32(high, kSign);
    const __m128i magnitude = _mm_add_epi32(negate_where(sign, high), rounding);
    return negate_where(sign, _mm_srl_epi32(magnitude, _mm_cvtsi32_si128(static_cast<std::int32_t>(bits))));
}

// Four elements of 16 bits, in the upper halves of words.
[[nodiscard]] inline __m128i term(const ScaledTerm& of, __m128i upper_halves) noexcept {
    constexpr std::int32_t kHalf = 16;
    const __m128i wide = _mm_add_epi32(_mm_srai_epi32(upper_halves, kHalf), _mm_set1_epi32(of.offset));
    return apply(of.scale, _mm_sll_epi32(wide, _mm_cvtsi32_si128(static_cast<std::int32_t>(of.left_shift))));
}

}  // namespace

std::uint32_t add_vectors(const AddPlan& plan, const std::int8_t* input1, const std::int8_t* input2,
                          std::int8_t* output, std::uint32_t count) noexcept {
    const AddPlan p = plan;  // a copy: stores of int8 may alias it
    const __m128i lowest = _mm_set1_epi16(static_cast<std::int16_t>(p.range.lowest() + p.range.offset()));
    const __m128i highest = _mm_set1_epi16(static_cast<std::int16_t>(p.range.highest() + p.range.offset()));
    const __m128i offset = _mm_set1_epi16(static_cast<std::int16_t>(p.range.offset()));
    std::uint32_t done = 0U;
    for (; (done + kEight) <= count; done += kEight) {
        const __m128i left = widen_eight(input1 + done);
        const __m128i right = widen_eight(input2 + done);
        const __m128i low = _mm_add_epi32(term(p.term1, _mm_unpacklo_epi16(left, left)),
                                          term(p.term2, _mm_unpacklo_epi16(right, right)));
        const __m128i high = _mm_add_epi32(term(p.term1, _mm_unpackhi_epi16(left, left)),
                                           term(p.term2, _mm_unpackhi_epi16(right, right)));
        const std::int64_t elements =
            eight_elements(apply(p.output_scale, low), apply(p.output_scale, high), offset, lowest, highest);
        std::memcpy(output + done, &elements, sizeof(elements));
    }
    return done;
}

}  // namespace pianola::refdev::sse2
