// pianola capture: a model becomes a trace binary.

#include "capture_host/capture/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/capture/fit.h"
#include "capture_host/capture/lowering/lowerings.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/capture_errors.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/core_options.h"
#include "capture_host/cli/expect.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/operator_report.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "capture_host/tflite/import.h"
#include "hal/host/device_numbers.h"
#include "hal/registry/registry.h"
#include "pianola/config.h"

namespace pianola::cli {
namespace {

constexpr std::uint32_t kLongestDeadlineUs = 3'600'000'000U;
constexpr std::uint32_t kKibibyte = 1024U;

// Sizes in bytes in place of the device's; 0: as the device has it.
struct MemorySizes {
    std::uint64_t dram_bytes{0U};
    std::uint64_t l1_bytes{0U};
    std::uint64_t trace_region_bytes{0U};
};

// --dram, --l1 and --trace-region: memory sizes of a device without a description of one.
void add_size_options(CLI::App& command, MemorySizes& sizes) {
    const auto add = [&command](const char* name, std::uint64_t& size, const char* what) {
        command.add_option(name, size, fmt::format("{}, in place of the device's; 16M is 16 times 1,048,576", what))
            ->transform(CLI::AsSizeValue(false))
            ->check(CLI::Range(std::uint64_t{1U}, std::uint64_t{UINT32_MAX}));
    };
    add(size_option("dram_bytes"), sizes.dram_bytes, "Bytes of DRAM");
    add(size_option("l1_bytes"), sizes.l1_bytes, "Bytes of L1, of all cores together");
    add(size_option("trace_region_bytes"), sizes.trace_region_bytes, "Bytes of the trace region, the end of DRAM");
}

// Returns whether any size was given. Does not check that such a device exists.
bool set_sizes(const MemorySizes& sizes, DeviceDescription& device) {
    const auto set = [](std::uint64_t size, std::uint32_t& member) {
        if (size != 0U) {
            member = static_cast<std::uint32_t>(size);
        }
        return size != 0U;
    };
    const bool has_dram = set(sizes.dram_bytes, device.dram_bytes);
    const bool has_l1 = set(sizes.l1_bytes, device.l1_bytes);
    return set(sizes.trace_region_bytes, device.trace_region_bytes) || has_dram || has_l1;
}

struct CaptureArguments {
    std::string model;
    std::string output;
    std::string device;
    MemorySizes sizes;
    CoreArguments core;
    std::uint32_t queues{1U};
    bool is_pipelined{false};
    std::uint32_t in_flight{0U};  // 0: as usual
    std::uint32_t self_tests{0U};
    std::vector<ExpectedFiles> expected;
    std::uint32_t deadline_us{0U};
    std::uint32_t setup_deadline_us{0U};
    bool lists_operators{false};
    std::string pack;  // empty: as the core reads them
    bool json{false};
};

nlohmann::json summary_to_json(const CaptureArguments& arguments, const DeviceDescription& device,
                               const capture::Capture& result) {
    const capture::LinkSummary& summary = result.summary;
    return {{"output", arguments.output},
            {"file_bytes", result.file.size()},
            {"sha256", to_hex(ByteSpan{signing::openssl_sha256({result.file.data(), result.file.size()})})},
            {"operators", summary.operators},
            {"commands", summary.commands},
            {"weight_bytes", summary.weight_bytes},
            {"weights_in_file", summary.weights_in_file},
            {"input_bytes", summary.input_bytes},
            {"output_bytes", summary.output_bytes},
            {"state_bytes", summary.state_bytes},
            {"activations",
             {{"memory", summary.activations_in_l1 ? "L1" : "DRAM"},
              {"planned_bytes", summary.activation_bytes},
              {"sum_bytes", summary.activation_sum_bytes},
              {"lower_bound_bytes", summary.activation_lower_bound_bytes}}},
            {"trace_region_bytes_needed", summary.trace_bytes},
            {"step_cycles", summary.step_cycles},
            {"self_tests", result.vectors},
            {"expected", result.expected},
            {"cost_model", usual_target(device).cost_model_name()},
            {"costs", costs_name(device.costs)},
            {"pack", {{"layout", arguments.pack}, {"layers", summary.packed_layers}}}};
}

std::string summary_text(const nlohmann::json& json, const DeviceDescription& device) {
    const bool in_file = json.at("weights_in_file").get<bool>();
    std::string text = files::readable(json.at("output").get<std::string>());
    text += fill(
        ": {file_bytes} bytes\n"
        "  operators     {operators:>9}\n"
        "  commands      {commands:>9}\n"
        "  weights       {weight_bytes:>9} bytes",
        json);
    text += in_file ? ", which the device reads in the file\n" : "\n";
    text += fill(
        "  inputs        {input_bytes:>9} bytes\n"
        "  outputs       {output_bytes:>9} bytes\n",
        json);
    if (json.at("state_bytes") != 0U) {
        text += fill("  state         {state_bytes:>9} bytes, kept from step to step\n", json);
    }
    text += fill(
        "  activations   {activations/planned_bytes:>9} bytes in {activations/memory} (without sharing "
        "{activations/sum_bytes}, lower bound {activations/lower_bound_bytes})\n"
        "  trace region  {trace_region_bytes_needed:>9} bytes needed, of ",
        json);
    text += fmt::format("{}\n", device.trace_region_bytes);
    if (device.costs == CostKind::kNotPublished) {
        text += "  one step      the device publishes no costs: deadlines are those given\n";
    } else {
        const double milliseconds = json.at("step_cycles").get<double>() / device.clock_khz;
        if (device.core_khz != 0U) {
            text += fill("  one step      {step_cycles:>9} instructions at most, bound for {cost_model} ", json) +
                    fmt::format("({:.3f} ms at {} MHz and {:.3f} cycles an instruction)\n", milliseconds,
                                device.core_khz / 1000U, device.millicycles_per_instruction / 1000.0);
        } else {
            text += fill("  one step      {step_cycles:>9} device cycles ", json) +
                    fmt::format("({:.3f} ms at {} MHz)\n", milliseconds, device.clock_khz / 1000U);
        }
    }
    if (json.at("pack").at("layers") != 0U) {
        text += fill("  packed        {pack/layers:>9} layers, for {pack/layout} kernels\n", json);
    }
    if (json.at("self_tests") != 0U) {
        text += fill("  self-tests    {self_tests:>9}", json) +
                ((json.at("expected") == 0U) ? "\n" : fill(", {expected} as expected\n", json));
    }
    return text;
}

const std::map<std::string, refdev::WeightsLayout>& layouts() {
    static const std::map<std::string, refdev::WeightsLayout> kLayouts{{"portable", refdev::WeightsLayout::kPlain},
                                                                       {"dsp", refdev::WeightsLayout::kDsp},
                                                                       {"mve", refdev::WeightsLayout::kMve}};
    return kLayouts;
}

// The device that the binary is for, and the one that the workload is captured on.
struct CaptureTarget {
    DeviceDescription device;
    DeviceDescription captured_on;
    const targets::Lowering* lowering{nullptr};  // from the second to the first; nullptr if they are the same
};

CaptureTarget target_for(const CaptureArguments& arguments) {
    const targets::Targets known;
    const DeviceFile described{arguments.device, known};
    const Target* const named = described.target(known);
    const Target& target = (named != nullptr) ? *named : known.usual();
    CaptureTarget chosen;
    chosen.device = described.describe(target);
    set_core(arguments.core, target, chosen.device);
    const bool has_sizes = set_sizes(arguments.sizes, chosen.device);
    if ((board_of(arguments.core) != nullptr) && (arguments.sizes.trace_region_bytes == 0U)) {
        chosen.device.trace_region_bytes =
            std::min(chosen.device.trace_region_bytes, chosen.device.dram_bytes);  // yet to be fitted
    }
    const std::string not_a_device = target.what_is_wrong_with(chosen.device);
    if (!not_a_device.empty() && has_sizes) {
        throw CliError{kUsage, fmt::format("--dram, --l1 or --trace-region: {}", not_a_device)};
    }
    described.refuse(not_a_device);
    chosen.captured_on = chosen.device;
    if (&target != &known.usual()) {
        chosen.lowering = capture::find_lowering(chosen.device.family);
        if (chosen.lowering == nullptr) {
            throw CliError{kUsage, fmt::format("--device {}: nothing is captured for device family {}",
                                               files::readable(arguments.device), chosen.device.family)};
        }
        chosen.captured_on = chosen.lowering->captured_on(chosen.device);
        const std::string wrong = known.usual().what_is_wrong_with(chosen.captured_on);
        if (!wrong.empty()) {
            throw CliError{kUsage, fmt::format("--device {}: captured on device family {}: {}",
                                               files::readable(arguments.device), chosen.captured_on.family, wrong)};
        }
    }
    if (!arguments.expected.empty() && !target.offers().simulator) {
        throw CliError{kUsage, fmt::format("--expect: the target of device family {} has no simulator, so that nothing "
                                           "can be said of what a binary for it computes",
                                           chosen.device.family)};
    }
    if ((chosen.device.costs == CostKind::kNotPublished) &&
        ((arguments.deadline_us == 0U) || (arguments.setup_deadline_us == 0U))) {
        throw CliError{kUsage,
                       fmt::format("--deadline-us and --setup-deadline-us are needed: device family {} publishes no "
                                   "costs that deadlines could be derived from",
                                   chosen.device.family)};
    }
    return chosen;
}

void lower_capture(const CaptureTarget& target, capture::Capture& result) {
    targets::LoweredBinary lowered = target.lowering->lower({result.file.data(), result.file.size()}, target.device);
    result.file = std::move(lowered.file);
    result.summary.commands = lowered.commands;
    result.summary.trace_bytes = lowered.trace_bytes;
    result.summary.step_cycles = 0U;
}

void check_queues(const CaptureArguments& arguments, const DeviceDescription& spec) {
    if (arguments.queues > spec.queue_count) {
        throw CliError{kUsage, fmt::format("--queues {}: the device has {}", arguments.queues, spec.queue_count)};
    }
    if (arguments.is_pipelined && (arguments.queues != 2U)) {
        throw CliError{kUsage, "--pipelined needs --queues 2"};
    }
    if ((arguments.in_flight != 0U) && !arguments.is_pipelined) {
        throw CliError{kUsage, "--in-flight needs --pipelined: other steps run one after the other"};
    }
    if (arguments.in_flight > spec.capacities->steps_in_flight) {
        throw CliError{kUsage, fmt::format("--in-flight {}: the device's profile {} holds {}", arguments.in_flight,
                                           spec.capacities->name, spec.capacities->steps_in_flight)};
    }
}

capture::CaptureOptions options_for(const CaptureArguments& arguments, const DeviceDescription& captured_on) {
    capture::CaptureOptions options;
    options.link.spec = captured_on;
    options.link.queues = arguments.queues;
    options.link.is_pipelined = arguments.is_pipelined;
    options.link.steps_in_flight = (arguments.in_flight != 0U) ? arguments.in_flight : capture::kUsualStepsInFlight;
    options.link.step_deadline_us = arguments.deadline_us;
    options.link.setup_deadline_us = arguments.setup_deadline_us;
    options.link.pack = layouts().at(arguments.pack);
    options.self_tests = arguments.self_tests;
    return options;
}

// The binary, if it computes the expected outputs; throws CliError if not.
capture::Capture capture_as_expected(const CaptureArguments& arguments, const capture::Recorder& recorder,
                                     capture::CaptureOptions options) {
    ExpectedRecords records = load_expected(arguments.expected, recorder, arguments.self_tests);
    options.expected = std::move(records.inferences);
    try {
        return capture::capture_workload(recorder, options);
    } catch (const capture::NotAsExpected& error) {
        throw CliError{
            kDifferent,
            describe_difference(error.difference(), arguments.expected, records),
            "check that IN and OUT belong together and to this model, and which kernels the interpreter used",
            {{"model", arguments.model},
             {"difference", difference_to_json(error.difference(), arguments.expected, records)}}};
    }
}

// The layout of packed weights that is wanted, or the core's. A core whose kernels have loops of one kind reads weights
// for these and portable ones.
std::string layout_for(const CaptureArguments& arguments, const DeviceDescription& device) {
    std::string own = pack_of(usual_target(), device);
    if (arguments.pack.empty()) {
        return own;
    }
    if ((own != "portable") && (arguments.pack != own) && (arguments.pack != "portable")) {
        throw CliError{kUsage,
                       fmt::format("--pack {}: the kernels of {} do not read this layout, so that the core would "
                                   "refuse the binary",
                                   arguments.pack, usual_target(device).cost_model_name()),
                       fmt::format("leave --pack out, or pass --pack {} or --pack portable", own)};
    }
    return arguments.pack;
}

int capture_model(const CaptureArguments& given) {
    if (given.lists_operators) {
        print_operators(given.json);
        return kDone;
    }
    if (given.model.empty() || given.output.empty()) {
        throw CliError{kUsage, "capture: a model and --output are required"};
    }
    CaptureTarget target = target_for(given);
    CaptureArguments arguments = given;
    arguments.pack = layout_for(given, target.device);
    capture::CaptureOptions options = options_for(arguments, target.captured_on);
    check_queues(arguments, options.link.spec);
    const std::vector<std::uint8_t> model = files::load_file(arguments.model, kMaxFileBytes);
    const ByteSpan bytes{model.data(), model.size()};
    auto progress = std::make_unique<Progress>("capture");
    options.progress = [&progress](std::uint32_t done, std::uint32_t all) {
        progress->set("self-tests recorded", done, all);
    };
    const capture::Capture result = capture_or_complain(arguments.model, [&] {
        capture::Recorder recorder;
        tflite::import_model(bytes, std::filesystem::path{arguments.model}.filename().string(),
                             signing::openssl_sha256(bytes), recorder);
        if (board_of(arguments.core) != nullptr) {
            target.device = capture::fit_memories(recorder, options.link);
            set_sizes(arguments.sizes, target.device);
            options.link.spec = target.device;
        }
        capture::Capture captured = capture_as_expected(arguments, recorder, options);
        if (target.lowering != nullptr) {
            lower_capture(target, captured);
        }
        return captured;
    });
    files::store_file(arguments.output, result.file);
    progress.reset();
    const nlohmann::json summary = summary_to_json(arguments, target.device, result);
    print_result(arguments.json, summary, summary_text(summary, target.device));
    return kDone;
}

// --deadline-us and --setup-deadline-us.
void add_deadline_options(CLI::App& command, CaptureArguments& arguments) {
    command
        .add_option(
            "--deadline-us", arguments.deadline_us,
            fmt::format("Deadline of one step, from submit() to the poll() that gives its outputs out; default: four "
                        "times what the commands take, on a core with a verified release, at least 10 ms. A verified "
                        "release takes a poll() for each {} "
                        "KiB of weights and traces: `size` says how many",
                        kScrubSliceBytes / kKibibyte))
        ->check(CLI::Range(1U, kLongestDeadlineUs));
    command
        .add_option("--setup-deadline-us", arguments.setup_deadline_us,
                    "The same for the set-up, in which load() moves weights and traces to the device")
        ->check(CLI::Range(1U, kLongestDeadlineUs));
}

}  // namespace

void add_capture(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "capture", "Captures a quantised model into a trace binary", capture_model);
    command->footer(
        "Examples:\n"
        "  pianola capture signs.tflite -o signs.ptb\n"
        "  pianola capture signs.tflite -o signs.ptb --queues 2 --pipelined --self-test 8\n"
        "  pianola capture signs.tflite -o signs.ptb --board BOARD                       bounds for its core\n"
        "  pianola capture signs.tflite -o signs.ptb --cost-model cortex-m7.dsp --core-mhz 480 "
        "--cycles-per-instruction 1.3\n"
        "  pianola capture signs.tflite -o signs.ptb --expect images.bin scores.bin      only where outputs are equal\n"
        "  pianola capture --list-operators\n\n"
        "The model is a quantised TensorFlow Lite file. The binary is validated and loaded into the simulator\n"
        "before it is written; the same model, options and version give the same bytes. With --queues 2, inputs\n"
        "and outputs move on queue 1 while queue 0 computes.");
    CLI::Option* const model = add_text(*command, "model", arguments->model, kReads, "Model, .tflite");
    CLI::Option* const output =
        add_text(*command, "-o,--output", arguments->output, kWrites, "Trace binary to write, .ptb");
    command->add_option("--queues", arguments->queues, "Command queues to use")
        ->check(CLI::Range(1, 2))
        ->capture_default_str();
    command->add_flag(
        "--pipelined", arguments->is_pipelined,
        "Overlap transfers and computation of neighbouring steps; needs --queues 2. The application calls start() and "
        "stop() around the steps, and gets each result one step later");
    command
        ->add_option("--in-flight", arguments->in_flight,
                     "Steps that may be submitted before the first of them has completed; needs --pipelined; default: "
                     "2. All of them must fit into the queues' rings")
        ->check(CLI::Range(1U, profiles::kHost.steps_in_flight));
    add_number(*command, "--self-test", arguments->self_tests, 0U, kMaxSelfTests,
               "Self-test vectors of seeded inputs to store in the binary, with what the simulator gives");
    add_expect_option(*command, arguments->expected);
    add_deadline_options(*command, *arguments);
    command
        ->add_option(
            "--pack", arguments->pack,
            "Kernels that the weights are packed for: dsp (Cortex-M7, Cortex-R5F, Cortex-M33 with its DSP extension), "
            "mve (Cortex-M55), or portable, which packs nothing. A target whose kernels do not read the layout refuses "
            "the binary, and so does the capture if it knows the core; the simulator reads all. Default: what the core "
            "of --board or --cost-model reads, else "
            "portable")
        ->check(CLI::IsMember(layouts()));
    add_device_option(*command, arguments->device);
    add_core_options(*command, arguments->core);
    command->get_option("--board")->excludes("--device")->excludes("--cost-model");
    add_size_options(*command, arguments->sizes);
    command
        ->add_flag("--list-operators", arguments->lists_operators,
                   "Only list the operators that are imported, with their types and limits")
        ->excludes(model)
        ->excludes(output);
    command->add_flag("--json", arguments->json, "Print the summary as JSON");
}

}  // namespace pianola::cli
