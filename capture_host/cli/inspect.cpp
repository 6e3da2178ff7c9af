// pianola inspect: what is in this binary?

#include "capture_host/cli/inspect.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/facts.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/manifest_json.h"
#include "capture_host/cli/options.h"
#include "hal/host/device_numbers.h"
#include "pianola/development_config.h"
#include "pianola/rule.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {
namespace {

struct InspectArguments {
    std::vector<std::string> files;
    std::string plugin;
    std::string html;
    bool commands{false};
    bool json{false};
};

bool is_of_another_build(Rule rule) {
    return (rule == Rule::kTgtFamily) || (rule == Rule::kTgtCommandSet) || (rule == Rule::kTgtKernelLibrary);
}

nlohmann::json to_json(const Repeat& repeat) {
    return {{"count", repeat.count}, {"stride_bytes", repeat.stride_bytes}};
}

nlohmann::json command_to_json(std::uint32_t word, const std::string& name, const DecodedCommand& command) {
    nlohmann::json json{
        {"word", word},
        {"command", name},
        {"cycles", command.cost_cycles},
        {"extents", json_list(command.extents.view(), [](const Extent& extent) -> nlohmann::json {
             return {{"field", extent.field},          {"access", (extent.access == Access::kWrite) ? "write" : "read"},
                     {"address", extent.address},      {"bytes", extent.size_bytes},
                     {"inner", to_json(extent.inner)}, {"outer", to_json(extent.outer)}};
         })}};
    if (command.kind == CommandKind::kDispatch) {
        json["core"] = command.core;
        json["core_cycles"] = command.core_cycles;
    }
    return json;
}

// The commands of a trace, as far as they can be decoded.
nlohmann::json commands_to_json(const BinaryFile& file, const Image& image, const TraceView& trace) {
    nlohmann::json list = nlohmann::json::array();
    if (!is_known(file, image)) {
        list.push_back(command_to_json(0U, "undecodable: " + file.why_not(), {}));
        return list;
    }
    const WordSpan words = image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
    const targets::WalkEnd end = targets::for_each_command(
        file.target().command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
            list.push_back(command_to_json(word, targets::command_name(file.target(), command), command));
        });
    if (!end.is_whole()) {
        list.push_back(
            command_to_json(static_cast<std::uint32_t>(end.word), "undecodable: " + std::string{end.refused}, {}));
    }
    return list;
}

// The kernels' names, where this build has a target of the family.
void name_kernels(const Target& target, nlohmann::json& kernels) {
    for (nlohmann::json& kernel : kernels) {
        const char* const name = target.kernel_name(kernel.at("id").get<std::uint32_t>());
        if (name != nullptr) {
            kernel["name"] = name;
        }
    }
}

std::string kernels_text(const nlohmann::json& kernels) {
    std::string text;
    for (const nlohmann::json& kernel : kernels) {
        text +=
            fill("  kernel         {id} version {version}, costs {cost_version}, {argument_words} arguments", kernel) +
            (kernel.contains("name") ? fill("  {name}\n", kernel) : "\n");
    }
    return text;
}

std::string target_text(const nlohmann::json& json, const TargetView& target) {
    const nlohmann::json& shown = json.at("target");
    const std::string packing = packing_text(json.at("packed"));
    const bool is_mesh = (target.mesh_rows * target.mesh_columns) != 1U;
    return fill(
               "target\n  device         {device_family}\n"
               "  command set    0x{command_set_id:08X} version {command_set_version}\n"
               "  kernel library {kernel_library}\n"
               "  DRAM           0x{dram_base:08X}, {dram_bytes} bytes, trace region the last {trace_region_bytes}\n"
               "  L1             0x{l1_base:08X}, {l1_bytes} bytes\n",
               shown) +
           ((target.file_bytes == 0U) ? "" : fill("  file window    0x{file_base:08X}, {file_bytes} bytes\n", shown)) +
           fill(
               "  queues         {queue_count}, rings of {ring_words} words\n"
               "  clock          {clock_khz} kHz",
               shown) +
           ((target.core_khz == 0U)
                ? "\n"
                : fill(", of a core of {core_khz} kHz, {millicycles_per_instruction} cycles for 1000 instructions\n",
                       shown)) +
           fill("  grid           {grid_columns} x {grid_rows} cores, {dram_banks} DRAM banks\n", shown) +
           fmt::format("  attests        {}\n  costs          {}\n", attestation_text(target.attestation),
                       costs_label(target.costs, shown.at("cost_model_name").get<std::string>())) +
           fill("  profile        {profile}\n  weights layout {weights_layout}\n", shown) +
           (packing.empty() ? "" : ("  packed for     " + packing + "\n")) +
           (is_mesh ? fill("  mesh           {mesh/rows} x {mesh/columns} of these devices\n", shown) : "") +
           kernels_text(shown.at("kernels")) +
           (shown.contains("plugin") ? fill("  plugin         {plugin}\n", shown) : "");
}

