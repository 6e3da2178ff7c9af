// The PL330 as a Target: binaries for it are captured, validated and shown on a host. It has no simulator.
#pragma once

#include "hal/devices/pl330/driver.h"
#include "hal/host/target.h"

namespace pianola::pl330 {

// Static lifetime.
[[nodiscard]] const Target& target();

// The engine's memories from a description.
[[nodiscard]] EngineSpec spec_of(const DeviceDescription& device);

}  // namespace pianola::pl330
