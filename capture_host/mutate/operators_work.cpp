// Work of the proofs: what a file of this length may make the runtime look at.
#include <algorithm>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;
using capture::ManifestParameter;

constexpr std::uint32_t kBlock = kFileAlignmentBytes;
constexpr std::uint32_t kWordBytes = 4U;
constexpr std::uint32_t kLargestValue = 255U;
constexpr std::uint32_t kValueWord = 3U;  // of a fill

// The walk for races is not taken where all commands are on one queue.
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

std::uint32_t patched_words(const capture::Manifest& manifest) {
    std::size_t points = 0U;
    for (const ManifestParameter& parameter : manifest.parameters) {
        points += parameter.points.size();
    }
    return static_cast<std::uint32_t>(points);
}

// Declares the values of the trace's fills, which are its first commands, as one parameter.
void patch_values(Draft& draft, std::uint32_t trace, std::uint32_t fills, std::uint32_t fill_length) {
    ManifestParameter parameter{"work", ParameterKind::kRuntimeArgument, 0U, kLargestValue, 1U, {}};
    for (std::uint32_t i = 0U; i < fills; ++i) {
        parameter.points.push_back({trace, (i * fill_length) + kValueWord});
    }
    draft.manifest().parameters.push_back(parameter);
}

// The shortest commands that there are, in a trace that is looked at as often as a trace can be: once for the data
// flow; and in the walk for races in the prologue, in two steps, and in the epilogue. Each look compares a command with
// every patched word.
void repeat_barriers(Draft& draft) {
    constexpr std::uint32_t kVisits = 5U;
    draft.require_queues(2U);
    use_both_queues(draft);
    const std::uint32_t patched = patched_words(draft.manifest());
    const bool may_declare = (draft.manifest().parameters.size() < kMaxParameters) && (patched < kMaxPatchPoints);
    const std::uint32_t fills = may_declare ? (kMaxPatchPoints - patched) : 1U;
    const Words fill = draft.fill(draft.add_scratch(kBlock), kBlock, 0U);
    Words words;
    for (std::uint32_t i = 0U; i < fills; ++i) {
        append(words, fill);
    }
    append(words, draft.end());
    static_cast<void>(draft.add_trace("work", words));
    const auto trace = static_cast<std::uint32_t>(draft.manifest().traces.size() - 1U);
    if (may_declare) {
        patch_values(draft, trace, fills, static_cast<std::uint32_t>(fill.size()));
    }
    const ManifestCommand replay{ScriptCommandKind::kReplayTrace, draft.main_queue(), trace, 0U};
    for (const ScriptKind script : {ScriptKind::kPrologue, ScriptKind::kEpilogue}) {
        draft.commands_or_add(script).push_back(replay);
    }
    draft.confirm("a trace that every script replays, and an event between the queues");

    const auto file_bytes = static_cast<std::uint32_t>(draft.write().size());
    const std::uint32_t work =
        kVisits * (kWorkPerCommand + 1U + (patched_words(draft.manifest()) / kPatchPointsPerWork));
    // Each barrier makes the file four bytes longer, and these admit some work, too.
    const Capacities& capacities = *draft.device().capacities;
    const std::uint32_t admitted = (capacities.work_of_block * kWordBytes) / Capacities::kWorkBlockBytes;
    if (admitted >= work) {
        throw NotApplicable{"the device's profile admits the work of any number of barriers"};
    }
    const std::uint32_t barriers = (capacities.max_work(file_bytes + (2U * kBlock)) / (work - admitted)) + 1U;
    words.insert(words.end() - 1, barriers, draft.barrier().front());
    draft.set_trace_words(trace, words);
    draft.require_trace_region("that many commands");
    draft.measure(trace);
    draft.settle();
}

constexpr std::array kOperators{
    Operator{Rule::kCapWork, "barriers", "more barriers than the proofs may look at in a file of this length", true,
             repeat_barriers},
};

}  // namespace

Span<const Operator> work_operators() {
    return kOperators;
}

}  // namespace pianola::mutate
