// pianola perf: where the time of each operation goes, in every mode.

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/timeline/operations.h"
#include "capture_host/timeline/picture.h"
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
    bool json{false};
};

class PerfPrinter {
  public:
    PerfPrinter(const PerfArguments& arguments, const VerifiedFile& file, const std::vector<Performance>& all)
        : arguments_{arguments}, file_{file}, clock_khz_{file.image().target().clock_khz}, all_{all} {}

    void print_text() const {
        fmt::print("{}: us of each step\n", base_name(arguments_.file));
        if (all_.empty()) {
            fmt::print("  steps give no device anything to do\n");
            return;
        }
        print_line("mode", "step", headings());
        for (const Performance& each : all_) {
            print_line(name_of(each), us(each.steady.cycles_per_step.value()), cells(each.total(), each));
        }
        for (const Performance& chosen : all_) {
            if (chosen.mode == arguments_.mode) {
                fmt::print("\n{}, operation by operation\n", name_of(chosen));
                print_line("operation", "", headings());
                for (const OperationTime& each : chosen.operations) {
                    print_line(each.name, "", cells(each.spent, chosen));
                }
            }
        }
    }

    void print_json() const {
        const nlohmann::json modes = json_list(all_, [](const Performance& each) {
            nlohmann::json mode = members(each.total(), each);
            mode["mode"] = each.mode;
            mode["device"] = json_place(each.device);
            mode["cycles_per_step"] = each.steady.cycles_per_step.value();
            mode["gain"] = each.gain;
            mode["operations"] = json_list(each.operations, [&each](const OperationTime& operation) {
                nlohmann::json entry = members(operation.spent, each);
                entry["name"] = operation.name;
                return entry;
            });
            return mode;
        });
        fmt::print("{}\n", json_text({{"file", base_name(arguments_.file)},
                                      {"family", file_.device().family},
                                      {"clock_khz", clock_khz_},
                                      {"dispatch_ns", arguments_.cost.dispatch_ns},
                                      {"replay_ns", arguments_.cost.replay_ns},
                                      {"modes", modes}}));
    }

  private:
    [[nodiscard]] std::string name_of(const Performance& each) const {
        return (file_.plan().device_count > 1U) ? fmt::format("{} {}", each.mode, to_string(each.device)) : each.mode;
    }
    static void print_line(const std::string& name, const std::string& step, const std::vector<std::string>& cells) {
        constexpr std::size_t kNameColumns = 28U;
        fmt::print("  {:<28}{:>12}{}\n", name.substr(0U, kNameColumns - 1U), step, fmt::join(cells, ""));
    }

    [[nodiscard]] std::string us(double cycles) const {
        constexpr double kUsPerMs = 1000.0;
        return fmt::format("{:.3f}", (cycles * kUsPerMs) / clock_khz_);
    }
    [[nodiscard]] static std::vector<std::string> headings() {
        std::vector<std::string> texts;
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            texts.push_back(fmt::format("{:>16}", column.name));
        }
        return texts;
    }
    [[nodiscard]] std::vector<std::string> cells(const TimeSpent& spent, const Performance& of) const {
        std::vector<std::string> texts;
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            texts.push_back(fmt::format("{:>16}", us(of.per_step(spent.*column.cycles))));
        }
        return texts;
    }
    [[nodiscard]] static nlohmann::json members(const TimeSpent& spent, const Performance& of) {
        nlohmann::json json = nlohmann::json::object();
        for (const timeline::TimeColumn& column : timeline::kTimeColumns) {
            json[column.name] = of.per_step(spent.*column.cycles);
        }
        return json;
    }

    const PerfArguments& arguments_;
    const VerifiedFile& file_;
    std::uint32_t clock_khz_;
    const std::vector<Performance>& all_;
};

int show(const PerfArguments& arguments) {
    const VerifiedFile file{arguments.file, arguments.target};
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
    const PerfPrinter printer{arguments, file, all};
    arguments.json ? printer.print_json() : printer.print_text();
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
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print all modes and operations as JSON");
}

}  // namespace pianola::cli
