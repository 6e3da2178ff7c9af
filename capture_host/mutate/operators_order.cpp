// Queues and events.
#include <utility>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;

constexpr std::uint32_t kBlock = kFileAlignmentBytes;

ManifestCommand record(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kRecordEvent, queue, event, 0U};
}

ManifestCommand wait(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kWaitEvent, queue, event, 0U};
}

// Adds a command at the script's end, which the verdict must name.
void add_offender(Draft& draft, ScriptKind script, const ManifestCommand& command, const char* field) {
    auto& commands = draft.commands(script);
    commands.push_back(command);
    draft.settle();
    draft.expect_path(draft.command_path(script, static_cast<std::uint32_t>(commands.size() - 1U), field));
}

// Of a prologue, which runs once: what comes later has nothing to do with it. An epilogue would look whether a record
// is left over.
void record_and_wait_on_one_queue(Draft& draft) {
    if (draft.has_script(ScriptKind::kEpilogue)) {
        draft.make_sequential();
    }
    const std::uint32_t event = draft.free_event();
    draft.commands_or_add(ScriptKind::kPrologue).push_back(record(0U, event));
    add_offender(draft, ScriptKind::kPrologue, wait(0U, event), "event");
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
    draft.expect_path(draft.command_path(ScriptKind::kStep, static_cast<std::uint32_t>(changed.size() - 2U), "event"));
}

std::vector<Operator> event_operators() {
    return {
        {Rule::kOrdEventNever, "no-record", "a wait for an event that nobody records", true,
         [](Draft& draft) {
             draft.require_queues(2U);
             add_offender(draft, ScriptKind::kStep, wait(1U, draft.free_event()), "event");
         }},
        {Rule::kOrdEventNever, "too-early", "a wait in front of its record", false, wait_before_the_record},
        {Rule::kOrdEventUnused, "no-wait", "a record that nobody waits for", true,
         [](Draft& draft) { add_offender(draft, ScriptKind::kStep, record(0U, draft.free_event()), "event"); }},
        {Rule::kOrdEventQueue, "one-queue", "a queue waits for itself", true, record_and_wait_on_one_queue},
    };
}

// The output is read on the other queue, right behind the replay that writes it.
void read_unordered(Draft& draft) {
    draft.require_queues(2U);
    static_cast<void>(draft.add_output(1U, kBlock));
    draft.confirm("an output, which a fill writes");
    const std::uint32_t read = draft.main_replay() + 1U;
    ManifestCommand& command = draft.commands(ScriptKind::kStep).at(read);
    command.queue = 1U - command.queue;
    draft.settle();
    draft.expect_path(draft.command_path(ScriptKind::kStep, read, ""));
}

Words dispatch_trace(const Draft& draft, std::uint32_t scratch) {
    Words words = draft.fill(scratch, kBlock, 0U);
    append(words, draft.sample(Sample::kCopyDispatch, {scratch + kBlock, scratch, kBlock, 0U, 0U}));
    append(words, draft.end());
    return words;
}

void share_a_core(Draft& draft) {
    draft.require_queues(2U);
    const std::uint32_t scratch = draft.add_scratch(4U * kBlock);
    // Both right behind the main trace: the one that is added last comes first.
    const std::uint32_t replay = draft.add_trace("second", dispatch_trace(draft, scratch)) + 1U;
    static_cast<void>(draft.add_trace("first", dispatch_trace(draft, scratch + (2U * kBlock))));
    draft.confirm("two traces that use core 0");
    ManifestCommand& command = draft.commands(ScriptKind::kStep).at(replay);
    command.queue = 1U - command.queue;
    draft.settle();
    draft.expect_path(draft.command_path(ScriptKind::kStep, replay, ""));
}

std::vector<Operator> race_operators() {
    return {
        {Rule::kOrdRace, "output", "an output is read on another queue than it is written on", true, read_unordered},
        {Rule::kOrdCores, "core-0", "two traces on two queues use core 0", true, share_a_core},
    };
}

}  // namespace

std::vector<Operator> order_operators() {
    return joined({event_operators(), race_operators()});
}

}  // namespace pianola::mutate
