// TraceCommandBuffer: the command buffer of a trace, recorded once, when the trace was loaded.
//
// Submitted by a REPLAY. Every command that accesses memory is a dispatch with a buffer for each of its operands; a
// LAUNCH, COPY, FILL or BARRIER waits for all commands before it, a DISPATCH for those of its core, as on the reference
// device. Another command buffer, of the replaying queue, follows the trace's: in it the device processes the words and
// marks and chains the digest. Made and destroyed only while loading.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/vulkan/command_buffer.h"
#include "hal/devices/refdev/vulkan/trace_plan.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::vulkan {

class TraceCommandBuffer {
  public:
    // Begins at `address` in the trace region. Errors in its words are found when it is replayed.
    TraceCommandBuffer(Parts& parts, std::uint32_t address, WordSpan words);
    ~TraceCommandBuffer();
    TraceCommandBuffer(const TraceCommandBuffer&) = delete;
    TraceCommandBuffer(TraceCommandBuffer&&) = delete;
    TraceCommandBuffer& operator=(const TraceCommandBuffer&) = delete;
    TraceCommandBuffer& operator=(TraceCommandBuffer&&) = delete;

    // kOk; otherwise as Context::check(), which records the failed call.
    Status record();

    [[nodiscard]] bool is_of(std::uint32_t address, WordSpan words) const noexcept;
    // Word number `at` is now `word`: a value, which shaders read from memory; or the address of an operand, after
    // which record_moved() must be called. False if it is anything else.
    [[nodiscard]] bool patch(std::uint32_t at, std::uint32_t word);
    [[nodiscard]] bool is_moved() const noexcept { return is_moved_; }
    // Records the command buffer again with the operands' current addresses; nothing may be under way. Makes no
    // objects: a moved operand is accessed through a part of one buffer over all memory. kCapacity if it needs more
    // objects than exist, for example if an operand's old address was forbidden.
    Status record_moved();
    void clear_marks() noexcept;
    [[nodiscard]] VkCommandBuffer commands() const noexcept { return commands_; }
    [[nodiscard]] VkCommandBuffer attestation(std::uint32_t queue) const noexcept { return attestations_.at(queue); }
    [[nodiscard]] std::uint32_t executed() const noexcept { return executed_; }  // commands, up to a fault
    [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }      // published for them
    [[nodiscard]] DeviceFault fault() const noexcept { return fault_; }          // of the last of them
    [[nodiscard]] std::uint32_t fault_address() const noexcept { return fault_address_; }

  private:
    // Describes the words; keeps the published part.
    [[nodiscard]] TracePlan make_plan();
    [[nodiscard]] Status make_marks(std::uint32_t commands);
    [[nodiscard]] Status make_pipelines(const TracePlan& plan);
    [[nodiscard]] Status make_operands(const TracePlan& plan);
    [[nodiscard]] Status make_sets(std::uint32_t count);
    void describe_dispatch(const PlannedDispatch& planned, VkDescriptorSet set, PushConstants& constants) const;
    [[nodiscard]] Status record_commands(const TracePlan& plan);
    [[nodiscard]] Status record_attestation(std::uint32_t queue, VkDescriptorSet set);
    // The fault of the first command whose operand no region permits; it and later commands are dropped.
    void drop_forbidden(TracePlan& plan);

    struct OperandBuffer {
        std::uint32_t address{0U};
        std::uint32_t size_bytes{0U};
        VkBuffer buffer{VK_NULL_HANDLE};
        std::uint32_t excess{0U};  // bytes of it before the operand
    };
    struct Bound {
        VkDescriptorBufferInfo info{};
        std::uint32_t excess{0U};
    };
    [[nodiscard]] Bound bound(const Operand& operand) const;

    Parts& parts_;
    std::uint32_t address_;
    std::vector<std::uint32_t> words_;
    VkCommandBuffer commands_{VK_NULL_HANDLE};
    std::array<VkCommandBuffer, kMaxQueues> attestations_{};
    VkDescriptorPool pool_{VK_NULL_HANDLE};
    DeviceMemory marks_;
    std::uint32_t mark_count_{0U};
    std::uint32_t mark_bytes_{0U};  // from one mark to the next
    VkBuffer words_buffer_{VK_NULL_HANDLE};
    std::vector<OperandBuffer> operands_;  // sorted
    std::vector<VkDescriptorSet> sets_;
    bool is_moved_{false};
    std::uint32_t executed_{0U};
    std::uint64_t cycles_{0U};
    DeviceFault fault_{DeviceFault::kNone};
    std::uint32_t fault_address_{0U};
};

}  // namespace pianola::vulkan
