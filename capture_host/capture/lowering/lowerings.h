// The families of devices that workloads can be lowered to: a device joins with one line in lowerings.cpp, and its
// library in CMakeLists.txt.
#pragma once

#include <string>

#include "capture_host/device/lowering.h"

namespace pianola::capture {

// nullptr if there is none. Static lifetime.
[[nodiscard]] const targets::Lowering* find_lowering(const std::string& family);

}  // namespace pianola::capture
