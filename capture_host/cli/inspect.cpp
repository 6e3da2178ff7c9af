// pianola inspect: what is in this binary?

#include "capture_host/cli/inspect.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/facts.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/manifest_json.h"
#include "capture_host/cli/options.h"
#include "hal/host/device_numbers.h"
#include "pianola/rule.h"

namespace pianola::cli {
namespace {

bool is_of_another_build(Rule rule) {
    return (rule == Rule::kTgtFamily) || (rule == Rule::kTgtCommandSet) || (rule == Rule::kTgtKernelLibrary);
}

}  // namespace

bool is_known(const BinaryFile& file, const Image& image) {
    return capture::to_string(image.target().device_family) == file.device().family;
}

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

Judgement judge(const BinaryFile& file) {
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Judgement judgement;
    if (is_ok(capture::verify(file.bytes(), file.device(), file.target().command_set(),
                              signing::DevelopmentTrust{}.get(), *workspace, image, *plan, judgement.verdict))) {
        judgement.why_no_views = describe_views(*plan, image);
        judgement.views = judgement.why_no_views.empty();
    } else if (is_of_another_build(judgement.verdict.rule)) {
        judgement.why_no_views =
            "the binary is for another device family, command set or kernel library, whose commands this build does "
            "not know";
    } else {
        judgement.why_no_views = fmt::format("the binary is refused: {}", rule_id(judgement.verdict.rule));
    }
    return judgement;
}

std::string devices_text(const capture::ManifestTarget& target, const DeviceRange& devices) {
    const auto last = [](std::uint32_t first, std::uint32_t count) { return first + count - 1U; };
    if ((target.mesh_rows * target.mesh_columns) == 1U) {
        return {};
    }
    const std::string first = fmt::format("({}, {})", devices.row, devices.column);
    return ((devices.rows * devices.columns) == 1U)
               ? first
               : fmt::format("{} to ({}, {})", first, last(devices.row, devices.rows),
                             last(devices.column, devices.columns));
}

std::string views_text(const Judgement& judgement) {
    if (judgement.views.value_or(false)) {
        return "possible";
    }
    return fmt::format("{}: {}", judgement.views.has_value() ? "not possible" : "not looked at",
                       judgement.why_no_views);
}

nlohmann::json packing_in(const BinaryFile& file, const Image& image) {
    return is_known(file, image) ? packing_of(file.target(), image) : nlohmann::json::array();
}

nlohmann::json evidence_in(const BinaryFile& file, const Image& image, const Judgement& judgement) {
    return evidence_of(image, is_ok(judgement.verdict.status) ? &file.target().command_set() : nullptr);
}

namespace {

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

nlohmann::json inspection_to_json(const BinaryFile& file, const Image& image, bool with_commands) {
    nlohmann::json json = manifest_to_json(capture::read_manifest(image));
    if (!file.plugin().empty()) {
        json["target"]["plugin"] = file.plugin();
    }
    for (std::uint32_t i = 0U; with_commands && (i < image.trace_count()); ++i) {
        json["traces"][i]["command_list"] = json_list(decode_trace(file, image, image.trace(i)), command_to_json);
    }
    json["packed"] = packing_in(file, image);
    const Judgement judgement = judge(file);
    const nlohmann::json evidence = evidence_in(file, image, judgement);
    json["self_test_vectors"] = evidence.value("self_tests", nlohmann::json::array());
    json["state"] = evidence.value("state", nlohmann::json::array());
    json["views"] = {{"possible", nullptr}, {"why_not", judgement.why_no_views}};
    if (judgement.views.has_value()) {
        json["views"]["possible"] = *judgement.views;
    }
    return json;
}

struct InspectArguments {
    std::vector<std::string> files;
    std::string plugin;
    std::string html;
    bool commands{false};
    bool json{false};
};

std::string on_devices(const capture::ManifestTarget& target, const DeviceRange& devices) {
    const std::string text = devices_text(target, devices);
    return text.empty() ? text : ("  on " + text);
}

// Nothing where it is once.
std::string repeat_text(const Repeat& repeat) {
    return (repeat.count == 1U) ? std::string{}
                                : fmt::format(", {} times {} bytes apart", repeat.count, repeat.stride_bytes);
}

void print_target(const BinaryFile& file, const Image& image, const capture::ManifestTarget& target) {
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
    const std::string packing = packing_text(packing_in(file, image));
    if (!packing.empty()) {
        fmt::print("  packed for     {}\n", packing);
    }
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
    const std::string devices = on_devices(target, tensor.devices);
    fmt::print("  {} {}  {}  scale {} zero point {}  {}{}{}\n", what, index, type_and_shape(tensor), tensor.scale,
               tensor.zero_point, capture::to_string(tensor.name), devices,
               devices.empty() ? std::string{} : fmt::format(", {}", name_of(tensor.placement)));
}

void print_command(const CommandLine& line, std::size_t index) {
    if (line.decoded.kind == CommandKind::kDispatch) {
        fmt::print("      commands[{}] {} on core {}, {} cycles\n", index, line.name, line.decoded.core,
                   line.decoded.core_cycles);
    } else {
        fmt::print("      commands[{}] {}, {} cycles\n", index, line.name, line.decoded.cost_cycles);
    }
    for (const Extent& extent : line.decoded.extents.view()) {
        fmt::print("        {:<5} 0x{:08X} {:>8} bytes  {}{}{}\n", (extent.access == Access::kWrite) ? "write" : "read",
                   extent.address, extent.size_bytes, extent.field, repeat_text(extent.inner),
                   repeat_text(extent.outer));
    }
}

void print_trace(const BinaryFile& file, const Image& image, const capture::ManifestTrace& trace, std::uint32_t index,
                 bool with_commands) {
    fmt::print("  trace {} '{}': {} commands, {} words, {} cycles\n", index, trace.name, trace.command_count,
               trace.word_count, trace.cost_cycles);
    const std::vector<CommandLine> lines =
        with_commands ? decode_trace(file, image, image.trace(index)) : std::vector<CommandLine>{};
    std::size_t next = 0U;
    for (const auto& program : trace.programs) {
        fmt::print("    {}\n", program.name);
        for (std::uint32_t i = 0U; (i < program.command_count) && (next < lines.size()); ++i, ++next) {
            print_command(lines[next], next);
        }
    }
    if (next < lines.size()) {
        fmt::print("    behind all programs\n");
    }
    for (; next < lines.size(); ++next) {
        print_command(lines[next], next);
    }
}

void print_all(const BinaryFile& file, const Image& image, bool with_commands) {
    const capture::Manifest manifest = capture::read_manifest(image);
    fmt::print("source           {}\n  sha256         {}\n  captured by    {}\n", manifest.source_name,
               to_hex(ByteSpan{manifest.source_sha256}), manifest.tool_version);
    print_target(file, image, manifest.target);
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
                       on_devices(manifest.target, command.devices));
        }
    }
    for (std::uint32_t i = 0U; i < manifest.parameters.size(); ++i) {
        const capture::ManifestParameter& parameter = manifest.parameters[i];
        fmt::print("parameter {}  {} {} from {} to {}, multiples of {}, {} words\n", i, name_of(parameter.kind),
                   parameter.name, parameter.minimum, parameter.maximum, parameter.alignment, parameter.points.size());
    }
    fmt::print("budgets\n  step           {} cycles, deadline {} us, {} in flight\n  set-up         deadline {} us\n",
               manifest.step_cycles, manifest.step_deadline_us, manifest.steps_in_flight, manifest.setup_deadline_us);
    const Judgement judgement = judge(file);
    const std::string evidence = evidence_text(evidence_in(file, image, judgement));
    fmt::print("{}{}", evidence.empty() ? "" : "evidence\n", evidence);
    fmt::print("views            {}\n", views_text(judgement));
}

