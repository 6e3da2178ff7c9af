// The strictness check that schemac makes from the probe schema.
//
// Place in the whole: tests only; what runtime/image/strictness.h declares for the manifest.
#pragma once

#include "runtime/image/strictness.h"

namespace pianola {

namespace probe {
struct Probe;
}

[[nodiscard]] bool check_strictness(StrictnessWalk& walk, const probe::Probe& root) noexcept;

}  // namespace pianola
