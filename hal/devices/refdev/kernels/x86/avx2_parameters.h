// Parameters of eight channels at once, with AVX2.
#pragma once

#include <immintrin.h>

#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev::avx2 {

// A word of eight channels' parameters; `word` points to the first channel's.
[[nodiscard, gnu::target("avx2")]] inline __m256i every_channel(const std::int8_t* word) noexcept {
    constexpr std::int32_t kWordsApart = kChannelParametersBytes / sizeof(std::int32_t);
    const __m256i places =
        _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(kWordsApart));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-041
    return _mm256_i32gather_epi32(reinterpret_cast<const std::int32_t*>(word), places, sizeof(std::int32_t));
}

}  // namespace pianola::refdev::avx2
