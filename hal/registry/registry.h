// Registry: the families of devices that this build knows.
//
// Place in the whole: what the host's tools find a binary's target in. A device joins with one line in registry.cpp,
// and its library in CMakeLists.txt. Host only.
#pragma once

#include "hal/host/target.h"
#include "pianola/span.h"

namespace pianola {

// Static lifetime.
[[nodiscard]] Span<const Target* const> known_targets();
// The first of them: models and host programs are captured for it.
[[nodiscard]] inline const Target& usual_target() {
    return *known_targets()[0];
}

}  // namespace pianola
