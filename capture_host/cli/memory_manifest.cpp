#include "capture_host/cli/memory_manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "pianola/config.h"
#include "pianola/footprint.h"
#include "pianola/scrub.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {
namespace {

constexpr std::uint32_t round_up(std::uint32_t value) {
    return (value + (kFileAlignmentBytes - 1U)) / kFileAlignmentBytes * kFileAlignmentBytes;
}

// The offset is a multiple of 64; memories are at most 1 GiB, so that nothing here wraps.
MemoryWindow window(const char* name, const char* memory, WindowAccess access, std::uint32_t offset,
                    std::uint32_t size) {
    MemoryWindow result{name, memory, access, offset, round_up(size), 0U, kFileAlignmentBytes};
    if (size == 0U) {
        result.pow2_size_bytes = 0U;
        return result;
    }
    const std::uint32_t end = offset + result.size_bytes;
    while ((offset / result.pow2_size_bytes * result.pow2_size_bytes) + result.pow2_size_bytes < end) {
        result.pow2_size_bytes *= 2U;
    }
    result.pow2_offset_bytes = offset / result.pow2_size_bytes * result.pow2_size_bytes;
    return result;
}

// Words that a script takes in a queue's ring, the record at its end included: what the proof of rings adds up.
std::uint32_t ring_words(const CommandSet& command_set, const PlannedScript& script, const PlannedCommands& commands,
                         std::uint32_t device, std::uint32_t queue) {
    std::uint32_t words = 0U;
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        if (has_device(commands.at(i).devices, device) && (commands.at(i).queue == queue)) {
            words += command_set.queue_words(commands.at(i).command);
        }
    }
    if (script.uses(device, queue)) {
        QueueCommand notify;
        notify.kind = QueueCommandKind::kNotify;
        words += command_set.queue_words(notify);
    }
    return words;
}

std::string permissions_of(const RegionConfig& config) {
    std::string text;
    const auto add = [&text](bool holds, const char* what) {
        if (holds) {
            text += text.empty() ? what : (std::string{", "} + what);
        }
    };
    add(config.kernels_read, "kernels read");
    add(config.kernels_write, "kernels write");
    add(config.queues_read, "queues read");
    add(config.queues_write, "queues write");
    add(config.fetch, "fetch");
    return text;
}

// What the runtime takes, as its headers that every target includes declare it, and what the device's software takes.
std::vector<RamPart> ram_of(const VerifiedFile& file) {
    const Capacities& capacities = *file.device().capacities;
    std::vector<RamPart> ram{
        {"session", "session", "", "::pianola::Session", "", session_bytes32(capacities), true},
        {"plan_workspace", "workspace of load", fmt::format("free afterwards; profile {}", capacities.name),
         "::pianola::PlanWorkspace", "", plan_workspace_bytes32(capacities), true},
        {"verdict", "verdict of load", "free afterwards", "::pianola::Verdict", "", kVerdictBytes32, false}};
    for (RamPart part : file.target().ram(capacities)) {
        if (file.plan().device_count > 1U) {
            part.remark +=
                fmt::format("{}of each of {} devices", part.remark.empty() ? "" : "; ", file.plan().device_count);
        }
        ram.push_back(part);
    }
    return ram;
}

void gather_segments(const Envelope& envelope, MemoryManifest& manifest) {
    manifest.segments = {{"header", header::kBytes},
                         {"manifest", envelope.manifest.size_bytes},
                         {"weights", envelope.weights.size_bytes},
                         {"traces", envelope.traces.size_bytes},
                         {"self_tests", envelope.self_tests.size_bytes}};
    std::uint32_t padding = manifest.file_bytes;
    for (const NamedSize& segment : manifest.segments) {
        padding -= segment.size_bytes;
    }
    manifest.segments.push_back({"padding", padding});
}

void gather_regions(const VerifiedFile& file, MemoryManifest& manifest) {
    for (std::uint32_t i = 0U; i < file.plan().region_count; ++i) {
        const RegionView view = file.image().region(i);
        const RegionConfig& config = file.plan().regions.at(i);
        manifest.regions.push_back(
            {capture::to_string(view.name), view.kind, view.memory, config, permissions_of(config)});
        const bool is_trace = view.kind == RegionKind::kTrace;
        const std::uint32_t used = is_trace ? manifest.trace_region_used_bytes : config.size_bytes;
        (view.memory == MemoryKind::kL1 ? manifest.l1_used_bytes : manifest.dram_used_bytes) += used;
    }
}

