#include "hal/devices/refdev/vulkan/device_memory.h"

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

// Must be coherent, so that no maintenance is needed; preferably device-local and cached.
Status DeviceMemory::find_type(std::uint32_t types, std::uint32_t& type) const noexcept {
    constexpr VkMemoryPropertyFlags kNeeded =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags kOwn = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const VkPhysicalDeviceMemoryProperties& memory = context_->memory();
    for (const VkMemoryPropertyFlags wanted : {kNeeded | kOwn | kCached, kNeeded | kOwn, kNeeded | kCached, kNeeded}) {
        for (std::uint32_t i = 0U; i < memory.memoryTypeCount; ++i) {
            const bool is_possible = ((types >> i) & 1U) != 0U;
            if (is_possible && ((memory.memoryTypes[i].propertyFlags & wanted) == wanted)) {
                type = i;
                return Status::kOk;
            }
        }
    }
    return Status::kRefused;
}

Status DeviceMemory::create(Context& context, std::uint64_t bytes) noexcept {
    context_ = &context;
    const VkBufferCreateInfo info = storage(bytes);
    Status status = context.check(vkCreateBuffer(context.device(), &info, nullptr, &whole_), "vkCreateBuffer", whole_);
    status = is_ok(status) ? allocate(bytes) : status;
    if (!is_ok(status)) {
        destroy();
    }
    return status;
}

Status DeviceMemory::allocate(std::uint64_t bytes) noexcept {
    VkDevice device = context_->device();
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, whole_, &needs);
    alignment_ = static_cast<std::uint32_t>(needs.alignment);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    // A short buffer at the end may need more memory than its own bytes.
    allocation.allocationSize = needs.size + needs.alignment;
    Status status = find_type(needs.memoryTypeBits, allocation.memoryTypeIndex);
    if (is_ok(status)) {
        status = context_->check(vkAllocateMemory(device, &allocation, nullptr, &memory_), "vkAllocateMemory", memory_);
    }
    if (is_ok(status)) {
        status = context_->check(vkBindBufferMemory(device, whole_, memory_, 0U), "vkBindBufferMemory");
    }
    if (is_ok(status)) {
        status = context_->check(vkMapMemory(device, memory_, 0U, VK_WHOLE_SIZE, 0U, &mapped_), "vkMapMemory");
    }
    if (is_ok(status)) {
        std::memset(mapped_, 0, static_cast<std::size_t>(bytes));
    }
    return status;
}

void DeviceMemory::destroy() noexcept {
    if (context_ == nullptr) {
        return;
    }
    vkDestroyBuffer(context_->device(), whole_, nullptr);
    vkFreeMemory(context_->device(), memory_, nullptr);
    whole_ = VK_NULL_HANDLE;
    memory_ = VK_NULL_HANDLE;
    mapped_ = nullptr;
    context_ = nullptr;
}

Status DeviceMemory::make_buffer(std::uint64_t offset, std::uint64_t bytes, VkBuffer& buffer,
                                 std::uint32_t& excess) noexcept {
    VkDevice device = context_->device();
    excess = static_cast<std::uint32_t>(offset % alignment_);
    const VkBufferCreateInfo info = storage(bytes + excess);
    Status status = context_->check(vkCreateBuffer(device, &info, nullptr, &buffer), "vkCreateBuffer", buffer);
    if (!is_ok(status)) {
        return status;
    }
    // The requirements are already known and do not depend on the size; the call satisfies validation layers.
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    status = (needs.alignment > alignment_)
                 ? Status::kCapacity
                 : context_->check(vkBindBufferMemory(device, buffer, memory_, offset - excess), "vkBindBufferMemory");
    if (!is_ok(status)) {
        vkDestroyBuffer(device, buffer, nullptr);
        buffer = VK_NULL_HANDLE;
    }
    return status;
}

}  // namespace pianola::vulkan
