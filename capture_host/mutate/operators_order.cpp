// Queues and events.
#include <utility>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;

ManifestCommand record(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kRecordEvent, queue, event, 0U};
}

ManifestCommand wait(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kWaitEvent, queue, event, 0U};
}

// Of a prologue, which runs once: what comes later has nothing to do with it. An epilogue would look whether a record
// is left over.
void record_and_wait_on_one_queue(Draft& draft) {
    if (draft.has_script(ScriptKind::kEpilogue)) {
        draft.make_sequential();
    }
    const std::uint32_t event = draft.free_event();
    auto& prologue = draft.commands_or_add(ScriptKind::kPrologue);
    prologue.push_back(record(0U, event));
    prologue.push_back(wait(0U, event));
    draft.settle();
    draft.expect_command(ScriptKind::kPrologue, prologue.size() - 1U, "event");
}

void wait_before_the_record(Draft& draft) {
    draft.require_queues(2U);
    const std::uint32_t event = draft.free_event();
    auto& step = draft.commands(ScriptKind::kStep);
    step.push_back(record(0U, event));
    step.push_back(wait(1U, event));
    draft.confirm("an event");
    auto& changed = draft.commands(ScriptKind::kStep);
    std::swap(changed[changed.size() - 1U], changed[changed.size() - 2U]);
    draft.settle();
    draft.expect_command(ScriptKind::kStep, changed.size() - 2U, "event");
}

// Moves one of the step's commands; the verdict names it.
void move_to_other_queue(Draft& draft, std::uint32_t place) {
    ManifestCommand& command = draft.commands(ScriptKind::kStep).at(place);
    command.queue = 1U - command.queue;
    draft.settle();
    draft.expect_command(ScriptKind::kStep, place, "");
}

// The output is read on the other queue, immediately after the replay that writes it.
void read_unordered(Draft& draft) {
    draft.require_queues(2U);
    static_cast<void>(draft.add_output(1U, kBlockBytes));
    draft.confirm("an output, which a fill writes");
    move_to_other_queue(draft, draft.main_replay() + 1U);
}

Words dispatch_trace(const Draft& draft, std::uint32_t scratch) {
    Words words = draft.fill(scratch, kBlockBytes, 0U);
    append(words, draft.sample(Sample::kCopyDispatch, {scratch + kBlockBytes, scratch, kBlockBytes, 0U, 0U}));
    append(words, draft.end());
    return words;
}

void share_a_core(Draft& draft) {
    draft.require_queues(2U);
    const std::uint32_t scratch = draft.add_scratch(4U * kBlockBytes);
    // Both are immediately after the main trace: the one that is added last comes first.
    const std::uint32_t replay = draft.add_trace("second", dispatch_trace(draft, scratch)) + 1U;
    static_cast<void>(draft.add_trace("first", dispatch_trace(draft, scratch + (2U * kBlockBytes))));
    draft.confirm("two traces that use core 0");
    move_to_other_queue(draft, replay);
}

constexpr std::array kOrderOperators{
    Operator{Rule::kOrdEventNever, "no-record", "a wait for an event that nobody records", true,
             [](Draft& draft) {
                 draft.require_queues(2U);
                 draft.commands(ScriptKind::kStep).push_back(wait(1U, draft.free_event()));
                 draft.settle();
             },
             "step[last].event"},
    Operator{Rule::kOrdEventNever, "too-early", "a wait in front of its record", false, wait_before_the_record},
    Operator{Rule::kOrdEventUnused, "no-wait", "a record that nobody waits for", true,
             [](Draft& draft) {
                 draft.commands(ScriptKind::kStep).push_back(record(0U, draft.free_event()));
                 draft.settle();
             },
             "step[last].event"},
    Operator{Rule::kOrdEventQueue, "one-queue", "a queue waits for itself", true, record_and_wait_on_one_queue},
    Operator{Rule::kOrdRace, "output", "an output is read on another queue than it is written on", true,
             read_unordered},
    Operator{Rule::kOrdCores, "core-0", "two traces on two queues use core 0", true, share_a_core},
};

}  // namespace

Span<const Operator> order_operators() {
    return kOrderOperators;
}

}  // namespace pianola::mutate
