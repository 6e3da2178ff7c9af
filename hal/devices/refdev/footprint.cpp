#include "hal/devices/refdev/footprint.h"

#include "hal/devices/refdev/device_core.h"
#include "hal/devices/refdev/refdev_driver.h"
#include "runtime/session/footprint_check.h"

namespace pianola::refdev {

static_assert(footprint_agrees<sizeof(RefdevDriver), driver_bytes32(kCapacities)>());
static_assert(footprint_agrees<sizeof(SharedState), shared_state_bytes32(kCapacities)>());
static_assert(footprint_agrees<sizeof(DeviceCore), kDeviceCoreBytes32>());

}  // namespace pianola::refdev
