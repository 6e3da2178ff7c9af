// What the host does around the traces.
#include <algorithm>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;

constexpr std::uint32_t kBlock = kFileAlignmentBytes;
constexpr std::uint32_t kNoObject = 60'000U;

void expect_command(Draft& draft, ScriptKind script, std::uint32_t command, const char* field) {
    draft.expect_path(draft.command_path(script, command, field));
}

void insert(std::vector<ManifestCommand>& commands, std::uint32_t place, const ManifestCommand& command) {
    commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(place), command);
}

// The command of that kind once more, right behind itself.
void repeat(Draft& draft, ScriptKind script, ScriptCommandKind kind, const char* field) {
    auto& commands = draft.commands(script);
    const std::uint32_t place = draft.find_command(script, kind);
    const ManifestCommand command = commands.at(place);
    insert(commands, place + 1U, command);
    draft.settle();
    expect_command(draft, script, place + 1U, field);
}

// Nothing of that kind is left of the first one's object.
void forget(Draft& draft, ScriptKind script, ScriptCommandKind kind, const char* list) {
    auto& commands = draft.commands(script);
    const std::uint32_t place = draft.find_command(script, kind);
    const std::uint32_t object = commands.at(place).object;
    commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(place));
    draft.expect_path(std::string{list} + "[" + std::to_string(object) + "]");
}

void require_input(Draft& draft) {
    if (draft.manifest().inputs.empty()) {
        static_cast<void>(draft.add_input(1U, kBlock));
        draft.confirm("an input");
    }
}

void require_output(Draft& draft) {
    if (draft.manifest().outputs.empty()) {
        static_cast<void>(draft.add_output(1U, kBlock));
        draft.confirm("an output");
    }
}

void second_setup(Draft& draft) {
    if (draft.manifest().scripts.size() >= kMaxScripts) {
        draft.make_sequential();
    }
    draft.manifest().scripts.push_back({ScriptKind::kSetup, {}});
    draft.expect_path("scripts");
}

void load_in_step(Draft& draft) {
    const std::uint32_t trace = draft.main_trace();
    auto& step = draft.commands(ScriptKind::kStep);
    step.push_back({ScriptCommandKind::kLoadTrace, draft.main_queue(), trace, 0U});
    draft.settle();
    expect_command(draft, ScriptKind::kStep, static_cast<std::uint32_t>(step.size() - 1U), "body");
}

std::vector<Operator> command_operators() {
    return {
        {Rule::kScrMissing, "two-set-ups", "a second set-up, which does nothing", true, second_setup},
        {Rule::kScrMissing, "no-step", "no step", false,
         [](Draft& draft) {
             auto& scripts = draft.manifest().scripts;
             scripts.erase(scripts.begin() + draft.script_index(ScriptKind::kStep));
             draft.expect_path("scripts");
         }},
        {Rule::kScrQueue, "set-up", "the set-up writes weights on queue 1", true,
         [](Draft& draft) {
             const std::uint32_t command = draft.add_weights();
             draft.confirm("weights that nobody reads");
             draft.commands(ScriptKind::kSetup)[command].queue = 1U;
             draft.settle();
             expect_command(draft, ScriptKind::kSetup, command, "queue");
         }},
        {Rule::kScrQueue, "not-there", "a command on a queue that the device does not have", false,
         [](Draft& draft) {
             const std::uint32_t command = draft.main_replay();
             draft.commands(ScriptKind::kStep)[command].queue = kMaxQueues;
             expect_command(draft, ScriptKind::kStep, command, "queue");
         }},
        {Rule::kScrCommand, "load-in-step", "a step loads a trace", true, load_in_step},
        {Rule::kScrDevices, "none", "a step's first command is for no device", true,
         [](Draft& draft) {
             draft.commands(ScriptKind::kStep).at(0U).devices.rows = 0U;
             expect_command(draft, ScriptKind::kStep, 0U, "devices");
         }},
        {Rule::kScrDevices, "beyond", "a step's first command is for a device that is not there", true,
         [](Draft& draft) {
             draft.commands(ScriptKind::kStep).at(0U).devices.column = 1U;
             expect_command(draft, ScriptKind::kStep, 0U, "devices");
         }},
        {Rule::kScrIndex, "trace", "a step replays a trace that is not there", false,
         [](Draft& draft) {
             const std::uint32_t command = draft.main_replay();
             draft.commands(ScriptKind::kStep)[command].object = kNoObject;
             expect_command(draft, ScriptKind::kStep, command, "trace");
         }},
        {Rule::kScrIndex, "event", "a step records an event that is not there", false,
         [](Draft& draft) {
             auto& step = draft.commands(ScriptKind::kStep);
             step.push_back({ScriptCommandKind::kRecordEvent, 0U, kMaxEvents, 0U});
             expect_command(draft, ScriptKind::kStep, static_cast<std::uint32_t>(step.size() - 1U), "event");
         }},
    };
}

// A set-up write to a buffer for activations.
void write_activations(Draft& draft) {
    const std::uint32_t region = draft.add_region("scratch", RegionKind::kActivation, kBlock);
    const std::uint32_t buffer = draft.add_buffer("scratch", region, 0U, 1U);
    if (draft.segments().weights.empty()) {
        draft.segments().weights.resize(kBlock);
    }
    draft.confirm("a buffer for activations");
    auto& setup = draft.commands(ScriptKind::kSetup);
    setup.push_back({ScriptCommandKind::kWriteBuffer, 0U, buffer, 0U});
    draft.settle();
    expect_command(draft, ScriptKind::kSetup, static_cast<std::uint32_t>(setup.size() - 1U), "buffer");
}

