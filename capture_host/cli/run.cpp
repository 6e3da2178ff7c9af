// pianola run: replays a binary on the simulator.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "capture_host/binary/names.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/record_replay.h"
#include "capture_host/cli/terminal.h"
#include "pianola_host/replay.h"

namespace pianola::cli {
namespace {

using replay::Tensors;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kLimitBytesOfBatch = std::uint64_t{1U} << 30U;

struct RunArguments {
    std::string file;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> values;
    TargetArguments target;
    std::uint32_t repeat{1U};
    std::uint32_t jobs{1U};
    bool batch{false};
    bool self_test{false};
    bool threaded{false};
    bool check_accesses{false};
    bool views{false};
    std::string log;
    bool json{false};
};

// A number from 0 to 4294967295 in decimal, or hexadecimal with 0x; nothing for other texts.
std::optional<std::uint32_t> number_in(const std::string& text) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 0);
    const bool is_number = !text.empty() && (end == (text.data() + text.size()));
    return (is_number && (value <= UINT32_MAX)) ? std::optional{static_cast<std::uint32_t>(value)} : std::nullopt;
}

class Run {
  public:
    explicit Run(const RunArguments& arguments)
        : arguments_{arguments},
          targets_{load_targets(arguments.target.plugin)},
          executor_{executor_of(targets_, arguments)},
          // An executor's device is no description; the device is then the one that the binary names.
          file_{arguments.file, targets_, (executor_.executor == nullptr) ? arguments.target.device : std::string{}},
          measures_{(executor_.executor == nullptr) ? file_.target().offers().cycles
                                                    : executor_.executor->offers().cycles},
          replay_{file_.bytes(), file_.target(), file_.device(), options_for(arguments, executor_)},
          session_{replay_.session()} {}

    int run() {
        if (!arguments_.log.empty() && (arguments_.jobs > 1U)) {
            throw CliError{kUsage, fmt::format("--jobs {}: --log is written of one simulator", arguments_.jobs)};
        }
        if (!arguments_.log.empty() && (replay_.simulators().size() != 1U)) {
            throw CliError{kUsage, fmt::format("--log: {} is for {} devices; a log is written of one",
                                               files::readable(arguments_.file), replay_.simulators().size())};
        }
        load(replay_);
        check_views();
        check_jobs();
        if (arguments_.self_test) {
            run_self_tests();
        }
        set_parameters(replay_);
        if (arguments_.inputs.empty() && arguments_.outputs.empty() && arguments_.self_test) {
            if ((arguments_.repeat != 1U) || arguments_.batch || (arguments_.jobs != 1U)) {
                throw CliError{kUsage,
                               "--repeat, --batch and --jobs are about records: --input and --output are missing"};
            }
            store_log();
            progress_.reset();
            report(0U);
            return kDone;
        }
        check_counts();
        const std::vector<Tensors> inputs = load_inputs();
        const auto records = static_cast<std::uint32_t>(inputs.size());
        Tensors results(session_.plan().output_count);
        if (session_.plan().is_pipelined && (records > 1U) && (arguments_.repeat == 1U)) {
            replay_pipelined(inputs, results);
        } else {
            if (self_tests_passed_ == 0U) {
                run_around("prologue", session_.plan().prologue, &Session::start);
            }
            if (arguments_.jobs > 1U) {
                replay_side_by_side(inputs, results);
            } else {
                replay_in_order(inputs, results);
            }
            run_around("epilogue", session_.plan().epilogue, &Session::stop);
        }
        for (std::size_t i = 0U; i < results.size(); ++i) {
            files::store_file(arguments_.outputs[i], results[i]);
        }
        store_log();
        progress_.reset();
        report(records);
        return kDone;
    }

  private:
    // The parser knows only the executors that are built in.
    [[nodiscard]] static ExecutorDevice executor_of(const targets::Targets& targets, const RunArguments& arguments) {
        const std::string& device = arguments.target.device;
        const ExecutorDevice found = targets.executor(device);
        const std::string complaint = (found.executor == nullptr) ? std::string{} : complaint_of_zeros(device);
        if (!complaint.empty()) {
            throw CliError{kUsage, fmt::format("--device: {}", complaint)};
        }
        if ((found.executor != nullptr) && (arguments.jobs > 1U)) {
            throw CliError{kUsage, fmt::format("--jobs {}: --device {} is one device; several simulators replay side "
                                               "by side",
                                               arguments.jobs, device)};
        }
        return found;
    }

    static SimulatorOptions options_for(const RunArguments& arguments, const ExecutorDevice& executor) {
        SimulatorOptions options;
        options.threaded = arguments.threaded;
        options.check_accesses = arguments.check_accesses;
        options.keep_execution_logs = !arguments.log.empty();
        options.executor = executor;
        return options;
    }

