// What a driver lacks or runs out of is refused by name, leaves nothing behind, and the process goes on.
#include <algorithm>

#include "hal/devices/refdev/vulkan/vulkan_executor.h"
#include "tests/vulkan/driver/small_host.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint64_t kMostCallsAtOpen = 200U;  // of one kind, at open and load

struct Failing {
    const char* call;
    VkResult result;
};
void PrintTo(const Failing& failing, std::ostream* out) {
    *out << failing.call << ' ' << name_of(failing.result);
}

std::string refusal_of(const MachineOptions& options) {
    try {
        static_cast<void>(open_machine(options));
    } catch (const std::runtime_error& refused) {
        return refused.what();
    }
    return "";
}

class VulkanFailures : public ShimTest, public testing::WithParamInterface<Failing> {};

TEST_P(VulkanFailures, AtOpenAndLoadNameTheCallAndLeaveNothing) {
    const std::string named = std::string{GetParam().call} + ": " + name_of(GetParam().result);
    std::uint64_t number = 1U;
    for (; number <= kMostCallsAtOpen; ++number) {
        SCOPED_TRACE(number);
        shim().clear();
        shim().fail({GetParam().call, number, GetParam().result, false});
        try {
            SmallHost host{2U};
            ASSERT_EQ(host.machine().why(), "");
            const Status status = host.load();
            if (!shim().has_failed()) {
                EXPECT_EQ(status, Status::kOk);
                EXPECT_EQ(host.step(1U), Status::kOk);
                EXPECT_FALSE(shim().has_failed()) << "a step makes such calls";
                break;
            }
            EXPECT_EQ(status, Status::kDeviceFault);
            EXPECT_EQ(host.machine().why(), named);
            // The device is there still, and so may the memory be the next time.
            EXPECT_EQ(host.load(), Status::kOk);
            EXPECT_EQ(host.step(1U), Status::kOk);
            EXPECT_EQ(host.output(), host.expected());
        } catch (const std::runtime_error& refused) {
            EXPECT_TRUE(shim().has_failed());
            EXPECT_NE(std::string{refused.what()}.find("(" + named + ")"), std::string::npos) << refused.what();
        }
        expect_nothing_left();
    }
    EXPECT_GT(number, 1U) << "there are no such calls";
    EXPECT_LT(number, kMostCallsAtOpen);
}

