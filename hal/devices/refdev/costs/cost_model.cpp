#include "hal/devices/refdev/costs/cost_model.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kKibibyte = 1024U;

// The virtual device: start-up, 16 multiply-accumulates (or as simple operations) a cycle, 8 bytes of operands a cycle.
constexpr std::uint64_t kLaunchCycles = 64U;
constexpr std::uint64_t kOperationsPerCycle = 16U;
constexpr std::uint64_t kBytesPerCycle = 8U;

// A launch of more turns costs more than any script may: the sum of all products stays below 2^63.
constexpr std::uint64_t kMaxTurns = std::uint64_t{1} << 36U;
constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 62U;

[[nodiscard]] constexpr std::uint64_t divided_up(std::uint64_t dividend, std::uint64_t divisor) noexcept {
    return (dividend + (divisor - 1U)) / divisor;
}

[[nodiscard]] std::uint64_t virtual_cost(const Work& work, const ExtentList& extents) noexcept {
    std::uint64_t operand_bytes = 0U;
    for (const Extent& extent : extents.view()) {
        operand_bytes += extent.size_bytes;
    }
    return kLaunchCycles + divided_up(work.operations, kOperationsPerCycle) + divided_up(operand_bytes, kBytesPerCycle);
}

[[nodiscard]] std::uint64_t core_cost(const KernelCosts& costs, const Work& work) noexcept {
    std::uint64_t cost = 0U;
    for (std::uint32_t i = 0U; i < kWorkTerms; ++i) {
        if (work.turns[i] > kMaxTurns) {
            return kTooMuch;
        }
        cost += work.turns[i] * costs.per_turn[i];
    }
    return divided_up(cost, kCostScale);
}

}  // namespace

std::uint64_t move_cost(const MoveCosts& costs, std::uint32_t size_bytes) noexcept {
    return costs.fixed + divided_up(std::uint64_t{size_bytes} * costs.per_kibibyte, kKibibyte);
}

namespace {

// On a core, the check of a launch whose output overlaps its input computes the kernel's lead (launch_check.h).
constexpr std::uint64_t kLeadCycles = 1024U;

[[nodiscard]] std::uint64_t lead_cost(const Kernel& kernel, const Span<const Extent>& extents) noexcept {
    bool has_lead = false;
    switch (kernel.id) {
        case KernelId::kConv2d:
        case KernelId::kDepthwiseConv2d:
        case KernelId::kAveragePool2d:
        case KernelId::kMaxPool2d:
        case KernelId::kPad:
        case KernelId::kConv2dInt16:
        case KernelId::kDepthwiseConv2dInt16:
            has_lead = extents.size() > 1U;
            break;
        default:
            break;
    }
    // The output is the last extent, and never above the input that it overlaps.
    return (has_lead &&
            ((extents[0U].address - extents[extents.size() - 1U].address) < extents[extents.size() - 1U].size_bytes))
               ? kLeadCycles
               : 0U;
}

}  // namespace

std::uint64_t launch_cost(const CostModel& model, const Kernel& kernel, WordSpan arguments,
                          const ExtentList& extents) noexcept {
    Work work;
    kernel.work(arguments, model.loops, work);
    const std::size_t index = static_cast<std::size_t>(kernel.id) - 1U;
    return (index < model.kernels.size()) ? (core_cost(model.kernels[index], work) + lead_cost(kernel, extents.view()))
                                          : virtual_cost(work, extents);
}

std::uint32_t cost_version(const CostModel& model, const Kernel& kernel) noexcept {
    const std::size_t index = static_cast<std::size_t>(kernel.id) - 1U;
    return (index < model.kernels.size()) ? model.kernels[index].version : 1U;
}

std::uint64_t queue_cost(const CommandCosts& costs, QueueCommandKind kind, std::uint32_t size_bytes) noexcept {
    switch (kind) {
        case QueueCommandKind::kWrite:
            return move_cost(costs.write, size_bytes);
        case QueueCommandKind::kRead:
            return move_cost(costs.read, size_bytes);
        case QueueCommandKind::kReplay:
            return costs.replay;
        case QueueCommandKind::kRecordEvent:
            return costs.record;
        case QueueCommandKind::kWaitEvent:
            return costs.wait;
        case QueueCommandKind::kNotify:
        default:
            return costs.notify;
    }
}

}  // namespace pianola::refdev
