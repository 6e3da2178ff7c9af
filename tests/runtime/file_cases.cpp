#include "hal/host/device_numbers.h"
#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using schema::TraceBinary;

// Words of the workload's trace: the second launch reads the middle and the constant.
constexpr std::uint32_t kAddOutput = 15U;
constexpr std::uint32_t kAddWeights = 14U;

std::function<Mutant()> file_edit(const WorkloadEdit& edit) {
    return [edit] {
        Workload workload = make_file_workload(1U);
        Mutant mutant{{}, default_device()};
        copy_sizes(workload.manifest.target, mutant.device);
        edit(workload, mutant.device);
        mutant.file = workload.file();
        return mutant;
    };
}

RuleCase window_case(const char* what, std::uint32_t base, std::uint32_t bytes) {
    return {Rule::kTgtMemory, what, "target", table({{TraceBinary::VT_TARGET}}),
            file_edit([=](Workload& workload, DeviceDescription& device) {
                device.file_base = base;
                device.file_bytes = bytes;
                copy_sizes(device, workload.manifest.target);
            })};
}

RuleCase file_target_case(const char* path, std::uint32_t DeviceDescription::* member) {
    return {Rule::kTgtMemory, "another window", path, table({{TraceBinary::VT_TARGET}}),
            file_edit([=](Workload& /*workload*/, DeviceDescription& device) { device.*member += 64U; })};
}

RuleCase file_region_case(Rule rule, const char* what, const char* path,
                          const std::function<void(capture::ManifestRegion&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_REGIONS, 0U}}),
            file_edit([edit](Workload& workload, DeviceDescription&) { edit(workload.manifest.regions.at(0U)); })};
}

// The verdict names the first word with the address that is wrong: that of the weights.
RuleCase file_word_case(Rule rule, const char* what, const char* path, std::uint32_t changed, std::uint32_t offset) {
    return {rule, what, path, trace_word(kAddWeights), file_edit([=](Workload& workload, DeviceDescription& device) {
                std::vector<std::uint32_t> words = words_of(workload.segments.traces);
                words.at(changed) = device.file_base + offset;
                workload.segments.traces = bytes_of(words);
            })};
}

std::vector<RuleCase> layout_cases_in_file() {
    std::vector<RuleCase> cases{
        file_target_case("target.file_base", &DeviceDescription::file_base),
        file_target_case("target.file_bytes", &DeviceDescription::file_bytes),
        window_case("a window that wraps round", 0xFFFF'F000U, 0x1000U),
        window_case("a window over the end of DRAM", 0x803F'FFC0U, 0x1000U),
        window_case("a window over the start of DRAM", 0x7FFF'F040U, 0x1000U),
        window_case("a window over L1", 0x1000'0000U, 64U),
        file_region_case(Rule::kLayRegionFile, "activations", "regions[0].memory",
                         [](auto& region) { region.kind = RegionKind::kActivation; }),
        file_region_case(Rule::kLayRegionFile, "state", "regions[0].memory",
                         [](auto& region) { region.kind = RegionKind::kState; }),
        file_region_case(Rule::kLayRegionFile, "traces", "regions[0].memory",
                         [](auto& region) { region.kind = RegionKind::kTrace; }),
        file_region_case(Rule::kLayRegionFile, "a byte less", "regions[0].size_bytes",
                         [](auto& region) { region.size_bytes -= 1U; }),
        file_region_case(Rule::kLayRegionFile, "a byte more", "regions[0].size_bytes",
                         [](auto& region) { region.size_bytes += 1U; }),
        file_region_case(Rule::kLayRegionFile, "behind the window's start", "regions[0].size_bytes",
                         [](auto& region) { region.base += 64U; }),
        file_region_case(Rule::kLayRegionAlignment, "empty, in the file", "regions[0].base",
                         [](auto& region) { region.size_bytes = 0U; }),
    };
    cases.push_back({Rule::kLayRegionBounds, "weights longer than the window", "regions[0].size_bytes",
                     table({{TraceBinary::VT_REGIONS, 0U}}),
                     file_edit([](Workload& workload, DeviceDescription& device) {
                         device.file_bytes = kWorkloadBytes - 32U;
                         workload.manifest.target.file_bytes = device.file_bytes;
                     })});
    cases.push_back({Rule::kLayRegionFile, "a device without a window", "regions[0].size_bytes",
                     table({{TraceBinary::VT_REGIONS, 0U}}),
                     file_edit([](Workload& workload, DeviceDescription& device) {
                         device.file_base = 0U;
                         device.file_bytes = 0U;
                         copy_sizes(device, workload.manifest.target);
                     })});
    cases.push_back({Rule::kLayRegionOverlap, "twice in the file", "regions[5].base",
                     table({{TraceBinary::VT_REGIONS, 5U}}), file_edit([](Workload& workload, DeviceDescription&) {
                         workload.manifest.regions.push_back(workload.manifest.regions.front());
                     })});
    return cases;
}

}  // namespace

std::vector<RuleCase> file_cases() {
    std::vector<RuleCase> cases = layout_cases_in_file();
    cases.push_back({Rule::kScrWeights, "a write into the file", "scripts[0].commands[0].buffer",
                     table({{TraceBinary::VT_SCRIPTS, 0U}, {schema::Script::VT_COMMANDS, 0U}}),
                     file_edit([](Workload& workload, DeviceDescription&) {
                         auto& setup = workload.manifest.scripts.front().commands;
                         setup.insert(setup.begin(), {ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U});
                     })});
    cases.push_back(
        {Rule::kLayTensorRegion, "an input in the file", "inputs[0].buffer", table({{TraceBinary::VT_INPUTS, 0U}}),
         file_edit([](Workload& workload, DeviceDescription&) { workload.manifest.inputs.front().buffer = 0U; })});
    cases.push_back(file_word_case(Rule::kTrcPermission, "a kernel writes to the file", "traces[0].commands[1].output",
                                   kAddOutput, 0U));
    cases.push_back(file_word_case(Rule::kTrcBounds, "a kernel reads beyond the weights",
                                   "traces[0].commands[1].input2", kAddWeights, 1U));
    return cases;
}

}  // namespace pianola::test
