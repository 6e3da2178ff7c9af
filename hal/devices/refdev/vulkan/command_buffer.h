// Recording of command buffers.
//
// Shared by queues, traces and the machine: Vulkan objects, barriers, the shader `attest`.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/vulkan/context.h"
#include "hal/devices/refdev/vulkan/device_memory.h"
#include "hal/devices/refdev/vulkan/kernel_pipelines.h"
#include "pianola/status.h"

namespace pianola::vulkan {

// Objects that queues and traces share.
struct Parts {
    Context& context;
    KernelPipelines& pipelines;
    DeviceMemory& memory;
    const refdev::DeviceSpec& spec;
    const refdev::DeviceMemory& regions;
    VkCommandPool commands{VK_NULL_HANDLE};
    // Per queue: its ring as the device sees it, and its records.
    std::array<VkBuffer, kMaxQueues> rings{};
    std::array<VkBuffer, kMaxQueues> records{};
    std::uint64_t objects{0U};  // of Vulkan, that were made for traces so far
    // Buffers begin at their operands' offsets in `memory`, which holds DRAM first, then L1.
    [[nodiscard]] bool offset_of(std::uint32_t address, std::uint64_t bytes, std::uint64_t& offset) const noexcept;
    // A power of two: alignment of descriptor offsets in bytes.
    [[nodiscard]] std::uint32_t descriptor_granule() const noexcept;
};

// A full barrier: earlier commands complete before later ones, and are visible to them.
void record_barrier(VkCommandBuffer commands, bool to_host) noexcept;
void update_set(VkDevice device, VkDescriptorSet set,
                const std::array<VkDescriptorBufferInfo, kBindings>& infos) noexcept;
// The shader `attest`, and its results for the host.
void record_attest(const Parts& parts, VkCommandBuffer commands, VkDescriptorSet set,
                   const AttestConstants& constants) noexcept;
// Begins a command buffer, and makes it if it does not exist. An existing one must not be under way.
[[nodiscard]] Status begin_recording(const Parts& parts, VkCommandBuffer& commands) noexcept;

}  // namespace pianola::vulkan
