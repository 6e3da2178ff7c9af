// KernelRig: runs single trace commands on a Vulkan device, for tests of the shaders.
//
// Each command gets a small memory of its own contents, buffers and descriptors, as kernel_pipelines.h says, and
// nothing else of the device.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/devices/refdev/vulkan/kernel_pipelines.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kMemoryBytes = 16384U;  // of the rigs and simulated devices of these tests

struct Ran {
    Status status{Status::kInternal};
    std::uint32_t mark{0U};  // that the command has left
    std::vector<std::uint8_t> bytes;
};

// How a run departs from what was proved.
struct Bend {
    std::uint32_t cut{0U};               // of this operand,
    std::uint32_t cut_bytes{0U};         // the buffer ends so much earlier
    std::uint32_t more_bytes{0U};        // every operand's buffer ends so much later
    std::vector<std::uint32_t> damaged;  // where not empty: the words in memory, which the shader reads
};

class KernelRig {
  public:
    // Throws std::runtime_error with the name of what is missing. Device addresses begin at `base`.
    KernelRig(std::uint32_t base, std::uint32_t size_bytes, Judge judge = Judge::kNone);
    KernelRig(const KernelRig&) = delete;
    KernelRig& operator=(const KernelRig&) = delete;
    ~KernelRig();

    // The command on a memory that holds `bytes`.
    Ran run(const std::vector<std::uint32_t>& command, const std::vector<std::uint8_t>& bytes, const Bend& bend = {});

    // Where buffers begin.
    [[nodiscard]] std::uint32_t alignment() const { return alignment_; }

    // Of the judge, since the beginning.
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

    // Whether this machine has a device at all; which of them is tested, PIANOLA_VULKAN_DEVICE says.
    static bool has_device();

  private:
    struct Bound {
        VkBuffer buffer{VK_NULL_HANDLE};
        std::uint32_t offset{0U};
    };
    static void note(void* user, const char* text);
    static void require(VkResult result, const char* what);
    [[nodiscard]] std::uint32_t memory_type(std::uint32_t allowed) const;
    [[nodiscard]] Bound bind(std::uint64_t begin, std::uint64_t size_bytes);
    void create_memory(std::uint32_t size_bytes);
    void create_recording();
    void describe(const Program& program, PushConstants& constants, const Bend& bend);
    void dispatch(const Program& program, const PushConstants& constants);
    void release();

    std::vector<std::string> messages_;
    Context context_;
    KernelPipelines pipelines_;
    std::uint32_t base_;
    std::uint32_t alignment_{0U};
    VkDeviceMemory memory_{VK_NULL_HANDLE};
    std::uint8_t* mapped_{nullptr};
    Bound words_;
    Bound mark_;
    std::vector<VkBuffer> operands_;
    VkDescriptorPool descriptors_{VK_NULL_HANDLE};
    VkDescriptorSet set_{VK_NULL_HANDLE};
    VkCommandPool commands_{VK_NULL_HANDLE};
    VkCommandBuffer recording_{VK_NULL_HANDLE};
    VkFence fence_{VK_NULL_HANDLE};
};

}  // namespace pianola::vulkan
