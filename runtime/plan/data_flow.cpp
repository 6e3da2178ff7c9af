#include "runtime/plan/proof.h"

namespace pianola::proof {

Status check_data_flow(Context& context) noexcept {
    const PlannedScript& step = context.plan.step;
    context.workspace.written.clear();
    for (std::uint32_t i = 0U; i < step.count; ++i) {
        const std::uint32_t index = context.workspace.order[i];
        const QueueCommand& command = step.commands[index].command;
        Status status = Status::kOk;
        if (command.kind == QueueCommandKind::kWrite) {
            if (!is_ok(context.workspace.written.add(command.address, command.size_bytes))) {
                status = refuse_at(context, command_place(context, ScriptKind::kStep, index), Rule::kCapIntervals,
                                   "input", kMaxIntervals, kMaxIntervals);
            }
        } else if (command.kind == QueueCommandKind::kReplay) {
            status = prove_trace(context, replayed_trace(context, command));
        } else if ((command.kind == QueueCommandKind::kRead) &&
                   !context.workspace.written.contains(command.address, command.size_bytes)) {
            status = refuse_at(context, command_place(context, ScriptKind::kStep, index), Rule::kScrUnwritten, "output",
                               command.address, command.size_bytes);
        } else {
            status = Status::kOk;  // events touch no memory
        }
        if (!is_ok(status)) {
            return status;
        }
    }
    return Status::kOk;
}

}  // namespace pianola::proof
