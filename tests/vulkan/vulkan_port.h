// A Vulkan device for tests: the one that PIANOLA_VULKAN_DEVICE names by its number, else the first.
//
// Nothing here knows which driver it is.
#pragma once

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/vulkan/vulkan_device.h"
#include "hal/devices/refdev/vulkan/vulkan_platform.h"

namespace pianola::vulkan {

[[nodiscard]] inline std::uint32_t tested_device() {
    const char* const number = std::getenv("PIANOLA_VULKAN_DEVICE");
    return (number == nullptr) ? 0U : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

// Throws std::runtime_error with the refusal.
[[nodiscard]] inline std::unique_ptr<Machine> open_machine(MachineOptions options) {
    options.context.physical_device = tested_device();
    auto machine = std::make_unique<Machine>(options);
    if (!is_ok(machine->open())) {
        throw std::runtime_error{machine->why()};
    }
    return machine;
}

struct Opened {
    explicit Opened(const MachineOptions& options) : device{open_machine(options), std::make_shared<MeshTime>()} {}

    refdev::RefdevCommandSet command_set;
    VulkanDevice device;
    VulkanPlatform platform{device};
};

}  // namespace pianola::vulkan