// Adds a window from the lowest to the highest byte of a memory's regions; the trace region has a separate window. Its
// size is 0 if the memory is not used, so that applications find the same constants for every binary.
void add_span_window(const char* name, const char* memory_name, MemoryKind memory, std::uint32_t memory_base,
                     MemoryManifest& manifest) {
    std::uint32_t first = UINT32_MAX;
    std::uint32_t end = 0U;
    for (const ManifestRegionSize& region : manifest.regions) {
        if ((region.memory == memory) && (region.kind != RegionKind::kTrace)) {
            first = std::min(first, region.config.base - memory_base);
            end = std::max(end, region.config.base - memory_base + region.config.size_bytes);
        }
    }
    first = std::min(first, end);
    manifest.windows.push_back(window(name, memory_name, WindowAccess::kReadWrite, first, end - first));
}

void gather_windows(MemoryManifest& manifest) {
    const DeviceDescription& device = manifest.device;
    manifest.windows.push_back(window("Flash", "flash", WindowAccess::kReadOnly, 0U, manifest.file_bytes));
    manifest.windows.push_back(
        window("Session", "ram", WindowAccess::kReadWrite, 0U, session_bytes32(*device.capacities)));
    add_span_window("Dram", "device_dram", MemoryKind::kDram, device.dram_base, manifest);
    add_span_window("L1", "device_l1", MemoryKind::kL1, device.l1_base, manifest);
    manifest.windows.push_back(window("Trace", "device_dram", WindowAccess::kReadWrite,
                                      device.dram_bytes - device.trace_region_bytes, device.trace_region_bytes));
}

}  // namespace

std::string upper_case(const std::string& name) {
    std::string result = name;
    for (char& each : result) {  // of the C locale
        each = ((each >= 'a') && (each <= 'z')) ? static_cast<char>(each - 'a' + 'A') : each;
    }
    return result;
}

MemoryManifest gather_manifest(const VerifiedFile& file, const std::string& file_name, const std::string& symbol) {
    const Image& image = file.image();
    const Plan& plan = file.plan();
    MemoryManifest manifest;
    manifest.file = base_name(file_name);
    manifest.symbol = symbol;
    manifest.device = file.device();
    manifest.ram = ram_of(file);
    manifest.device_constant = file.target().device_constant(file.device());
    manifest.file_bytes = image.envelope().total_bytes;
    manifest.trace_region_used_bytes = image.envelope().traces.size_bytes;  // the segment mirrors the region
    gather_segments(image.envelope(), manifest);
    gather_regions(file, manifest);
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        manifest.inputs.push_back({capture::to_string(image.input(i).name), plan.inputs.at(i).bytes});
        manifest.input_bytes += plan.inputs.at(i).bytes;
    }
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        manifest.outputs.push_back({capture::to_string(image.output(i).name), plan.outputs.at(i).bytes});
        manifest.output_bytes += plan.outputs.at(i).bytes;
    }
    manifest.no_views = describe_views(plan, image);
    const CommandSet& commands = file.target().command_set();
    for (std::uint32_t queue = 0U; queue < file.device().queue_count; ++queue) {
        RingUse ring;  // of the device that needs most
        for (std::uint32_t device = 0U; device < plan.device_count; ++device) {
            const PlannedScript& setup = file.workspace().setup;
            ring.setup_words =
                std::max(ring.setup_words, ring_words(commands, setup, file.workspace().setup_commands, device, queue));
            ring.step_words = std::max(
                ring.step_words, ring_words(commands, plan.step, plan.commands, device, queue) * plan.steps_in_flight);
        }
        manifest.rings.push_back(ring);
    }
    manifest.step_cycles = plan.step.cycles;
    ConstantRanges constants;
    find_constants(file.workspace(), plan, file.image().envelope(), constants);
    manifest.release_calls = scrub_calls(constants);
    manifest.step_deadline_us = image.budgets().step_deadline_us;
    manifest.setup_deadline_us = image.budgets().setup_deadline_us;
    gather_windows(manifest);
    return manifest;
}

}  // namespace pianola::cli