INSTANTIATE_TEST_SUITE_P(Calls, VulkanFailures,
                         testing::Values(Failing{"vkCreateInstance", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreateInstance", VK_ERROR_INITIALIZATION_FAILED},
                                         Failing{"vkCreateInstance", VK_ERROR_INCOMPATIBLE_DRIVER},
                                         Failing{"vkEnumeratePhysicalDevices", VK_ERROR_INITIALIZATION_FAILED},
                                         Failing{"vkCreateDevice", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkCreateDevice", VK_ERROR_INITIALIZATION_FAILED},
                                         Failing{"vkCreateDevice", VK_ERROR_TOO_MANY_OBJECTS},
                                         Failing{"vkCreateDevice", VK_ERROR_DEVICE_LOST},
                                         Failing{"vkCreateDescriptorSetLayout", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreatePipelineLayout", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreateShaderModule", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreateComputePipelines", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkCreateComputePipelines", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreateBuffer", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkAllocateMemory", VK_ERROR_TOO_MANY_OBJECTS},
                                         Failing{"vkBindBufferMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkMapMemory", VK_ERROR_MEMORY_MAP_FAILED},
                                         Failing{"vkCreateSemaphore", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkCreateCommandPool", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkCreateDescriptorPool", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkAllocateDescriptorSets", VK_ERROR_OUT_OF_POOL_MEMORY},
                                         Failing{"vkAllocateDescriptorSets", VK_ERROR_FRAGMENTED_POOL},
                                         Failing{"vkAllocateCommandBuffers", VK_ERROR_OUT_OF_DEVICE_MEMORY},
                                         Failing{"vkBeginCommandBuffer", VK_ERROR_OUT_OF_HOST_MEMORY},
                                         Failing{"vkEndCommandBuffer", VK_ERROR_OUT_OF_DEVICE_MEMORY}));

// One thing that is needed, taken away, and what its refusal says.
struct Lacking {
    const char* missing;
    std::function<void(DriverShim::Pretence&)> hide;
};

const std::vector<Lacking>& lackings() {
    static const std::vector<Lacking> kAll{
        {"Vulkan 1.2",
         [](auto& pretence) {
             pretence.properties = [](auto& properties) { properties.apiVersion = VK_MAKE_API_VERSION(0, 1, 1, 300); };
         }},
        {"a queue family with VK_QUEUE_COMPUTE_BIT",
         [](auto& pretence) {
             pretence.family = [](auto& family) { family.queueFlags = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_GRAPHICS_BIT; };
         }},
        {"a queue family with VK_QUEUE_COMPUTE_BIT",
         [](auto& pretence) { pretence.family = [](auto& family) { family.queueCount = 0U; }; }},
        {"maxPerStageDescriptorStorageBuffers of 8",
         [](auto& pretence) {
             pretence.properties = [](auto& properties) { properties.limits.maxPerStageDescriptorStorageBuffers = 7U; };
         }},
        {"maxDescriptorSetStorageBuffers of 8",
         [](auto& pretence) {
             pretence.properties = [](auto& properties) { properties.limits.maxDescriptorSetStorageBuffers = 7U; };
         }},
        {"robustBufferAccess",
         [](auto& pretence) { pretence.features = [](auto& has) { has.robustBufferAccess = VK_FALSE; }; }},
        {"shaderInt64", [](auto& pretence) { pretence.features = [](auto& has) { has.shaderInt64 = VK_FALSE; }; }},
        {"storageBuffer16BitAccess",
         [](auto& pretence) { pretence.features11 = [](auto& has) { has.storageBuffer16BitAccess = VK_FALSE; }; }},
        {"storageBuffer8BitAccess",
         [](auto& pretence) { pretence.features12 = [](auto& has) { has.storageBuffer8BitAccess = VK_FALSE; }; }},
        {"timelineSemaphore",
         [](auto& pretence) { pretence.features12 = [](auto& has) { has.timelineSemaphore = VK_FALSE; }; }},
    };
    return kAll;
}

using VulkanRefusals = ShimTest;

TEST_F(VulkanRefusals, NameWhatADriverLacksAtOpenAndInTheList) {
    for (const Lacking& lacking : lackings()) {
        SCOPED_TRACE(lacking.missing);
        shim().clear();
        lacking.hide(shim().pretence);
        EXPECT_EQ(refusal_of(small_machine()), std::string{"missing: "} + lacking.missing);
        const ExecutorDevices list = VulkanExecutor{}.devices();
        ASSERT_GT(list.devices.size(), tested_device());
        EXPECT_EQ(list.devices.at(tested_device()).missing, lacking.missing);
        expect_nothing_left();
    }
    shim().clear();
    EXPECT_EQ(refusal_of(small_machine()), "");
    EXPECT_EQ(VulkanExecutor{}.devices().devices.at(tested_device()).missing, "");
}

TEST_F(VulkanRefusals, NameMemoryThatIsMissingOrTooSmall) {
    shim().pretence.memory = [](VkPhysicalDeviceMemoryProperties& memory) {
        for (std::uint32_t i = 0U; i < memory.memoryTypeCount; ++i) {
            memory.memoryTypes[i].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        }
    };
    EXPECT_EQ(refusal_of(small_machine()), "missing: memory that is host visible and coherent");
    shim().pretence.memory = [](VkPhysicalDeviceMemoryProperties& memory) {
        for (std::uint32_t i = 0U; i < memory.memoryTypeCount; ++i) {
            memory.memoryTypes[i].propertyFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
        }
    };
    EXPECT_EQ(refusal_of(small_machine()), "missing: memory that is host visible and coherent");
    shim().clear();
    const MachineOptions options = small_machine();
    shim().pretence.properties = [&options](VkPhysicalDeviceProperties& properties) {
        properties.limits.maxStorageBufferRange = options.spec.dram_bytes - 1U;
    };
    EXPECT_EQ(refusal_of(options), "missing: maxStorageBufferRange of " + std::to_string(options.spec.dram_bytes));
    shim().clear();
    shim().fail({"vkAllocateMemory", 1U, VK_ERROR_OUT_OF_DEVICE_MEMORY, false});
    const std::string refusal = refusal_of(options);
    EXPECT_EQ(refusal.find("the driver has no "), 0U) << refusal;
    EXPECT_NE(refusal.find(" bytes of memory (vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY)"), std::string::npos)
        << refusal;
}

TEST_F(VulkanRefusals, RobustBufferAccessIsAskedFor) {
    EXPECT_EQ(refusal_of(small_machine()), "");
    EXPECT_EQ(shim().asked_for().robustBufferAccess, VK_TRUE);
    EXPECT_EQ(shim().asked_for().shaderInt64, VK_TRUE);
    EXPECT_EQ(shim().asked_for().shaderFloat64, VK_FALSE) << "what is not needed is not asked for";
}

}  // namespace
}  // namespace pianola::vulkan