std::string memory_text(const nlohmann::json& json) {
    std::string text = "memory\n";
    for (std::size_t i = 0U; i < json.at("regions").size(); ++i) {
        text += fill("  0x{base:08X} {bytes:>9} bytes  {kind:<10} {memory:<4}  {name}\n", json.at("regions").at(i));
        for (const nlohmann::json& buffer : json.at("buffers")) {
            if (buffer.at("region") == i) {
                text += fill("     +{offset:<7} {bytes:>9} bytes    {name}\n", buffer);
            }
        }
    }
    return text;
}

std::string tensors_text(const nlohmann::json& json) {
    std::string text = "tensors\n";
    for (const auto& [list, what] : {std::pair{"inputs", "input "}, {"outputs", "output"}}) {
        std::size_t index = 0U;
        for (const nlohmann::json& tensor : json.at(list)) {
            const std::string devices = devices_text(json, tensor.at("devices"));
            text += fmt::format("  {} {}  {}  scale {}", what, index++, type_and_shape(tensor),
                                tensor.at("scale").get<float>());
            text += fill(" zero point {zero_point}  {name}", tensor);
            text += devices.empty() ? "\n" : fmt::format("  on {}{}\n", devices, fill(", {placement}", tensor));
        }
    }
    return text;
}

// Empty if it is once.
std::string repeat_text(const nlohmann::json& repeat) {
    return (repeat.at("count") == 1U) ? std::string{} : fill(", {count} times {stride_bytes} bytes apart", repeat);
}

std::string command_text(const nlohmann::json& command, std::size_t index) {
    std::string text = fmt::format("      commands[{}] ", index) +
                       fill(command.contains("core") ? "{command} on core {core}, {core_cycles} cycles\n"
                                                     : "{command}, {cycles} cycles\n",
                            command);
    for (const nlohmann::json& extent : command.at("extents")) {
        text += fill("        {access:<5} 0x{address:08X} {bytes:>8} bytes  {field}", extent) +
                repeat_text(extent.at("inner")) + repeat_text(extent.at("outer")) + "\n";
    }
    return text;
}

std::string trace_text(const nlohmann::json& trace, std::size_t index) {
    std::string text = fmt::format("  trace {} ", index) +
                       fill("'{name}': {commands} commands, {words} words, {cycles} cycles\n", trace);
    static const nlohmann::json kNone = nlohmann::json::array();
    const auto list = trace.find("command_list");
    const nlohmann::json& commands = (list == trace.end()) ? kNone : *list;
    std::size_t next = 0U;
    for (const nlohmann::json& program : trace.at("programs")) {
        text += fill("    {name}\n", program);
        const std::size_t end = next + program.at("commands").get<std::size_t>();
        for (; next < std::min(end, commands.size()); ++next) {
            text += command_text(commands[next], next);
        }
    }
    text += (next < commands.size()) ? "    behind all programs\n" : "";
    for (; next < commands.size(); ++next) {
        text += command_text(commands[next], next);
    }
    return text;
}

std::string scripts_text(const nlohmann::json& json) {
    std::string text;
    for (const nlohmann::json& script : json.at("scripts")) {
        text += fill("script {kind}\n", script);
        for (const nlohmann::json& command : script.at("commands")) {
            const std::string devices = devices_text(json, command.at("devices"));
            text += fill("  queue {queue}  {command} {object}", command) +
                    (devices.empty() ? "\n" : ("  on " + devices + "\n"));
        }
    }
    std::size_t index = 0U;
    for (const nlohmann::json& parameter : json.at("parameters")) {
        text += fmt::format("parameter {}  ", index++) +
                fill("{kind} {name} from {minimum} to {maximum}, multiples of {alignment}, ", parameter) +
                fmt::format("{} words\n", parameter.at("points").size());
    }
    return text;
}

std::string inspection_text(const nlohmann::json& json, const Image& image) {
    std::string text =
        fill("source           {source_name}\n  sha256         {source_sha256}\n  captured by    {tool_version}\n",
             json.at("provenance"));
    text += target_text(json, image.target()) + memory_text(json) + tensors_text(json) + "traces\n";
    for (std::size_t i = 0U; i < json.at("traces").size(); ++i) {
        text += trace_text(json.at("traces").at(i), i);
    }
    text += scripts_text(json);
    text += fill(
        "budgets\n  step           {step_cycles} cycles, deadline {step_deadline_us} us, {steps_in_flight} in flight\n"
        "  set-up         deadline {setup_deadline_us} us\n",
        json.at("budgets"));
    const std::string evidence = evidence_text_of(json);
    return text + (evidence.empty() ? "" : "evidence\n") + evidence + "views            " + views_text(json) + "\n";
}

