#include "npu_samples.h"

namespace npu {

std::uint32_t sample(void* /*context*/, std::uint32_t index, std::uint32_t base,
                     pianola::Span<std::uint32_t> words) noexcept {
    struct Sample {
        std::uint32_t count;
        std::array<std::uint32_t, 12U> words;
    };
    const std::array<Sample, 8U> samples{{
        {4U, {kCopy, base + 512U, base, 64U}},
        {4U, {kCopy, base + 515U, base + 1U, 7U}},
        {4U, {kCopy, base, base + 700U, 200U}},
        {4U, {kCopy, base + 513U, base + 2U, 500U}},  // sizes whose bytes are all in use
        {4U, {kFill, base + 3U, 101U, 0x5AU}},
        {6U, {kCopyRows, base + 512U, base, 24U, 8U, 40U}},
        {6U, {kCopyRows, base + 601U, base + 3U, 7U, 3U, 100U}},
        // What is filled is copied, and what was copied once more.
        {12U, {kFill, base + 256U, 64U, 0x11U, kCopy, base + 512U, base + 264U, 32U, kCopy, base, base + 516U, 16U}},
    }};
    if ((index >= samples.size()) || (samples[index].count > words.size())) {
        return 0U;
    }
    for (std::uint32_t i = 0U; i < samples[index].count; ++i) {
        words[i] = samples[index].words[i];
    }
    return samples[index].count;
}

}  // namespace npu
