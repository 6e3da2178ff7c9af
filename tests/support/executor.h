// What executes the commands of a test's devices: this process, or a Vulkan device.
//
// Tests of the host API open their devices with it, so that the same cases run on both (tests/vulkan/on_vulkan.py).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace pianola::test {

// For DeviceOptions::vulkan. PIANOLA_TEST_EXECUTOR=vulkan in the environment asks for the
// device that PIANOLA_VULKAN_DEVICE names by its number, else the first.
[[nodiscard]] inline std::optional<std::uint32_t> tested_vulkan() {
    const char* const executor = std::getenv("PIANOLA_TEST_EXECUTOR");
    if (executor == nullptr) {
        return std::nullopt;
    }
    if (std::string{executor} != "vulkan") {
        throw std::runtime_error{"PIANOLA_TEST_EXECUTOR is " + std::string{executor} + "; only vulkan is possible"};
    }
    const char* const number = std::getenv("PIANOLA_VULKAN_DEVICE");
    return (number == nullptr) ? 0U : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

// How many of many similar devices a test opens: a Vulkan driver takes long to open one.
[[nodiscard]] inline std::uint32_t here_or_on_vulkan(std::uint32_t here, std::uint32_t on_vulkan) {
    return tested_vulkan().has_value() ? on_vulkan : here;
}

}  // namespace pianola::test
