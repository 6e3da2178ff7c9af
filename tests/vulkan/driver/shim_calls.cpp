// The loader's functions that the Vulkan device calls, defined once more: see shim.h.
#include "tests/vulkan/driver/forward.h"

namespace pianola::vulkan {
namespace {

VkResult pass_on(VkQueue queue, const VkSubmitInfo& info) {
    return real<PFN_vkQueueSubmit>("vkQueueSubmit")(queue, 1U, &info, VK_NULL_HANDLE);
}

// The real device has nothing to do afterwards, whatever it says.
void settle(VkDevice device) {
    DriverShim::get().two_queues.pass_all(pass_on);
    static_cast<void>(real<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle")(device));
}

template <typename Structure>
Structure* find(void* chain, VkStructureType type) {
    void* place = chain;
    while (place != nullptr) {
        const auto* const each = static_cast<const VkBaseOutStructure*>(place);
        if (each->sType == type) {
            return static_cast<Structure*>(place);
        }
        place = each->pNext;
    }
    return nullptr;
}

}  // namespace
}  // namespace pianola::vulkan

using pianola::vulkan::call;
using pianola::vulkan::DriverShim;
using pianola::vulkan::find;
using pianola::vulkan::leave_rubbish;
using pianola::vulkan::number_of_handle;
using pianola::vulkan::pass_on;
using pianola::vulkan::real;
using pianola::vulkan::settle;
using pianola::vulkan::TwoQueues;

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkInstance* made) {
    const VkResult result = call<PFN_vkCreateInstance>("vkCreateInstance", info, allocator, made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, 1U);
    } else {
        DriverShim::get().note_created("VkInstance", number_of_handle(*made), 0U);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
    static_cast<void>(DriverShim::get().begin("vkDestroyInstance"));
    if (DriverShim::get().note_destroyed("VkInstance", number_of_handle(instance))) {
        real<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, allocator);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumeratePhysicalDevices(VkInstance instance, std::uint32_t* count,
                                                          VkPhysicalDevice* devices) {
    return call<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices", instance, count, devices);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* found) {
    real<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(device, found);
    if (const auto& pretend = DriverShim::get().pretence.properties) {
        pretend(*found);
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* found) {
    real<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(device, found);
    const DriverShim::Pretence& pretence = DriverShim::get().pretence;
    if (pretence.features) {
        pretence.features(found->features);
    }
    auto* const vulkan11 =
        find<VkPhysicalDeviceVulkan11Features>(found, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    auto* const vulkan12 =
        find<VkPhysicalDeviceVulkan12Features>(found, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    if (pretence.features11 && (vulkan11 != nullptr)) {
        pretence.features11(*vulkan11);
    }
    if (pretence.features12 && (vulkan12 != nullptr)) {
        pretence.features12(*vulkan12);
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice device,
                                                               VkPhysicalDeviceMemoryProperties* found) {
    real<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(device, found);
    if (const auto& pretend = DriverShim::get().pretence.memory) {
        pretend(*found);
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, std::uint32_t* count,
                                                                    VkQueueFamilyProperties* found) {
    real<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties")(device, count,
                                                                                                   found);
    const DriverShim& shim = DriverShim::get();
    for (std::uint32_t i = 0U; (found != nullptr) && (i < *count); ++i) {
        if (shim.two_queues.is_on()) {
            found[i].queueCount = 2U;
        }
        if (shim.pretence.family) {
            shim.pretence.family(found[i]);
        }
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkDevice* made) {
    DriverShim& shim = DriverShim::get();
    const auto* const features = static_cast<const VkPhysicalDeviceFeatures2*>(info->pNext);
    shim.ask_for(features->features);
    VkDeviceQueueCreateInfo queue = *info->pQueueCreateInfos;
    VkDeviceCreateInfo changed = *info;
    if (shim.two_queues.is_on()) {
        if (queue.queueCount != 2U) {
            shim.note_error("one queue is asked for where there are two");
        }
        queue.queueCount = 1U;
        changed.pQueueCreateInfos = &queue;
    }
    const VkResult result = call<PFN_vkCreateDevice>("vkCreateDevice", physical, &changed, allocator, made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, 1U);
    } else {
        shim.note_created("VkDevice", number_of_handle(*made), 0U);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
    static_cast<void>(DriverShim::get().begin("vkDestroyDevice"));
    if (DriverShim::get().note_destroyed("VkDevice", number_of_handle(device))) {
        real<PFN_vkDestroyDevice>("vkDestroyDevice")(device, allocator);
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetDeviceQueue(VkDevice device, std::uint32_t family, std::uint32_t index,
                                            VkQueue* queue) {
    TwoQueues& two_queues = DriverShim::get().two_queues;
    real<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device, family, two_queues.is_on() ? 0U : index, queue);
    if (two_queues.is_on()) {
        *queue = two_queues.queue(*queue, index);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vkQueueSubmit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                             VkFence fence) {
    DriverShim& shim = DriverShim::get();
    if (!shim.two_queues.is_on()) {
        return call<PFN_vkQueueSubmit>("vkQueueSubmit", queue, count, infos, fence);
    }
    const VkResult result = shim.begin("vkQueueSubmit");
    for (std::uint32_t i = 0U; (i < count) && (result == VK_SUCCESS); ++i) {
        static_cast<void>(shim.two_queues.submit(queue, infos[i], pass_on));
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkGetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore,
                                                          std::uint64_t* value) {
    DriverShim& shim = DriverShim::get();
    const auto asked = shim.calls().find("vkGetSemaphoreCounterValue");
    if ((asked == shim.calls().end()) || ((asked->second % shim.calls_for_one) == 0U)) {
        static_cast<void>(shim.two_queues.pass_one(pass_on));
    }
    if (shim.settles) {
        settle(device);
    }
    *value = UINT64_MAX;  // what a lost device may answer
    return call<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue", device, semaphore, value);
}

VKAPI_ATTR VkResult VKAPI_CALL vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* info,
                                                std::uint64_t nanoseconds) {
    DriverShim::get().two_queues.pass_all(pass_on);
    return call<PFN_vkWaitSemaphores>("vkWaitSemaphores", device, info, nanoseconds);
}

VKAPI_ATTR VkResult VKAPI_CALL vkDeviceWaitIdle(VkDevice device) {
    settle(device);
    return call<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle", device);
}
}