    void load(replay::Replay& replay) const {
        try {
            replay.load();
        } catch (const replay::Refused& refused) {
            throw file_.refused(refused.verdict(), replay.image());
        }
    }

    [[nodiscard]] RecordOptions record_options(std::uint32_t repeats) const {
        return {repeats, arguments_.views, measures_};
    }

    // Several simulators give what one gives only if no record depends on an earlier one.
    void check_jobs() const {
        const std::string why = (arguments_.jobs > 1U) ? why_in_order(replay_) : "";
        if (!why.empty()) {
            throw CliError{kUsage, fmt::format("--jobs {}: the records of {} are replayed in order: {}",
                                               arguments_.jobs, files::readable(arguments_.file), why)};
        }
    }

    void check_views() const {
        if (arguments_.views && !session_.has_views()) {
            const std::string why = describe_views(session_.plan(), replay_.image());  // of the binary alone
            throw CliError{kUsage,
                           fmt::format("{} can not be replayed with --views: {}", files::readable(arguments_.file),
                                       why.empty() ? "the device shows nobody its memory" : why)};
        }
    }

    void run_self_tests() {
        const std::uint32_t count = session_.self_test_count();
        if (count == 0U) {
            throw CliError{kUsage, fmt::format("--self-test: {} holds no vectors; capture with --self-test N",
                                               files::readable(arguments_.file))};
        }
        replay_.self_test([this, count](std::uint32_t done) { progress_->set("self-tests", done, count); });
        check_accesses(replay_, "self-tests");
        self_tests_passed_ = count;
    }

    void check_counts() const {
        const Plan& plan = session_.plan();
        if ((arguments_.inputs.size() != plan.input_count) || (arguments_.outputs.size() != plan.output_count)) {
            throw CliError{kUsage, fmt::format("{} has {} inputs and {} outputs; {} --input and {} --output were given",
                                               files::readable(arguments_.file), plan.input_count, plan.output_count,
                                               arguments_.inputs.size(), arguments_.outputs.size())};
        }
    }

    // After the self-tests, which are for the values in the file.
    void set_parameters(replay::Replay& replay) const {
        std::set<std::string> names;
        for (const std::string& text : arguments_.values) {
            const std::size_t equals = text.find('=');
            const std::string number = (equals == std::string::npos) ? "" : text.substr(equals + 1U);
            const std::optional<std::uint32_t> value = number_in(number);
            if ((equals == 0U) || !value.has_value()) {
                throw CliError{kUsage, fmt::format("--set {}: NAME=VALUE is wanted, with a value from 0 to {}", text,
                                                   std::numeric_limits<std::uint32_t>::max())};
            }
            const std::string name = text.substr(0U, equals);
            if (!names.insert(name).second) {
                throw CliError{kUsage, fmt::format("--set {}: {} is set twice; once per parameter", text, name)};
            }
            replay.set_parameter(name, *value);
        }
    }

    // The records that the input files hold.
    [[nodiscard]] std::vector<Tensors> load_inputs() const {
        std::vector<Tensors> records(1U);
        for (std::size_t i = 0U; i < arguments_.inputs.size(); ++i) {
            const std::uint32_t bytes = session_.plan().inputs.at(i).bytes;
            const auto fail = [&](const std::string& size) {
                throw CliError{
                    kUsage,
                    fmt::format("--input {} has {} bytes; input {} is {}: {} bytes{}", arguments_.inputs[i], size, i,
                                type_and_shape(replay_.image().input(static_cast<std::uint32_t>(i))), bytes,
                                arguments_.batch ? ", or a multiple" : "; several records need --batch")};
            };
            const std::uint64_t limit = arguments_.batch ? kLimitBytesOfBatch : bytes;
            Bytes file;
            try {
                file = files::load_file(arguments_.inputs[i], limit);
            } catch (const files::FileTooLong&) {
                fail(fmt::format("more than {}", limit));
            }
            const std::size_t size = file.size();
            const bool whole = arguments_.batch ? ((size > 0U) && ((size % bytes) == 0U)) : (size == bytes);
            if (!whole) {
                fail(std::to_string(size));
            }
            if ((i > 0U) && ((size / bytes) != records.size())) {
                throw CliError{kUsage, "the input files hold different numbers of records"};
            }
            records.resize(size / bytes);
            for (std::size_t record = 0U; record < records.size(); ++record) {
                const auto first = file.begin() + static_cast<std::ptrdiff_t>(record * bytes);
                records[record].emplace_back(first, first + bytes);
            }
        }
        return records;
    }

    static void append(const Tensors& outputs, Tensors& results) {
        for (std::size_t i = 0U; i < outputs.size(); ++i) {
            results[i].insert(results[i].end(), outputs[i].begin(), outputs[i].end());
        }
    }

