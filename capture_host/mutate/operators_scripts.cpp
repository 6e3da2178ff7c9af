// The host's scripts around the traces.
#include <algorithm>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;

constexpr std::uint32_t kNoObject = 60'000U;

void insert(std::vector<ManifestCommand>& commands, std::uint32_t place, const ManifestCommand& command) {
    commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(place), command);
}

// At the script's end.
void add(Draft& draft, ScriptKind script, const ManifestCommand& command) {
    draft.commands(script).push_back(command);
    draft.settle();
}

// The workload has such a command.
void require(Draft& draft, ScriptCommandKind kind) {
    if (kind == ScriptCommandKind::kLoadTrace) {
        static_cast<void>(draft.main_trace());
    } else if ((kind == ScriptCommandKind::kWriteInput) && draft.manifest().inputs.empty()) {
        static_cast<void>(draft.add_input(1U, kBlockBytes));
        draft.confirm("an input");
    } else if ((kind == ScriptCommandKind::kReadOutput) && draft.manifest().outputs.empty()) {
        static_cast<void>(draft.add_output(1U, kBlockBytes));
        draft.confirm("an output");
    } else {
        // It is there.
    }
}

// Repeats the command of that kind immediately after itself.
void repeat(Draft& draft, ScriptKind script, ScriptCommandKind kind, const char* field) {
    require(draft, kind);
    auto& commands = draft.commands(script);
    const std::uint32_t place = draft.find_command(script, kind);
    const ManifestCommand command = commands.at(place);
    insert(commands, place + 1U, command);
    draft.settle();
    draft.expect_command(script, place + 1U, field);
}

// Nothing of that kind is left of the first one's object.
void forget(Draft& draft, ScriptKind script, ScriptCommandKind kind, const char* list) {
    require(draft, kind);
    auto& commands = draft.commands(script);
    const std::uint32_t place = draft.find_command(script, kind);
    const std::uint32_t object = commands.at(place).object;
    commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(place));
    draft.expect_path(std::string{list} + "[" + std::to_string(object) + "]");
}

void second_setup(Draft& draft) {
    if (draft.manifest().scripts.size() >= kMaxScripts) {
        draft.make_sequential();
    }
    draft.manifest().scripts.push_back({ScriptKind::kSetup, {}});
}

// A set-up write to a buffer for activations.
void write_activations(Draft& draft) {
    const std::uint32_t region = draft.add_region("scratch", RegionKind::kActivation, kBlockBytes);
    const std::uint32_t buffer = draft.add_buffer("scratch", region, 0U, 1U);
    if (draft.segments().weights.empty()) {
        draft.segments().weights.resize(kBlockBytes);
    }
    draft.confirm("a buffer for activations");
    add(draft, ScriptKind::kSetup, {ScriptCommandKind::kWriteBuffer, 0U, buffer, 0U});
}

// Adds a command of the set-up that writes weights which nothing reads.
ManifestCommand& add_weights(Draft& draft) {
    const std::uint32_t command = draft.add_weights();
    draft.confirm("weights that nobody reads");
    return draft.commands(ScriptKind::kSetup)[command];
}

// First inputs without last outputs: of a file with an epilogue that reads these, they are taken away.
void break_pipeline(Draft& draft) {
    const auto reads = [](const ManifestCommand& command) { return command.kind == ScriptCommandKind::kReadOutput; };
    if (draft.has_script(ScriptKind::kEpilogue)) {
        auto& epilogue = draft.commands(ScriptKind::kEpilogue);
        const auto first = std::remove_if(epilogue.begin(), epilogue.end(), reads);
        if (first != epilogue.end()) {
            epilogue.erase(first, epilogue.end());
            return;
        }
    }
    require(draft, ScriptCommandKind::kWriteInput);
    auto& prologue = draft.commands_or_add(ScriptKind::kPrologue);
    for (std::uint32_t i = 0U; i < draft.manifest().inputs.size(); ++i) {
        prologue.push_back({ScriptCommandKind::kWriteInput, 0U, i, 0U});
    }
    draft.settle();
}

// A command that none of the workload's devices takes: it changes nothing that they do.
void record_on(Draft& draft, const DeviceRange& devices) {
    ManifestCommand record{ScriptCommandKind::kRecordEvent, 0U, draft.free_event(), 0U};
    record.devices = devices;
    draft.commands(ScriptKind::kStep).push_back(record);
}

void leave_output_unwritten(Draft& draft) {
    const std::uint32_t output = draft.add_output(1U, kBlockBytes);
    draft.confirm("an output, which a fill writes");
    const Words words = draft.trace_words(draft.main_trace());
    // The fill before the end has a byte less.
    draft.set_word(static_cast<std::uint32_t>(words.size() - 3U), kBlockBytes - 1U);
    draft.measure_main();
    draft.settle();
    const auto& step = draft.commands(ScriptKind::kStep);
    const auto read = std::find_if(step.begin(), step.end(), [output](const ManifestCommand& command) {
        return (command.kind == ScriptCommandKind::kReadOutput) && (command.object == output);
    });
    draft.expect_command(ScriptKind::kStep, static_cast<std::size_t>(read - step.begin()), "output");
}

