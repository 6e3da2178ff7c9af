// pianola measure: what a model or binary costs a board's core, layer by layer.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "capture_host/base/child.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/capture/capture.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/capture_errors.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/core_options.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/measuring_board.h"
#include "capture_host/cli/memory_manifest.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/tflite/import.h"
#include "capture_host/timeline/measurement.h"
#include "pianola/config.h"
#include "pianola/sha256.h"
#include "pianola_host/replay.h"

namespace pianola::cli {
namespace {

using timeline::MeasuredLayer;
using timeline::MeasuredPhase;
using timeline::MeasuredRelease;
using timeline::Measurement;

constexpr std::uint32_t kMostSteps = 1000U;
constexpr std::uint32_t kMostSeconds = 86'400U;
constexpr std::uint32_t kUsualSeconds = 600U;
constexpr std::uint64_t kLogLimitBytes = 64U << 20U;
constexpr const char* kInstructions = "instructions";

struct MeasureArguments {
    std::string file;
    std::string board;
    std::string images;
    std::vector<std::string> inputs;
    std::uint32_t steps{1U};
    bool transfers{false};
    std::string pack;
    bool own_counter{false};
    std::uint32_t timeout_s{kUsualSeconds};
    std::string log;
    std::string order;
    TargetArguments target;
    bool json{false};
};

// Models of TensorFlow Lite have this identifier behind their first word.
bool is_model(const std::vector<std::uint8_t>& bytes) {
    constexpr std::string_view kIdentifier{"TFL3"};
    constexpr std::size_t kOffset = 4U;
    return (bytes.size() >= (kOffset + kIdentifier.size())) &&
           std::equal(kIdentifier.begin(), kIdentifier.end(), bytes.begin() + kOffset);
}

refdev::WeightsLayout layout_of(const std::string& pack) {
    if (pack == "dsp") {
        return refdev::WeightsLayout::kDsp;
    }
    return (pack == "mve") ? refdev::WeightsLayout::kMve : refdev::WeightsLayout::kPlain;
}

// The binary that is measured: the file, or what is captured from it for the board's device.
class Subject {
  public:
    Subject(const MeasureArguments& arguments, const MeasuringBoard* board) : name_{arguments.file} {
        const std::vector<std::uint8_t> bytes = load_binary(arguments.file);
        TargetArguments target = arguments.target;
        const std::string file = folder_.file("binary.ptb");
        if (!is_model(bytes)) {
            if (!arguments.pack.empty()) {
                throw CliError{kUsage, "--pack: is for models; a binary is packed already"};
            }
            files::store_file(file, bytes);
        } else {
            if (board == nullptr) {
                throw CliError{kUsage, fmt::format("{}: is a model; a log is joined with the binary that it is of",
                                                   files::readable(name_))};
            }
            target.device = target.device.empty() ? board->device_file() : target.device;
            files::store_file(file, capture(bytes, target.device,
                                            layout_of(arguments.pack.empty() ? board->pack() : arguments.pack)));
        }
        verified_ = std::make_unique<VerifiedFile>(file, target);
        if (verified_->plan().device_count != 1U) {
            throw CliError{kUsage, fmt::format("{}: is for {} devices; one is measured", files::readable(name_),
                                               verified_->plan().device_count)};
        }
    }

    [[nodiscard]] const VerifiedFile& file() const { return *verified_; }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    [[nodiscard]] std::vector<std::uint8_t> capture(const std::vector<std::uint8_t>& model, const std::string& device,
                                                    refdev::WeightsLayout layout) const {
        const targets::Targets known;
        const DeviceFile described{device, known};
        capture::CaptureOptions options;
        options.link.spec = described.describe(known.usual());
        described.refuse(known.usual().what_is_wrong_with(options.link.spec));
        options.link.pack = layout;
        const Progress progress{"capture"};
        return capture_or_complain(name_,
                                   [&] {
                                       const ByteSpan bytes{model.data(), model.size()};
                                       capture::Recorder recorder;
                                       tflite::import_model(bytes, std::filesystem::path{name_}.filename().string(),
                                                            signing::openssl_sha256(bytes), recorder);
                                       return capture::capture_workload(recorder, options);
                                   })
            .file;
    }

