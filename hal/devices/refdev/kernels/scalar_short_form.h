// Conditions under which the short form of requantisation is exact, in plain C++.
#pragma once

#include "hal/devices/refdev/kernels/inner_loops.h"

namespace pianola::refdev::scalar {

// Largest bias in magnitude for which the short form is exact, for sums of products below form.sums.
[[nodiscard]] inline std::uint32_t largest_bias_of(const ShortForm& form, std::uint64_t largest_sum) noexcept {
    constexpr std::uint64_t kAnyBias = INT32_MAX;
    const std::uint64_t room = form.sums - largest_sum - 1U;
    return static_cast<std::uint32_t>((room < kAnyBias) ? room : kAnyBias);
}

[[nodiscard]] inline bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels,
                                              std::uint64_t largest_sum) noexcept {
    const ShortForm form = kShortForm;
    if (largest_sum >= form.sums) {
        return false;
    }
    const std::uint32_t largest_bias = largest_bias_of(form, largest_sum);
    const auto shifts = static_cast<std::uint32_t>(form.highest_shift - form.lowest_shift);
    bool is_exact = true;
    for (std::size_t i = 0U; i < channels; ++i) {
        // Compared as distances from the lowest accepted value, modulo 2^32.
        const std::uint32_t bias = static_cast<std::uint32_t>(bias_of(parameters, i)) + largest_bias;
        const auto shift = static_cast<std::uint32_t>(wrapping_subtract(shift_of(parameters, i), form.lowest_shift));
        is_exact =
            is_exact && (shift <= shifts) && (multiplier_of(parameters, i) >= 0) && (bias <= (2U * largest_bias));
    }
    return is_exact;
}

}  // namespace pianola::refdev::scalar
