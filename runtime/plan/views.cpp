#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Tensors as bits: inputs, then outputs.
constexpr std::uint32_t kInputBits = (1U << kMaxInputs) - 1U;
static_assert((kMaxInputs + kMaxOutputs) <= 16U, "TensorUse has a bit for each tensor");

// Other transfers have been refused before. The remainders are a second safeguard: they always give a valid bit.
[[nodiscard]] std::uint32_t number_of(const QueueCommand& transfer) noexcept {
    return (transfer.kind == QueueCommandKind::kRead) ? (kMaxInputs + (transfer.slot % kMaxOutputs))
                                                      : ((transfer.slot - kFirstInputSlot) % kMaxInputs);
}

[[nodiscard]] std::uint32_t bytes_of(const Plan& plan, std::uint32_t tensor) noexcept {
    return (tensor >= kMaxInputs) ? plan.outputs[tensor - kMaxInputs].bytes : plan.inputs[tensor].bytes;
}

}  // namespace

void note_use(Context& context, const ByteRun& run, TensorUse& use) noexcept {
    std::uint16_t& touched = (run.access == Access::kWrite) ? use.writes : use.reads;
    touched =
        static_cast<std::uint16_t>(touched | context.workspace.touched[1].writes.all_tags(run.address, run.size_bytes));
}

void find_tensors(Context& context) noexcept {
    Plan& plan = context.plan;
    IntervalMap& tensors = context.workspace.touched[1].writes;  // of queues.cpp, which comes later
    tensors.clear();
    context.workspace.uses.fill(TensorUse{});
    plan.views = PlannedViews{};
    if (device_count(plan) > 1U) {
        plan.views.answer = ViewsAnswer::kSeveralDevices;
    } else if (plan.is_pipelined || (plan.steps_in_flight > 1U)) {
        plan.views.answer = ViewsAnswer::kStepsOverlap;
    } else {
        // The transfers say.
    }
    const std::uint32_t end = plan.step.first + plan.step.count;
    for (std::uint32_t i = plan.step.first; (i < end) && (plan.views.answer == ViewsAnswer::kNotLooked); ++i) {
        const QueueCommand& command = plan.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        const std::uint32_t tensor = number_of(command);
        const std::uint32_t before = tensors.all_tags(command.address, command.size_bytes);
        // Ranges that do not fit into the map are dropped.
        static_cast<void>(
            tensors.assign(command.address, command.size_bytes, 1U << tensor, context.device.capacities->intervals));
        const std::uint32_t behind = tensors.all_tags(command.address, command.size_bytes);
        plan.views.tensor = static_cast<std::uint8_t>(tensor);
        plan.views.command = static_cast<std::uint8_t>(i);
        if (command.size_bytes != bytes_of(plan, tensor)) {
            plan.views.answer = ViewsAnswer::kInPieces;
        } else if ((before | behind) != (1U << tensor)) {
            plan.views.answer = ViewsAnswer::kShared;
        } else {
            // No other tensor shares the tensor's bytes.
        }
    }
}

// With views the application writes inputs before the step begins, and reads outputs after it has ended. The results
// are the same if
//   - only the transfer writes an input: it keeps what the application wrote, from step to step;
//   - nothing reads an input before its transfer, which would read the bytes of the previous step, or outside the step,
//     when the application may have written the next input;
//   - nothing in the step writes an output after its transfer.
// Program order represents every order (queues.cpp): unordered commands do not conflict with the transfer. A trace
// counts with all bytes that its commands touch, for every value of a declared parameter.
void judge_views(Context& context) noexcept {
    Plan& plan = context.plan;
    std::uint32_t moved = 0U;  // tensors whose transfer has been visited
    const std::uint32_t end = plan.epilogue.first + plan.epilogue.count;
    for (std::uint32_t i = 0U; (i < end) && (plan.views.answer == ViewsAnswer::kNotLooked); ++i) {
        const PlannedCommand& entry = plan.commands[i];
        if (is_transfer(entry.command.kind)) {
            moved |= 1U << number_of(entry.command);
        }
        if (entry.command.kind != QueueCommandKind::kReplay) {
            continue;
        }
        const TensorUse use = context.workspace.uses[entry.trace];
        const bool is_outside = i >= plan.epilogue.first;  // the prologue comes before all transfers
        const std::uint32_t written = use.writes & kInputBits;
        const std::uint32_t read = use.reads & kInputBits & (is_outside ? kInputBits : ~moved);
        const std::uint32_t behind = use.writes & (is_outside ? 0U : moved);
        std::uint32_t tensors = 0U;
        if (written != 0U) {
            plan.views.answer = ViewsAnswer::kInputWritten;
            tensors = written;
        } else if (read != 0U) {
            plan.views.answer = ViewsAnswer::kInputRead;
            tensors = read;
        } else if (behind != 0U) {
            plan.views.answer = ViewsAnswer::kOutputWritten;
            tensors = behind;
        } else {
            continue;  // it touches tensors only between their transfers and the step's other end
        }
        plan.views.command = static_cast<std::uint8_t>(i);
        plan.views.tensor = 0U;
        while (((tensors >> plan.views.tensor) & 1U) == 0U) {  // the first of them
            plan.views.tensor += 1U;
        }
    }
    if (plan.views.answer == ViewsAnswer::kNotLooked) {
        plan.views = PlannedViews{ViewsAnswer::kProved};
    }
}

}  // namespace pianola::proof
