// pianola perf: how the time of each operation is spent, in every mode.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/measured_file.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/timeline/operations.h"
#include "capture_host/timeline/picture.h"
#include "hal/host/device_numbers.h"
#include "pianola_host/replay.h"

namespace pianola::cli {
namespace {

using timeline::OperationTime;
using timeline::Performance;
using timeline::TimeSpent;

struct PerfArguments {
    std::string file;
    std::string mode{"traced"};
    TargetArguments target;
    timeline::HostCost cost{kDefaultHostCost};
    std::string measured;
    bool json{false};
};

// Cycles of a step in each column.
nlohmann::json columns_to_json(const TimeSpent& spent, const Performance& of) {
    nlohmann::json json = nlohmann::json::object();
    for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
        json[column.name] = of.per_step(spent.*column.cycles);
    }
    return json;
}

nlohmann::json mode_to_json(const Performance& each, const MeasuredFile& measured) {
    nlohmann::json mode = columns_to_json(each.total(), each);
    mode["mode"] = each.mode;
    mode["device"] = json_place(each.device);
    mode["cycles_per_step"] = each.steady.cycles_per_step.value();
    mode["gain"] = each.gain;
    mode["operations"] = json_list(each.operations, [&each, &measured](const OperationTime& operation) {
        nlohmann::json entry = columns_to_json(operation.spent, each);
        entry["name"] = operation.name;
        const auto found = measured.layers.find(operation.operation);
        if (found != measured.layers.end()) {
            entry["measured"] = found->second;
        }
        return entry;
    });
    return mode;
}

// The table of --json's modes in microseconds.
class PerfText {
  public:
    PerfText(const nlohmann::json& json, std::string costs, bool is_mesh)
        : json_{json},
          costs_{std::move(costs)},
          clock_khz_{json.at("clock_khz").get<std::uint32_t>()},
          is_mesh_{is_mesh} {}

    [[nodiscard]] std::string text(const std::string& chosen) const {
        std::string text = fill("{file}: us of each step; ", json_) + costs_ + "\n";
        if (json_.at("modes").empty()) {
            return text + "  steps give no device anything to do\n";
        }
        text += line("mode", "step", headings());
        for (const nlohmann::json& mode : json_.at("modes")) {
            text += line(name_of(mode), us(mode.at("cycles_per_step")), cells(mode));
        }
        for (const nlohmann::json& mode : json_.at("modes")) {
            if (mode.at("mode") == chosen) {
                text += fmt::format(
                            "\n{}, operation by operation{}\n", name_of(mode),
                            json_.contains("measured") ? fill("; {counter} on {board}", json_.at("measured")) : "") +
                        line("operation", json_.contains("measured") ? "measured" : "", headings());
                for (const nlohmann::json& each : mode.at("operations")) {
                    text += line(each.at("name").get<std::string>(),
                                 each.contains("measured") ? fill("{measured}", each) : "", cells(each));
                }
            }
        }
        return text;
    }

  private:
    [[nodiscard]] std::string name_of(const nlohmann::json& mode) const {
        return fill(is_mesh_ ? "{mode} ({device/row}, {device/column})" : "{mode}", mode);
    }
    [[nodiscard]] static std::string line(const std::string& name, const std::string& step, const std::string& cells) {
        constexpr std::size_t kNameColumns = 28U;
        return fmt::format("  {:<28}{:>12}{}\n", name.substr(0U, kNameColumns - 1U), step, cells);
    }
    [[nodiscard]] std::string us(const nlohmann::json& cycles) const {
        constexpr double kUsPerMs = 1000.0;
        return fmt::format("{:.3f}", (cycles.get<double>() * kUsPerMs) / clock_khz_);
    }
    [[nodiscard]] static std::string headings() {
        std::string text;
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            text += fmt::format("{:>16}", column.name);
        }
        return text;
    }
    [[nodiscard]] std::string cells(const nlohmann::json& columns) const {
        std::string text;
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            text += fmt::format("{:>16}", us(columns.at(column.name)));
        }
        return text;
    }

    const nlohmann::json& json_;
    std::string costs_;
    std::uint32_t clock_khz_;
    bool is_mesh_;
};

int show(const PerfArguments& arguments) {
    const VerifiedFile file{arguments.file, arguments.target};
    const MeasuredFile measured = load_measured(arguments.measured, file);
    const std::vector<timeline::Workload> workloads =
        timeline::read_workloads(file.image(), file.plan(), file.target());
    std::vector<Performance> all;
    try {
        const Progress progress{"perf"};
        all = timeline::measure_operations(file.bytes(), file.device(), workloads, arguments.cost);
    } catch (const replay::Stopped& error) {
        throw CliError{kReplayFault,
                       fmt::format("{}: {}; `pianola run` says more", files::readable(arguments.file), error.what())};
    }
    if (!all.empty() && std::none_of(all.begin(), all.end(),
                                     [&arguments](const Performance& each) { return each.mode == arguments.mode; })) {
        throw CliError{kUsage, fmt::format("--mode {}: not possible for this binary on device family {}; `pianola "
                                           "timeline` says why",
                                           arguments.mode, file.device().family)};
    }
    nlohmann::json json{
        {"file", base_name(arguments.file)},
        {"family", file.device().family},
        {"costs", costs_name(file.device().costs)},
        {"cost_model_name", file.target().cost_model_name()},
        {"clock_khz", file.image().target().clock_khz},
        {"dispatch_ns", arguments.cost.dispatch_ns},
        {"replay_ns", arguments.cost.replay_ns},
        {"modes", json_list(all, [&measured](const Performance& each) { return mode_to_json(each, measured); })}};
    if (measured.is_given()) {
        json["measured"] = {{"board", measured.board}, {"counter", measured.counter}};
    }
    const std::string costs = costs_label(file.device().costs, file.target().cost_model_name());
    print_result(arguments.json, json, PerfText{json, costs, file.plan().device_count > 1U}.text(arguments.mode));
    return kDone;
}

}  // namespace

void add_perf(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command<PerfArguments>(
        app, action, "perf", "Shows where the time of each operation goes, mode by mode", show);
    command->footer(
        "Examples:\n"
        "  pianola perf kws.ptb                     all modes, and the operations of a traced step\n"
        "  pianola perf kws.ptb --mode eager        the operations without a trace\n"
        "  pianola perf kws.ptb --json              all operations of all modes\n\n"
        "Columns, in us of each step, in cycles in JSON: host (makes and enqueues), dispatch (queues, in front of\n"
        "and between kernels), kernel, host_to_device, device_to_host, gap (the queue has nothing to do, or waits).\n"
        "Modes and costs of the host are those of `pianola timeline`. Of several devices, each has its own\n"
        "lines, with its coordinate in the mesh.\n"
        "docs/guide/timeline.md defines every figure.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    command->add_option("--mode", arguments->mode, "Mode whose operations are listed; JSON has all")
        ->check(CLI::IsMember({"eager", "traced", "two-queues", "two-queues-split", "as-captured"}))
        ->capture_default_str();
    add_host_cost_options(*command, arguments->cost);
    add_measured_option(*command, arguments->measured);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print all modes and operations as JSON");
}

}  // namespace pianola::cli
