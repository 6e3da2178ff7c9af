// What reference devices there can be.
//
// Place in the whole: for those who make a device from numbers of others: a user's description, or what a file says of
// its target before anything of it is proved.
#pragma once

#include <string>

#include "pianola/device.h"

namespace pianola::refdev {

// What is wrong with the description, in words that name its members; empty where a device can be so.
[[nodiscard]] std::string what_is_wrong_with(const DeviceDescription& device);

}  // namespace pianola::refdev
