// pianola timeline: what host and queues do when, and what the gaps between them cost.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/measured_file.h"
#include "capture_host/cli/options.h"
#include "capture_host/timeline/captured.h"
#include "capture_host/timeline/picture.h"
#include "hal/host/device_numbers.h"
#include "pianola_host/manifest.h"
#include "pianola_host/replay.h"

namespace pianola::cli {
namespace {

using timeline::Pattern;
using timeline::Picture;
using timeline::Row;
using timeline::Slice;

constexpr std::uint32_t kDefaultSteps = 4U;
constexpr std::uint32_t kMaxSteps = 10'000U;
constexpr std::uint64_t kMaxSlices = 500'000U;  // of a picture: more than a viewer likes

constexpr const char* kAsCaptured = "as-captured";

struct TimelineArguments {
    std::string file;
    std::string output;
    std::string mode;
    TargetArguments target;
    std::uint32_t steps{kDefaultSteps};
    timeline::HostCost cost{kDefaultHostCost};
    std::string measured;
    bool json{false};
};

using Renderer = std::string (*)(const Picture&);

Renderer renderer_for(const std::string& output) {
    const std::string suffix = std::filesystem::path{output}.extension().string();
    const std::map<std::string, Renderer> renderers{
        {".json", timeline::render_chrome}, {".svg", timeline::render_svg}, {".html", timeline::render_html}};
    const auto found = renderers.find(suffix);
    if (found == renderers.end()) {
        throw CliError{
            kUsage, fmt::format("--output {}: neither .json, .svg nor .html; the suffix says what is drawn", output)};
    }
    return found->second;
}

class TimelineMaker {
  public:
    explicit TimelineMaker(const TimelineArguments& arguments)
        : arguments_{arguments},
          file_{arguments.file, arguments.target},
          workloads_{timeline::read_workloads(file_.image(), file_.plan(), file_.target())} {}

    int run() {
        const Renderer renderer = arguments_.output.empty() ? nullptr : renderer_for(arguments_.output);
        picture_.title = fmt::format("{}: {}", base_name(arguments_.file),
                                     capture::to_string(file_.image().provenance().source_name));
        picture_.clock_khz = any().clock_khz;
        picture_.is_mesh = workloads_.size() > 1U;
        picture_.dispatch_ns = arguments_.cost.dispatch_ns;
        picture_.replay_ns = arguments_.cost.replay_ns;
        check_mode();
        measure_all();
        join_measured();
        if (renderer != nullptr) {
            timeline::add_steps(workloads_, picture_);
            draw_panels();
            files::store_file(arguments_.output, renderer(picture_));
        }
        report();
        return kDone;
    }

  private:
    // The first device, for facts that all devices share.
    [[nodiscard]] const timeline::Workload& any() const { return workloads_.front(); }
    [[nodiscard]] bool is_replayed() const { return timeline::can_run_captured(file_.target()); }

    void join_measured() {
        const MeasuredFile measured = load_measured(arguments_.measured, file_);
        if (!measured.is_given()) {
            return;
        }
        picture_.measured = measured.layers;
        picture_.measured_heading = fmt::format("{} on {}", measured.counter, measured.board);
        const std::uint64_t sum =
            std::accumulate(measured.layers.begin(), measured.layers.end(), std::uint64_t{0U},
                            [](std::uint64_t so_far, const auto& each) { return so_far + each.second; });
        picture_.notes.push_back(fmt::format("Measured: {} {} in the operators of a step; the page has each.", sum,
                                             picture_.measured_heading));
    }

    void check_mode() const {
        for (const timeline::Mode& mode : timeline::kModes) {
            if ((arguments_.mode == mode.name) && !timeline::is_possible(mode, any())) {
                throw CliError{kUsage, (mode.queues <= any().queue_count)
                                           ? fmt::format("--mode {} needs a command that copies; device family {} has "
                                                         "none",
                                                         mode.name, file_.device().family)
                                           : fmt::format("--mode {} needs 2 queues; the binary's device has {}",
                                                         mode.name, any().queue_count)};
            }
        }
        if (arguments_.mode == kAsCaptured) {
            file_.file().require(&Offers::command_log, "a log of commands");
            file_.file().require(&Offers::cycles, "device time");
        }
    }

    void run_captured(std::uint32_t steps, const Pattern& pattern, const timeline::Sink& sink) const {
        try {
            timeline::run_captured(file_.bytes(), file_.target(), file_.device(), pattern, steps, sink);
        } catch (const replay::Refused& error) {
            throw CliError{kReplayFault, fmt::format("{}: {}; `pianola run` says more",
                                                     files::readable(arguments_.file), error.what())};
        } catch (const replay::Stopped& error) {
            throw CliError{kReplayFault, fmt::format("{}: {}; `pianola run` says more",
                                                     files::readable(arguments_.file), error.what())};
        }
    }

