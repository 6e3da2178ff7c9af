// Registry: the families of devices that this build knows.
//
// The host's tools find a binary's target in it. A device needs one line in registry.cpp, and its library in
// CMakeLists.txt.
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

}  // namespace pianola
