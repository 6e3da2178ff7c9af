#include <algorithm>

#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using capture::ManifestCommand;
using schema::TraceBinary;

constexpr std::uint32_t kSetup = 0U;  // WriteBuffer 0, LoadTrace 0
constexpr std::uint32_t kStep = 1U;   // WriteInput 0, ReplayTrace 0, ReadOutput 0

using CommandsEdit = std::function<void(std::vector<ManifestCommand>& commands)>;

// `command` is the one that the verdict must name.
RuleCase script_case(Rule rule, const char* what, const char* path, std::uint32_t script, std::uint32_t command,
                     const CommandsEdit& edit) {
    return {rule, what, path, table({{TraceBinary::VT_SCRIPTS, script}, {schema::Script::VT_COMMANDS, command}}),
            manifest_edit([script, edit](Manifest& manifest) { edit(manifest.scripts.at(script).commands); })};
}

// A rule about what is missing: there is no command to name.
RuleCase missing_case(Rule rule, const char* what, const char* path, std::uint32_t script, const CommandsEdit& edit) {
    return {rule, what, path, manifest_start(),
            manifest_edit([script, edit](Manifest& manifest) { edit(manifest.scripts.at(script).commands); })};
}

constexpr ManifestCommand kWrite{ScriptCommandKind::kWriteInput, 0U, 0U, 0U};
constexpr ManifestCommand kReplay{ScriptCommandKind::kReplayTrace, 0U, 0U, 0U};
constexpr ManifestCommand kRead{ScriptCommandKind::kReadOutput, 0U, 0U, 0U};

std::function<Mutant()> with_scripts(const std::vector<capture::ManifestScript>& scripts) {
    return manifest_edit([scripts](Manifest& manifest) {
        manifest.scripts.insert(manifest.scripts.end(), scripts.begin(), scripts.end());
    });
}

// A script behind set-up and step, whose first command the verdict must name.
RuleCase added_case(Rule rule, const char* what, const char* path, const capture::ManifestScript& script) {
    return {rule, what, path, table({{TraceBinary::VT_SCRIPTS, 2U}, {schema::Script::VT_COMMANDS, 0U}}),
            with_scripts({script})};
}

CommandsEdit repeat(std::uint32_t index) {
    return [index](std::vector<ManifestCommand>& commands) {
        const ManifestCommand copy = commands.at(index);
        commands.insert(commands.begin() + index + 1, copy);
    };
}

CommandsEdit drop(std::uint32_t index) {
    return [index](std::vector<ManifestCommand>& commands) { commands.erase(commands.begin() + index); };
}

