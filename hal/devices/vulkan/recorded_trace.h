// RecordedTrace: a trace as the command buffer that was recorded of it, once, when it was loaded.
//
// Place in the whole: what a REPLAY submits. Every command that does something to memory is a dispatch with a buffer
// for each of its operands; a LAUNCH, COPY, FILL or BARRIER waits for all commands before it, a DISPATCH for those of
// its core, as on the reference device. Behind the trace's command buffer comes another, of the queue that replays it,
// in which the device goes over the words and marks and chains the digest. Made and destroyed while loading only.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/vulkan/context.h"
#include "hal/devices/vulkan/device_memory.h"
#include "hal/devices/vulkan/kernel_pipelines.h"
#include "hal/devices/vulkan/trace_plan.h"
#include "hal/kernels/device_memory.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::vulkan {

// What queues and traces share.
struct Parts {
    const Context& context;
    const KernelPipelines& pipelines;
    DeviceMemory& memory;
    const refdev::DeviceSpec& spec;
    const refdev::DeviceMemory& regions;
    VkCommandPool commands{VK_NULL_HANDLE};
    // By queue: its ring as the device sees it, and its records.
    std::array<VkBuffer, kMaxQueues> rings{};
    std::array<VkBuffer, kMaxQueues> records{};
    std::uint64_t objects{0U};  // of Vulkan, that were made for traces so far
    // Buffers begin at their operands' places in `memory`; DRAM is its begin, L1 follows.
    [[nodiscard]] bool offset_of(std::uint32_t address, std::uint64_t bytes, std::uint64_t& offset) const noexcept;
    // Bytes between what descriptors may name.
    [[nodiscard]] std::uint32_t descriptor_granule() const noexcept;
};

class RecordedTrace {
  public:
    // Begins at `address` in the trace region. What is wrong with its words is found when it is replayed.
    RecordedTrace(Parts& parts, std::uint32_t address, WordSpan words);
    ~RecordedTrace();
    RecordedTrace(const RecordedTrace&) = delete;
    RecordedTrace(RecordedTrace&&) = delete;
    RecordedTrace& operator=(const RecordedTrace&) = delete;
    RecordedTrace& operator=(RecordedTrace&&) = delete;

    // kOk; kCapacity where the driver has no memory for it.
    Status record();

    [[nodiscard]] bool is_of(std::uint32_t address, WordSpan words) const noexcept;
    // Word number `at` is now `word`. False where that is more than a value which shaders read from memory.
    [[nodiscard]] bool take_value(std::uint32_t at, std::uint32_t word);
    void clear_marks() noexcept;
    [[nodiscard]] VkCommandBuffer commands() const noexcept { return commands_; }
    [[nodiscard]] VkCommandBuffer attestation(std::uint32_t queue) const noexcept { return attestations_.at(queue); }
    [[nodiscard]] std::uint32_t executed() const noexcept { return executed_; }  // commands, up to a fault
    [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }      // that are published for them
    [[nodiscard]] DeviceFault fault() const noexcept { return fault_; }          // of the last of them
    [[nodiscard]] std::uint32_t fault_address() const noexcept { return fault_address_; }

  private:
    [[nodiscard]] Status make_marks(std::uint32_t commands);
    [[nodiscard]] Status make_operands(const TracePlan& plan);
    [[nodiscard]] Status make_sets(std::uint32_t count);
    void describe_dispatch(const PlannedDispatch& planned, VkDescriptorSet set, PushConstants& constants) const;
    [[nodiscard]] Status record_commands(const TracePlan& plan);
    [[nodiscard]] Status record_attestation(std::uint32_t queue, VkDescriptorSet set);
    // The fault of the first command whose operand no region permits; it and those behind it are dropped.
    void drop_forbidden(TracePlan& plan);

    struct OperandBuffer {
        std::uint32_t address{0U};
        std::uint32_t size_bytes{0U};
        VkBuffer buffer{VK_NULL_HANDLE};
        std::uint32_t excess{0U};  // bytes of it in front of the operand
    };
    [[nodiscard]] const OperandBuffer& buffer_of(const Operand& operand) const;

    Parts& parts_;
    std::uint32_t address_;
    std::vector<std::uint32_t> words_;
    VkCommandBuffer commands_{VK_NULL_HANDLE};
    std::array<VkCommandBuffer, kMaxQueues> attestations_{};
    VkDescriptorPool pool_{VK_NULL_HANDLE};
    DeviceMemory marks_memory_;
    VkBuffer marks_{VK_NULL_HANDLE};
    std::uint32_t mark_count_{0U};
    std::uint32_t mark_bytes_{0U};  // from one mark to the next
    VkBuffer words_buffer_{VK_NULL_HANDLE};
    std::vector<OperandBuffer> operands_;  // sorted
    std::vector<VkDescriptorSet> sets_;
    std::uint32_t executed_{0U};
    std::uint64_t cycles_{0U};
    DeviceFault fault_{DeviceFault::kNone};
    std::uint32_t fault_address_{0U};
};

// Everything before comes before everything behind, and is visible to it.
void record_barrier(VkCommandBuffer commands, bool to_host) noexcept;
void update_set(VkDevice device, VkDescriptorSet set,
                const std::array<VkDescriptorBufferInfo, kBindings>& infos) noexcept;
// The shader `attest`, and its results for the host.
void record_attest(const Parts& parts, VkCommandBuffer commands, VkDescriptorSet set,
                   const AttestConstants& constants) noexcept;
[[nodiscard]] Status begin_recording(const Parts& parts, VkCommandBuffer& commands) noexcept;

}  // namespace pianola::vulkan