    void measure_all() {
        for (const timeline::Mode& mode : timeline::kModes) {
            if (timeline::is_possible(mode, any())) {
                add_rows(mode.name, measure(make_pattern(mode, workloads_, arguments_.cost)),
                         measure(make_pattern(mode, workloads_, timeline::HostCost{})), false);
            }
        }
        if (is_replayed()) {
            measure_captured();
        } else {
            picture_.notes.push_back(fmt::format(
                "as-captured is not there: device family {} has no simulator that logs commands with their times.",
                file_.device().family));
        }
        const char* const model = file_.target().cost_model_name();
        if (*model != '\0') {
            picture_.notes.push_back(fmt::format("Device times: {}.", costs_label(file_.device().costs, model)));
        }
        if (file_.device().costs == CostKind::kNotPublished) {
            picture_.notes.push_back(
                fmt::format("Device family {} publishes no costs: its times are 0 here, and all gaps are the host's.",
                            file_.device().family));
        }
        for (const timeline::Workload& device : workloads_) {
            if (device.is_idle()) {
                picture_.notes.push_back(
                    fmt::format("Steps give device {} nothing to do.", to_string(device.coordinate)));
            }
        }
        note_queues();
    }

    void note_queues() {
        if (any().queue_count < 2U) {
            picture_.notes.emplace_back("The device has one queue: nothing can overlap.");
        } else if (timeline::can_stage(any())) {
            picture_.notes.push_back(fmt::format(
                "two-queues copies input and output at the ends of the trace: {} bytes of device memory "
                "and {} cycles per step more than the trace{}.",
                staging_bytes(), staging_cycles(), picture_.is_mesh ? ", on the device where they are most" : ""));
        } else {
            picture_.notes.push_back(fmt::format(
                "two-queues is not there: device family {} has no command that copies.", file_.device().family));
        }
    }

    void measure_captured() {
        const Pattern session = timeline::session_pattern(workloads_, timeline::HostCost{});
        const std::vector<timeline::SteadyState> steady = timeline::measure(session, [&](const timeline::Sink& sink) {
            run_captured(timeline::steps_to_measure(any()), session, sink);
        });
        add_rows(kAsCaptured, steady, steady, true);
        picture_.notes.emplace_back(
            "as-captured is the simulator's log of what a session does, with a host that takes no time.");
    }

    // Adds a row for each device that has work in a step; `free` is measured with a host that takes no time.
    void add_rows(const char* mode, const std::vector<timeline::SteadyState>& steady,
                  const std::vector<timeline::SteadyState>& free, bool host_is_free) {
        if (eager_.empty()) {
            eager_ = steady;
        }
        for (std::size_t i = 0U; i < workloads_.size(); ++i) {
            if (workloads_[i].is_idle()) {
                continue;
            }
            const double cycles = steady[i].cycles_per_step.value();
            const double eager = eager_[i].cycles_per_step.value();
            picture_.rows.push_back({mode, workloads_[i].coordinate, steady[i],
                                     cycles > free[i].cycles_per_step.value(), host_is_free, eager / cycles});
        }
    }

    [[nodiscard]] std::uint64_t staging_bytes() const {
        std::uint64_t most = 0U;
        for (const timeline::Workload& device : workloads_) {
            std::uint64_t bytes = 0U;
            for (const auto* const transfers : {&device.inputs, &device.outputs}) {
                for (const timeline::ScriptCommand& transfer : *transfers) {
                    bytes += transfer.bytes;
                }
            }
            most = std::max(most, bytes);
        }
        return most;
    }

    [[nodiscard]] std::uint64_t staging_cycles() const {
        std::vector<std::uint64_t> cycles(workloads_.size());
        const timeline::Mode& copying = *std::find_if(timeline::kModes.begin(), timeline::kModes.end(),
                                                      [](const timeline::Mode& mode) { return mode.copies; });
        for (const timeline::Item& item : make_pattern(copying, workloads_, arguments_.cost).step) {
            if (item.body_category == timeline::Category::kStaging) {
                cycles[item.device] += item.cycles;
                for (const timeline::TraceCommand& command : item.body) {
                    cycles[item.device] += command.cycles;
                }
            }
        }
        return *std::max_element(cycles.begin(), cycles.end());
    }

    void draw_panels() {
        for (const timeline::Mode& mode : timeline::kModes) {
            if (timeline::is_possible(mode, any()) && is_asked(mode.name)) {
                const Pattern pattern = make_pattern(mode, workloads_, arguments_.cost);
                draw(pattern, [this](const Pattern& from, const timeline::Sink& sink) {
                    timeline::schedule(from, arguments_.steps, sink);
                });
            }
        }
        if (is_asked(kAsCaptured) && is_replayed()) {
            draw(timeline::session_pattern(workloads_, timeline::HostCost{}),
                 [this](const Pattern& from, const timeline::Sink& sink) {
                     run_captured(arguments_.steps, from, sink);
                 });
            picture_.panels.back().deadlines = timeline::deadlines_of(picture_.panels.back(), any(), arguments_.steps);
        }
    }

    [[nodiscard]] bool is_asked(const char* mode) const { return arguments_.mode.empty() || (arguments_.mode == mode); }

