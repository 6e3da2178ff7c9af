// For a build without Vulkan: everything is refused by name.
#include "hal/devices/refdev/vulkan/vulkan_simulator.h"

namespace pianola::vulkan {
namespace {

constexpr const char* kNotBuilt =
    "this build has no Vulkan device: install libvulkan-dev, glslc and spirv-tools, and configure with "
    "PIANOLA_VULKAN=ON";

}  // namespace

ExecutorList list_devices() {
    return {{}, kNotBuilt};
}

std::unique_ptr<Simulator> make_simulator(const refdev::DeviceSpec& /*spec*/, const SimulatorOptions& /*options*/) {
    throw ExecutorRefused{kNotBuilt};
}

ExecutorObjects device_objects() {
    return {};
}

ExecutorObjects trace_objects(WordSpan /*words*/, std::uint32_t /*queues*/) {
    return {};
}

}  // namespace pianola::vulkan
