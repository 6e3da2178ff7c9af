#include "hal/registry/registry.h"

#include <array>

#include "hal/devices/pl330/host/pl330_target.h"
#include "hal/devices/refdev/host/refdev_target.h"

namespace pianola {

Span<const Target* const> known_targets() {
    static const std::array kTargets{
        &refdev::target(),
        &pl330::target(),
    };
    return {kTargets.data(), kTargets.size()};
}

}  // namespace pianola
