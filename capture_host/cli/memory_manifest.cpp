#include "capture_host/cli/memory_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "capture_host/cli/cli.h"
#include "capture_host/timeline/lifetimes.h"
#include "hal/host/device_numbers.h"
#include "pianola/config.h"
#include "pianola/footprint.h"
#include "pianola/scrub.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {
namespace {

// A part of one memory that a protection unit opens for this binary: offset and size in bytes, multiples of 64, and the
// smallest naturally aligned power of two that holds the part. Offsets count from the start of the memory and are
// multiples of 64; memories are at most 1 GiB, so that no sum wraps.
nlohmann::json window(const char* name, const char* memory, const char* access, std::uint32_t offset,
                      std::uint32_t size) {
    const std::uint32_t bytes = (size + (kFileAlignmentBytes - 1U)) / kFileAlignmentBytes * kFileAlignmentBytes;
    const std::uint32_t end = offset + bytes;
    std::uint32_t pow2_bytes = (size == 0U) ? 0U : kFileAlignmentBytes;
    while ((size != 0U) && (((offset / pow2_bytes * pow2_bytes) + pow2_bytes) < end)) {
        pow2_bytes *= 2U;
    }
    return {{"name", name},
            {"memory", memory},
            {"access", access},
            {"offset", offset},
            {"bytes", bytes},
            {"pow2_offset", (size == 0U) ? 0U : (offset / pow2_bytes * pow2_bytes)},
            {"pow2_bytes", pow2_bytes}};
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

// For each queue, the words of the device that needs most.
nlohmann::json rings_to_json(const VerifiedFile& file) {
    const CommandSet& commands = file.target().command_set();
    const Plan& plan = file.plan();
    const PlanWorkspace& workspace = file.workspace();
    nlohmann::json queues = nlohmann::json::array();
    for (std::uint32_t queue = 0U; queue < file.device().queue_count; ++queue) {
        std::uint32_t setup_words = 0U;
        std::uint32_t step_words = 0U;
        for (std::uint32_t device = 0U; device < plan.device_count; ++device) {
            setup_words =
                std::max(setup_words, ring_words(commands, workspace.setup, workspace.setup_commands, device, queue));
            step_words = std::max(step_words,
                                  ring_words(commands, plan.step, plan.commands, device, queue) * plan.steps_in_flight);
        }
        queues.push_back({{"setup_words", setup_words}, {"step_words", step_words}});
    }
    return {{"capacity_words", file.device().ring_words}, {"queues", queues}};
}

// RAM of the runtime, from headers that every target includes, and of the device's software.
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

nlohmann::json size_to_json(const std::string& name, std::uint32_t bytes) {
    return {{"name", name}, {"bytes", bytes}};
}

// Header, the four segments and padding; their sum is the file.
nlohmann::json flash_to_json(const Envelope& envelope) {
    nlohmann::json segments = nlohmann::json::array();
    std::uint32_t padding = envelope.total_bytes;
    const auto add = [&](const char* name, std::uint32_t bytes) {
        segments.push_back(size_to_json(name, bytes));
        padding -= bytes;
    };
    add("header", header::kBytes);
    add("manifest", envelope.manifest.size_bytes);
    add("weights", envelope.weights.size_bytes);
    add("traces", envelope.traces.size_bytes);
    add("self_tests", envelope.self_tests.size_bytes);
    add("padding", padding);
    return {{"bytes", envelope.total_bytes}, {"segments", segments}};
}

nlohmann::json device_to_json(const DeviceDescription& device) {
    nlohmann::json json{{"family", device.family},
                        {"attestation", attestation_name(device.attestation)},
                        {"costs", costs_name(device.costs)},
                        {"cost_model", device.cost_model},
                        {"weights_layout", device.weights_layout},
                        {"profile", device.capacities->name}};
    for_each_size([&json](const char* name, std::uint32_t value) { json[name] = value; }, device);
    return json;
}

// The regions, and how much of each memory they use. Of the trace region the used part counts.
void add_regions(const VerifiedFile& file, nlohmann::json& json) {
    const std::uint32_t trace_bytes = file.image().envelope().traces.size_bytes;  // the segment mirrors the region
    std::uint32_t dram_bytes = 0U;
    std::uint32_t l1_bytes = 0U;
    std::uint32_t file_bytes = 0U;  // which flash has already
    json["regions"] = nlohmann::json::array();
    for (std::uint32_t i = 0U; i < file.plan().region_count; ++i) {
        const RegionView view = file.image().region(i);
        const RegionConfig& config = file.plan().regions.at(i);
        json["regions"].push_back({{"name", capture::to_string(view.name)},
                                   {"kind", name_of(view.kind)},
                                   {"memory", name_of(view.memory)},
                                   {"base", config.base},
                                   {"bytes", config.size_bytes},
                                   {"kernels_read", config.kernels_read},
                                   {"kernels_write", config.kernels_write},
                                   {"queues_read", config.queues_read},
                                   {"queues_write", config.queues_write},
                                   {"fetch", config.fetch}});
        std::uint32_t& used = (view.memory == MemoryKind::kL1)     ? l1_bytes
                              : (view.memory == MemoryKind::kFile) ? file_bytes
                                                                   : dram_bytes;
        used += (view.kind == RegionKind::kTrace) ? trace_bytes : config.size_bytes;
    }
    json["device"]["file_used_bytes"] = file_bytes;
    json["device"]["dram_used_bytes"] = dram_bytes;
    json["device"]["l1_used_bytes"] = l1_bytes;
    json["device"]["trace_region_used_bytes"] = trace_bytes;
}

// The most bytes of activations that a device needs at once, and the operator of the step that needs them.
nlohmann::json activations_to_json(const VerifiedFile& file) {
    nlohmann::json json{{"peak_bytes", 0U}, {"peak_at", ""}};
    for (const timeline::Workload& workload : timeline::read_workloads(file.image(), file.plan(), file.target())) {
        const timeline::Lifetimes all = timeline::find_lifetimes(workload);
        if (all.most_activation_bytes > json.at("peak_bytes").get<std::uint64_t>()) {
            json = {{"peak_bytes", all.most_activation_bytes}, {"peak_at", all.places[all.most_activations_at].name}};
        }
    }
    return json;
}

// A window from the lowest to the highest byte of a memory's regions; the trace region has a separate window. Its size
// is 0 if the memory is not used, so that applications find the same constants for every binary.
nlohmann::json span_window(const VerifiedFile& file, const char* name, const char* memory_name, MemoryKind memory,
                           std::uint32_t memory_base) {
    std::uint32_t first = UINT32_MAX;
    std::uint32_t end = 0U;
    for (std::uint32_t i = 0U; i < file.plan().region_count; ++i) {
        const RegionView view = file.image().region(i);
        if ((view.memory == memory) && (view.kind != RegionKind::kTrace)) {
            const RegionConfig& config = file.plan().regions.at(i);
            first = std::min(first, config.base - memory_base);
            end = std::max(end, config.base - memory_base + config.size_bytes);
        }
    }
    first = std::min(first, end);
    return window(name, memory_name, "read and write", first, end - first);
}

nlohmann::json windows_to_json(const VerifiedFile& file) {
    const DeviceDescription& device = file.device();
    return {window("Flash", "flash", "read", 0U, file.image().envelope().total_bytes),
            window("Session", "ram", "read and write", 0U, session_bytes32(*device.capacities)),
            span_window(file, "Dram", "device_dram", MemoryKind::kDram, device.dram_base),
            span_window(file, "L1", "device_l1", MemoryKind::kL1, device.l1_base),
            window("Trace", "device_dram", "read and write", device.dram_bytes - device.trace_region_bytes,
                   device.trace_region_bytes)};
}

// Every part of RAM counts once, and of the stacks the deeper.
nlohmann::json totals_to_json(const nlohmann::json& json, const std::vector<RamPart>& ram) {
    const std::uint32_t ram_bytes =
        std::accumulate(ram.begin(), ram.end(), std::max(kSubmitPollStackBytes, kLoadStackBytes),
                        [](std::uint32_t sum, const RamPart& part) { return sum + part.bytes; });
    const nlohmann::json& device = json.at("device");
    return {{"flash_bytes", json.at("flash").at("bytes")},
            {"ram_bytes", ram_bytes},
            {"device_bytes",
             device.at("dram_used_bytes").get<std::uint32_t>() + device.at("l1_used_bytes").get<std::uint32_t>()}};
}

}  // namespace

MemoryManifest gather_manifest(const VerifiedFile& file, const std::string& file_name, const std::string& symbol) {
    const Image& image = file.image();
    const Plan& plan = file.plan();
    MemoryManifest manifest{{}, file.device(), ram_of(file), file.target().device_constant(file.device())};
    nlohmann::json& json = manifest.json;
    json["file"] = base_name(file_name);
    json["symbol"] = symbol;
    json["flash"] = flash_to_json(image.envelope());
    for (const RamPart& part : manifest.ram) {
        json["ram"][part.name + "_bytes"] = part.bytes;
    }
    json["stack"] = {{"submit_poll_bytes", kSubmitPollStackBytes}, {"load_bytes", kLoadStackBytes}};
    json["device"] = device_to_json(file.device());
    json["device"]["cost_model_name"] = file.target().cost_model_name();
    add_regions(file, json);
    json["activations"] = activations_to_json(file);
    json["totals"] = totals_to_json(json, manifest.ram);
    json["inputs"] = nlohmann::json::array();
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        json["inputs"].push_back(size_to_json(capture::to_string(image.input(i).name), plan.inputs.at(i).bytes));
    }
    json["outputs"] = nlohmann::json::array();
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        json["outputs"].push_back(size_to_json(capture::to_string(image.output(i).name), plan.outputs.at(i).bytes));
    }
    json["rings"] = rings_to_json(file);
    json["time"] = {{"step_cycles", plan.step.cycles},
                    {"step_deadline_us", image.budgets().step_deadline_us},
                    {"setup_deadline_us", image.budgets().setup_deadline_us}};
    json["verified_release"] = {{"calls", scrub_calls(plan.constants)}, {"bytes_per_call", kScrubSliceBytes}};
    const std::string no_views = describe_views(plan, image);
    json["views"] = {{"possible", no_views.empty()}, {"why_not", no_views}};
    json["windows"] = windows_to_json(file);
    return manifest;
}

}  // namespace pianola::cli
