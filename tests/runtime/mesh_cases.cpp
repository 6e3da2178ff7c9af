// Of a mesh of two devices: what one of them may do is refused where the other does it, or where it does not.
#include "tests/runtime/rule_case.h"
#include "tests/support/mesh_workload.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using schema::TraceBinary;
using Kind = ScriptCommandKind;
using Edit = std::function<void(Manifest& manifest)>;

constexpr MeshShape kTwo{1U, 2U};
constexpr DeviceRange kFirst{0U, 0U, 1U, 1U};
constexpr DeviceRange kSecond{0U, 1U, 1U, 1U};

// Set-up: LoadTrace 0, WriteBuffer 0 of the first device, of the second. Step: WriteInput 0, ReplayTrace 0, ReadOutput
// 0, of both. Input and output are sharded.
std::function<Mutant()> mesh_edit(const Edit& edit) {
    return workload_edit([edit](Workload& workload, DeviceDescription& device) {
        spread(workload, kTwo, Placement::kSharded);
        device.capacities = &profiles::kDefault;
        edit(workload.manifest);
    });
}

RuleCase tensor_case(Rule rule, const char* what, const char* path, flatbuffers::voffset_t list, const Edit& edit) {
    return {rule, what, path, table({{list, 0U}}), mesh_edit(edit)};
}
RuleCase command_case(Rule rule, const char* what, const char* path, std::uint32_t script, std::uint32_t command,
                      const Edit& edit) {
    return {rule, what, path, table({{TraceBinary::VT_SCRIPTS, script}, {schema::Script::VT_COMMANDS, command}}),
            mesh_edit(edit)};
}
RuleCase missing_on_device(Rule rule, const char* what, const char* path, const Edit& edit) {
    return {rule, what, path, manifest_start(), mesh_edit(edit)};
}

std::vector<capture::ManifestCommand>& setup(Manifest& manifest) {
    return manifest.scripts.at(0U).commands;
}
std::vector<capture::ManifestCommand>& step(Manifest& manifest) {
    return manifest.scripts.at(1U).commands;
}

// A second input, in the buffer of the first.
void add_input(Manifest& manifest, const DeviceRange& first, const DeviceRange& second) {
    capture::ManifestTensor& input = manifest.inputs.at(0U);
    input.placement = Placement::kReplicated;
    input.shape.front() = 1U;
    capture::ManifestTensor other = input;
    input.devices = first;
    other.devices = second;
    step(manifest).at(0U).devices = first;
    step(manifest).insert(step(manifest).begin(), {Kind::kWriteInput, 0U, 1U, 0U, second});
    manifest.inputs.push_back(other);
}

std::vector<RuleCase> placement_cases() {
    constexpr flatbuffers::voffset_t kInputs = TraceBinary::VT_INPUTS;
    constexpr flatbuffers::voffset_t kOutputs = TraceBinary::VT_OUTPUTS;
    return {
        tensor_case(Rule::kLayPlacement, "an output that two devices have", "outputs[0].devices", kOutputs,
                    [](Manifest& manifest) { manifest.outputs.at(0U).placement = Placement::kReplicated; }),
        tensor_case(Rule::kLayPlacement, "in pieces on one device of two", "inputs[0].devices", kInputs,
                    [](Manifest& manifest) { manifest.inputs.at(0U).devices = kSecond; }),
        tensor_case(Rule::kLayPlacement, "in pieces that are not equal", "inputs[0].devices", kInputs,
                    [](Manifest& manifest) { manifest.inputs.at(0U).shape = {(2U * kWorkloadBytes) - 1U}; }),
        tensor_case(Rule::kLayPlacement, "in pieces that cut an element", "inputs[0].devices", kInputs,
                    [](Manifest& manifest) {
                        manifest.inputs.at(0U).type = ElementType::kInt16;
                        manifest.inputs.at(0U).shape = {kWorkloadBytes - 1U};
                    }),
        tensor_case(Rule::kLayPlacement, "beyond the columns", "inputs[0].devices", kInputs,
                    [](Manifest& manifest) { manifest.inputs.at(0U).devices = {0U, 1U, 1U, 2U}; }),
        tensor_case(Rule::kLayTensorSize, "pieces larger than their buffer", "inputs[0].shape", kInputs,
                    [](Manifest& manifest) { manifest.inputs.at(0U).shape = {2U, kWorkloadBytes + 1U}; }),
        {Rule::kLayTensorOverlap, "two inputs in one buffer of the second device", "inputs[1].buffer",
         table({{kInputs, 1U}}),
         mesh_edit([](Manifest& manifest) { add_input(manifest, all_devices(kTwo), kSecond); })},
    };
}

std::vector<RuleCase> use_cases() {
    const auto is_twice = [](Manifest& manifest) {
        step(manifest).insert(step(manifest).begin() + 1, {Kind::kWriteInput, 0U, 0U, 0U, kSecond});
    };
    return {
        command_case(Rule::kScrDevices, "an input of another device", "scripts[1].commands[0].devices", 1U, 0U,
                     [](Manifest& manifest) {
                         capture::ManifestTensor& input = manifest.inputs.at(0U);
                         input.placement = Placement::kReplicated;
                         input.shape.front() = 1U;
                         input.devices = kFirst;
                     }),
        command_case(Rule::kScrDevices, "beyond the columns", "scripts[1].commands[1].devices", 1U, 1U,
                     [](Manifest& manifest) { step(manifest).at(1U).devices = {0U, 1U, 1U, 2U}; }),
        command_case(Rule::kScrInputOnce, "an input twice on the second device", "scripts[1].commands[1].input", 1U, 1U,
                     is_twice),
        missing_on_device(Rule::kScrInputOnce, "an input that the second device does not get", "inputs[0]",
                          [](Manifest& manifest) { step(manifest).at(0U).devices = kFirst; }),
        missing_on_device(Rule::kScrOutputOnce, "an output that the second device does not give", "outputs[0]",
                          [](Manifest& manifest) { step(manifest).at(2U).devices = kFirst; }),
        missing_on_device(Rule::kScrTraceOnce, "a trace that the second device does not load", "traces[0]",
                          [](Manifest& manifest) { setup(manifest).at(0U).devices = kFirst; }),
        missing_on_device(Rule::kScrTraceOnce, "a trace that the second device does not replay", "traces[0]",
                          [](Manifest& manifest) { step(manifest).at(1U).devices = kFirst; }),
        command_case(Rule::kScrWeightsOnce, "weights twice on the first device", "scripts[0].commands[2].buffer", 0U,
                     2U, [](Manifest& manifest) { setup(manifest).at(2U).devices = kFirst; }),
        {Rule::kTrcUnwritten, "weights that the second device does not get", "traces[0].commands[1].input2",
         trace_word(14U), mesh_edit([](Manifest& manifest) { setup(manifest).pop_back(); })},
    };
}

}  // namespace

std::vector<RuleCase> mesh_cases() {
    std::vector<RuleCase> cases = placement_cases();
    const std::vector<RuleCase> uses = use_cases();
    cases.insert(cases.end(), uses.begin(), uses.end());
    return cases;
}

}  // namespace pianola::test
