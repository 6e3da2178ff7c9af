// Rings, lengths and deadlines; and the capacities of the runtime, with the work of its proofs.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;

// As many steps in flight as the device's runtime holds, but more than its rings hold.
void overfill_ring(Draft& draft) {
    draft.make_sequential();
    const std::uint32_t ring = draft.device().ring_words;
    const std::uint32_t words = draft.ring_words(ScriptKind::kStep, 0U);
    const std::uint32_t steps = draft.device().capacities->steps_in_flight;
    const std::uint32_t share = ring / steps;
    const std::uint32_t buffers =
        (words > share) ? 0U : (((share - words) / draft.queue_words(QueueCommandKind::kWrite)) + 1U);
    const std::uint32_t capacity = draft.device().capacities->script_commands;
    if ((draft.planned_commands(ScriptKind::kStep) + buffers) > capacity) {
        throw NotApplicable{fmt::format("{} steps of all the {} commands that there may be fit into a ring of {} words",
                                        steps, capacity, ring)};
    }
    if (buffers > 0U) {
        static_cast<void>(draft.add_input(buffers, 1U));
        draft.confirm(fmt::format("an input in {} buffers", buffers));
    }
    draft.manifest().steps_in_flight = steps;
}

void overfill_setup_ring(Draft& draft) {
    const std::uint32_t ring = draft.device().ring_words;
    const std::uint32_t transfer_words = draft.queue_words(QueueCommandKind::kWrite);
    const std::uint32_t largest =
        (draft.device().capacities->script_commands * transfer_words) + draft.queue_words(QueueCommandKind::kNotify);
    if (largest <= ring) {
        throw NotApplicable{
            fmt::format("the longest set-up takes {} words, and fits into a ring of {}", largest, ring)};
    }
    const std::uint32_t command = draft.add_weights();
    const ManifestCommand write = draft.commands(ScriptKind::kSetup).at(command);
    const std::uint32_t words = draft.ring_words(ScriptKind::kSetup, 0U);
    const std::uint32_t wanted = (words > ring) ? 0U : ((ring - words) / transfer_words);
    const std::uint32_t region = draft.add_region("more", RegionKind::kWeights, wanted + 1U);
    const auto add = [&](std::uint32_t offset) {
        const std::uint32_t buffer = draft.add_buffer("more", region, offset, 1U);
        draft.commands(ScriptKind::kSetup).push_back({write.kind, 0U, buffer, write.segment_offset});
    };
    for (std::uint32_t i = 0U; i < wanted; ++i) {
        add(i);
    }
    draft.confirm(fmt::format("{} set-up writes", wanted + 1U));
    add(wanted);
    draft.settle();
}

// Commands that do much work on few bytes.
void exceed_the_ceiling(Draft& draft) {
    constexpr std::uint32_t kLaunchBytes = (3U * 256U * 256U) + kFileAlignmentBytes;
    const std::uint32_t scratch = draft.add_scratch(kLaunchBytes);
    const Words launch = draft.sample(Sample::kLongLaunch, {scratch, 0U, kLaunchBytes, 0U, 0U});
    std::uint64_t read_end = scratch;
    static_cast<void>(targets::for_each_command(
        draft.command_set(), launch, [&read_end](std::uint32_t /*word*/, const DecodedCommand& command) {
            for (const Extent& extent : command.extents.view()) {
                const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
                read_end = (extent.access == Access::kRead) ? std::max(read_end, end) : read_end;
            }
        }));
    const std::uint64_t read_blocks = ((read_end - scratch) + (kFileAlignmentBytes - 1U)) / kFileAlignmentBytes;
    Words words = draft.fill(scratch, static_cast<std::uint32_t>(read_blocks * kFileAlignmentBytes), 0U);
    append(words, launch);
    static_cast<void>(draft.append_commands(words));
    draft.confirm("a long convolution on memory of its own");
    const std::uint64_t cost = measure_trace(draft.command_set(), launch).cycles;
    Words many;
    for (std::uint64_t cycles = 0U; cycles <= kMaxScriptCycles; cycles += cost) {
        append(many, launch);
    }
    static_cast<void>(draft.append_commands(many));
    draft.require_trace_region("commands that take that long");
    draft.settle();
}