    // Prologue or epilogue around the steps of a binary that is not pipelined; self-tests have run the prologue. Both
    // take what was proved, and are no part of a step.
    template <typename Tensor>
    void run_around(const char* name, const PlannedScript& script,
                    Status (Session::*call)(Span<const Tensor>) noexcept) {
        if (session_.plan().is_pipelined || (script.count == 0U)) {
            return;
        }
        const std::uint64_t started = replay_.simulator().now_cycles();
        replay_.finish((session_.*call)({}));
        const std::uint64_t cycles = replay_.simulator().now_cycles() - started;
        cycles_ += cycles;
        if (measures_ && (cycles != script.cycles)) {
            throw CliError{kReplayFault,
                           fmt::format("the {} took {} cycles, {} were proved", name, cycles, script.cycles)};
        }
        check_accesses(replay_, name);
    }

    // All records in one run, as an application does it: as many steps as the binary admits are in flight.
    void replay_pipelined(const std::vector<Tensors>& inputs, Tensors& results) {
        const auto records = static_cast<std::uint32_t>(inputs.size());
        const std::uint64_t started = replay_.simulator().now_cycles();
        const std::vector<Tensors> outputs = replay_.run(
            inputs, [this, records](std::size_t done) { progress_->set("records replayed", done, records); });
        cycles_ = replay_.simulator().now_cycles() - started;
        for (const Tensors& each : outputs) {
            append(each, results);
        }
        check_accesses(replay_, fmt::format("record {}", records - 1U));
    }

    // One record after another. With state, all records are repeated together, each time from a reset.
    void replay_in_order(const std::vector<Tensors>& inputs, Tensors& results) {
        const auto records = static_cast<std::uint32_t>(inputs.size());
        const bool is_stream = replay_.has_state();
        RecordReplay each{replay_, record_options(is_stream ? 1U : arguments_.repeat)};
        for (std::uint32_t pass = 0U; pass < (is_stream ? arguments_.repeat : 1U); ++pass) {
            Tensors outputs(results.size());
            if (pass > 0U) {
                const std::uint64_t started = replay_.simulator().now_cycles();
                replay_.check(session_.reset_state());
                cycles_ += replay_.simulator().now_cycles() - started;
            }
            for (std::uint32_t record = 0U; record < records; ++record) {
                append(each.replay(record, inputs[record]), outputs);
                progress_->set("records replayed", record + 1U, records);
            }
            if ((pass > 0U) && (outputs != results)) {
                throw CliError{kReplayFault, fmt::format("replay {} gives other outputs than the first", pass)};
            }
            results = std::move(outputs);
        }
        step_cycles_ = each.step_cycles();
        cycles_ += each.cycles();
    }

    // The same on several simulators at once, where no record depends on another.
    void replay_side_by_side(const std::vector<Tensors>& inputs, Tensors& results) {
        const SideBySide replayed = cli::replay_side_by_side(
            replay_, inputs, record_options(arguments_.repeat), arguments_.jobs, [this] { return another(); },
            [this, &inputs](std::size_t done) { progress_->set("records replayed", done, inputs.size()); });
        for (const Tensors& outputs : replayed.outputs) {
            append(outputs, results);
        }
        step_cycles_ = replayed.step_cycles;
        cycles_ += replayed.cycles;
        steps_of_others_ = replayed.steps;
    }

    [[nodiscard]] std::unique_ptr<replay::Replay> another() const {
        auto made = std::make_unique<replay::Replay>(file_.bytes(), file_.target(), file_.device(),
                                                     options_for(arguments_, executor_));
        load(*made);
        set_parameters(*made);
        return made;
    }

    void store_log() const {
        if (!arguments_.log.empty()) {
            files::store_file(arguments_.log, replay_.simulator().execution_logs());
        }
    }

    [[nodiscard]] const char* around_steps() const {
        const Plan& plan = session_.plan();
        const bool has_prologue = (plan.prologue.count != 0U) && (self_tests_passed_ == 0U);
        if (plan.epilogue.count != 0U) {
            return has_prologue ? " with prologue and epilogue" : " with epilogue";
        }
        return has_prologue ? " with prologue" : "";
    }

