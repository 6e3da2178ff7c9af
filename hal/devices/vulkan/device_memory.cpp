#include "hal/devices/vulkan/device_memory.h"

#include <cstring>

namespace pianola::vulkan {
namespace {

VkBufferCreateInfo storage(std::uint64_t bytes) noexcept {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    return info;
}

}  // namespace

// Coherent, so that there is no maintenance; best the device's own, and cached.
Status DeviceMemory::find_type(const Context& context, std::uint32_t types, std::uint32_t& type) const noexcept {
    constexpr VkMemoryPropertyFlags kNeeded =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags kOwn = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    for (const VkMemoryPropertyFlags wanted : {kNeeded | kOwn | kCached, kNeeded | kOwn, kNeeded | kCached, kNeeded}) {
        for (std::uint32_t i = 0U; i < context.memory().memoryTypeCount; ++i) {
            const bool is_possible = ((types >> i) & 1U) != 0U;
            if (is_possible && ((context.memory().memoryTypes[i].propertyFlags & wanted) == wanted)) {
                type = i;
                return Status::kOk;
            }
        }
    }
    return Status::kCapacity;
}

Status DeviceMemory::create(const Context& context, std::uint64_t bytes) noexcept {
    device_ = context.device();
    const VkBufferCreateInfo info = storage(bytes);
    VkBuffer probe = VK_NULL_HANDLE;
    if (vkCreateBuffer(device_, &info, nullptr, &probe) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_, probe, &needs);
    vkDestroyBuffer(device_, probe, nullptr);
    alignment_ = static_cast<std::uint32_t>(needs.alignment);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    // A short buffer at the very end may need more than it has bytes.
    allocation.allocationSize = needs.size + needs.alignment;
    if (!is_ok(find_type(context, needs.memoryTypeBits, allocation.memoryTypeIndex)) ||
        (vkAllocateMemory(device_, &allocation, nullptr, &memory_) != VK_SUCCESS) ||
        (vkMapMemory(device_, memory_, 0U, VK_WHOLE_SIZE, 0U, &mapped_) != VK_SUCCESS)) {
        destroy();
        return Status::kCapacity;
    }
    std::memset(mapped_, 0, static_cast<std::size_t>(bytes));
    return Status::kOk;
}

void DeviceMemory::destroy() noexcept {
    if (memory_ != VK_NULL_HANDLE) {
        vkFreeMemory(device_, memory_, nullptr);
    }
    memory_ = VK_NULL_HANDLE;
    mapped_ = nullptr;
}

Status DeviceMemory::make_buffer(std::uint64_t offset, std::uint64_t bytes, VkBuffer& buffer,
                                 std::uint32_t& excess) noexcept {
    excess = static_cast<std::uint32_t>(offset % alignment_);
    const VkBufferCreateInfo info = storage(bytes + excess);
    if (vkCreateBuffer(device_, &info, nullptr, &buffer) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    // What it needs was asked for already, and does not depend on the size: layers want to see the question.
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_, buffer, &needs);
    if ((needs.alignment > alignment_) ||
        (vkBindBufferMemory(device_, buffer, memory_, offset - excess) != VK_SUCCESS)) {
        vkDestroyBuffer(device_, buffer, nullptr);
        buffer = VK_NULL_HANDLE;
        return Status::kCapacity;
    }
    return Status::kOk;
}

}  // namespace pianola::vulkan
