// That the shim sees what the other tests rely on it to see.
#include "tests/vulkan/driver/small_host.h"

namespace pianola::vulkan {
namespace {

using VulkanShim = ShimTest;

TEST_F(VulkanShim, SeesWhatIsLeftAndWhatWasNeverMade) {
    Context context;
    ContextOptions options;
    options.physical_device = tested_device();
    ASSERT_EQ(context.open(options), Status::kOk);
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 64U;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateBuffer(context.device(), &info, nullptr, &buffer), VK_SUCCESS);
    EXPECT_EQ(shim().alive(), "VkInstance VkDevice VkBuffer");
    vkDestroyBuffer(context.device(), buffer, nullptr);
    EXPECT_EQ(shim().errors(), std::vector<std::string>{});
    vkDestroyBuffer(context.device(), buffer, nullptr);
    EXPECT_EQ(shim().errors(), std::vector<std::string>{"VkBuffer is destroyed, which was never created"});
    context.close();
    EXPECT_EQ(shim().alive(), "");
    shim().clear();
    shim().note_created("VkDevice", 4U, 0U);
    shim().note_created("VkBuffer", 5U, 4U);
    EXPECT_TRUE(shim().note_destroyed("VkDevice", 4U));
    EXPECT_EQ(shim().errors(), std::vector<std::string>{"VkBuffer outlives its VkDevice"});
    EXPECT_TRUE(shim().note_destroyed("VkBuffer", 5U));
    shim().clear();
}

TEST_F(VulkanShim, FailsAtTheCallThatWasNamedAndLeavesRubbish) {
    shim().fail({"vkCreateInstance", 2U, VK_ERROR_OUT_OF_HOST_MEMORY, false});
    PhysicalDeviceList list;
    EXPECT_EQ(list_physical_devices(list), Status::kOk);
    EXPECT_FALSE(shim().has_failed());
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    VkInstance instance = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateInstance(&info, nullptr, &instance), VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_TRUE(shim().has_failed());
    EXPECT_NE(instance, VkInstance{VK_NULL_HANDLE});
    EXPECT_EQ(list_physical_devices(list), Status::kOk);
}

}  // namespace
}  // namespace pianola::vulkan