constexpr std::array kScriptOperators{
    Operator{Rule::kScrMissing, "two-set-ups", "a second set-up, which does nothing", true, second_setup, "scripts"},
    Operator{Rule::kScrMissing, "no-step", "no step", false,
             [](Draft& draft) {
                 auto& scripts = draft.manifest().scripts;
                 scripts.erase(scripts.begin() + draft.script_index(ScriptKind::kStep));
             },
             "scripts"},
    Operator{Rule::kScrQueue, "set-up", "the set-up writes weights on queue 1", true,
             [](Draft& draft) {
                 add_weights(draft).queue = 1U;
                 draft.settle();
             },
             "set-up[last].queue"},
    Operator{Rule::kScrQueue, "not-there", "a command on a queue that the device does not have", false,
             [](Draft& draft) {
                 const std::uint32_t command = draft.main_replay();
                 draft.commands(ScriptKind::kStep)[command].queue = kMaxQueues;
                 draft.expect_command(ScriptKind::kStep, command, "queue");
             }},
    Operator{Rule::kScrCommand, "load-in-step", "a step loads a trace", true,
             [](Draft& draft) {
                 const std::uint32_t trace = draft.main_trace();
                 add(draft, ScriptKind::kStep, {ScriptCommandKind::kLoadTrace, draft.main_queue(), trace, 0U});
             },
             "step[last].body"},
    Operator{Rule::kScrDevices, "none", "a step's last command is for no device", true,
             [](Draft& draft) { record_on(draft, {0U, 0U, 0U, 1U}); }, "step[last].devices"},
    Operator{Rule::kScrDevices, "beyond", "a step's last command is for a device that is not there", true,
             [](Draft& draft) {
                 record_on(draft, {0U, static_cast<std::uint8_t>(draft.manifest().target.mesh_columns), 1U, 1U});
             },
             "step[last].devices"},
    Operator{Rule::kScrDevices, "without-tensor", "an input is written on devices that have no part of it", true,
             [](Draft& draft) {
                 const DeviceRange mesh = draft.require_mesh();
                 static_cast<void>(draft.add_input(1U, kBlockBytes));
                 draft.confirm("an input");
                 draft.commands(ScriptKind::kStep).front().devices = mesh;  // which writes it
                 draft.expect_command(ScriptKind::kStep, 0U, "devices");
             }},
    Operator{Rule::kScrIndex, "trace", "a step replays a trace that is not there", false,
             [](Draft& draft) {
                 const std::uint32_t command = draft.main_replay();
                 draft.commands(ScriptKind::kStep)[command].object = kNoObject;
                 draft.expect_command(ScriptKind::kStep, command, "trace");
             }},
    Operator{Rule::kScrIndex, "event", "a step records an event that is not there", false,
             [](Draft& draft) {
                 draft.commands(ScriptKind::kStep).push_back({ScriptCommandKind::kRecordEvent, 0U, kMaxEvents, 0U});
             },
             "step[last].event"},
    Operator{Rule::kScrWeights, "activations", "the set-up writes to a region for activations", true, write_activations,
             "set-up[last].buffer"},
    Operator{Rule::kScrWeights, "behind", "the set-up writes what lies behind the weights segment", false,
             [](Draft& draft) {
                 ManifestCommand& command = add_weights(draft);
                 command.segment_offset = static_cast<std::uint32_t>(draft.segments().weights.size());
             },
             "set-up[last].segment_offset"},
    Operator{Rule::kScrWeightsOnce, "twice", "weights that are written twice", true,
             [](Draft& draft) {
                 const ManifestCommand again = add_weights(draft);
                 add(draft, ScriptKind::kSetup, again);
             },
             "set-up[last].buffer"},
    Operator{Rule::kScrTraceOnce, "replayed-twice", "a trace is replayed twice in a step", true,
             [](Draft& draft) {
                 auto& step = draft.commands(ScriptKind::kStep);
                 const std::uint32_t replay = draft.main_replay();
                 insert(step, replay + 1U, ManifestCommand{step.at(replay)});
                 draft.settle();
                 draft.expect_command(ScriptKind::kStep, replay + 1U, "trace");
             }},
    Operator{Rule::kScrTraceOnce, "loaded-twice", "a trace is loaded twice", true,
             [](Draft& draft) { repeat(draft, ScriptKind::kSetup, ScriptCommandKind::kLoadTrace, "trace"); }},
    Operator{Rule::kScrTraceOnce, "not-loaded", "a trace is not loaded", false,
             [](Draft& draft) { forget(draft, ScriptKind::kSetup, ScriptCommandKind::kLoadTrace, "traces"); }},
    Operator{Rule::kScrInputOnce, "twice", "an input is written twice", true,
             [](Draft& draft) { repeat(draft, ScriptKind::kStep, ScriptCommandKind::kWriteInput, "input"); }},
    Operator{Rule::kScrInputOnce, "never", "an input is not written", false,
             [](Draft& draft) { forget(draft, ScriptKind::kStep, ScriptCommandKind::kWriteInput, "inputs"); }},
    Operator{Rule::kScrOutputOnce, "twice", "an output is read twice", true,
             [](Draft& draft) { repeat(draft, ScriptKind::kStep, ScriptCommandKind::kReadOutput, "output"); }},
    Operator{Rule::kScrOutputOnce, "never", "an output is not read", false,
             [](Draft& draft) { forget(draft, ScriptKind::kStep, ScriptCommandKind::kReadOutput, "outputs"); }},
    Operator{Rule::kScrPipeline, "half", "first inputs without last outputs, or last outputs missing", true,
             break_pipeline, "scripts"},
    Operator{Rule::kScrUnwritten, "one-byte", "a byte of an output is read that nothing has written", true,
             leave_output_unwritten},
};

}  // namespace

Span<const Operator> script_operators() {
    return kScriptOperators;
}

}  // namespace pianola::mutate
