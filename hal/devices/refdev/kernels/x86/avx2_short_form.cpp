// Conditions under which the short form of requantisation is exact, with AVX2. Each channel is compared as in plain
// C++; values above a limit set bits.
#include <immintrin.h>

#include "hal/devices/refdev/kernels/x86/avx2_parameters.h"

namespace pianola::refdev::avx2 {

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

}  // namespace pianola::refdev::avx2
