// Conditions under which the short form of requantisation is exact, on any core.
#include "hal/devices/refdev/kernels/scalar_loops.h"

namespace pianola::refdev {

bool is_short_form_exact(const std::int8_t* parameters, std::uint32_t channels, std::uint64_t largest_sum) noexcept {
    return scalar::is_short_form_exact(parameters, channels, largest_sum);
}

}  // namespace pianola::refdev
