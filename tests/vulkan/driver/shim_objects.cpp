// The same for what is made with a device: see shim.h.
#include "tests/vulkan/driver/forward.h"

using pianola::vulkan::call;
using pianola::vulkan::create;
using pianola::vulkan::destroy;
using pianola::vulkan::DriverShim;
using pianola::vulkan::leave_rubbish;
using pianola::vulkan::number_of_handle;
using pianola::vulkan::real;

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vkCreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkBuffer* made) {
    return create<PFN_vkCreateBuffer>("vkCreateBuffer", "VkBuffer", made, device, info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyBuffer(VkDevice device, VkBuffer handle, const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyBuffer>("vkDestroyBuffer", "VkBuffer", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                                           const VkAllocationCallbacks* allocator,
                                                           VkDescriptorSetLayout* made) {
    return create<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout", "VkDescriptorSetLayout", made, device,
                                                   info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout handle,
                                                        const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout", "VkDescriptorSetLayout", device, handle,
                                              allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreatePipelineLayout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                                      const VkAllocationCallbacks* allocator, VkPipelineLayout* made) {
    return create<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout", "VkPipelineLayout", made, device, info,
                                              allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPipelineLayout(VkDevice device, VkPipelineLayout handle,
                                                   const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout", "VkPipelineLayout", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo* info,
                                                    const VkAllocationCallbacks* allocator, VkShaderModule* made) {
    return create<PFN_vkCreateShaderModule>("vkCreateShaderModule", "VkShaderModule", made, device, info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyShaderModule(VkDevice device, VkShaderModule handle,
                                                 const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyShaderModule>("vkDestroyShaderModule", "VkShaderModule", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo* info,
                                                      const VkAllocationCallbacks* allocator, VkDescriptorPool* made) {
    return create<PFN_vkCreateDescriptorPool>("vkCreateDescriptorPool", "VkDescriptorPool", made, device, info,
                                              allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyDescriptorPool(VkDevice device, VkDescriptorPool handle,
                                                   const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyDescriptorPool>("vkDestroyDescriptorPool", "VkDescriptorPool", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                                   const VkAllocationCallbacks* allocator, VkCommandPool* made) {
    return create<PFN_vkCreateCommandPool>("vkCreateCommandPool", "VkCommandPool", made, device, info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroyCommandPool(VkDevice device, VkCommandPool handle,
                                                const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyCommandPool>("vkDestroyCommandPool", "VkCommandPool", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkSemaphore* made) {
    return create<PFN_vkCreateSemaphore>("vkCreateSemaphore", "VkSemaphore", made, device, info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkDestroySemaphore(VkDevice device, VkSemaphore handle,
                                              const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroySemaphore>("vkDestroySemaphore", "VkSemaphore", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateComputePipelines(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                                        const VkComputePipelineCreateInfo* infos,
                                                        const VkAllocationCallbacks* allocator, VkPipeline* made) {
    const VkResult result =
        call<PFN_vkCreateComputePipelines>("vkCreateComputePipelines", device, cache, count, infos, allocator, made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, count);
    }
    for (std::uint32_t i = 0U; (i < count) && (result == VK_SUCCESS); ++i) {
        DriverShim::get().note_created("VkPipeline", number_of_handle(made[i]), number_of_handle(device));
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vkDestroyPipeline(VkDevice device, VkPipeline handle,
                                             const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkDestroyPipeline>("vkDestroyPipeline", "VkPipeline", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                                const VkAllocationCallbacks* allocator, VkDeviceMemory* made) {
    return create<PFN_vkAllocateMemory>("vkAllocateMemory", "VkDeviceMemory", made, device, info, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkFreeMemory(VkDevice device, VkDeviceMemory handle,
                                        const VkAllocationCallbacks* allocator) {
    destroy<PFN_vkFreeMemory>("vkFreeMemory", "VkDeviceMemory", device, handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                           VkDeviceSize size, VkMemoryMapFlags flags, void** mapped) {
    const VkResult result = call<PFN_vkMapMemory>("vkMapMemory", device, memory, offset, size, flags, mapped);
    if (result != VK_SUCCESS) {
        leave_rubbish(mapped, 1U);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset) {
    return call<PFN_vkBindBufferMemory>("vkBindBufferMemory", device, buffer, memory, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* info,
                                                        VkDescriptorSet* made) {
    const VkResult result = call<PFN_vkAllocateDescriptorSets>("vkAllocateDescriptorSets", device, info, made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, info->descriptorSetCount);
    }
    for (std::uint32_t i = 0U; (i < info->descriptorSetCount) && (result == VK_SUCCESS); ++i) {
        DriverShim::get().note_created("VkDescriptorSet", number_of_handle(made[i]),
                                       number_of_handle(info->descriptorPool));
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkAllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                                        VkCommandBuffer* made) {
    const VkResult result = call<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers", device, info, made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, info->commandBufferCount);
    }
    for (std::uint32_t i = 0U; (i < info->commandBufferCount) && (result == VK_SUCCESS); ++i) {
        DriverShim::get().note_created("VkCommandBuffer", number_of_handle(made[i]),
                                       number_of_handle(info->commandPool));
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL vkFreeCommandBuffers(VkDevice device, VkCommandPool pool, std::uint32_t count,
                                                const VkCommandBuffer* handles) {
    static_cast<void>(DriverShim::get().begin("vkFreeCommandBuffers"));
    for (std::uint32_t i = 0U; i < count; ++i) {
        if (DriverShim::get().note_destroyed("VkCommandBuffer", number_of_handle(handles[i]))) {
            real<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(device, pool, 1U, &handles[i]);
        }
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vkBeginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
    return call<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer", commands, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkEndCommandBuffer(VkCommandBuffer commands) {
    return call<PFN_vkEndCommandBuffer>("vkEndCommandBuffer", commands);
}

VKAPI_ATTR void VKAPI_CALL vkUpdateDescriptorSets(VkDevice device, std::uint32_t writes,
                                                  const VkWriteDescriptorSet* write, std::uint32_t copies,
                                                  const VkCopyDescriptorSet* copy) {
    static_cast<void>(DriverShim::get().begin("vkUpdateDescriptorSets"));
    real<PFN_vkUpdateDescriptorSets>("vkUpdateDescriptorSets")(device, writes, write, copies, copy);
}
}
