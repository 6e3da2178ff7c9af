// pianola decompile: does this binary compute that model?

#include "capture_host/decompile/decompile.h"

#include <fmt/format.h>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/complaint.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/operator_report.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/tflite/import.h"
#include "pianola/config.h"

namespace pianola::cli {
namespace {

struct DecompileArguments {
    std::string file;
    std::string model;
    TargetArguments target;
    bool json{false};
};

nlohmann::json report_to_json(const DecompileArguments& arguments, const decompile::Report& report) {
    return {{"file", arguments.file},
            {"model", arguments.model},
            {"equal", report.differences.empty()},
            {"operators", report.operators},
            {"launches", json_list(report.lines,
                                   [](const decompile::Line& line) -> nlohmann::json {
                                       return {{"trace", line.trace},
                                               {"command", line.command},
                                               {"kernel", line.kernel},
                                               {"operator", line.operation.empty() ? nlohmann::json{}
                                                                                   : nlohmann::json(line.operation)}};
                                   })},
            {"differences", report.differences}};
}

std::string report_text(const nlohmann::json& report) {
    std::string text;
    for (const nlohmann::json& launch : report.at("launches")) {
        text += fill("trace {trace} command {command:>5}  {kernel:<20} ", launch) +
                (launch.at("operator").is_null() ? "moves bytes\n" : fill("{operator}\n", launch));
    }
    if (report.at("equal").get<bool>()) {
        text += fmt::format("{} computes {}: {} operators, {} commands\n",
                            files::readable(report.at("file").get<std::string>()),
                            files::readable(report.at("model").get<std::string>()),
                            report.at("operators").get<std::uint32_t>(), report.at("launches").size());
    }
    return text;
}

int decompile_file(const DecompileArguments& arguments) {
    const VerifiedFile file{arguments.file, arguments.target};
    const std::vector<std::uint8_t> model = files::load_file(arguments.model, kMaxFileBytes);
    decompile::Report report;
    try {
        const Progress progress{"decompile"};
        report = decompile::decompile(file.image(), file.target().command_set(), {model.data(), model.size()});
        if (report.differences.empty()) {
            // A model that capture refuses has no binary, whatever it computes: options that no launch shows, and that
            // contradict shapes or operands, are the importer's to find.
            capture::Recorder scratch;
            tflite::import_model({model.data(), model.size()}, {}, {}, scratch);
        }
    } catch (const tflite::ImportError& error) {
        throw unsupported(arguments.model, error);
    }
    const nlohmann::json json = report_to_json(arguments, report);
    print_result(arguments.json, json, report_text(json));
    if (report.differences.empty()) {
        return kDone;
    }
    // The report is the result, with --json too: no other object follows it.
    print_complaint({kDifferent,
                     fmt::format("{} does not compute {}: {}", files::readable(arguments.file),
                                 files::readable(arguments.model), report.differences.front()),
                     "capture the model anew, and compare the two binaries with `pianola diff`",
                     {}});
    return kDifferent;
}

}  // namespace

void add_decompile(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "decompile", "Compares a trace binary with the model that it is to compute", decompile_file);
    command->footer(
        "Follows every byte through every launch, back to the model's inputs and constants. Weights, biases,\n"
        "multipliers, geometry and data flow must be the model's, each operator computed once; a launch that is not\n"
        "understood is a difference (7).\n\n"
        "Examples:\n"
        "  pianola decompile signs.ptb --against signs.tflite\n"
        "  pianola decompile signs.ptb --against signs.tflite --json");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_text(*command, "--against", arguments->model, kReads, "Model, .tflite")->required();
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print as JSON");
}

}  // namespace pianola::cli