void write_from_behind(Draft& draft) {
    const std::uint32_t command = draft.add_weights();
    draft.confirm("weights that nobody reads");
    draft.commands(ScriptKind::kSetup)[command].segment_offset =
        static_cast<std::uint32_t>(draft.segments().weights.size());
    expect_command(draft, ScriptKind::kSetup, command, "segment_offset");
}

std::vector<Operator> once_operators() {
    return {
        {Rule::kScrWeights, "activations", "the set-up writes to a region for activations", true, write_activations},
        {Rule::kScrWeights, "behind", "the set-up writes what lies behind the weights segment", true,
         write_from_behind},
        {Rule::kScrWeightsOnce, "twice", "weights that are written twice", true,
         [](Draft& draft) {
             const std::uint32_t command = draft.add_weights();
             draft.confirm("weights that nobody reads");
             auto& setup = draft.commands(ScriptKind::kSetup);
             const ManifestCommand again = setup.at(command);
             setup.push_back(again);
             draft.settle();
             expect_command(draft, ScriptKind::kSetup, command + 1U, "buffer");
         }},
        {Rule::kScrTraceOnce, "replayed-twice", "a trace is replayed twice in a step", true,
         [](Draft& draft) {
             auto& step = draft.commands(ScriptKind::kStep);
             const std::uint32_t replay = draft.main_replay();
             insert(step, replay + 1U, ManifestCommand{step.at(replay)});
             draft.settle();
             expect_command(draft, ScriptKind::kStep, replay + 1U, "trace");
         }},
        {Rule::kScrTraceOnce, "loaded-twice", "a trace is loaded twice", true,
         [](Draft& draft) {
             static_cast<void>(draft.main_trace());  // there is one
             repeat(draft, ScriptKind::kSetup, ScriptCommandKind::kLoadTrace, "trace");
         }},
        {Rule::kScrTraceOnce, "not-loaded", "a trace is not loaded", false,
         [](Draft& draft) {
             static_cast<void>(draft.main_trace());
             forget(draft, ScriptKind::kSetup, ScriptCommandKind::kLoadTrace, "traces");
         }},
    };
}

std::vector<Operator> transfer_operators() {
    return {
        {Rule::kScrInputOnce, "twice", "an input is written twice", true,
         [](Draft& draft) {
             require_input(draft);
             repeat(draft, ScriptKind::kStep, ScriptCommandKind::kWriteInput, "input");
         }},
        {Rule::kScrInputOnce, "never", "an input is not written", false,
         [](Draft& draft) {
             require_input(draft);
             forget(draft, ScriptKind::kStep, ScriptCommandKind::kWriteInput, "inputs");
         }},
        {Rule::kScrOutputOnce, "twice", "an output is read twice", true,
         [](Draft& draft) {
             require_output(draft);
             repeat(draft, ScriptKind::kStep, ScriptCommandKind::kReadOutput, "output");
         }},
        {Rule::kScrOutputOnce, "never", "an output is not read", false,
         [](Draft& draft) {
             require_output(draft);
             forget(draft, ScriptKind::kStep, ScriptCommandKind::kReadOutput, "outputs");
         }},
    };
}

// First inputs without last outputs: of a file with an epilogue that reads these, they are taken away.
void break_pipeline(Draft& draft) {
    const auto reads = [](const ManifestCommand& command) { return command.kind == ScriptCommandKind::kReadOutput; };
    if (draft.has_script(ScriptKind::kEpilogue)) {
        auto& epilogue = draft.commands(ScriptKind::kEpilogue);
        const auto first = std::remove_if(epilogue.begin(), epilogue.end(), reads);
        if (first != epilogue.end()) {
            epilogue.erase(first, epilogue.end());
            draft.expect_path("scripts");
            return;
        }
    }
    require_input(draft);
    auto& prologue = draft.commands_or_add(ScriptKind::kPrologue);
    for (std::uint32_t i = 0U; i < draft.manifest().inputs.size(); ++i) {
        prologue.push_back({ScriptCommandKind::kWriteInput, 0U, i, 0U});
    }
    draft.settle();
    draft.expect_path("scripts");
}

void leave_output_unwritten(Draft& draft) {
    const std::uint32_t output = draft.add_output(1U, kBlock);
    draft.confirm("an output, which a fill writes");
    const std::uint32_t trace = draft.main_trace();
    const Words words = draft.trace_words(trace);
    // Of the fill in front of the end: a byte less.
    draft.set_word(static_cast<std::uint32_t>(words.size() - 3U), kBlock - 1U);
    draft.measure_main();
    draft.settle();
    const auto& step = draft.commands(ScriptKind::kStep);
    const auto read = std::find_if(step.begin(), step.end(), [output](const ManifestCommand& command) {
        return (command.kind == ScriptCommandKind::kReadOutput) && (command.object == output);
    });
    expect_command(draft, ScriptKind::kStep, static_cast<std::uint32_t>(read - step.begin()), "output");
}

std::vector<Operator> result_operators() {
    return {
        {Rule::kScrPipeline, "half", "first inputs without last outputs, or last outputs missing", true,
         break_pipeline},
        {Rule::kScrUnwritten, "one-byte", "a byte of an output is read that nothing has written", true,
         leave_output_unwritten},
    };
}

}  // namespace

std::vector<Operator> script_operators() {
    return joined({command_operators(), once_operators(), transfer_operators(), result_operators()});
}

}  // namespace pianola::mutate
