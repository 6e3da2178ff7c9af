// For a build without Vulkan: everything is refused by name.
#include "hal/devices/refdev/vulkan/vulkan_executor.h"

namespace pianola::vulkan {
namespace {

constexpr const char* kNotBuilt =
    "this build has no Vulkan device: install libvulkan-dev, glslc and spirv-tools, and configure with "
    "PIANOLA_VULKAN=ON";

}  // namespace

bool VulkanExecutor::is_built() const noexcept {
    return false;
}

ExecutorDevices VulkanExecutor::devices() const {
    return {{}, kNotBuilt};
}

std::vector<ObjectCount> VulkanExecutor::objects(const DeviceDescription& /*device*/, WordSpan /*words*/) const {
    return {};
}

std::unique_ptr<Simulator> VulkanExecutor::simulate(const DeviceDescription& /*device*/,
                                                    const SimulatorOptions& /*options*/) const {
    throw ExecutorRefused{kNotBuilt};
}

}  // namespace pianola::vulkan
