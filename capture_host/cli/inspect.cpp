// pianola inspect: what is in this binary?

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/inspect_page.h"
#include "capture_host/cli/target_option.h"
#include "capture_host/cli/views_text.h"
#include "capture_host/targets/trace_walk.h"
#include "capture_host/writer/manifest.h"
#include "hal/devices/device_numbers.h"
#include "pianola/development_config.h"

namespace pianola::cli {
namespace {

struct InspectArguments {
    std::string file;
    std::string plugin;
    std::string html;
    bool commands{false};
    bool json{false};
};

struct CommandLine {
    std::uint32_t word{0U};
    std::string name;
    DecodedCommand decoded;
};

// The commands of a trace, as far as they can be decoded: inspect also serves files that verify refuses.
std::vector<CommandLine> decode_trace(const BinaryFile& file, const Image& image, const TraceView& trace) {
    std::vector<CommandLine> lines;
    if (!is_known(file, image)) {
        lines.push_back({0U, "undecodable: " + file.why_not(), {}});
        return lines;
    }
    const WordSpan words = image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
    const targets::WalkEnd end = targets::for_each_command(
        file.target().command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
            lines.push_back({word, targets::command_name(file.target(), command), command});
        });
    if (!end.is_whole()) {
        lines.push_back({static_cast<std::uint32_t>(end.word), fmt::format("undecodable: {}", end.refused), {}});
    }
    return lines;
}

// The buffers that there are, on all devices that have a piece: inspect also serves files that verify refuses.
std::uint64_t bytes_of(const capture::ManifestTensor& tensor, const capture::Manifest& manifest) {
    std::uint64_t bytes = 0U;
    const std::size_t end = std::min<std::size_t>(tensor.buffer + tensor.buffer_count, manifest.buffers.size());
    for (std::size_t i = tensor.buffer; i < end; ++i) {
        bytes += manifest.buffers[i].size_bytes;
    }
    const std::uint32_t devices = std::uint32_t{tensor.devices.rows} * tensor.devices.columns;
    return (tensor.placement == Placement::kSharded) ? (bytes * devices) : bytes;
}

nlohmann::json to_json(const DeviceRange& devices) {
    return {{"row", devices.row}, {"column", devices.column}, {"rows", devices.rows}, {"columns", devices.columns}};
}

// Nothing where there is one device.
std::string devices_text(const capture::ManifestTarget& target, const DeviceRange& devices) {
    const auto last = [](std::uint32_t first, std::uint32_t count) { return first + count - 1U; };
    if ((target.mesh_rows * target.mesh_columns) == 1U) {
        return {};
    }
    const std::string first = fmt::format("  on ({}, {})", devices.row, devices.column);
    return ((devices.rows * devices.columns) == 1U)
               ? first
               : fmt::format("{} to ({}, {})", first, last(devices.row, devices.rows),
                             last(devices.column, devices.columns));
}

nlohmann::json tensors_to_json(const std::vector<capture::ManifestTensor>& tensors, const capture::Manifest& manifest) {
    return json_list(tensors, [&manifest](const capture::ManifestTensor& tensor) -> nlohmann::json {
        return {{"name", tensor.name},
                {"type", name_of(tensor.type)},
                {"shape", tensor.shape},
                {"scale", tensor.scale},
                {"zero_point", tensor.zero_point},
                {"buffer", tensor.buffer},
                {"buffers", tensor.buffer_count},
                {"devices", to_json(tensor.devices)},
                {"placement", name_of(tensor.placement)},
                {"bytes", bytes_of(tensor, manifest)}};
    });
}

// Nothing where it is once.
std::string repeat_text(const Repeat& repeat) {
    return (repeat.count == 1U) ? std::string{}
                                : fmt::format(", {} times {} bytes apart", repeat.count, repeat.stride_bytes);
}

nlohmann::json to_json(const Repeat& repeat) {
    return {{"count", repeat.count}, {"stride_bytes", repeat.stride_bytes}};
}

nlohmann::json command_to_json(const CommandLine& line) {
    nlohmann::json json{
        {"word", line.word},
        {"command", line.name},
        {"cycles", line.decoded.cost_cycles},
        {"extents", json_list(line.decoded.extents.view(), [](const Extent& extent) -> nlohmann::json {
             return {{"field", extent.field},          {"access", (extent.access == Access::kWrite) ? "write" : "read"},
                     {"address", extent.address},      {"bytes", extent.size_bytes},
                     {"inner", to_json(extent.inner)}, {"outer", to_json(extent.outer)}};
         })}};
    if (line.decoded.kind == CommandKind::kDispatch) {
        json["core"] = line.decoded.core;
        json["core_cycles"] = line.decoded.core_cycles;
    }
    return json;
}

nlohmann::json parameter_to_json(const capture::ManifestParameter& parameter) {
    return {{"name", parameter.name},
            {"kind", name_of(parameter.kind)},
            {"minimum", parameter.minimum},
            {"maximum", parameter.maximum},
            {"alignment", parameter.alignment},
            {"points", json_list(parameter.points, [](const capture::ManifestPatchPoint& point) -> nlohmann::json {
                 return {{"trace", point.trace}, {"word", point.word}};
             })}};
}

nlohmann::json evidence_in(const BinaryFile& file, const Image& image, const Views& views) {
    return evidence_of(image, views.possible.has_value() ? &file.target().command_set() : nullptr);
}

nlohmann::json trace_to_json(const BinaryFile& file, const Image& image, const capture::ManifestTrace& trace,
                             std::uint32_t index, bool with_commands) {
    nlohmann::json entry{{"name", trace.name},
                         {"offset", trace.offset_bytes},
                         {"words", trace.word_count},
                         {"commands", trace.command_count},
                         {"cycles", trace.cost_cycles}};
    for (const auto& program : trace.programs) {
        entry["programs"].push_back({{"name", program.name}, {"commands", program.command_count}});
    }
    if (with_commands) {
        entry["command_list"] = json_list(decode_trace(file, image, image.trace(index)), command_to_json);
    }
    return entry;
}

nlohmann::json script_to_json(const capture::ManifestScript& script) {
    nlohmann::json entry{{"kind", name_of(script.kind)}};
    for (const auto& command : script.commands) {
        entry["commands"].push_back({{"queue", command.queue},
                                     {"command", name_of(command.kind)},
                                     {"object", command.object},
                                     {"devices", to_json(command.devices)}});
    }
    return entry;
}

nlohmann::json target_to_json(const BinaryFile& file, const capture::ManifestTarget& target) {
    nlohmann::json json{{"device_family", target.device_family},
                        {"kernel_library", to_hex(ByteSpan{target.kernel_library})},
                        {"attestation", attestation_name(target.attestation)},
                        {"costs", costs_name(target.costs)},
                        {"profile", name_of(target.profile)}};
    for_each_number([&json](const char* name, std::uint32_t value) { json[name] = value; }, target);
    json["mesh"] = {{"rows", target.mesh_rows}, {"columns", target.mesh_columns}};
    if (!file.plugin().empty()) {
        json["plugin"] = file.plugin();
    }
    return json;
}

nlohmann::json to_json(const BinaryFile& file, const Image& image, bool with_commands) {
    const capture::Manifest manifest = capture::read_manifest(image);
    nlohmann::json json;
    json["target"] = target_to_json(file, manifest.target);
    for (const auto& region : manifest.regions) {
        json["regions"].push_back({{"name", region.name},
                                   {"kind", name_of(region.kind)},
                                   {"memory", name_of(region.memory)},
                                   {"base", region.base},
                                   {"bytes", region.size_bytes}});
    }
    for (const auto& buffer : manifest.buffers) {
        json["buffers"].push_back({{"name", buffer.name},
                                   {"region", buffer.region},
                                   {"offset", buffer.offset_bytes},
                                   {"bytes", buffer.size_bytes}});
    }
    json["inputs"] = tensors_to_json(manifest.inputs, manifest);
    json["outputs"] = tensors_to_json(manifest.outputs, manifest);
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        json["traces"].push_back(trace_to_json(file, image, manifest.traces[i], i, with_commands));
    }
    for (const auto& script : manifest.scripts) {
        json["scripts"].push_back(script_to_json(script));
    }
    json["budgets"] = {{"step_cycles", manifest.step_cycles},
                       {"step_deadline_us", manifest.step_deadline_us},
                       {"setup_deadline_us", manifest.setup_deadline_us},
                       {"steps_in_flight", manifest.steps_in_flight}};
    json["parameters"] = json_list(manifest.parameters, parameter_to_json);
    json["provenance"] = {{"source_name", manifest.source_name},
                          {"source_sha256", to_hex(ByteSpan{manifest.source_sha256})},
                          {"tool_version", manifest.tool_version}};
    json["self_tests"] = manifest.self_test_origins.size();
    const Views views = find_views(file, image);
    const nlohmann::json evidence = evidence_in(file, image, views);
    json["self_test_vectors"] = evidence.value("self_tests", nlohmann::json::array());
    json["state"] = evidence.value("state", nlohmann::json::array());
    json["views"] = {{"possible", nullptr}, {"why_not", views.why_not}};
    if (views.possible) {
        json["views"]["possible"] = *views.possible;
    }
    return json;
}