    void report(std::uint32_t records) const {
        const Plan& plan = session_.plan();
        // Steps of a pipelined binary overlap, or come with prologue and epilogue: measured is all of it only.
        const std::uint64_t cycles = (plan.is_pipelined || (step_cycles_ == 0U)) ? plan.step.cycles : step_cycles_;
        if (arguments_.json) {
            const nlohmann::json json{{"records", records},
                                      {"repeat", arguments_.repeat},
                                      {"step_cycles", cycles},
                                      {"cycles", measures_ ? nlohmann::json(cycles_) : nlohmann::json{}},
                                      {"steps", steps_of_others_ + session_.steps_completed()},
                                      {"self_tests_passed", self_tests_passed_},
                                      {"outputs", arguments_.outputs}};
            fmt::print("{}\n", json_text(json));
            return;
        }
        if (self_tests_passed_ > 0U) {
            fmt::print("{} self-tests passed\n", self_tests_passed_);
        }
        if (records > 0U) {
            const std::string measured =
                measures_ ? fmt::format("{} device cycles per step, {} in all{}", cycles, cycles_, around_steps())
                          : fmt::format("{} device cycles per step were proved, none measured: {} has no device time",
                                        plan.step.cycles,
                                        arguments_.target.device.empty() ? "the simulator" : arguments_.target.device);
            fmt::print("{} record{}, {} replay{} each, {}\n", records, (records == 1U) ? "" : "s", arguments_.repeat,
                       (arguments_.repeat == 1U) ? "" : "s", measured);
        }
    }

    const RunArguments& arguments_;
    std::unique_ptr<Progress> progress_{std::make_unique<Progress>("run")};  // until there are results to print
    targets::Targets targets_;
    ExecutorDevice executor_;
    BinaryFile file_;
    bool measures_;  // what executes the binary has the device's time
    replay::Replay replay_;
    Session& session_;
    std::uint32_t self_tests_passed_{0U};
    std::uint64_t step_cycles_{0U};      // of the first step; 0 if steps overlap
    std::uint64_t steps_of_others_{0U};  // of the simulators beside the first
    std::uint64_t cycles_{0U};           // of all replays, prologues and epilogues; not of self-tests
};

int run_file(const RunArguments& arguments) {
    try {
        return Run{arguments}.run();
    } catch (const replay::NoSuchValue& error) {
        throw CliError{kUsage, fmt::format("{}: {}", files::readable(arguments.file), error.what())};
    } catch (const replay::NotOffered& error) {
        throw CliError{kUsage, fmt::format("{}: {}", files::readable(arguments.file), error.what())};
    } catch (const replay::Stopped& stopped) {
        // A call that was refused has latched nothing: the record of the last fault would be empty.
        throw CliError{kReplayFault, is_ok(stopped.fault().status)
                                         ? fmt::format("the session refuses a call: {}", status_name(stopped.status()))
                                         : describe_fault(stopped.fault())};
    }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "run", "Replays a trace binary on the simulator", run_file);
    command->footer(
        "Examples:\n"
        "  pianola run signs.ptb --input image.bin --output scores.bin\n"
        "  pianola run signs.ptb --input images.bin --output scores.bin --batch      several records\n"
        "  pianola run signs.ptb --input images.bin --output scores.bin --batch --jobs 4\n"
        "  pianola run signs.ptb --self-test --check-accesses\n\n"
        "Inputs and outputs are raw little-endian tensors, in the order in which `inspect` lists them. Outputs are\n"
        "written only after every replay has succeeded, each whole or not at all.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary")->required();
    add_text(*command, "--input", arguments->inputs, kReads, "Input tensor; once per input")->allow_extra_args(false);
    add_text(*command, "--output", arguments->outputs, kWrites, "Output tensor to write; once per output")
        ->allow_extra_args(false);
    add_text(*command, "--set", arguments->values, kSaysValue,
             "A declared parameter's value; once per parameter, `inspect` lists them")
        ->allow_extra_args(false);
    add_number(*command, "--repeat", arguments->repeat, 1U, 1'000'000'000U,
               "Replay every record this often; outputs must be equal. With state: all records, from a reset");
    command->add_flag("--batch", arguments->batch,
                      "Input files hold several records; outputs are written one after another");
    add_number(*command, "--jobs", arguments->jobs, 1U, kMostJobs,
               "Records that are replayed side by side, each on a separate simulator; results are the same. Not "
               "where a record depends on an earlier one");
    command->add_flag("--self-test", arguments->self_test, "Replay the binary's own self-test vectors first");
    command->add_flag("--threaded", arguments->threaded, "Run each command queue in a thread of its own");
    command->add_flag("--check-accesses", arguments->check_accesses,
                      "Hold every command to its published extents; slow");
    command->add_flag("--views", arguments->views,
                      "Write inputs and read outputs in device memory, without transfers (zero-copy I/O)");
    add_text(*command, "--log", arguments->log, kWrites,
             "Write the execution log, as it is after the last replay, for `pianola log`");
    add_text(*command, "--device", arguments->target.device, kReadsJson,
             "vulkan or vulkan:N: this Vulkan device executes the trace (`pianola devices`), as does NAME:N of a "
             "plugin's. Or a device description, JSON: judge the binary for this device. Without it for the one that "
             "it names, with its profile");
    add_plugin_option(*command, arguments->target.plugin);
    command->add_flag("--json", arguments->json, "Print the report as JSON");
}

}  // namespace pianola::cli
