#include "hal/devices/refdev/vulkan/command_buffer.h"

#include <algorithm>

namespace pianola::vulkan {

void update_set(VkDevice device, VkDescriptorSet set,
                const std::array<VkDescriptorBufferInfo, kBindings>& infos) noexcept {
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    for (std::uint32_t i = 0U; i < kBindings; ++i) {
        VkWriteDescriptorSet& write = writes.at(i);
        write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write.dstSet = set;
        write.dstBinding = i;
        write.descriptorCount = 1U;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &infos.at(i);
    }
    vkUpdateDescriptorSets(device, kBindings, writes.data(), 0U, nullptr);
}

bool Parts::offset_of(std::uint32_t address, std::uint64_t bytes, std::uint64_t& offset) const noexcept {
    const std::uint64_t in_dram = std::uint64_t{address} - spec.dram_base;
    const std::uint64_t in_l1 = std::uint64_t{address} - spec.l1_base;
    if ((address >= spec.dram_base) && ((in_dram + bytes) <= spec.dram_bytes)) {
        offset = in_dram;
        return true;
    }
    offset = std::uint64_t{spec.dram_bytes} + in_l1;
    return (address >= spec.l1_base) && ((in_l1 + bytes) <= spec.l1_bytes);
}

std::uint32_t Parts::descriptor_granule() const noexcept {
    return static_cast<std::uint32_t>(
        std::max<VkDeviceSize>(context.properties().limits.minStorageBufferOffsetAlignment, sizeof(std::uint32_t)));
}

Status begin_recording(const Parts& parts, VkCommandBuffer& commands) noexcept {
    Status status = Status::kOk;
    if (commands == VK_NULL_HANDLE) {
        VkCommandBufferAllocateInfo allocation{};
        allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocation.commandPool = parts.commands;
        allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        allocation.commandBufferCount = 1U;
        status = parts.context.check(vkAllocateCommandBuffers(parts.context.device(), &allocation, &commands),
                                     "vkAllocateCommandBuffers", commands);
    }
    if (is_ok(status)) {
        VkCommandBufferBeginInfo begin{};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
        status = parts.context.check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    }
    return status;
}

void record_barrier(VkCommandBuffer commands, bool to_host) noexcept {
    VkMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = barrier.srcAccessMask;
    if (to_host) {
        barrier.dstAccessMask |= VK_ACCESS_HOST_READ_BIT;
    }
    vkCmdPipelineBarrier(
        commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | (to_host ? VkPipelineStageFlags{VK_PIPELINE_STAGE_HOST_BIT} : 0U), 0U,
        1U, &barrier, 0U, nullptr, 0U, nullptr);
}

void record_attest(const Parts& parts, VkCommandBuffer commands, VkDescriptorSet set,
                   const AttestConstants& constants) noexcept {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, parts.pipelines.pipeline(Helper::kAttest));
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, parts.pipelines.layout(), 0U, 1U, &set, 0U,
                            nullptr);
    vkCmdPushConstants(commands, parts.pipelines.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0U, sizeof(constants),
                       &constants);
    vkCmdDispatch(commands, 1U, 1U, 1U);
    record_barrier(commands, true);
}

}  // namespace pianola::vulkan
