#include "hal/kernels/requantisation.h"

namespace pianola::refdev {
namespace {

constexpr std::int32_t kLowestShortShift = -22;
constexpr std::uint64_t kShortSums = 0x4000'0000U;

}  // namespace

bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint64_t largest_sum) noexcept {
    if (largest_sum >= kShortSums) {
        return false;
    }
    const auto largest_bias = static_cast<std::int32_t>(kShortSums - largest_sum - 1U);
    bool is_exact = true;
    for (std::size_t i = 0U; is_exact && (i < channels); ++i) {
        const std::int32_t bias = bias_of(parameters, i);
        const std::int32_t shift = shift_of(parameters, i);
        is_exact = (shift >= kLowestShortShift) && (shift < 0) && (multiplier_of(parameters, i) >= 0) &&
                   (bias <= largest_bias) && (bias >= -largest_bias);
    }
    return is_exact;
}

}  // namespace pianola::refdev
