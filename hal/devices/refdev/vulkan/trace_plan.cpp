#include "hal/devices/refdev/vulkan/trace_plan.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/refdev_command_set.h"

namespace pianola::vulkan {
namespace {

// The reference device's published time: cores run in parallel, everything else after them.
class PublishedTime {
  public:
    void add(const DecodedCommand& command) noexcept {
        if (command.kind != CommandKind::kDispatch) {
            now_ = std::max(now_, done_) + command.cost_cycles;
            is_busy_ = false;
            return;
        }
        if (!is_busy_) {
            free_.fill(now_);
            is_busy_ = true;
        }
        now_ += command.cost_cycles;
        std::uint64_t& free = free_.at(command.core);
        free = std::max(now_, free) + command.core_cycles;
        done_ = std::max(done_, free);
    }
    [[nodiscard]] std::uint64_t cycles() const noexcept { return now_; }

  private:
    std::uint64_t now_{0U};
    std::uint64_t done_{0U};
    bool is_busy_{false};
    std::array<std::uint64_t, kMaxCores> free_{};
};

// Commands that must wait: all except dispatches to idle cores.
class Order {
  public:
    [[nodiscard]] bool waits(const DecodedCommand& command) noexcept {
        const bool is_dispatch = command.kind == CommandKind::kDispatch;
        const bool waits = !is_dispatch || !are_dispatches_ || ((cores_ >> command.core) & 1U) != 0U;
        are_dispatches_ = is_dispatch;
        cores_ = is_dispatch ? ((waits ? 0U : cores_) | (std::uint64_t{1} << command.core)) : 0U;
        return waits;
    }

  private:
    bool are_dispatches_{false};  // since the last full wait
    std::uint64_t cores_{0U};     // that they are on
};
static_assert(kMaxCores <= 64U);

DeviceFault fault_of(const DecodeError& error) noexcept {
    if (error.unknown_kernel) {
        return DeviceFault::kUnknownKernel;
    }
    return error.unknown_command ? DeviceFault::kUnknownCommand : DeviceFault::kBadArgument;
}

}  // namespace

TracePlan plan_trace(const refdev::CostModel& costs, WordSpan words) {
    const refdev::RefdevCommandSet command_set{costs};
    TracePlan plan;
    PublishedTime time;
    Order order;
    DecodeState state;
    std::size_t at = 0U;
    while (plan.fault == DeviceFault::kNone) {
        if (at >= words.size()) {
            plan.fault = DeviceFault::kTraceOverrun;
            break;
        }
        DecodedCommand command;
        DecodeError error;
        const WordSpan rest = words.subspan(at, words.size() - at);
        plan.commands += 1U;
        if (!is_ok(command_set.decode(rest, state, command, error))) {
            plan.fault = fault_of(error);
            break;
        }
        time.add(command);
        const bool waits = order.waits(command);
        if (command.kind == CommandKind::kEnd) {
            plan.fault = (at + command.length_words == words.size()) ? DeviceFault::kNone : DeviceFault::kTraceOverrun;
            break;
        }
        if (command.kind != CommandKind::kBarrier) {
            PlannedDispatch planned;
            planned.waits = waits;
            planned.command = plan.commands - 1U;
            if (!is_ok(program_of(rest.subspan(0U, command.length_words), planned.program))) {
                plan.fault = DeviceFault::kUnknownKernel;
                break;
            }
            planned.first_word = static_cast<std::uint32_t>(at) + planned.program.argument_offset;
            plan.dispatches.push_back(planned);
        }
        at += command.length_words;
    }
    plan.cycles = time.cycles();
    return plan;
}

ObjectCounts count_objects(const refdev::CostModel& costs, WordSpan words, std::uint32_t queues) {
    const TracePlan plan = plan_trace(costs, words);
    ObjectCounts counts;
    std::set<std::pair<std::uint32_t, std::uint32_t>> operands;
    std::set<std::uint32_t> pipelines;
    for (const PlannedDispatch& each : plan.dispatches) {
        counts.barriers += each.waits ? 1U : 0U;
        pipelines.insert(each.program.pipeline);
        for (std::uint32_t i = 0U; i < each.program.operand_count; ++i) {
            const Operand& operand = each.program.operands.at(i);
            if (operand.size_bytes != 0U) {
                operands.emplace(operand.address, operand.size_bytes);
            }
        }
    }
    counts.dispatches = static_cast<std::uint32_t>(plan.dispatches.size());
    counts.pipelines = static_cast<std::uint32_t>(pipelines.size());
    counts.buffers = static_cast<std::uint32_t>(operands.size()) + 2U;  // words and marks
    counts.descriptor_sets = counts.dispatches + queues;                // and the attestations
    counts.command_buffers = 1U + queues;
    counts.memory_objects = 1U;  // of the marks
    counts.descriptor_pools = 1U;
    return counts;
}

}  // namespace pianola::vulkan
