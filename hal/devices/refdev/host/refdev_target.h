// The reference device as a Target.
//
// Gives the host's tools access to the reference device and its simulator.
#pragma once

#include "hal/devices/refdev/device_spec.h"
#include "hal/host/target.h"

namespace pianola::refdev {

// Static lifetime. With the virtual device's costs, or those of `device`.
[[nodiscard]] const Target& target();
[[nodiscard]] const Target& target_of(const DeviceDescription& device);

// Conversion between a description and the sizes of a reference device.
[[nodiscard]] DeviceSpec spec_of(const DeviceDescription& device);
[[nodiscard]] DeviceDescription description_of(const DeviceSpec& spec);

}  // namespace pianola::refdev