void print_target(const BinaryFile& file, const capture::ManifestTarget& target) {
    fmt::print("target\n  device         {}\n  command set    0x{:08X} version {}\n  kernel library {}\n",
               target.device_family, target.command_set_id, target.command_set_version,
               to_hex(ByteSpan{target.kernel_library}));
    fmt::print("  DRAM           0x{:08X}, {} bytes, trace region the last {}\n", target.dram_base, target.dram_bytes,
               target.trace_region_bytes);
    fmt::print("  L1             0x{:08X}, {} bytes\n  queues         {}, rings of {} words\n  clock          {} kHz\n",
               target.l1_base, target.l1_bytes, target.queue_count, target.ring_words, target.clock_khz);
    fmt::print("  grid           {} x {} cores, {} DRAM banks\n", target.grid_columns, target.grid_rows,
               target.dram_banks);
    fmt::print("  attests        {}\n  costs          {}\n  profile        {}\n  weights layout {}\n",
               attestation_text(target.attestation), costs_text(target.costs), name_of(target.profile),
               target.weights_layout);
    if ((target.mesh_rows * target.mesh_columns) != 1U) {
        fmt::print("  mesh           {} x {} of these devices\n", target.mesh_rows, target.mesh_columns);
    }
    if (!file.plugin().empty()) {
        fmt::print("  plugin         {}\n", file.plugin());
    }
}

