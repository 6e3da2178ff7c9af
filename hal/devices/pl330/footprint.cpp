#include "hal/devices/pl330/footprint.h"

#include "hal/devices/pl330/driver.h"
#include "runtime/session/footprint_check.h"

namespace pianola::pl330 {

static_assert(footprint_agrees<sizeof(Pl330Driver), driver_bytes32(kCapacities)>());

}  // namespace pianola::pl330
