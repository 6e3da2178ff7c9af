#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// What the host writes in a step must not be what set-up has written: that is compared with the file.
Status check_write(Context& context, const PlannedCommand& entry) noexcept {
    const QueueCommand& command = entry.command;
    Rule rule = Rule::kNotRun;
    if (context.workspace.weights.largest_tag(command.address, command.size_bytes, 0U) != 0U) {
        rule = Rule::kScrWeightsOnce;
    } else if (!is_ok(context.workspace.written.assign(command.address, command.size_bytes, kWrittenTag))) {
        rule = Rule::kCapIntervals;
    } else {
        return Status::kOk;
    }
    return refuse_at(context, place_of(context, entry), rule, "input", command.address, kMaxIntervals);
}

}  // namespace

// Program order is an order in which the queues can run, and what no event orders does not conflict (races.cpp): so this order stands
// for every order. What has once been written stays written: one visit of the step stands for all.
Status check_data_flow(Context& context) noexcept {
    const Plan& plan = context.plan;
    context.workspace.written.clear();
    for (std::uint32_t i = 0U; i < (plan.epilogue.first + plan.epilogue.count); ++i) {
        const PlannedCommand& entry = plan.commands[i];
        const QueueCommand& command = entry.command;
        Status status = Status::kOk;
        if (command.kind == QueueCommandKind::kWrite) {
            status = check_write(context, entry);
        } else if (command.kind == QueueCommandKind::kReplay) {
            status = prove_trace(context, replayed_trace(context, command));
        } else if ((command.kind == QueueCommandKind::kRead) &&
                   !context.workspace.written.contains(command.address, command.size_bytes)) {
            status = refuse_at(context, place_of(context, entry), Rule::kScrUnwritten, "output", command.address,
                               command.size_bytes);
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
