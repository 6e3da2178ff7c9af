#include "hal/kernels/requantisation.h"

#include "hal/kernels/inner_loops.h"

namespace pianola::refdev {

bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint64_t largest_sum) noexcept {
    const ShortForm form = kShortForm;
    constexpr std::uint64_t kAnyBias = INT32_MAX;
    if (largest_sum >= form.sums) {
        return false;
    }
    const std::uint64_t room = form.sums - largest_sum - 1U;
    const std::uint32_t largest_bias = static_cast<std::uint32_t>((room < kAnyBias) ? room : kAnyBias);
    const auto shifts = static_cast<std::uint32_t>(form.highest_shift - form.lowest_shift);
    bool is_exact = true;
    for (std::size_t i = 0U; i < channels; ++i) {
        // Compared as distances from the lowest that is accepted, modulo 2^32.
        const std::uint32_t bias = static_cast<std::uint32_t>(bias_of(parameters, i)) + largest_bias;
        const auto shift = static_cast<std::uint32_t>(wrapping_subtract(shift_of(parameters, i), form.lowest_shift));
        is_exact =
            is_exact && (shift <= shifts) && (multiplier_of(parameters, i) >= 0) && (bias <= (2U * largest_bias));
    }
    return is_exact;
}

std::int8_t requantise_long(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                            const Requantisation& r) noexcept {
    const Scale scale{multiplier_of(parameters, channel), shift_of(parameters, channel)};
    return OutputRange{r.offset, r.lowest, r.highest}.place(scale.apply(sum));
}

}  // namespace pianola::refdev