// First inputs and last outputs, without steps that overlap. A prologue or an epilogue that does something else makes
// room for them.
void make_pipelined(Draft& draft) {
    if (draft.has_command(ScriptKind::kEpilogue, ScriptCommandKind::kReadOutput)) {
        return;
    }
    if (draft.has_script(ScriptKind::kPrologue) || draft.has_script(ScriptKind::kEpilogue)) {
        draft.make_sequential();
    }
    const auto copy_commands = [&draft](ScriptKind to, ScriptCommandKind kind) {
        std::vector<ManifestCommand> copies;
        for (const ManifestCommand& command : draft.commands(ScriptKind::kStep)) {
            if (command.kind == kind) {
                copies.push_back(command);
            }
        }
        draft.commands_or_add(to) = copies;
    };
    copy_commands(ScriptKind::kPrologue, ScriptCommandKind::kWriteInput);
    copy_commands(ScriptKind::kEpilogue, ScriptCommandKind::kReadOutput);
    draft.confirm("a prologue that writes inputs, and an epilogue that reads outputs");
}

// An output in so many buffers that step and epilogue together have one read too many.
void overfill_commands(Draft& draft) {
    draft.drop_self_tests();
    if (draft.manifest().outputs.empty()) {
        throw NotApplicable{"the file has no output"};
    }
    make_pipelined(draft);
    const std::uint32_t used = draft.planned_commands(ScriptKind::kPrologue) +
                               draft.planned_commands(ScriptKind::kStep) +
                               draft.planned_commands(ScriptKind::kEpilogue);
    const std::uint32_t capacity = draft.device().capacities->script_commands;
    if (used >= (capacity - 2U)) {
        throw NotApplicable{"the scripts have hardly room for another command"};
    }
    const std::uint32_t fitting = (capacity - used) / 2U;
    const std::uint32_t output = draft.add_output(fitting, 2U);
    draft.confirm(fmt::format("an output in {} buffers", fitting));
    // The last buffer in two.
    capture::Manifest& manifest = draft.manifest();
    manifest.buffers.back().size_bytes = 1U;
    capture::ManifestBuffer second = manifest.buffers.back();
    second.offset_bytes += 1U;
    manifest.buffers.push_back(second);
    manifest.outputs[output].buffer_count += 1U;
    draft.settle();
    draft.expect_command(ScriptKind::kEpilogue, draft.commands(ScriptKind::kEpilogue).size() - 1U, "");
}

// In a separate trace, which comes last: a full map has no room for later writes.
void overfill_intervals(Draft& draft) {
    const std::uint32_t fills = draft.device().capacities->intervals + 2U;
    const std::uint32_t scratch = draft.add_scratch(2U * fills);
    Words words = draft.fill(scratch, 1U, 0U);
    append(words, draft.end());
    const std::uint32_t replay = draft.add_trace("fills", words);
    auto& step = draft.commands(ScriptKind::kStep);
    std::rotate(step.begin() + replay, step.begin() + replay + 1, step.end());
    draft.confirm("a trace that fills one byte");
    words.clear();
    for (std::uint32_t i = 0U; i < fills; ++i) {
        append(words, draft.fill(scratch + (2U * i), 1U, 0U));
    }
    append(words, draft.end());
    const auto trace = static_cast<std::uint32_t>(draft.manifest().traces.size() - 1U);
    draft.set_trace_words(trace, words);
    draft.require_trace_region("that many commands");
    draft.measure(trace);
    draft.settle();
}

// The walk for races is skipped if all commands are on one queue.
void use_both_queues(Draft& draft) {
    const std::uint32_t queue = draft.main_queue();
    auto& step = draft.commands(ScriptKind::kStep);
    if (std::all_of(step.begin(), step.end(),
                    [queue](const ManifestCommand& command) { return command.queue == queue; })) {
        const std::uint32_t event = draft.free_event();
        step.push_back({ScriptCommandKind::kRecordEvent, queue, event, 0U});
        step.push_back({ScriptCommandKind::kWaitEvent, 1U - queue, event, 0U});
    }
}