    void draw(const Pattern& pattern,
              const std::function<void(const Pattern& pattern, const timeline::Sink& sink)>& run) {
        check_size(pattern);
        timeline::Panel panel;
        panel.pattern = std::make_shared<const Pattern>(pattern);
        run(*panel.pattern, [&panel](const Slice& slice) { panel.slices.push_back(slice); });
        picture_.panels.push_back(std::move(panel));
    }

    void check_size(const Pattern& pattern) {
        std::uint64_t per_step = 0U;
        for (const timeline::Item& item : pattern.step) {
            per_step += 2U + item.body.size();
        }
        slices_ += per_step * arguments_.steps;
        if (slices_ > kMaxSlices) {
            throw CliError{kUsage, fmt::format("{} steps are {} slices or more, {} can be drawn: choose fewer with "
                                               "--steps, or one --mode",
                                               arguments_.steps, slices_, kMaxSlices)};
        }
    }

    void report() const {
        if (arguments_.json) {
            report_json();
            return;
        }
        fmt::print("{}\n", picture_.title);
        for (const std::vector<std::string>& line : timeline::table_cells(picture_)) {
            fmt::print("  {:<25}{:>16}{:>13}{:>13}{:>20}{:>15}{:>14}\n", line[0], line[1], line[2], line[3], line[4],
                       line[5], line[6]);
        }
        for (const std::string& note : picture_.notes) {
            fmt::print("  {}\n", note);
        }
        if (!arguments_.output.empty()) {
            fmt::print("{}: {} step{} drawn\n", files::readable(arguments_.output), arguments_.steps,
                       (arguments_.steps == 1U) ? "" : "s");
        }
    }

    void report_json() const {
        const nlohmann::json modes = json_list(picture_.rows, [](const Row& row) -> nlohmann::json {
            return {{"mode", row.mode},
                    {"device", json_place(row.device)},
                    {"cycles", row.steady.cycles_per_step.part},
                    {"steps", row.steady.cycles_per_step.whole},
                    {"cycles_per_step", row.steady.cycles_per_step.value()},
                    {"busy_share", row.steady.busy.value()},
                    {"bound_by", row.host_bound ? "host" : "device"},
                    {"host_is_free", row.host_is_free},
                    {"gain", row.gain},
                    {"input_hidden_share", row.steady.hidden.value()}};
        });
        const nlohmann::json json{{"file", base_name(arguments_.file)},
                                  {"costs", costs_name(file_.device().costs)},
                                  {"cost_model_name", file_.target().cost_model_name()},
                                  {"clock_khz", picture_.clock_khz},
                                  {"dispatch_ns", arguments_.cost.dispatch_ns},
                                  {"replay_ns", arguments_.cost.replay_ns},
                                  {"staging_bytes", staging_bytes()},
                                  {"modes", modes},
                                  {"output", arguments_.output}};
        fmt::print("{}\n", json_text(json));
    }

    const TimelineArguments& arguments_;
    VerifiedFile file_;
    std::vector<timeline::Workload> workloads_;  // of each device
    std::vector<timeline::SteadyState> eager_;   // of each device too
    Picture picture_;
    std::uint64_t slices_{0U};
};

}  // namespace

void add_timeline(CLI::App& app, Action& action) {
    auto arguments = std::make_shared<TimelineArguments>();
    CLI::App* const command =
        app.add_subcommand("timeline", "Draws host and queues in virtual time, and measures the gaps");
    command->footer(
        "Examples:\n"
        "  pianola timeline kws.ptb                          the table of gaps\n"
        "  pianola timeline kws.ptb -o kws.html              a page: one step, operators, memory, lanes\n"
        "  pianola timeline kws.ptb -o kws.json --mode traced --steps 8    for ui.perfetto.dev\n\n"
        "Modes: eager (the host dispatches every operation), traced, two-queues (transfers on queue 1, input and "
        "output\n"
        "copied), two-queues-split (the trace cut in their stead), as-captured (the simulator's log). Of several "
        "devices,\n"
        "each has its own lanes and lines, with its coordinate in the mesh. Device times are those\n"
        "of the binary's proved costs. Host times are assumptions: 9,300 ns per operation is what tt-metal's\n"
        "micro-benchmark takes without a trace, where the host limits it (8,100 with one; its issue 15336); about 300 "
        "ns\n"
        "per replayed command is from its issue 19998. Say yours. docs/guide/timeline.md defines every figure.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_text(*command, "-o,--output", arguments->output, kWrites, "Picture to write: .json (Perfetto), .svg or .html");
    command->add_option("--mode", arguments->mode, "Draw this mode only; default: all. The table always has all")
        ->check(CLI::IsMember({"eager", "traced", "two-queues", "two-queues-split", kAsCaptured}));
    add_number(*command, "--steps", arguments->steps, 1U, kMaxSteps, "Steps to draw; the table is measured over 64");
    add_host_cost_options(*command, arguments->cost);
    add_measured_option(*command, arguments->measured);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print the table as JSON");
    command->callback([arguments, &action] { action = [arguments] { return TimelineMaker{*arguments}.run(); }; });
}

}  // namespace pianola::cli