std::vector<RuleCase> script_command_cases() {
    return {
        {Rule::kScrMissing, "two step scripts", "scripts", manifest_start(),
         manifest_edit([](Manifest& manifest) { manifest.scripts[kSetup].kind = ScriptKind::kStep; })},
        {Rule::kScrMissing, "no step script", "scripts", manifest_start(),
         manifest_edit([](Manifest& manifest) { manifest.scripts.pop_back(); })},
        {Rule::kScrMissing, "two prologues", "scripts", manifest_start(),
         with_scripts({{ScriptKind::kPrologue, {}}, {ScriptKind::kPrologue, {}}})},
        {Rule::kScrMissing, "two epilogues", "scripts", manifest_start(),
         with_scripts({{ScriptKind::kEpilogue, {}}, {ScriptKind::kEpilogue, {}}})},
        script_case(Rule::kScrQueue, "a queue that is not there", "scripts[1].commands[0].queue", kStep, 0U,
                    [](auto& commands) { commands[0].queue = 2U; }),
        script_case(Rule::kScrQueue, "set-up on the second queue", "scripts[0].commands[1].queue", kSetup, 1U,
                    [](auto& commands) { commands[1].queue = 1U; }),
        script_case(Rule::kScrCommand, "set-up writes an input", "scripts[0].commands[0].body", kSetup, 0U,
                    [](auto& commands) { commands[0].kind = ScriptCommandKind::kWriteInput; }),
        script_case(Rule::kScrCommand, "a step loads a trace", "scripts[1].commands[1].body", kStep, 1U,
                    [](auto& commands) { commands[1].kind = ScriptCommandKind::kLoadTrace; }),
        added_case(Rule::kScrCommand, "a prologue reads an output", "scripts[2].commands[0].body",
                   {ScriptKind::kPrologue, {kRead}}),
        added_case(Rule::kScrCommand, "an epilogue writes an input", "scripts[2].commands[0].body",
                   {ScriptKind::kEpilogue, {kWrite}}),
        added_case(Rule::kScrCommand, "a prologue loads a trace", "scripts[2].commands[0].body",
                   {ScriptKind::kPrologue, {{ScriptCommandKind::kLoadTrace, 0U, 0U, 0U}}}),
        added_case(Rule::kScrCommand, "an epilogue writes weights", "scripts[2].commands[0].body",
                   {ScriptKind::kEpilogue, {{ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U}}}),
        added_case(Rule::kScrQueue, "a prologue on a queue that is not there", "scripts[2].commands[0].queue",
                   {ScriptKind::kPrologue, {{ScriptCommandKind::kRecordEvent, 2U, 0U, 0U}}}),
        script_case(Rule::kScrDevices, "for no device", "scripts[0].commands[0].devices", kSetup, 0U,
                    [](auto& commands) { commands[0].devices.rows = 0U; }),
        script_case(Rule::kScrDevices, "for a device behind the mesh", "scripts[1].commands[1].devices", kStep, 1U,
                    [](auto& commands) { commands[1].devices.row = 1U; }),
        script_case(Rule::kScrDevices, "for more columns than there are", "scripts[1].commands[1].devices", kStep, 1U,
                    [](auto& commands) { commands[1].devices.columns = UINT8_MAX; }),
        script_case(Rule::kScrIndex, "no such buffer", "scripts[0].commands[0].buffer", kSetup, 0U,
                    [](auto& commands) { commands[0].object = 4U; }),
        script_case(Rule::kScrIndex, "no such trace to load", "scripts[0].commands[1].trace", kSetup, 1U,
                    [](auto& commands) { commands[1].object = 1U; }),
        script_case(Rule::kScrIndex, "no such input", "scripts[1].commands[0].input", kStep, 0U,
                    [](auto& commands) { commands[0].object = 1U; }),
        script_case(Rule::kScrIndex, "no such trace to replay", "scripts[1].commands[1].trace", kStep, 1U,
                    [](auto& commands) { commands[1].object = UINT16_MAX; }),
        script_case(Rule::kScrIndex, "no such output", "scripts[1].commands[2].output", kStep, 2U,
                    [](auto& commands) { commands[2].object = 1U; }),
        script_case(Rule::kScrIndex, "no such event", "scripts[1].commands[3].event", kStep, 3U,
                    [](auto& commands) { commands.push_back({ScriptCommandKind::kRecordEvent, 0U, kMaxEvents, 0U}); }),
        {Rule::kScrIndex, "a tensor whose last buffer is not there", "inputs[0].buffer",
         table({{TraceBinary::VT_INPUTS, 0U}}),
         manifest_edit([](Manifest& manifest) { manifest.inputs[0].buffer_count = 4U; })},
        {Rule::kScrIndex, "a tensor in no buffer", "inputs[0].buffer", table({{TraceBinary::VT_INPUTS, 0U}}),
         manifest_edit([](Manifest& manifest) { manifest.inputs[0].buffer = 4U; })},
    };
}