// The shortest commands that there are, in a trace that is looked at as often as a trace can be: once for the data
// flow; and in the walk for races in the prologue, in two steps, and in the epilogue.
void repeat_barriers(Draft& draft) {
    constexpr std::uint32_t kVisits = 5U;
    draft.require_queues(2U);
    use_both_queues(draft);
    Words words = draft.barrier();
    append(words, draft.end());
    static_cast<void>(draft.add_trace("work", words));
    const auto trace = static_cast<std::uint32_t>(draft.manifest().traces.size() - 1U);
    const ManifestCommand replay{ScriptCommandKind::kReplayTrace, draft.main_queue(), trace, 0U};
    for (const ScriptKind script : {ScriptKind::kPrologue, ScriptKind::kEpilogue}) {
        draft.commands_or_add(script).push_back(replay);
    }
    draft.confirm("a trace that every script replays, and an event between the queues");

    const auto file_bytes = static_cast<std::uint32_t>(draft.write().size());
    constexpr std::uint32_t kWork = kVisits * (kWorkPerCommand + 1U);
    // Each barrier makes the file four bytes longer, and these admit some work, too.
    const Capacities& capacities = *draft.device().capacities;
    const std::uint32_t admitted = (capacities.work_of_block * kWordBytes) / Capacities::kWorkBlockBytes;
    if (admitted >= kWork) {
        throw NotApplicable{"the device's profile admits the work of any number of barriers"};
    }
    const std::uint32_t barriers =
        (capacities.max_work(file_bytes + (2U * kFileAlignmentBytes)) / (kWork - admitted)) + 1U;
    words.insert(words.end() - 1, barriers, draft.barrier().front());
    draft.set_trace_words(trace, words);
    draft.require_trace_region("that many commands");
    draft.measure(trace);
    draft.settle();
}

constexpr std::array kBudgetOperators{
    Operator{Rule::kBudRing, "two-steps", "more steps in flight than the rings hold", true, overfill_ring, "step"},
    Operator{Rule::kBudSetupRing, "writes", "a set-up that does not fit into its ring", true, overfill_setup_ring,
             "set-up"},
    Operator{Rule::kBudCycles, "one-more", "a step that says a cycle more than it takes", true,
             [](Draft& draft) { draft.manifest().step_cycles += 1U; }, "budgets.step_cycles"},
    Operator{Rule::kBudCycles, "one-less", "a step that says a cycle less than it takes", true,
             [](Draft& draft) { draft.manifest().step_cycles -= 1U; }, "budgets.step_cycles"},
    Operator{Rule::kBudCeiling, "convolutions", "a step that takes longer than the runtime admits", true,
             exceed_the_ceiling, "step"},
    Operator{Rule::kBudDeadline, "step", "no time for the step", true,
             [](Draft& draft) { draft.manifest().step_deadline_us = 0U; }, "budgets.step_deadline_us"},
    Operator{Rule::kBudDeadline, "set-up", "no time for the set-up", true,
             [](Draft& draft) {
                 if (draft.commands(ScriptKind::kSetup).empty()) {
                     throw NotApplicable{"the set-up does nothing"};
                 }
                 draft.manifest().setup_deadline_us = 0U;
             },
             "budgets.setup_deadline_us"},
    Operator{Rule::kBudInFlight, "none", "no step in flight, of scripts on one queue", true,
             [](Draft& draft) {
                 draft.make_sequential();
                 draft.manifest().steps_in_flight = 0U;
             },
             "budgets.steps_in_flight"},
    Operator{Rule::kBudInFlight, "too-many", "a step in flight more than the runtime holds", false,
             [](Draft& draft) { draft.manifest().steps_in_flight = draft.device().capacities->steps_in_flight + 1U; },
             "budgets.steps_in_flight"},
    Operator{Rule::kCapCommands, "output-in-pieces",
             "an output in so many buffers that the scripts need too many commands", true, overfill_commands},
    Operator{Rule::kCapIntervals, "every-other-byte", "fills of every other byte, more than the proof can tell apart",
             true, overfill_intervals},
    Operator{Rule::kCapWork, "barriers", "more barriers than the proofs may look at in a file of this length", true,
             repeat_barriers},
};

}  // namespace

Span<const Operator> budget_operators() {
    return kBudgetOperators;
}

}  // namespace pianola::mutate
