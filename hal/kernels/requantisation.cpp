#include "hal/kernels/requantisation.h"

#include "hal/kernels/inner_loops.h"

namespace pianola::refdev {

bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint64_t largest_sum) noexcept {
    const ShortForm form = kShortForm;
    constexpr std::uint64_t kAnyBias = 0x8000'0000U;
    if (largest_sum >= form.sums) {
        return false;
    }
    const std::uint64_t room = form.sums - largest_sum - 1U;
    const auto largest_bias = static_cast<std::int32_t>((room < kAnyBias) ? room : (kAnyBias - 1U));
    const std::int32_t lowest_bias = (room < kAnyBias) ? -largest_bias : INT32_MIN;
    for (std::size_t i = 0U; i < channels; ++i) {
        const std::int32_t bias = bias_of(parameters, i);
        const std::int32_t shift = shift_of(parameters, i);
        if ((shift < form.lowest_shift) || (shift > form.highest_shift) || (multiplier_of(parameters, i) < 0) ||
            (bias > largest_bias) || (bias < lowest_bias)) {
            return false;
        }
    }
    return true;
}

std::int8_t requantise_long(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                            const Requantisation& r) noexcept {
    const Scale scale{multiplier_of(parameters, channel), shift_of(parameters, channel)};
    return OutputRange{r.offset, r.lowest, r.highest}.place(scale.apply(sum));
}

}  // namespace pianola::refdev
