// Footprint: RAM of the reference device's driver and of its shared memory, on a 32-bit core.
//
// runtime/include/pianola/footprint.h says how such numbers are kept correct and refreshed.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/device_spec.h"

namespace pianola::refdev {

// RefdevDriver, of that profile.
[[nodiscard]] constexpr std::uint32_t driver_bytes32(const Capacities& capacities) noexcept {
    return 80U + (8U * capacities.steps_in_flight);
}
// SharedState, of that profile, execution logs included.
[[nodiscard]] constexpr std::uint32_t shared_state_bytes32(const Capacities& capacities) noexcept {
    const KeptHistory kept = kept_history(capacities);
    return 4656U + (336U * capacities.steps_in_flight) + (64U * kept.records) + (16U * kept.doorbells) +
           (32U * kept.log_entries);
}
inline constexpr std::uint32_t kDeviceCoreBytes32 = 408U;  // DeviceCore; one per queue, on whichever core serves it

}  // namespace pianola::refdev
