// What the examples run on: the simulator, or the Vulkan device of their last argument.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>

#include "pianola_host/device.h"

namespace example {

// Options of a device that "vulkan:N" executes, or the simulator where no name is given.
inline pianola::host::DeviceOptions options_for(const std::string& executor) {
    pianola::host::DeviceOptions options;
    options.vulkan = pianola::vulkan_number(executor);
    if (!executor.empty() && !options.vulkan.has_value()) {
        std::cerr << executor << " is no device; `pianola devices` lists vulkan:N\n";
        std::exit(2);
    }
    return options;
}

}  // namespace example
