// A build without Vulkan says so, finds no device, and opens none.
#include <gtest/gtest.h>

#include <array>

#include "hal/devices/refdev/vulkan/vulkan_executor.h"

namespace pianola::vulkan {
namespace {

TEST(NoVulkan, IsNotBuiltAndRefusesByName) {
    const VulkanExecutor executor;
    EXPECT_STREQ(executor.name(), "vulkan");
    EXPECT_FALSE(executor.is_built());
    const ExecutorDevices found = executor.devices();
    EXPECT_TRUE(found.devices.empty());
    EXPECT_NE(found.why_none.find("this build has no Vulkan device"), std::string::npos) << found.why_none;
    const std::array<std::uint32_t, 1U> words{};
    EXPECT_TRUE(executor.objects({}, 1U).empty());
    EXPECT_TRUE(executor.objects(words, 1U).empty());
    EXPECT_THROW(static_cast<void>(executor.simulate({}, {})), ExecutorRefused);
}

}  // namespace
}  // namespace pianola::vulkan
