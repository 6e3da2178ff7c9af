// Limits of reference devices.
//
// For code that makes a device from untrusted numbers: a user's description, or a file's target before it is proved.
#pragma once

#include <string>

#include "pianola/device.h"

namespace pianola::refdev {

// The problem of the description, with member names; empty if such a device is possible.
[[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device);

}  // namespace pianola::refdev
