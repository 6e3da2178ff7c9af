// What device the simulator can be.
//
// Place in the whole: for those who make a simulated device from numbers of others: a user's description, or what a file
// says of its target before anything of it is proved.
#pragma once

#include <string>

#include "hal/devices/refdev/device_spec.h"

namespace pianola::sim {

// What is wrong with the description, in words that name its members; empty where the simulator can be that device.
[[nodiscard]] std::string what_is_wrong_with(const refdev::DeviceSpec& spec);

}  // namespace pianola::sim
