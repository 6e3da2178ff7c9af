// Registry: the families of devices that this build knows.
//
// The host's tools find a binary's target in it. The build makes it from the list in hal/devices/CMakeLists.txt.
#pragma once

#include "hal/host/target.h"
#include "pianola/span.h"

namespace pianola {

// Static lifetime.
[[nodiscard]] Span<const Target* const> known_targets();
// The first family: the default of captures.
[[nodiscard]] inline const Target& usual_target() {
    return *known_targets()[0];
}
// The same with the device's cost model, if it has one of that number.
[[nodiscard]] inline const Target& usual_target(const DeviceDescription& device) {
    const Target* const found = usual_target().with_cost_model(device.cost_model);
    return (found != nullptr) ? *found : usual_target();
}

}  // namespace pianola
