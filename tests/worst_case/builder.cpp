#include <algorithm>
#include <stdexcept>

#include "hal/devices/refdev/costs/cost_model.h"
#include "tests/support/trace_file.h"
#include "tests/worst_case/cases.h"

namespace pianola::test {

Workload empty_workload() {
    const refdev::DeviceSpec spec = worst_device();
    DeviceDescription device;
    refdev::describe(spec, device);
    Workload workload;
    capture::Manifest& manifest = workload.manifest;
    manifest.target = capture::make_target(device);
    // The regions that nothing uses come first: a search for the one that is used looks at all.
    constexpr std::uint32_t kRegionBytes = 64U;
    const std::uint32_t memory_bytes = spec.dram_bytes / 2U;
    for (std::uint32_t i = 0U; i < (kMaxRegions - 2U); ++i) {
        manifest.regions.push_back({"unused", RegionKind::kShared, MemoryKind::kDram,
                                    spec.dram_base + memory_bytes + (i * kRegionBytes), kRegionBytes});
    }
    manifest.regions.push_back({"trace", RegionKind::kTrace, MemoryKind::kDram,
                                spec.dram_base + spec.dram_bytes - spec.trace_region_bytes, spec.trace_region_bytes});
    manifest.regions.push_back({"memory", RegionKind::kShared, MemoryKind::kDram, spec.dram_base, memory_bytes});
    manifest.scripts.push_back({ScriptKind::kSetup, {}});
    manifest.scripts.push_back({ScriptKind::kStep, {}});
    manifest.steps_in_flight = kJudged.steps_in_flight;
    manifest.step_deadline_us = UINT32_MAX;
    manifest.setup_deadline_us = UINT32_MAX;
    manifest.source_name = "worst case";
    manifest.tool_version = "0";
    return workload;
}

void add_trace(Workload& workload, TraceWords trace) {
    trace.end();
    add_trace(workload, trace.words());
}

capture::ManifestCommand replay(std::uint32_t queue, std::uint32_t trace) {
    return {ScriptCommandKind::kReplayTrace, queue, trace};
}
capture::ManifestCommand record(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kRecordEvent, queue, event};
}
capture::ManifestCommand wait(std::uint32_t queue, std::uint32_t event) {
    return {ScriptCommandKind::kWaitEvent, queue, event};
}

Counts counts_of(const Workload& workload) {
    const capture::Manifest& manifest = workload.manifest;
    Counts counts;
    // The root, target, budgets and provenance.
    counts.tables = 4U + manifest.regions.size() + manifest.buffers.size() + manifest.inputs.size() +
                    manifest.outputs.size() + manifest.traces.size() + manifest.scripts.size() +
                    manifest.parameters.size() + manifest.target.kernels.size();
    counts.name_bytes =
        manifest.target.device_family.size() + manifest.source_name.size() + manifest.tool_version.size();
    for (const capture::ManifestRegion& region : manifest.regions) {
        counts.name_bytes += region.name.size();
    }
    for (const capture::ManifestBuffer& buffer : manifest.buffers) {
        counts.name_bytes += buffer.name.size();
    }
    for (const auto* tensors : {&manifest.inputs, &manifest.outputs}) {
        for (const capture::ManifestTensor& tensor : *tensors) {
            counts.name_bytes += tensor.name.size();
            counts.tensor_buffers += tensor.buffer_count;
        }
    }
    for (const capture::ManifestTrace& trace : manifest.traces) {
        counts.tables += trace.programs.size();
        counts.name_bytes += trace.name.size();
        for (const capture::ManifestProgram& program : trace.programs) {
            counts.name_bytes += program.name.size();
        }
    }
    std::uint64_t setup_commands = 0U;
    for (const capture::ManifestScript& script : manifest.scripts) {
        std::uint64_t& planned = (script.kind == ScriptKind::kSetup) ? setup_commands : counts.script_commands;
        counts.tables += 2U * script.commands.size();  // each has a body
        for (const capture::ManifestCommand& command : script.commands) {
            const bool writes = command.kind == ScriptCommandKind::kWriteInput;
            const bool reads = command.kind == ScriptCommandKind::kReadOutput;
            planned += writes  ? manifest.inputs.at(command.object).buffer_count
                       : reads ? manifest.outputs.at(command.object).buffer_count
                               : 1U;
        }
    }
    // One more is refused.
    counts.script_commands = std::min<std::uint64_t>(counts.script_commands, kJudged.script_commands) +
                             std::min<std::uint64_t>(setup_commands, kJudged.script_commands);
    for (const capture::ManifestParameter& parameter : manifest.parameters) {
        counts.tables += parameter.points.size();
        counts.name_bytes += parameter.name.size();
    }
    return counts;
}

std::vector<std::uint8_t> file_of(const WorstCase& worst) {
    Workload workload = worst.make();
    DeviceDescription device;
    refdev::describe(worst.spec, device);
    device.mesh_rows = 1U;
    device.mesh_columns = worst.devices;
    Validator validator{device};
    for (std::uint32_t attempt = 0U; attempt < 2U; ++attempt) {
        const std::vector<std::uint8_t> manifest =
            worst.shares_tables ? encode_shared(workload.manifest) : capture::encode_manifest(workload.manifest);
        std::vector<std::uint8_t> file =
            assemble(manifest, workload.segments, capture::checks_of(workload.manifest, workload.segments));
        const bool accepted = is_ok(validator.validate(file));
        const Verdict& verdict = validator.verdict();
        if (accepted ? (worst.expected == Rule::kNotRun) : (verdict.rule == worst.expected)) {
            return file;
        }
        if (verdict.rule != Rule::kBudCycles) {
            throw std::logic_error{std::string{worst.name} + ": refused by " + rule_id(verdict.rule) + " at " +
                                   path_text(verdict)};
        }
        workload.manifest.step_cycles = verdict.limit;
    }
    throw std::logic_error{std::string{worst.name} + ": not what it should be"};
}

std::uint32_t TraceWords::cost_of(refdev::KernelId kernel, const std::vector<std::uint32_t>& arguments) {
    ExtentList extents;
    refdev::ArgumentError error;
    const refdev::Kernel* const found = refdev::find_kernel(static_cast<std::uint32_t>(kernel));
    if ((found == nullptr) || !is_ok(found->describe(WordSpan{arguments.data(), arguments.size()}, extents, error))) {
        throw std::invalid_argument{"the kernel does not accept these arguments"};
    }
    return static_cast<std::uint32_t>(
        refdev::launch_cost(refdev::kVirtualCosts, *found, WordSpan{arguments.data(), arguments.size()}, extents));
}

}  // namespace pianola::test