    std::string name_;
    files::TemporaryFolder folder_;
    std::unique_ptr<VerifiedFile> verified_;
};

std::vector<std::uint8_t> load_inputs(const MeasureArguments& arguments, const Plan& plan) {
    if (arguments.inputs.empty()) {
        return {};
    }
    if (arguments.inputs.size() != plan.input_count) {
        throw CliError{kUsage, fmt::format("{} has {} inputs; {} --input were given", files::readable(arguments.file),
                                           plan.input_count, arguments.inputs.size())};
    }
    std::vector<std::uint8_t> all;
    for (std::size_t i = 0U; i < arguments.inputs.size(); ++i) {
        const std::vector<std::uint8_t> bytes = files::load_file(arguments.inputs[i]);
        if (bytes.size() != plan.inputs.at(i).bytes) {
            throw CliError{kUsage,
                           fmt::format("--input {} has {} bytes; input {} is one record of {}",
                                       files::readable(arguments.inputs[i]), bytes.size(), i, plan.inputs.at(i).bytes)};
        }
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

// SHA-256 of the outputs that the simulator computes in the last of as many steps; empty without a simulator.
std::string expected_outputs(const VerifiedFile& file, const std::vector<std::uint8_t>& inputs, std::uint32_t steps) {
    if (!file.target().offers().simulator) {
        return {};
    }
    replay::Replay replay{file.bytes(), file.target(), file.device()};
    replay.load();
    replay::Tensors tensors = replay.empty_inputs();
    std::size_t at = 0U;
    for (std::vector<std::uint8_t>& tensor : tensors) {
        if (!inputs.empty()) {
            std::copy_n(inputs.begin() + static_cast<std::ptrdiff_t>(at), tensor.size(), tensor.begin());
        }
        at += tensor.size();
    }
    Sha256 hash;
    const std::vector<replay::Tensors> outputs = replay.run(std::vector<replay::Tensors>(steps, tensors));
    for (const std::vector<std::uint8_t>& tensor : outputs.back()) {
        hash.update({tensor.data(), tensor.size()});
    }
    return to_hex(ByteSpan{hash.finish()});
}

// `board` is empty where a log is read.
[[noreturn]] void complain(const std::string& name, const std::string& board, const timeline::NotMeasured& error) {
    using Why = timeline::NotMeasured::Why;
    const std::string message = fmt::format("{}: {}", files::readable(name), error.what());
    switch (error.why()) {
        case Why::kRefused:
            throw CliError{
                kRefused, fmt::format("{}: the board {}", files::readable(name), error.what()),
                fmt::format("capture it with `pianola capture --board {}`; for a board that is not of this project, "
                            "with --device and the device.json beside the image, and --pack as its kernels read",
                            (known_board(board) != nullptr) ? board : "BOARD")};
        case Why::kNoRoom:
            throw CliError{kUnsupportedModel, message,
                           "choose a smaller model, or capture with a description of a smaller device"};
        case Why::kFault:
            throw CliError{kReplayFault, message};
        case Why::kWrongOrder:
        default:
            throw CliError{kReplayFault, message, "use image and `pianola` of one version"};
    }
}

Measurement measure_file(const MeasureArguments& arguments, const Subject& subject, const MeasuringBoard* board,
                         const std::vector<std::uint8_t>& inputs) {
    const std::string source = arguments.log.empty() ? arguments.board : arguments.log;
    MeasureRun run;
    try {
        if (board == nullptr) {
            const std::vector<std::uint8_t> bytes = files::load_file(arguments.log, kLogLimitBytes);
            run.log.assign(bytes.begin(), bytes.end());
        } else {
            const files::HeldSignals held;
            const Progress progress{fmt::format("measure on {}", board->name())};
            run = board->run({subject.file().bytes(), inputs, arguments.steps, arguments.transfers},
                             arguments.own_counter, std::chrono::seconds{arguments.timeout_s}, held);
        }
        Measurement measurement = timeline::read_measurement(run.log, run.counts);
        if (measurement.binary_bytes != subject.file().bytes().size()) {
            throw timeline::NotAMeasurement{fmt::format("it is of a binary of {} bytes, and {} has {}",
                                                        measurement.binary_bytes, files::readable(subject.name()),
                                                        subject.file().bytes().size())};
        }
        return measurement;
    } catch (const timeline::NotMeasured& error) {
        complain(subject.name(), arguments.board, error);
    } catch (const timeline::NotAMeasurement& error) {
        throw CliError{(board == nullptr) ? kFileTrouble : kReplayFault,
                       fmt::format("{}: {}", files::readable(source), error.what()),
                       (board == nullptr)
                           ? "give the whole log of one run, and the binary that it is of"
                           : "the image has ended early; --timeout-s and its memory are the usual causes"};
    }
}

const MeasuredPhase& longest(const MeasuredRelease& release) {
    const std::vector<const MeasuredPhase*> steps = release.all("step");
    return **std::max_element(steps.begin(), steps.end(), [](const MeasuredPhase* one, const MeasuredPhase* other) {
        return one->device() < other->device();
    });
}

nlohmann::json layer_to_json(const MeasuredLayer& layer) {
    return {{"name", layer.name},
            {"operation", layer.operation},
            {"kernels", layer.kernels},
            {"commands", layer.commands},
            {"macs", layer.macs},
            {"bytes_read", layer.bytes_read},
            {"bytes_written", layer.bytes_written},
            {"bound", layer.bound.has_value() ? nlohmann::json(*layer.bound) : nlohmann::json{}},
            {"count", layer.count}};
}

nlohmann::json phase_to_json(const MeasuredPhase& phase) {
    return {{"device", phase.device()}, {"polling", phase.polling}, {"session", phase.session}};
}

// Why the costs in the binary do not bound these counts; empty if they do, or if they are bounds of nothing that is
// counted.
std::string why_no_bounds(const VerifiedFile& file, const Measurement& measurement) {
    if ((file.device().costs != CostKind::kUpperBound) || (measurement.counter != kInstructions)) {
        return {};
    }
    const KnownBoard* const board = known_board(measurement.board);
    const std::string name = file.target().cost_model_name();
    if ((board != nullptr) && (name == board->cost_model)) {
        return {};
    }
    return fmt::format("no bounds: the binary's are for {}; the cost model of {} is {}", name,
                       files::readable(measurement.board), (board != nullptr) ? board->cost_model : "not known");
}

nlohmann::json result_to_json(const Subject& subject, const Measurement& measurement) {
    const MeasuredRelease& plain = measurement.release("at_completion");
    const MeasuredRelease& verified = measurement.release("verified");
    const VerifiedFile& file = subject.file();
    const timeline::Workload workload = timeline::read_workloads(file.image(), file.plan(), file.target()).front();
    const bool are_bounds = (file.device().costs == CostKind::kUpperBound) && (measurement.counter == kInstructions) &&
                            why_no_bounds(file, measurement).empty();
    const timeline::MeasuredStep step = timeline::layers_of(longest(plain), plain.has_views, workload, are_bounds);
    (void)timeline::layers_of(longest(verified), verified.has_views, workload, are_bounds);
    const nlohmann::json size = gather_manifest(file, subject.name(), "measured").json;
    const nlohmann::json release = phase_to_json(longest(verified));
    std::uint64_t ram_bytes = 0U;
    for (const auto& [part, bytes] : size.at("ram").items()) {
        ram_bytes += bytes.get<std::uint64_t>() * ((part == "device_core_bytes") ? workload.queue_count : 1U);
    }
    return {{"file", base_name(subject.name())},
            {"sha256", to_hex(ByteSpan{signing::openssl_sha256(file.bytes())})},
            {"board", measurement.board},
            {"counter", measurement.counter},
            {"profile", measurement.profile},
            {"io", plain.has_views ? "views" : "transfers"},
            {"steps", plain.all("step").size()},
            {"load", phase_to_json(*plain.all("load").front())},
            {"step", phase_to_json(longest(plain))},
            {"verified_step", phase_to_json(longest(verified))},
            {"release", longest(verified).session - std::min(longest(verified).session, longest(plain).session)},
            {"layers", json_list(step.layers, layer_to_json)},
            {"queue_commands", json_list(step.queue_commands, layer_to_json)},
            {"outputs_sha256", plain.outputs},
            {"memory",
             {{"flash_bytes", size.at("flash").at("bytes")},
              {"ram_bytes", ram_bytes},
              {"dram_bytes", size.at("device").at("dram_used_bytes")},
              {"l1_bytes", size.at("device").at("l1_used_bytes")},
              {"trace_region_bytes", size.at("device").at("trace_region_used_bytes")}}}};
}

// The table of --json's layers.
class MeasureText {
  public:
    MeasureText(const nlohmann::json& json, std::string why_no_bounds)
        : json_{json},
          why_no_bounds_{std::move(why_no_bounds)},
          has_bounds_{!json.at("layers").empty() && !json.at("layers").front().at("bound").is_null()} {}

    [[nodiscard]] std::string text() const {
        std::string text = fill("{file} on {board}: {counter} of a step, {io}\n", json_);
        text += line("layer", "kernel", "MACs", "bytes moved", has_bounds_ ? "bound" : "", json_.at("counter"),
                     has_bounds_ ? "of bound" : "per MAC");
        for (const nlohmann::json& layer : json_.at("layers")) {
            text += line_of(layer);
        }
        text += "queue commands\n";
        for (const nlohmann::json& command : json_.at("queue_commands")) {
            text += line_of(command);
        }
        text += why_no_bounds_.empty() ? "" : (why_no_bounds_ + "\n");
        text += line_of_excess();
        return text + fill(
                          "totals\n"
                          "  device            {step/device:>12}  with {step/polling} of polling\n"
                          "  session           {step/session:>12}  submit and wait, released at completion\n"
                          "  release           {release:>12}  more with verified release\n"
                          "  load              {load/session:>12}  session, and {load/device} of the device\n"
                          "memory\n"
                          "  flash             {memory/flash_bytes:>12} bytes\n"
                          "  RAM               {memory/ram_bytes:>12} bytes\n"
                          "  device            {memory/dram_bytes:>12} bytes of DRAM, {memory/l1_bytes} of L1, "
                          "{memory/trace_region_bytes} of the trace region\n",
                          json_);
    }

  private:
    [[nodiscard]] static std::string line(const std::string& name, const std::string& kernel, const std::string& macs,
                                          const std::string& bytes, const std::string& bound, const std::string& count,
                                          const std::string& ratio) {
        constexpr std::size_t kNameColumns = 28U;
        constexpr std::size_t kKernelColumns = 22U;
        std::string text =
            fmt::format("  {:<28}{:<22}{:>12}{:>13}{:>14}{:>14}{:>10}", name.substr(0U, kNameColumns - 1U),
                        kernel.substr(0U, kKernelColumns - 1U), macs, bytes, bound, count, ratio);
        text.erase(text.find_last_not_of(' ') + 1U);
        return text + "\n";
    }
    [[nodiscard]] std::string line_of(const nlohmann::json& layer) const {
        const auto count = layer.at("count").get<std::uint64_t>();
        const auto macs = layer.at("macs").get<std::uint64_t>();
        const std::uint64_t bytes =
            layer.at("bytes_read").get<std::uint64_t>() + layer.at("bytes_written").get<std::uint64_t>();
        const std::uint64_t divisor =
            has_bounds_ ? layer.at("bound").is_null() ? 0U : layer.at("bound").get<std::uint64_t>() : macs;
        return line(
            layer.at("name").get<std::string>(),
            fmt::format("{}", fmt::join(layer.at("kernels").get<std::vector<std::string>>(), ", ")),
            (macs == 0U) ? "" : std::to_string(macs), (bytes == 0U) ? "" : std::to_string(bytes),
            (has_bounds_ && (divisor != 0U)) ? std::to_string(divisor) : "", std::to_string(count),
            (divisor == 0U) ? "" : fmt::format("{:.3f}", static_cast<double>(count) / static_cast<double>(divisor)));
    }

    // The layers and commands that took more than its bound; empty if nothing did.
    [[nodiscard]] std::string line_of_excess() const {
        std::vector<std::string> names;
        for (const char* const list : {"layers", "queue_commands"}) {
            for (const nlohmann::json& each : json_.at(list)) {
                if (!each.at("bound").is_null() && (each.at("count") > each.at("bound"))) {
                    names.push_back(each.at("name").get<std::string>());
                }
            }
        }
        return names.empty() ? std::string{} : fmt::format("above the bound: {}\n", fmt::join(names, ", "));
    }

    const nlohmann::json& json_;
    std::string why_no_bounds_;
    bool has_bounds_;
};

void check_usage(const MeasureArguments& arguments) {
    const bool from_log = !arguments.log.empty();
    if (arguments.board.empty() && !from_log) {
        throw CliError{kUsage, "--board: which board is to measure; or --from-log, what one has printed"};
    }
}

int measure(const MeasureArguments& arguments) {
    check_usage(arguments);
    std::unique_ptr<MeasuringBoard> board;
    if (arguments.log.empty()) {
        board = std::make_unique<MeasuringBoard>(arguments.board, arguments.images);
    }
    const Subject subject{arguments, board.get()};
    const std::vector<std::uint8_t> inputs = load_inputs(arguments, subject.file().plan());
    if (!arguments.order.empty()) {
        files::store_file(arguments.order,
                          order_bytes({subject.file().bytes(), inputs, arguments.steps, arguments.transfers}, false));
        return kDone;
    }
    const Measurement measurement = measure_file(arguments, subject, board.get(), inputs);
    nlohmann::json json;
    try {
        json = result_to_json(subject, measurement);
    } catch (const timeline::NotAMeasurement& error) {
        throw CliError{(board == nullptr) ? kFileTrouble : kReplayFault,
                       fmt::format("{}: {}", files::readable(subject.name()), error.what()),
                       "give the whole log of one run, and the binary that it is of"};
    }
    const bool knows_inputs = (board != nullptr) || !arguments.inputs.empty();
    const std::string expected =
        knows_inputs ? expected_outputs(subject.file(), inputs, json.at("steps").get<std::uint32_t>()) : std::string{};
    for (const MeasuredRelease& release : measurement.releases) {
        if (!expected.empty() && (release.outputs != expected)) {
            throw CliError{kDifferent, fmt::format("{}: outputs on {} with release {} are not the simulator's",
                                                   files::readable(subject.name()), measurement.board, release.name)};
        }
    }
    json["outputs_equal"] = expected.empty() ? nlohmann::json{} : nlohmann::json(true);
    print_result(arguments.json, json, MeasureText{json, why_no_bounds(subject.file(), measurement)}.text());
    return kDone;
}

}  // namespace

void add_measure(CLI::App& app, Action& action) {
    const auto [command, arguments] = add_command(
        app, action, "measure", "Counts what a model or binary costs a board's core, layer by layer", measure);
    command->footer(
        "Examples:\n"
        "  pianola measure kws.tflite --board BOARD                captured for the board, and counted under QEMU\n"
        "  pianola measure kws.ptb --board BOARD --input image.bin --json > kws.measured.json\n"
        "  pianola perf kws.ptb --measured kws.measured.json       beside the times of the model\n"
        "  pianola measure kws.ptb --board BOARD --order-out order.bin    for a real board, and its log:\n"
        "  pianola measure kws.ptb --from-log console.txt\n\n"
        "QEMU runs the board's measuring image with the binary beside it; nothing is built. Counted are instructions\n"
        "of each launch, of the session's calls, of verified release and of load(); outputs must be the simulator's\n"
        "(7). The bound is the cost in the binary, where that is an upper bound for this board's core. "
        "docs/guide/measure.md\n"
        "defines every figure, and what a board's own cycle counter must print.");
    add_text(*command, "file", arguments->file, kReads, "Trace binary, or model (.tflite)")->required();
    CLI::Option* const board =
        add_text(*command, "--board", arguments->board, kSaysName, "Board whose measuring image is started");
    add_text(*command, "--images", arguments->images, kReads,
             "Folder with a folder for each board, or one board's; default: lib/pianola/measure of the installation")
        ->needs(board);
    add_text(*command, "--input", arguments->inputs, kReads,
             "Record of an input, in the binary's order; without it inputs are zeros")
        ->expected(1)
        ->take_all();
    add_number(*command, "--steps", arguments->steps, 1U, kMostSteps,
               "Steps with each release; the one in which the device takes longest is shown");
    command->add_flag("--transfers", arguments->transfers,
                      "Have the device's queues move inputs and outputs, also where views are possible");
    command
        ->add_option("--pack", arguments->pack, "Kernels that a model's weights are packed for; default: the board's")
        ->check(CLI::IsMember({"portable", "dsp", "mve"}));
    command->add_flag("--own-counter", arguments->own_counter,
                      "Have the image read the core's counter, as on a real board, in place of counting instructions");
    add_number(*command, "--timeout-s", arguments->timeout_s, 1U, kMostSeconds, "Seconds after which QEMU is ended");
    CLI::Option* const log = add_text(*command, "--from-log", arguments->log, kReads,
                                      "Read what a board has printed, in place of starting one")
                                 ->excludes(board);
    add_text(*command, "--order-out", arguments->order, kWrites,
             "Only write order, binary and inputs, as they must lie in a real board's memory")
        ->excludes(log);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print as JSON");
}

}  // namespace pianola::cli
