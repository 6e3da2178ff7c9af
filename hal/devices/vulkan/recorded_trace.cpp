#include "hal/devices/vulkan/recorded_trace.h"

#include <algorithm>
#include <tuple>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);

}  // namespace

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
        std::max<VkDeviceSize>(context.properties().limits.minStorageBufferOffsetAlignment, kWordBytes));
}

Status begin_recording(const Parts& parts, VkCommandBuffer& commands) noexcept {
    VkCommandBufferAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocation.commandPool = parts.commands;
    allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocation.commandBufferCount = 1U;
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
    if ((vkAllocateCommandBuffers(parts.context.device(), &allocation, &commands) != VK_SUCCESS) ||
        (vkBeginCommandBuffer(commands, &begin) != VK_SUCCESS)) {
        return Status::kCapacity;
    }
    return Status::kOk;
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

RecordedTrace::RecordedTrace(Parts& parts, std::uint32_t address, WordSpan words)
    : parts_{parts}, address_{address}, words_(words.begin(), words.end()) {}

RecordedTrace::~RecordedTrace() {
    VkDevice device = parts_.context.device();
    for (VkCommandBuffer commands : attestations_) {
        if (commands != VK_NULL_HANDLE) {
            vkFreeCommandBuffers(device, parts_.commands, 1U, &commands);
        }
    }
    if (commands_ != VK_NULL_HANDLE) {
        vkFreeCommandBuffers(device, parts_.commands, 1U, &commands_);
    }
    vkDestroyDescriptorPool(device, pool_, nullptr);
    for (const OperandBuffer& each : operands_) {
        vkDestroyBuffer(device, each.buffer, nullptr);
    }
    vkDestroyBuffer(device, words_buffer_, nullptr);
    vkDestroyBuffer(device, marks_, nullptr);
}

bool RecordedTrace::is_of(std::uint32_t address, WordSpan words) const noexcept {
    return (address == address_) && (words.size() == words_.size()) &&
           std::equal(words.begin(), words.end(), words_.begin());
}

bool RecordedTrace::take_value(std::uint32_t at, std::uint32_t word) {
    const refdev::RefdevCommandSet command_set;
    const WordSpan words{words_.data(), words_.size()};
    for (std::size_t first = 0U; first < words.size();) {
        const std::uint32_t length = refdev::length_words_of(words[first]);
        if ((length == 0U) || (length > (words.size() - first))) {
            return false;
        }
        if ((at - first) < length) {
            const PatchKind kind =
                command_set.patch_kind(words.subspan(first, length), static_cast<std::uint32_t>(at - first));
            if (kind == PatchKind::kValue) {
                words_.at(at) = word;
            }
            return kind == PatchKind::kValue;
        }
        first += length;
    }
    return false;
}

void RecordedTrace::clear_marks() noexcept {
    std::fill_n(marks_memory_.data(), mark_count_ * mark_bytes_, std::uint8_t{0U});
}

void RecordedTrace::drop_forbidden(TracePlan& plan) {
    for (std::size_t i = 0U; i < plan.dispatches.size(); ++i) {
        const PlannedDispatch& planned = plan.dispatches[i];
        for (std::uint32_t k = 0U; k < planned.program.operand_count; ++k) {
            const Operand& operand = planned.program.operands.at(k);
            const bool is_forbidden =
                (operand.is_read && (parts_.regions.readable(operand.address, operand.size_bytes) == nullptr)) ||
                (operand.is_written && (parts_.regions.writable(operand.address, operand.size_bytes) == nullptr));
            if ((operand.size_bytes != 0U) && is_forbidden) {
                fault_address_ = operand.address;
                plan.fault = DeviceFault::kBus;
                plan.commands = planned.command + 1U;
                plan.dispatches.resize(i);
                return;
            }
        }
    }
}

// All zero: the device clears what it has gone through.
Status RecordedTrace::make_marks(std::uint32_t commands) {
    mark_bytes_ = parts_.descriptor_granule();
    mark_count_ = commands;
    const std::uint64_t bytes = std::uint64_t{commands} * mark_bytes_;
    std::uint32_t excess = 0U;
    if (!is_ok(marks_memory_.create(parts_.context, bytes)) ||
        !is_ok(marks_memory_.make_buffer(0U, bytes, marks_, excess))) {
        return Status::kCapacity;
    }
    parts_.objects += 2U;
    return Status::kOk;
}

Status RecordedTrace::make_operands(const TracePlan& plan) {
    for (const PlannedDispatch& planned : plan.dispatches) {
        for (std::uint32_t i = 0U; i < planned.program.operand_count; ++i) {
            const Operand& operand = planned.program.operands.at(i);
            if (operand.size_bytes != 0U) {
                operands_.push_back({operand.address, operand.size_bytes, VK_NULL_HANDLE, 0U});
            }
        }
    }
    const auto key = [](const OperandBuffer& each) { return std::make_tuple(each.address, each.size_bytes); };
    std::sort(operands_.begin(), operands_.end(),
              [&key](const OperandBuffer& one, const OperandBuffer& other) { return key(one) < key(other); });
    operands_.erase(
        std::unique(operands_.begin(), operands_.end(),
                    [&key](const OperandBuffer& one, const OperandBuffer& other) { return key(one) == key(other); }),
        operands_.end());
    for (OperandBuffer& each : operands_) {
        std::uint64_t offset = 0U;
        if (!parts_.offset_of(each.address, each.size_bytes, offset) ||
            !is_ok(parts_.memory.make_buffer(offset, each.size_bytes, each.buffer, each.excess))) {
            return Status::kCapacity;
        }
        parts_.objects += 1U;
    }
    std::uint64_t offset = 0U;
    std::uint32_t excess = 0U;  // none: traces begin at multiples of 64
    if (!parts_.offset_of(address_, words_.size() * kWordBytes, offset) ||
        !is_ok(parts_.memory.make_buffer(offset, words_.size() * kWordBytes, words_buffer_, excess)) ||
        (excess != 0U)) {
        return Status::kCapacity;
    }
    parts_.objects += 1U;
    return Status::kOk;
}

Status RecordedTrace::make_sets(std::uint32_t count) {
    VkDevice device = parts_.context.device();
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * kBindings};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = count;
    info.poolSizeCount = 1U;
    info.pPoolSizes = &size;
    if (vkCreateDescriptorPool(device, &info, nullptr, &pool_) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    sets_.assign(count, VK_NULL_HANDLE);
    const std::vector<VkDescriptorSetLayout> layouts(count, parts_.pipelines.set_layout());
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = count;
    allocation.pSetLayouts = layouts.data();
    if (vkAllocateDescriptorSets(device, &allocation, sets_.data()) != VK_SUCCESS) {
        return Status::kCapacity;
    }
    parts_.objects += 1U + std::uint64_t{count};
    return Status::kOk;
}

const RecordedTrace::OperandBuffer& RecordedTrace::buffer_of(const Operand& operand) const {
    const auto found = std::find_if(operands_.begin(), operands_.end(), [&operand](const OperandBuffer& each) {
        return (each.address == operand.address) && (each.size_bytes == operand.size_bytes);
    });
    return *found;  // make_operands() has gone through all of them
}

void RecordedTrace::describe_dispatch(const PlannedDispatch& planned, VkDescriptorSet set,
                                      PushConstants& constants) const {
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({words_buffer_, 0U, VK_WHOLE_SIZE});
    infos.at(kMarkBinding) = {marks_, std::uint64_t{planned.command} * mark_bytes_, kWordBytes};
    constants.first_word = planned.first_word;
    for (std::uint32_t i = 0U; i < planned.program.operand_count; ++i) {
        const Operand& operand = planned.program.operands.at(i);
        if (operand.size_bytes != 0U) {
            const OperandBuffer& buffer = buffer_of(operand);
            infos.at(kFirstOperandBinding + i) = {buffer.buffer, 0U, VK_WHOLE_SIZE};
            constants.offsets.at(i) = buffer.excess;
        }
    }
    update_set(parts_.context.device(), set, infos);
}

Status RecordedTrace::record_commands(const TracePlan& plan) {
    const Status begun = begin_recording(parts_, commands_);
    if (!is_ok(begun)) {
        return begun;
    }
    record_barrier(commands_, false);
    bool is_first = true;
    std::size_t number = 0U;
    for (const PlannedDispatch& planned : plan.dispatches) {
        if (planned.waits && !is_first) {
            record_barrier(commands_, false);
        }
        is_first = false;
        VkDescriptorSet set = sets_.at(number);
        number += 1U;
        PushConstants constants;
        describe_dispatch(planned, set, constants);
        vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                          parts_.pipelines.pipeline(planned.program.pipeline));
        vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, parts_.pipelines.layout(), 0U, 1U, &set, 0U,
                                nullptr);
        vkCmdPushConstants(commands_, parts_.pipelines.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0U, sizeof(constants),
                           &constants);
        vkCmdDispatch(commands_, planned.program.workgroups, 1U, 1U);
    }
    record_barrier(commands_, false);
    parts_.objects += 1U;
    return (vkEndCommandBuffer(commands_) == VK_SUCCESS) ? Status::kOk : Status::kCapacity;
}

