#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Tensors as bits: inputs, and outputs behind them.
constexpr std::uint32_t kInputBits = (1U << kMaxInputs) - 1U;
static_assert((kMaxInputs + kMaxOutputs) <= 16U, "TensorUse has a bit for each tensor");

[[nodiscard]] std::uint32_t bit_of(const QueueCommand& transfer) noexcept {
    const bool reads = transfer.kind == QueueCommandKind::kRead;
    return 1U << (reads ? (kMaxInputs + transfer.slot) : (transfer.slot - kFirstInputSlot));
}

[[nodiscard]] bool is_whole(const Plan& plan, const QueueCommand& transfer) noexcept {
    const bool reads = transfer.kind == QueueCommandKind::kRead;
    return transfer.size_bytes ==
           (reads ? plan.output_bytes[transfer.slot] : plan.input_bytes[transfer.slot - kFirstInputSlot]);
}

// Names the first of the tensors, and the command.
void refuse_views(Plan& plan, ViewsAnswer answer, std::uint32_t tensors, std::uint32_t command) noexcept {
    std::uint32_t tensor = 0U;
    while (((tensors >> tensor) & 1U) == 0U) {  // there is one
        tensor += 1U;
    }
    plan.views = PlannedViews{answer, static_cast<std::uint8_t>(tensor), static_cast<std::uint8_t>(command)};
}

}  // namespace

std::uint32_t tensors_in(const Context& context, const Extent& extent) noexcept {
    return context.workspace.touched[1].writes.all_tags(extent.address, extent.size_bytes);
}

void find_tensors(Context& context) noexcept {
    Plan& plan = context.plan;
    IntervalMap& tensors = context.workspace.touched[1].writes;  // of races.cpp, which comes later
    tensors.clear();
    context.workspace.uses.fill(TensorUse{});
    plan.views = PlannedViews{};
    if (plan.is_pipelined || (plan.steps_in_flight > 1U)) {
        plan.views.answer = ViewsAnswer::kStepsOverlap;
        return;
    }
    const std::uint32_t end = plan.step.first + plan.step.count;
    for (std::uint32_t i = plan.step.first; i < end; ++i) {
        const QueueCommand& command = plan.commands[i].command;
        if (is_transfer(command.kind)) {  // what has no room will not be found by who looks for it next
            static_cast<void>(tensors.assign(command.address, command.size_bytes, bit_of(command),
                                             context.device.capacities->intervals));
        }
    }
    for (std::uint32_t i = plan.step.first; (i < end) && (plan.views.answer == ViewsAnswer::kNotLooked); ++i) {
        const QueueCommand& command = plan.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        if (!is_whole(plan, command)) {
            refuse_views(plan, ViewsAnswer::kInPieces, bit_of(command), i);
        } else if (tensors.all_tags(command.address, command.size_bytes) != bit_of(command)) {
            refuse_views(plan, ViewsAnswer::kShared, bit_of(command), i);
        } else {
            // The tensor has its bytes to itself.
        }
    }
}

// With views the application writes inputs before the step begins, and reads outputs after it has ended. That is the same where
//   - nothing but the transfer writes an input: it keeps what the application wrote, from step to step;
//   - nothing reads an input in front of its transfer, which would find the bytes of the step before; nor outside the step, when the
//     application may have written the next;
//   - nothing in the step writes an output behind its transfer.
// Program order stands for every order (races.cpp): what is not ordered does not conflict with the transfer. A trace counts with all that its
// commands touch, for every value of a declared parameter.
void judge_views(Context& context) noexcept {
    Plan& plan = context.plan;
    std::uint32_t moved = 0U;  // tensors whose transfer has come
    const std::uint32_t end = plan.epilogue.first + plan.epilogue.count;
    for (std::uint32_t i = 0U; (i < end) && (plan.views.answer == ViewsAnswer::kNotLooked); ++i) {
        const PlannedCommand& entry = plan.commands[i];
        if (is_transfer(entry.command.kind)) {
            moved |= bit_of(entry.command);
        }
        if (entry.command.kind != QueueCommandKind::kReplay) {
            continue;
        }
        const TensorUse use = context.workspace.uses[entry.trace];
        const std::uint32_t early = use.reads & ((i < plan.epilogue.first) ? ~moved : kInputBits);
        const std::uint32_t behind = use.writes & ((i < plan.epilogue.first) ? moved : 0U);
        if ((use.writes & kInputBits) != 0U) {
            refuse_views(plan, ViewsAnswer::kInputWritten, use.writes, i);
        } else if ((early & kInputBits) != 0U) {
            refuse_views(plan, ViewsAnswer::kInputRead, early, i);
        } else if (behind != 0U) {
            refuse_views(plan, ViewsAnswer::kOutputWritten, behind, i);
        } else {
            // The trace touches tensors only between their transfers and the step's other end.
        }
    }
    if (plan.views.answer == ViewsAnswer::kNotLooked) {
        plan.views.answer = ViewsAnswer::kProved;
    }
}

}  // namespace pianola::proof
