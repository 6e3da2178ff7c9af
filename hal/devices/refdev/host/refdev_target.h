// The reference device as a Target.
//
// Place in the whole: how the host's tools reach the reference device and its simulator. Host only.
#pragma once

#include "hal/devices/refdev/device_spec.h"
#include "hal/host/target.h"

namespace pianola::refdev {

// Static lifetime.
[[nodiscard]] const Target& target();

// The sizes of a reference device, and back.
[[nodiscard]] DeviceSpec spec_of(const DeviceDescription& device);
[[nodiscard]] DeviceDescription description_of(const DeviceSpec& spec);

}  // namespace pianola::refdev