void print_memory(const capture::Manifest& manifest) {
    fmt::print("memory\n");
    for (std::uint32_t i = 0U; i < manifest.regions.size(); ++i) {
        const capture::ManifestRegion& region = manifest.regions[i];
        fmt::print("  0x{:08X} {:>9} bytes  {:<10} {:<4}  {}\n", region.base, region.size_bytes, name_of(region.kind),
                   name_of(region.memory), region.name);
        for (const auto& buffer : manifest.buffers) {
            if (buffer.region == i) {
                fmt::print("     +{:<7} {:>9} bytes    {}\n", buffer.offset_bytes, buffer.size_bytes, buffer.name);
            }
        }
    }
}

void print_tensor(const char* what, std::uint32_t index, const TensorView& tensor,
                  const capture::ManifestTarget& target) {
    const std::string devices = devices_text(target, tensor.devices);
    fmt::print("  {} {}  {}  scale {} zero point {}  {}{}{}\n", what, index, type_and_shape(tensor), tensor.scale,
               tensor.zero_point, capture::to_string(tensor.name), devices,
               devices.empty() ? std::string{} : fmt::format(", {}", name_of(tensor.placement)));
}

void print_trace(const BinaryFile& file, const Image& image, const capture::ManifestTrace& trace, std::uint32_t index,
                 bool with_commands) {
    fmt::print("  trace {} '{}': {} commands, {} words, {} cycles\n", index, trace.name, trace.command_count,
               trace.word_count, trace.cost_cycles);
    const std::vector<CommandLine> lines = decode_trace(file, image, image.trace(index));
    std::size_t next = 0U;
    for (const auto& program : trace.programs) {
        fmt::print("    {}\n", program.name);
        for (std::uint32_t i = 0U; with_commands && (i < program.command_count) && (next < lines.size()); ++i, ++next) {
            const CommandLine& line = lines[next];
            if (line.decoded.kind == CommandKind::kDispatch) {
                fmt::print("      commands[{}] {} on core {}, {} cycles\n", next, line.name, line.decoded.core,
                           line.decoded.core_cycles);
            } else {
                fmt::print("      commands[{}] {}, {} cycles\n", next, line.name, line.decoded.cost_cycles);
            }
            for (const Extent& extent : line.decoded.extents.view()) {
                fmt::print("        {:<5} 0x{:08X} {:>8} bytes  {}{}{}\n",
                           (extent.access == Access::kWrite) ? "write" : "read", extent.address, extent.size_bytes,
                           extent.field, repeat_text(extent.inner), repeat_text(extent.outer));
            }
        }
    }
}