std::vector<RuleCase> once_cases() {
    return {
        script_case(Rule::kScrWeights, "to a buffer of the inputs", "scripts[0].commands[0].buffer", kSetup, 0U,
                    [](auto& commands) { commands[0].object = 1U; }),
        script_case(Rule::kScrWeights, "a byte beyond the segment", "scripts[0].commands[0].segment_offset", kSetup, 0U,
                    [](auto& commands) { commands[0].segment_offset = 1U; }),
        script_case(Rule::kScrWeights, "wraps round", "scripts[0].commands[0].segment_offset", kSetup, 0U,
                    [](auto& commands) { commands[0].segment_offset = UINT32_MAX; }),
        script_case(Rule::kScrWeightsOnce, "twice", "scripts[0].commands[1].buffer", kSetup, 1U, repeat(0U)),
        script_case(Rule::kScrTraceOnce, "loaded twice", "scripts[0].commands[2].trace", kSetup, 2U, repeat(1U)),
        script_case(Rule::kScrTraceOnce, "replayed twice", "scripts[1].commands[2].trace", kStep, 2U, repeat(1U)),
        missing_case(Rule::kScrTraceOnce, "never loaded", "traces[0]", kSetup, drop(1U)),
        missing_case(Rule::kScrTraceOnce, "never replayed", "traces[0]", kStep, drop(1U)),
        script_case(Rule::kScrInputOnce, "written twice", "scripts[1].commands[1].input", kStep, 1U, repeat(0U)),
        missing_case(Rule::kScrInputOnce, "never written", "inputs[0]", kStep, drop(0U)),
        script_case(Rule::kScrOutputOnce, "read twice", "scripts[1].commands[3].output", kStep, 3U, repeat(2U)),
        missing_case(Rule::kScrOutputOnce, "never read", "outputs[0]", kStep, drop(2U)),
        {Rule::kScrTraceOnce, "replayed twice in the epilogue", "scripts[2].commands[1].trace",
         table({{TraceBinary::VT_SCRIPTS, 2U}, {schema::Script::VT_COMMANDS, 1U}}),
         with_scripts({{ScriptKind::kEpilogue, {kReplay, kReplay}}})},
        {Rule::kScrInputOnce, "written twice in the prologue", "scripts[2].commands[1].input",
         table({{TraceBinary::VT_SCRIPTS, 2U}, {schema::Script::VT_COMMANDS, 1U}}),
         with_scripts({{ScriptKind::kPrologue, {kWrite, kWrite}}})},
        {Rule::kScrOutputOnce, "read twice in the epilogue", "scripts[2].commands[1].output",
         table({{TraceBinary::VT_SCRIPTS, 2U}, {schema::Script::VT_COMMANDS, 1U}}),
         with_scripts({{ScriptKind::kEpilogue, {kRead, kRead}}})},
        {Rule::kScrPipeline, "first inputs without last outputs", "scripts", manifest_start(),
         with_scripts({{ScriptKind::kPrologue, {kWrite}}, {ScriptKind::kEpilogue, {kReplay}}})},
        {Rule::kScrPipeline, "last outputs without first inputs", "scripts", manifest_start(),
         with_scripts({{ScriptKind::kEpilogue, {kReplay, kRead}}})},
        {Rule::kScrPipeline, "one of two first inputs", "scripts", manifest_start(),
         manifest_edit([](Manifest& manifest) {
             manifest.regions[3].size_bytes = 4096U;
             manifest.regions.push_back(
                 {"more", RegionKind::kInput, MemoryKind::kL1, manifest.regions[3].base + 4096U, 64U});
             manifest.buffers.push_back({"more", 5U, 0U, 1U});
             manifest.inputs.push_back({"more", 4U, ElementType::kInt8, {1U}, 1.0F, 0, 1U});
             manifest.scripts[kStep].commands.push_back({ScriptCommandKind::kWriteInput, 0U, 1U, 0U});
             manifest.scripts.push_back({ScriptKind::kPrologue, {kWrite}});
             manifest.scripts.push_back({ScriptKind::kEpilogue, {kReplay, kRead}});
         })},
        script_case(Rule::kScrUnwritten, "read before the replay", "scripts[1].commands[1].output", kStep, 1U,
                    [](auto& commands) { std::swap(commands[1], commands[2]); }),
    };
}

}  // namespace

std::vector<RuleCase> script_cases() {
    std::vector<RuleCase> cases = script_command_cases();
    const std::vector<RuleCase> once = once_cases();
    cases.insert(cases.end(), once.begin(), once.end());
    return cases;
}

}  // namespace pianola::test