int inspect_files(const InspectArguments& arguments) {
    if (!arguments.html.empty()) {
        if (!is_one_file(arguments.files)) {
            throw CliError{kUsage, "--html: is about one file, and several were given",
                           "call `pianola inspect` once for each file"};
        }
        const WellFormedFile open{arguments.files.front(), arguments.plugin};
        files::store_file(arguments.html, inspect_page(arguments.files.front(), open.file, open.envelope, open.image));
        return kDone;
    }
    const auto as_json = [&arguments](const std::string& name) {
        const WellFormedFile open{name, arguments.plugin};
        nlohmann::json json = inspection_to_json(open.file, open.image, arguments.commands);
        json["file"] = name;
        return json;
    };
    const auto as_text = [&arguments](const std::string& name) {
        const WellFormedFile open{name, arguments.plugin};
        print_all(open.file, open.image, arguments.commands);
    };
    return show_files(arguments.files, arguments.json, {as_text, as_json});
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "inspect", "Shows target, memory map, tensors, traces, scripts and budgets", inspect_files);
    command->footer(
        "Examples:\n"
        "  pianola inspect signs.ptb\n"
        "  pianola inspect signs.ptb --commands | less     every command with the bytes that it touches\n"
        "  pianola inspect before.ptb after.ptb --json\n\n"
        "Shows every binary that is whole and well-formed, whatever device it is for; `verify` says whether it would "
        "run.");
    add_files_option(*command, arguments->files);
    add_plugin_option(*command, arguments->plugin);
    CLI::Option* const commands =
        command->add_flag("--commands", arguments->commands, "Show every device command and the bytes that it touches");
    CLI::Option* const json = command->add_flag("--json", arguments->json, "Print as JSON");
    add_text(*command, "--html", arguments->html, kWrites, "Write a page with pictures, and print nothing")
        ->excludes(json)
        ->excludes(commands);
}

}  // namespace pianola::cli
