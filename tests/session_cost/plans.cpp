#include "tests/session_cost/plans.h"

#include <stdexcept>

#include "tests/support/mesh_workload.h"
#include "tests/worst_case/cases.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = ScriptCommandKind;

constexpr std::uint32_t kMemoryRegion = kMaxRegions - 1U;  // of empty_workload()
constexpr std::uint32_t kScratch = 0x40'0000U;             // offset of what traces write
constexpr std::uint32_t kMeshDevices = 4U;

WorstCase worst_case(const std::string& name, Workload (*make)()) {
    WorstCase worst;
    worst.name = name.c_str();
    worst.expected = Rule::kNotRun;
    worst.make = make;
    return worst;
}

std::uint32_t add_buffer(Workload& workload, std::uint32_t offset_bytes, std::uint32_t size_bytes) {
    workload.manifest.buffers.push_back({"buffer", kMemoryRegion, offset_bytes, size_bytes});
    return static_cast<std::uint32_t>(workload.manifest.buffers.size() - 1U);
}

// A trace that does the least.
void add_fill(Workload& workload) {
    TraceWords trace;
    trace.fill(kWorstDramBase + kScratch, 64U);
    add_trace(workload, trace);
}

// As many tensors as there may be, of a mebibyte each; outputs are the inputs.
Workload large_tensors() {
    constexpr std::uint32_t kBytes = 1024U * 1024U;
    Workload workload = empty_workload();
    for (std::uint32_t i = 0U; i < kMaxInputs; ++i) {
        const std::uint32_t buffer = add_buffer(workload, i * kBytes, kBytes);
        const capture::ManifestTensor tensor{"tensor", buffer, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U};
        workload.manifest.inputs.push_back(tensor);
        workload.manifest.outputs.push_back(tensor);
        workload.manifest.scripts[1].commands.push_back({Kind::kWriteInput, 0U, i});
        workload.manifest.scripts[1].commands.push_back({Kind::kReadOutput, 0U, i});
    }
    return workload;
}

// One constant, whose last chunk is a part of one.
Workload large_weights() {
    constexpr std::uint32_t kBytes = (256U * 1024U) + 33U;
    Workload workload = empty_workload();
    const std::uint32_t buffer = add_buffer(workload, 0U, kBytes);
    workload.manifest.scripts.front().commands.push_back({Kind::kWriteBuffer, 0U, buffer, 0U});
    workload.segments.weights.resize(kBytes, 0x5AU);
    add_fill(workload);
    workload.manifest.scripts[1].commands = {replay(0U, 0U)};
    return workload;
}

// What a step leaves behind, the next one finds: a prologue and an epilogue without tensors.
Workload stateful() {
    Workload workload = empty_workload();
    add_fill(workload);
    std::vector<capture::ManifestScript>& scripts = workload.manifest.scripts;
    scripts[1].commands = {replay(0U, 0U)};
    scripts.insert(scripts.begin() + 1, {ScriptKind::kPrologue, {replay(0U, 0U)}});
    scripts.push_back({ScriptKind::kEpilogue, {replay(0U, 0U)}});
    return workload;
}

// As many steps in flight as any profile admits. The prologue writes the first input; a step computes, takes the next
// input and gives the output; the epilogue gives the last one.
refdev::DeviceSpec default_device() {
    refdev::DeviceSpec spec = worst_device();
    spec.capacities = &profiles::kDefault;
    return spec;
}
Workload pipelined() {
    constexpr std::uint32_t kBytes = 4096U;
    Workload workload = empty_workload();
    capture::Manifest& manifest = workload.manifest;
    DeviceDescription device;
    refdev::describe(default_device(), device);
    manifest.target = capture::make_target(device);
    manifest.steps_in_flight = profiles::kDefault.steps_in_flight;
    const std::uint32_t input = add_buffer(workload, 0U, kBytes);
    const std::uint32_t output = add_buffer(workload, kBytes, kBytes);
    manifest.inputs.push_back({"input", input, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U});
    manifest.outputs.push_back({"output", output, ElementType::kInt8, {kBytes}, 1.0F, 0, 1U});
    TraceWords trace;
    trace.copy(kWorstDramBase + kBytes, kWorstDramBase, kBytes);
    add_trace(workload, trace);
    const capture::ManifestCommand write{Kind::kWriteInput, 0U, 0U};
    const capture::ManifestCommand read{Kind::kReadOutput, 0U, 0U};
    manifest.scripts[1].commands = {replay(0U, 0U), write, read};
    manifest.scripts.insert(manifest.scripts.begin() + 1, {ScriptKind::kPrologue, {write}});
    manifest.scripts.push_back({ScriptKind::kEpilogue, {replay(0U, 0U), read}});
    return workload;
}

