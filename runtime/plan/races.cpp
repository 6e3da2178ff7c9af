#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// What one step command touches, held against another's.
class Footprint {
  public:
    explicit Footprint(PlanWorkspace& workspace) noexcept : reads_{workspace.other}, writes_{workspace.written} {
        reads_.clear();
        writes_.clear();
    }

    // Adds an extent. False where there is no room for it.
    [[nodiscard]] bool add(const Extent& extent) noexcept {
        IntervalSet& set = (extent.access == Access::kWrite) ? writes_ : reads_;
        return is_ok(set.add(extent.address, extent.size_bytes));
    }
    // False where the extent meets a write, or writes where the footprint reads.
    [[nodiscard]] bool agrees_with(const Extent& extent) const noexcept {
        return !writes_.intersects(extent.address, extent.size_bytes) &&
               ((extent.access != Access::kWrite) || !reads_.intersects(extent.address, extent.size_bytes));
    }

  private:
    IntervalSet& reads_;
    IntervalSet& writes_;
};

enum class Pass : std::uint8_t { kCollect, kCompare };

[[nodiscard]] bool visit(Footprint& footprint, Pass pass, const Extent& extent) noexcept {
    return (pass == Pass::kCollect) ? footprint.add(extent) : footprint.agrees_with(extent);
}

// Adds everything that a step command touches, or compares it, until one extent fails. True where none did. prove_trace() has
// decoded every command before.
[[nodiscard]] bool visit_extents(const Context& context, const QueueCommand& command, Footprint& footprint,
                                 Pass pass) noexcept {
    if (command.kind == QueueCommandKind::kWrite) {
        return visit(footprint, pass, Extent{command.address, command.size_bytes, Access::kWrite, ""});
    }
    if (command.kind == QueueCommandKind::kRead) {
        return visit(footprint, pass, Extent{command.address, command.size_bytes, Access::kRead, ""});
    }
    if (command.kind != QueueCommandKind::kReplay) {
        return true;
    }
    WordSpan words = words_of(context, context.image.trace(replayed_trace(context, command)));
    while (!words.empty()) {  // every command is at least one word long
        DecodedCommand decoded;
        DecodeError error;
        const Status status = context.command_set.decode(words, decoded, error);
        if (!is_ok(status) || (decoded.length_words == 0U)) {
            return false;
        }
        for (const Extent& extent : decoded.extents.view()) {
            if (!visit(footprint, pass, extent)) {
                return false;
            }
        }
        words = words.subspan(decoded.length_words, words.size() - decoded.length_words);
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
    Footprint footprint{context.workspace};
    if (!visit_extents(context, step.commands[left].command, footprint, Pass::kCollect)) {
        return refuse_at(context, command_place(context, ScriptKind::kStep, left), Rule::kCapIntervals, "body",
                         kMaxIntervals, kMaxIntervals);
    }
    if (!visit_extents(context, step.commands[right].command, footprint, Pass::kCompare)) {
        return refuse_at(context, command_place(context, ScriptKind::kStep, right), Rule::kOrdRace, "body", right,
                         left);
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
