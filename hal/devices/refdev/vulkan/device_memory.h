// DeviceMemory: memory shared by the device and this process, and buffers at exact offsets in it.
//
// The accelerator's DRAM, L1 and records in one allocation. An operand's buffer is as long as the operand, so that a
// shader can access only what was proved.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "hal/devices/refdev/vulkan/context.h"
#include "pianola/status.h"

namespace pianola::vulkan {

class DeviceMemory {
  public:
    DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory(DeviceMemory&&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    DeviceMemory& operator=(DeviceMemory&&) = delete;
    ~DeviceMemory() { destroy(); }

    // All zero. The context must outlive it. kRefused: the driver has no memory that is host visible and coherent;
    // kCapacity: not enough of it.
    Status create(Context& context, std::uint64_t bytes) noexcept;
    void destroy() noexcept;

    [[nodiscard]] std::uint8_t* data() const noexcept { return static_cast<std::uint8_t*>(mapped_); }
    // The memory as words.
    [[nodiscard]] std::uint32_t* words() const noexcept { return static_cast<std::uint32_t*>(mapped_); }
    // Alignment of buffers; a power of two.
    [[nodiscard]] std::uint32_t alignment() const noexcept { return alignment_; }
    // All of it as one buffer.
    [[nodiscard]] VkBuffer whole() const noexcept { return whole_; }
    // A buffer that ends at offset + bytes, and begins at `offset` or less than alignment() before it: `excess` is that
    // number of bytes. The caller destroys it.
    Status make_buffer(std::uint64_t offset, std::uint64_t bytes, VkBuffer& buffer, std::uint32_t& excess) noexcept;

  private:
    [[nodiscard]] Status find_type(std::uint32_t types, std::uint32_t& type) const noexcept;
    Status allocate(std::uint64_t bytes) noexcept;

    Context* context_{nullptr};
    VkDeviceMemory memory_{VK_NULL_HANDLE};
    VkBuffer whole_{VK_NULL_HANDLE};
    void* mapped_{nullptr};
    std::uint32_t alignment_{0U};
};

}  // namespace pianola::vulkan