// The same on several devices, with a word that parameters set behind the copy.
Workload pipelined_mesh() {
    Workload workload = pipelined();
    capture::Manifest& manifest = workload.manifest;
    std::vector<std::uint32_t> words = words_of(workload.segments.traces);
    const auto fill = static_cast<std::uint32_t>(words.size() - 1U);  // where the end is
    const std::uint32_t header = refdev::header_word(refdev::Opcode::kFill, refdev::kFillWords);
    words.insert(words.end() - 1, {header, kWorstDramBase + kScratch, 64U, 7U});
    if (!set_trace(workload, words)) {
        throw std::logic_error{"no trace"};
    }
    manifest.parameters = {{"value", ParameterKind::kRuntimeArgument, 0U, 255U, 1U, {{0U, fill + 3U}}}};
    const MeshShape shape{1U, kMeshDevices};
    manifest.target.mesh_columns = kMeshDevices;
    for (capture::ManifestTensor* const tensor : {&manifest.inputs.front(), &manifest.outputs.front()}) {
        tensor->shape = {kMeshDevices, tensor->shape.front()};
        tensor->placement = Placement::kSharded;
        tensor->devices = all_devices(shape);
    }
    for (capture::ManifestScript& script : manifest.scripts) {
        for (capture::ManifestCommand& command : script.commands) {
            command.devices = all_devices(shape);
        }
    }
    return workload;
}

Bytes of_maxima(const std::string& name) {
    for (const WorstCase& worst : maxima()) {
        if (name == worst.name) {
            return file_of(worst);
        }
    }
    throw std::invalid_argument{name + ": no such case"};
}
Bytes of_large_tensors(const std::string& name) {
    return file_of(worst_case(name, large_tensors));
}
Bytes of_large_weights(const std::string& name) {
    return file_of(worst_case(name, large_weights));
}
Bytes of_stateful(const std::string& name) {
    return file_of(worst_case(name, stateful));
}
Bytes of_typical(const std::string& /*name*/) {
    return make_small_workload(1U, 4U).file();
}
Bytes of_two_queues(const std::string& /*name*/) {
    return make_small_workload(2U, 4U).file();
}
Bytes of_pipelined(const std::string& name) {
    WorstCase worst = worst_case(name, pipelined);
    worst.spec = default_device();
    return file_of(worst);
}
Bytes of_pipelined_mesh(const std::string& name) {
    WorstCase worst = worst_case(name, pipelined_mesh);
    worst.spec = default_device();
    worst.devices = kMeshDevices;
    return file_of(worst);
}
Bytes of_mesh(const std::string& /*name*/) {
    return make_mesh_workload({1U, kMeshDevices}, 2U).file();
}

}  // namespace

const std::vector<CostPlan>& cost_plans() {
    static const std::vector<CostPlan> kPlans = [] {
        std::vector<CostPlan> plans{{"typical", of_typical, small_device()},
                                    {"typical_seen", of_typical, small_device(), 1U, true},
                                    {"two_queues", of_two_queues, small_device()},
                                    {"pipelined", of_pipelined, default_device()},
                                    {"pipelined_mesh", of_pipelined_mesh, default_device(), kMeshDevices},
                                    {"stateful", of_stateful, worst_device()},
                                    {"mesh", of_mesh, small_device(), kMeshDevices},
                                    {"large_tensors", of_large_tensors, worst_device(), 1U, false, true},
                                    {"large_tensors_seen", of_large_tensors, worst_device(), 1U, true, true},
                                    {"large_weights", of_large_weights, worst_device(), 1U, false, true},
                                    {"large_weights_seen", of_large_weights, worst_device(), 1U, true, true}};
        for (const char* const name :
             {"nothing", "tensors", "tensor_buffers", "traces", "setup_commands", "step_commands", "replays_and_events",
              "parameters", "parameters_everywhere", "self_tests"}) {
            plans.push_back({name, of_maxima, worst_device()});
        }
        plans.push_back({"everything_in_brief", of_maxima, worst_device(), 1U, false, true});
        return plans;
    }();
    return kPlans;
}

}  // namespace pianola::test
