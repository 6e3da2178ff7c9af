// Conditions under which the short form of requantisation is exact, on hosts: eight channels together, then the rest.
#include "hal/devices/refdev/kernels/scalar_loops.h"
#include "hal/devices/refdev/kernels/x86/vector_loops.h"

namespace pianola::refdev {

bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint64_t largest_sum) noexcept {
    const std::uint32_t rest = channels % kEight;
    const std::uint32_t whole = channels - rest;
    if ((largest_sum >= kShortForm.sums) || (whole == 0U)) {
        return scalar::is_short_form_exact(parameters, channels, largest_sum);
    }
    const std::uint32_t largest_bias = scalar::largest_bias_of(kShortForm, largest_sum);
    const bool are_exact = has_avx2() ? avx2::are_eights_exact(parameters, whole, largest_bias)
                                      : sse2::are_eights_exact(parameters, whole, largest_bias);
    return are_exact &&
           scalar::is_short_form_exact(parameters + (std::size_t{whole} * kChannelParametersBytes), rest, largest_sum);
}

}  // namespace pianola::refdev
