#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Calls visit(extent) for everything that a step command touches, until visit returns false. True where all were visited.
// prove_trace() has decoded every command before.
template <typename Visit>
[[nodiscard]] bool for_each_extent(const Context& context, const QueueCommand& command, Visit visit) noexcept {
    if ((command.kind == QueueCommandKind::kWrite) || (command.kind == QueueCommandKind::kRead)) {
        const Access access = (command.kind == QueueCommandKind::kWrite) ? Access::kWrite : Access::kRead;
        return visit(Extent{command.address, command.size_bytes, access, ""});
    }
    if (command.kind != QueueCommandKind::kReplay) {
        return true;
    }
    const TraceView trace = context.image.trace(replayed_trace(context, command));
    const WordSpan words =
        context.image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
    std::uint32_t word = 0U;
    while (word < trace.word_count) {  // every command is at least one word long
        DecodedCommand decoded;
        DecodeError error;
        const Status status = context.command_set.decode(words.subspan(word, trace.word_count - word), decoded, error);
        if (!is_ok(status) || (decoded.length_words == 0U)) {
            return false;
        }
        for (const Extent& extent : decoded.extents.view()) {
            if (!visit(extent)) {
                return false;
            }
        }
        word += decoded.length_words;
    }
    return true;
}

// True where one of the two is known to have completed when the other starts.
[[nodiscard]] bool ordered(const Context& context, std::uint32_t left, std::uint32_t right) noexcept {
    const std::uint32_t left_queue = context.plan.step.commands[left].queue;
    const std::uint32_t right_queue = context.plan.step.commands[right].queue;
    const auto& left_clock = context.workspace.clocks[left];
    const auto& right_clock = context.workspace.clocks[right];
    return (left_queue == right_queue) || (right_clock[left_queue] >= left_clock[left_queue]) ||
           (left_clock[right_queue] >= right_clock[right_queue]);
}

Status check_pair(Context& context, std::uint32_t left, std::uint32_t right) noexcept {
    const PlannedScript& step = context.plan.step;
    IntervalSet& reads = context.workspace.other;
    IntervalSet& writes = context.workspace.written;
    reads.clear();
    writes.clear();
    const bool collected = for_each_extent(context, step.commands[left].command, [&](const Extent& extent) noexcept {
        return is_ok((extent.access == Access::kWrite) ? writes.add(extent.address, extent.size_bytes)
                                                       : reads.add(extent.address, extent.size_bytes));
    });
    if (!collected) {
        return refuse_script_command(context, ScriptKind::kStep, left, Rule::kCapIntervals, "body", kMaxIntervals,
                                     kMaxIntervals);
    }
    const bool disjoint = for_each_extent(context, step.commands[right].command, [&](const Extent& extent) noexcept {
        const bool meets_write = writes.intersects(extent.address, extent.size_bytes);
        const bool meets_read = reads.intersects(extent.address, extent.size_bytes);
        return !meets_write && !((extent.access == Access::kWrite) && meets_read);
    });
    if (!disjoint) {
        return refuse_script_command(context, ScriptKind::kStep, right, Rule::kOrdRace, "body", right, left);
    }
    return Status::kOk;
}

}  // namespace

Status check_races(Context& context) noexcept {
    const std::uint32_t count = context.plan.step.count;
    for (std::uint32_t right = 0U; right < count; ++right) {
        for (std::uint32_t left = 0U; left < right; ++left) {
            if (ordered(context, left, right)) {
                continue;
            }
            const Status status = check_pair(context, left, right);
            if (!is_ok(status)) {
                return status;
            }
        }
    }
    return Status::kOk;
}

}  // namespace pianola::proof
