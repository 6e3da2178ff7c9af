// Footprint: RAM of the PL330's driver on a 32-bit core. runtime/include/pianola/footprint.h says how it is kept
// correct.
#pragma once

#include <cstdint>

#include "pianola/config.h"

namespace pianola::pl330 {

// Pl330Driver, of that profile, with the programs that the engine fetches.
[[nodiscard]] constexpr std::uint32_t driver_bytes32(const Capacities& capacities) noexcept {
    return 4680U + (224U * capacities.steps_in_flight);
}

}  // namespace pianola::pl330
