#include "hal/devices/refdev/vulkan/trace_command_buffer.h"

#include <algorithm>
#include <tuple>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kWordBytes = sizeof(std::uint32_t);

}  // namespace

TraceCommandBuffer::TraceCommandBuffer(Parts& parts, std::uint32_t address, WordSpan words)
    : parts_{parts}, address_{address}, words_(words.begin(), words.end()) {}

TraceCommandBuffer::~TraceCommandBuffer() {
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
}

bool TraceCommandBuffer::is_of(std::uint32_t address, WordSpan words) const noexcept {
    return !is_moved_ && (address == address_) && (words.size() == words_.size()) &&
           std::equal(words.begin(), words.end(), words_.begin());
}

bool TraceCommandBuffer::patch(std::uint32_t at, std::uint32_t word) {
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
            if (kind != PatchKind::kNone) {
                is_moved_ = is_moved_ || ((kind == PatchKind::kAddress) && (words_.at(at) != word));
                words_.at(at) = word;
            }
            return kind != PatchKind::kNone;
        }
        first += length;
    }
    return false;
}

void TraceCommandBuffer::clear_marks() noexcept {
    std::fill_n(marks_.data(), mark_count_ * mark_bytes_, std::uint8_t{0U});
}

void TraceCommandBuffer::drop_forbidden(TracePlan& plan) {
    for (std::size_t i = 0U; i < plan.dispatches.size(); ++i) {
        const PlannedDispatch& planned = plan.dispatches[i];
        for (std::uint32_t k = 0U; k < planned.program.operand_count; ++k) {
            const Operand& operand = planned.program.operands.at(k);
            std::uint64_t offset = 0U;
            const bool is_forbidden =
                !parts_.offset_of(operand.address, operand.size_bytes, offset) ||
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

TracePlan TraceCommandBuffer::make_plan() {
    TracePlan plan = plan_trace(*parts_.spec.cost_model, {words_.data(), words_.size()});
    fault_address_ = 0U;
    drop_forbidden(plan);
    executed_ = plan.commands;
    cycles_ = plan.cycles;
    fault_ = plan.fault;
    return plan;
}

// All zero: the device clears the marks that it has processed.
Status TraceCommandBuffer::make_marks(std::uint32_t commands) {
    mark_bytes_ = parts_.descriptor_granule();
    mark_count_ = commands;
    const Status status = marks_.create(parts_.context, std::uint64_t{commands} * mark_bytes_);
    parts_.objects += is_ok(status) ? 2U : 0U;
    return status;
}

Status TraceCommandBuffer::make_pipelines(const TracePlan& plan) {
    Status status = Status::kOk;
    for (const PlannedDispatch& planned : plan.dispatches) {
        status = is_ok(status) ? parts_.pipelines.need(planned.program.pipeline) : status;
    }
    return status;
}

Status TraceCommandBuffer::make_operands(const TracePlan& plan) {
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
    std::uint64_t offset = 0U;
    for (OperandBuffer& each : operands_) {
        Status status = parts_.offset_of(each.address, each.size_bytes, offset) ? Status::kOk : Status::kInternal;
        status = is_ok(status) ? parts_.memory.make_buffer(offset, each.size_bytes, each.buffer, each.excess) : status;
        if (!is_ok(status)) {
            return status;
        }
        parts_.objects += 1U;
    }
    std::uint32_t excess = 0U;  // none: traces begin at multiples of 64
    if (!parts_.offset_of(address_, words_.size() * kWordBytes, offset)) {
        return Status::kInternal;
    }
    const Status status = parts_.memory.make_buffer(offset, words_.size() * kWordBytes, words_buffer_, excess);
    parts_.objects += 1U;
    return (is_ok(status) && (excess != 0U)) ? Status::kCapacity : status;
}

Status TraceCommandBuffer::make_sets(std::uint32_t count) {
    VkDevice device = parts_.context.device();
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count * kBindings};
    VkDescriptorPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = count;
    info.poolSizeCount = 1U;
    info.pPoolSizes = &size;
    const Status made =
        parts_.context.check(vkCreateDescriptorPool(device, &info, nullptr, &pool_), "vkCreateDescriptorPool", pool_);
    if (!is_ok(made)) {
        return made;
    }
    sets_.assign(count, VK_NULL_HANDLE);
    const std::vector<VkDescriptorSetLayout> layouts(count, parts_.pipelines.set_layout());
    VkDescriptorSetAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocation.descriptorPool = pool_;
    allocation.descriptorSetCount = count;
    allocation.pSetLayouts = layouts.data();
    parts_.objects += 1U + std::uint64_t{count};
    return parts_.context.check(vkAllocateDescriptorSets(device, &allocation, sets_.data()),
                                "vkAllocateDescriptorSets");
}

TraceCommandBuffer::Bound TraceCommandBuffer::bound(const Operand& operand) const {
    const auto found = std::find_if(operands_.begin(), operands_.end(), [&operand](const OperandBuffer& each) {
        return (each.address == operand.address) && (each.size_bytes == operand.size_bytes);
    });
    if (found != operands_.end()) {
        return {{found->buffer, 0U, VK_WHOLE_SIZE}, found->excess};
    }
    // An operand that was patched since. drop_forbidden() has checked that it lies in memory.
    std::uint64_t offset = 0U;
    static_cast<void>(parts_.offset_of(operand.address, operand.size_bytes, offset));
    const auto excess = static_cast<std::uint32_t>(offset % parts_.descriptor_granule());
    return {{parts_.memory.whole(), offset - excess, VkDeviceSize{operand.size_bytes} + excess}, excess};
}

void TraceCommandBuffer::describe_dispatch(const PlannedDispatch& planned, VkDescriptorSet set,
                                           PushConstants& constants) const {
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({words_buffer_, 0U, VK_WHOLE_SIZE});
    infos.at(kMarkBinding) = {marks_.whole(), std::uint64_t{planned.command} * mark_bytes_, kWordBytes};
    constants.first_word = planned.first_word;
    for (std::uint32_t i = 0U; i < planned.program.operand_count; ++i) {
        const Operand& operand = planned.program.operands.at(i);
        if (operand.size_bytes != 0U) {
            const Bound place = bound(operand);
            infos.at(kFirstOperandBinding + i) = place.info;
            constants.offsets.at(i) = place.excess;
        }
    }
    update_set(parts_.context.device(), set, infos);
}

Status TraceCommandBuffer::record_commands(const TracePlan& plan) {
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
    return parts_.context.check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

Status TraceCommandBuffer::record_attestation(std::uint32_t queue, VkDescriptorSet set) {
    std::array<VkDescriptorBufferInfo, kBindings> infos{};
    infos.fill({words_buffer_, 0U, VK_WHOLE_SIZE});
    infos.at(kMarkBinding) = {marks_.whole(), 0U, VK_WHOLE_SIZE};
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
    return parts_.context.check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

Status TraceCommandBuffer::record() {
    const TracePlan plan = make_plan();
    const auto dispatches = static_cast<std::uint32_t>(plan.dispatches.size());
    const std::uint32_t queues = parts_.spec.queue_count;
    Status status = make_marks(std::max(plan.commands, 1U));
    status = is_ok(status) ? make_pipelines(plan) : status;
    status = is_ok(status) ? make_operands(plan) : status;
    status = is_ok(status) ? make_sets(dispatches + queues) : status;
    status = is_ok(status) ? record_commands(plan) : status;
    for (std::uint32_t queue = 0U; (queue < queues) && is_ok(status); ++queue) {
        status = record_attestation(queue, sets_.at(dispatches + queue));
    }
    parts_.objects += 1U + std::uint64_t{queues};  // command buffers
    return status;
}

Status TraceCommandBuffer::record_moved() {
    const TracePlan plan = make_plan();
    const std::size_t sets = plan.dispatches.size() + parts_.spec.queue_count;
    const bool has_pipelines =
        std::all_of(plan.dispatches.begin(), plan.dispatches.end(), [this](const PlannedDispatch& planned) {
            return parts_.pipelines.pipeline(planned.program.pipeline) != VK_NULL_HANDLE;
        });
    if ((sets > sets_.size()) || (plan.commands > mark_count_) || !has_pipelines) {
        return Status::kCapacity;
    }
    const Status status = record_commands(plan);
    is_moved_ = !is_ok(status);
    return status;
}

}  // namespace pianola::vulkan