Status RecordedTrace::record_attestation(std::uint32_t queue, VkDescriptorSet set) {
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({words_buffer_, 0U, VK_WHOLE_SIZE});
    infos.at(kMarkBinding) = {marks_, 0U, VK_WHOLE_SIZE};
    infos.at(kFirstOperandBinding) = {parts_.rings.at(queue), 0U, VK_WHOLE_SIZE};
    infos.at(kFirstOperandBinding + 1U) = {parts_.records.at(queue), 0U, VK_WHOLE_SIZE};
    update_set(parts_.context.device(), set, infos);
    VkCommandBuffer& commands = attestations_.at(queue);
    const Status begun = begin_recording(parts_, commands);
    if (!is_ok(begun)) {
        return begun;
    }
    record_barrier(commands, false);
    const AttestConstants constants{static_cast<std::uint32_t>(words_.size()), mark_bytes_ / kWordBytes,
                                    refdev::kRingWords, kMaxStepsInFlight};
    record_attest(parts_, commands, set, constants);
    parts_.objects += 1U;
    return (vkEndCommandBuffer(commands) == VK_SUCCESS) ? Status::kOk : Status::kCapacity;
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

Status RecordedTrace::record() {
    TracePlan plan = plan_trace({words_.data(), words_.size()});
    drop_forbidden(plan);
    executed_ = plan.commands;
    cycles_ = plan.cycles;
    fault_ = plan.fault;
    const auto dispatches = static_cast<std::uint32_t>(plan.dispatches.size());
    const std::uint32_t queues = parts_.spec.queue_count;
    Status status = make_marks(std::max(plan.commands, 1U));
    status = is_ok(status) ? make_operands(plan) : status;
    status = is_ok(status) ? make_sets(dispatches + queues) : status;
    status = is_ok(status) ? record_commands(plan) : status;
    for (std::uint32_t queue = 0U; (queue < queues) && is_ok(status); ++queue) {
        status = record_attestation(queue, sets_.at(dispatches + queue));
    }
    return status;
}

}  // namespace pianola::vulkan
