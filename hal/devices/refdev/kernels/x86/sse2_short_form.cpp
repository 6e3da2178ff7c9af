// Conditions under which the short form of requantisation is exact, with SSE2.
#include "hal/devices/refdev/kernels/x86/sse2_vectors.h"

namespace pianola::refdev::sse2 {
namespace {

// Words that are above a limit, both without signs.
[[nodiscard]] inline __m128i are_above(__m128i words, std::uint32_t limit) noexcept {
    const __m128i sign = _mm_set1_epi32(INT32_MIN);
    return _mm_cmpgt_epi32(_mm_xor_si128(words, sign),
                           _mm_xor_si128(_mm_set1_epi32(static_cast<std::int32_t>(limit)), sign));
}

}  // namespace

// Each channel is compared as in plain C++.
bool are_eights_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint32_t largest_bias) noexcept {
    const __m128i largest = _mm_set1_epi32(static_cast<std::int32_t>(largest_bias));
    const __m128i lowest_shift = _mm_set1_epi32(kShortForm.lowest_shift);
    const auto shifts = static_cast<std::uint32_t>(kShortForm.highest_shift - kShortForm.lowest_shift);
    __m128i wrong = _mm_setzero_si128();
    for (std::size_t channel = 0U; channel < channels; channel += kFour) {
        const FourParameters of = four_parameters(parameters + (channel * kChannelParametersBytes));
        const __m128i too_much = _mm_or_si128(are_above(_mm_add_epi32(of.biases, largest), 2U * largest_bias),
                                              are_above(_mm_sub_epi32(of.shifts, lowest_shift), shifts));
        wrong = _mm_or_si128(wrong, _mm_or_si128(too_much, _mm_srai_epi32(of.multipliers, kSign)));
    }
    return _mm_movemask_epi8(wrong) == 0;
}

}  // namespace pianola::refdev::sse2