int inspect_files(const InspectArguments& arguments) {
    if (!arguments.html.empty()) {
        if (!is_one_file(arguments.files)) {
            throw CliError{kUsage, "--html: is about one file, and several were given",
                           "call `pianola inspect` once for each file"};
        }
        const WellFormedFile open{arguments.files.front(), arguments.plugin};
        files::store_file(arguments.html, inspect_page(arguments.files.front(), open));
        return kDone;
    }
    const auto inspect = [&arguments](const WellFormedFile& open) {
        return inspection_to_json(open.file, open.image, judge(open.file), arguments.commands);
    };
    const auto as_json = [&](const std::string& name) {
        nlohmann::json json = inspect(WellFormedFile{name, arguments.plugin});
        json["file"] = name;
        return json;
    };
    const auto as_text = [&](const std::string& name) {
        const WellFormedFile open{name, arguments.plugin};
        fmt::print("{}", inspection_text(inspect(open), open.image));
    };
    return show_files(arguments.files, arguments.json, {as_text, as_json});
}

}  // namespace

bool is_known(const BinaryFile& file, const Image& image) {
    return capture::to_string(image.target().device_family) == file.device().family;
}

std::string cost_model_name(const BinaryFile& file, const Image& image) {
    const bool has_its_costs = file.target().usual_device().cost_model == image.target().cost_model;
    return (is_known(file, image) && has_its_costs) ? file.target().cost_model_name() : "";
}

Judgement judge(const BinaryFile& file) {
    capture::Verification proofs;
    Judgement judgement;
    std::string why_not;
    const bool is_accepted = is_ok(proofs.verify(file.bytes(), file.device(), file.target().command_set(),
                                                 signing::DevelopmentTrust{}.get(), file.authentication()));
    judgement.verdict = proofs.verdict;
    if (is_accepted) {
        why_not = describe_views(*proofs.plan, proofs.image);
    } else if (is_of_another_build(judgement.verdict.rule)) {
        why_not =
            "the binary is for another device family, command set or kernel library, whose commands this build does "
            "not know";
    } else {
        why_not = fmt::format("the binary is refused: {}", rule_id(judgement.verdict.rule));
    }
    judgement.views = {{"possible", nullptr}, {"why_not", why_not}};
    if (is_accepted) {
        judgement.views["possible"] = why_not.empty();
    }
    return judgement;
}

nlohmann::json inspection_to_json(const BinaryFile& file, const Image& image, const Judgement& judgement,
                                  bool with_commands) {
    nlohmann::json json = manifest_to_json(capture::read_manifest(image));
    json["target"]["cost_model_name"] = cost_model_name(file, image);
    if (is_known(file, image)) {
        name_kernels(file.target(), json["target"]["kernels"]);
    }
    if (!file.plugin().empty()) {
        json["target"]["plugin"] = file.plugin();
    }
    for (std::uint32_t i = 0U; with_commands && (i < image.trace_count()); ++i) {
        json["traces"][i]["command_list"] = commands_to_json(file, image, image.trace(i));
    }
    json["packed"] = is_known(file, image) ? packing_of(file.target(), image) : nlohmann::json::array();
    // State is looked at only if the file is accepted.
    const nlohmann::json evidence =
        evidence_of(image, is_ok(judgement.verdict.status) ? &file.target().command_set() : nullptr);
    json["self_test_vectors"] = evidence.value("self_tests", nlohmann::json::array());
    json["state"] = evidence.value("state", nlohmann::json::array());
    json["views"] = judgement.views;
    return json;
}

std::string views_text(const nlohmann::json& inspection) {
    const nlohmann::json& possible = inspection.at("views").at("possible");
    if (possible == true) {
        return "possible";
    }
    return (possible.is_null() ? "not looked at: " : "not possible: ") + fill("{views/why_not}", inspection);
}

std::string evidence_text_of(const nlohmann::json& inspection) {
    return evidence_text({{"self_tests", inspection.at("self_test_vectors")}, {"state", inspection.at("state")}});
}

std::string type_and_shape(const nlohmann::json& tensor) {
    return fill("{type}", tensor) +
           fmt::format("[{}]", fmt::join(tensor.at("shape").get<std::vector<std::uint32_t>>(), ","));
}

std::string devices_text(const nlohmann::json& inspection, const nlohmann::json& devices) {
    const nlohmann::json& mesh = inspection.at("target").at("mesh");
    const auto number = [&devices](const char* name) { return devices.at(name).get<std::uint32_t>(); };
    if ((mesh.at("rows") == 1U) && (mesh.at("columns") == 1U)) {
        return {};
    }
    const std::string first = fill("({row}, {column})", devices);
    return ((number("rows") * number("columns")) == 1U)
               ? first
               : fmt::format("{} to ({}, {})", first, number("row") + number("rows") - 1U,
                             number("column") + number("columns") - 1U);
}

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
