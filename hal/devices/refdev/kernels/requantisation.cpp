#include "hal/devices/refdev/kernels/requantisation.h"

namespace pianola::refdev {

std::int8_t requantise_long(std::int32_t sum, const std::int8_t* parameters, std::size_t channel,
                            const Requantisation& r) noexcept {
    const Scale scale{multiplier_of(parameters, channel), shift_of(parameters, channel)};
    return OutputRange{r.offset, r.lowest, r.highest}.place(scale.apply(sum));
}

}  // namespace pianola::refdev