void print_all(const BinaryFile& file, const Image& image, bool with_commands) {
    const capture::Manifest manifest = capture::read_manifest(image);
    fmt::print("source           {}\n  sha256         {}\n  captured by    {}\n", manifest.source_name,
               to_hex(ByteSpan{manifest.source_sha256}), manifest.tool_version);
    print_target(file, manifest.target);
    print_memory(manifest);
    fmt::print("tensors\n");
    for (std::uint32_t i = 0U; i < image.input_count(); ++i) {
        print_tensor("input ", i, image.input(i), manifest.target);
    }
    for (std::uint32_t i = 0U; i < image.output_count(); ++i) {
        print_tensor("output", i, image.output(i), manifest.target);
    }
    fmt::print("traces\n");
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        print_trace(file, image, manifest.traces[i], i, with_commands);
    }
    for (const auto& script : manifest.scripts) {
        fmt::print("script {}\n", name_of(script.kind));
        for (const auto& command : script.commands) {
            fmt::print("  queue {}  {} {}{}\n", command.queue, name_of(command.kind), command.object,
                       devices_text(manifest.target, command.devices));
        }
    }
    for (std::uint32_t i = 0U; i < manifest.parameters.size(); ++i) {
        const capture::ManifestParameter& parameter = manifest.parameters[i];
        fmt::print("parameter {}  {} {} from {} to {}, multiples of {}, {} words\n", i, name_of(parameter.kind),
                   parameter.name, parameter.minimum, parameter.maximum, parameter.alignment, parameter.points.size());
    }
    fmt::print("budgets\n  step           {} cycles, deadline {} us, {} in flight\n  set-up         deadline {} us\n",
               manifest.step_cycles, manifest.step_deadline_us, manifest.steps_in_flight, manifest.setup_deadline_us);
    const Views views = find_views(file, image);
    const std::string evidence = evidence_text(evidence_in(file, image, views));
    fmt::print("{}{}", evidence.empty() ? "" : "evidence\n", evidence);
    if (views.possible.value_or(false)) {
        fmt::print("views            possible\n");
    } else {
        fmt::print("views            {}: {}\n", views.possible ? "not possible" : "not looked at", views.why_not);
    }
}

int inspect_file(const InspectArguments& arguments) {
    const BinaryFile file{arguments.file, {"", arguments.plugin}};
    Envelope envelope;
    Image image;
    Verdict verdict;
    Status status = parse_envelope(file.bytes(), envelope, verdict);
    status = is_ok(status) ? authenticate(file.bytes(), envelope, kDevelopmentTrust, verdict) : status;
    status = is_ok(status) ? open_image(file.bytes(), envelope, profiles::kHost, image, verdict) : status;
    if (!is_ok(status)) {
        throw CliError{kRefused, fmt::format("{}: {}", arguments.file, describe_verdict(verdict))};
    }
    if (!arguments.html.empty()) {
        files::store_file(arguments.html, inspect_page(arguments.file, file, envelope, image));
    } else if (arguments.json) {
        fmt::print("{}\n", json_text(to_json(file, image, arguments.commands)));
    } else {
        print_all(file, image, arguments.commands);
    }
    return kDone;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "inspect", "Shows target, memory map, tensors, traces, scripts and budgets", inspect_file);
    command->footer(
        "Shows every binary that is whole and well-formed, whatever device it is for; `verify` says whether it would "
        "run.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_plugin_option(*command, arguments->plugin);
    command->add_flag("--commands", arguments->commands, "Show every device command and the bytes that it touches");
    CLI::Option* const json = command->add_flag("--json", arguments->json, "Print as JSON");
    add_text(*command, "--html", arguments->html, kWrites, "Write a page with pictures, and print nothing")
        ->excludes(json);
}

}  // namespace pianola::cli
