// pianola size: the memory manifest of a binary, and whether a fault is handled in time.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/memory_manifest.h"
#include "capture_host/cli/options.h"
#include "capture_host/timeline/cost/device_work.h"
#include "capture_host/timeline/cost/ftti.h"
#include "hal/host/device_numbers.h"

namespace pianola::cli {
namespace {

constexpr std::uint32_t kMicrosecondsPerMillisecond = 1000U;
constexpr std::uint64_t kMostUs = 1'000'000'000'000U;  // eleven days: sums stay far from the end of 64 bits
constexpr std::uint64_t kMostHz = 100'000'000'000U;
constexpr std::uint64_t kMostInstructions = 1'000'000'000U;
constexpr double kMostCycles = 10'000.0;
constexpr double kLeastCycles = 0.001;

// --ftti-us and what goes with it.
struct TimingArguments {
    timeline::EcuTiming ecu;
    std::string device_core;
    bool sees_memory{false};
    bool at_completion{false};

    [[nodiscard]] bool is_asked() const noexcept { return ecu.ftti_us != 0U; }
};

struct SizeArguments {
    std::vector<std::string> files;
    std::string output;
    std::string symbol;
    std::string language{"c++"};
    TargetArguments target;
    TimingArguments timing;
    bool json{false};
    bool header{false};
    bool linker{false};
};

void add_timing_options(CLI::App& command, TimingArguments& arguments) {
    timeline::EcuTiming& ecu = arguments.ecu;
    const auto add = [&command](const char* name, std::uint64_t& value, std::uint64_t lowest, std::uint64_t highest,
                                const char* what) {
        return command.add_option(name, value, what)->check(CLI::Range(lowest, highest))->group("Fault handling time");
    };
    CLI::Option* const ftti =
        add("--ftti-us", ecu.ftti_us, 1U, kMostUs,
            "Fault-tolerant time interval of the item: adds the time from a fault to the safe state, addend by addend, "
            "and ends with 1 where it is longer");
    const std::array<CLI::Option*, 6> needed{
        add("--clock-hz", ecu.clock_hz, 1U, kMostHz, "Clock of the core that runs the session"),
        command
            .add_option("--cycles-per-instruction", ecu.cycles_per_instruction,
                        "Cycles that the core takes for an instruction, at worst: caches and flash included")
            ->check(complaint_of_no_number, "")
            ->check(CLI::Range(kLeastCycles, kMostCycles))
            ->group("Fault handling time"),
        add("--period-us", ecu.period_us, 1U, kMostUs, "From one submit() to the next, at most"),
        add("--poll-us", ecu.poll_us, 1U, kMostUs, "From one poll() to the next: the period of the task that polls"),
        add("--reset-us", ecu.reset_us, 0U, kMostUs,
            "Most that reset() of one device takes: the port's limit, 20000 with the reference device's driver"),
        add("--port-instructions", ecu.port_instructions, 0U, kMostInstructions,
            "Instructions of the longest method of the port (Device, Platform, CommandSet), without commands that "
            "service() executes")};
    for (CLI::Option* const option : needed) {
        ftti->needs(option);
        option->needs(ftti);
    }
    const std::array<CLI::Option*, 5> others{
        command
            .add_option(
                "--device-core", arguments.device_core,
                "Whose core executes the device's commands: the caller's, in poll(), or the device's own; needed "
                "for a binary with the clock of a core")
            ->check(CLI::IsMember({"caller", "own"}))
            ->group("Fault handling time"),
        add("--deadline-us", ecu.deadline_us, 1U, UINT32_MAX,
            "Deadline of a step to calculate with; default: the binary's"),
        add("--jitter-us", ecu.jitter_us, 0U, kMostUs, "How late a poll() may come")->capture_default_str(),
        add("--release-steps", ecu.release_steps, 1U, UINT32_MAX,
            "Steps that share a verification (Release::kWithinInterval): Session::release_steps()")
            ->capture_default_str(),
        add("--safe-state-us", ecu.safe_state_us, 0U, kMostUs,
            "From the call of enter_safe_state() until the item is safe")
            ->capture_default_str()};
    for (CLI::Option* const option : others) {
        option->needs(ftti);
    }
    const auto add_flag = [&command, ftti](const char* name, bool& value, const char* what) {
        return command.add_flag(name, value, what)->group("Fault handling time")->needs(ftti);
    };
    add_flag("--sees-memory", arguments.sees_memory,
             "The core sees device memory: weights and traces are verified in place");
    add_flag("--at-completion", arguments.at_completion,
             "Results are released at completion (Release::kAtCompletion), not verified before")
        ->excludes(command.get_option("--release-steps"));
}

// Whether poll() executes the device's commands. Throws CliError for an answer that cannot be true of the binary.
bool is_callers_core(const TimingArguments& arguments, const VerifiedFile& file) {
    constexpr std::uint64_t kHzPerKhz = 1000U;
    const std::uint64_t core_hz = file.device().core_khz * kHzPerKhz;
    if (arguments.device_core.empty() && (core_hz != 0U)) {
        throw CliError{kUsage, "--device-core: whose core executes the device's commands is not known",
                       "say caller if it also runs the session, so that poll() executes them, else own"};
    }
    const bool is_callers = arguments.device_core == "caller";
    if (is_callers && (core_hz == 0U)) {
        throw CliError{kUsage,
                       "--device-core caller: the binary's cycles are not those of a core, and say nothing of the time "
                       "that its commands take there",
                       "capture for the core, or name the core of the device: own"};
    }
    if (is_callers && (core_hz != arguments.ecu.clock_hz)) {
        throw CliError{kUsage, fmt::format("--clock-hz {}: the binary is for a core of {} Hz, and --device-core caller "
                                           "says that it runs the session",
                                           arguments.ecu.clock_hz, core_hz)};
    }
    return is_callers;
}

// So many steps share a verification only if the interval has one more period, and the time of the reaction.
void check_release_steps(const timeline::EcuTiming& ecu, std::uint64_t reaction_us) {
    const std::uint64_t periods = (ecu.ftti_us - std::min(ecu.ftti_us, reaction_us)) / ecu.period_us;
    if ((ecu.release_steps > 1U) && (ecu.release_steps >= periods)) {
        throw CliError{
            kUsage,
            fmt::format("--release-steps {}: --ftti-us {}, less {} us for the reaction, has {} periods of {} us, which "
                        "leaves no more than {} steps that share a verification",
                        ecu.release_steps, ecu.ftti_us, reaction_us, periods, ecu.period_us,
                        std::max<std::uint64_t>(periods, 1U) - 1U),
            "Session::release_steps() says how many they are"};
    }
}

timeline::FttiAnswer answer_or_complain(const timeline::SessionFacts& facts, const timeline::EcuTiming& ecu) {
    try {
        return timeline::answer(facts, ecu);
    } catch (const timeline::TooSlow& error) {
        throw CliError{kUsage, error.what(),
                       "check --clock-hz, --cycles-per-instruction and --port-instructions: no call takes days"};
    }
}

// Whether a fault is handled in time on an ECU. The formulas are those of capture_host/timeline/cost.
nlohmann::json time_faults(const TimingArguments& arguments, const VerifiedFile& file) {
    timeline::RuntimeFacts runtime;
    runtime.capacities = file.device().capacities;
    runtime.verifies = !arguments.at_completion;
    runtime.shares = arguments.ecu.release_steps > 1U;
    runtime.sees_memory = arguments.sees_memory;
    const timeline::SessionFacts facts = timeline::facts_of(file.plan(), file.workspace(), file.image().envelope(),
                                                            file.image().self_test_count(), runtime);
    timeline::EcuTiming ecu = arguments.ecu;
    if (ecu.deadline_us == 0U) {
        ecu.deadline_us = file.image().budgets().step_deadline_us;
    }
    const std::uint64_t clock_khz = file.device().clock_khz;  // never 0 if cycles are published
    ecu.step_us =
        (clock_khz == 0U) ? 0U : ((file.plan().step.cycles * kMicrosecondsPerMillisecond) + clock_khz - 1U) / clock_khz;
    timeline::DeviceWork work;
    if (is_callers_core(arguments, file)) {
        work = timeline::device_work(timeline::read_workloads(file.image(), file.plan(), file.target()));
        work.costs = costs_label(file.device().costs, file.target().cost_model_name());
        ecu.work = &work;
    }
    check_release_steps(ecu, 0U);  // larger numbers overflow the sums
    const timeline::FttiAnswer answer = answer_or_complain(facts, ecu);
    check_release_steps(ecu, answer.reaction_us);
    const nlohmann::json addends = json_list(answer.addends, [](const timeline::Addend& each) -> nlohmann::json {
        return {{"interval", (each.interval == timeline::Interval::kDetection) ? "detection" : "reaction"},
                {"name", each.name},
                {"time_us", each.time_us},
                {"formula", each.formula}};
    });
    nlohmann::json json{{"addends", addends},
                        {"device_core", (ecu.work != nullptr) ? "caller" : "own"},
                        {"detection_us", answer.detection_us},
                        {"reaction_us", answer.reaction_us},
                        {"handling_us", answer.handling_us()},
                        {"ftti_us", ecu.ftti_us},
                        {"deadline_us", ecu.deadline_us},
                        {"least_deadline_us", answer.least_deadline_us},
                        {"deadline_suffices", answer.deadline_suffices},
                        {"fits", answer.fits}};
    if (ecu.work != nullptr) {
        json["step"] = {{"polls", answer.step_polls}, {"polled_us", answer.polled_us}, {"waited_us", answer.waited_us}};
    }
    return json;
}

std::string timing_text(const nlohmann::json& timed, bool at_completion) {
    const auto addends = [&timed](const char* interval) {
        std::string text;
        for (const nlohmann::json& each : timed.at("addends")) {
            if (each.at("interval") == interval) {
                text += fill("    {name:<20}{time_us:>10} us  {formula}\n", each);
            }
        }
        return text;
    };
    const bool is_handled = timed.at("handling_us") <= timed.at("ftti_us");
    return "from a fault to the safe state\n" + addends("detection") +
           fill("  detection             {detection_us:>10} us\n", timed) + addends("reaction") +
           fill(
               "  reaction              {reaction_us:>10} us\n"
               "  handling              {handling_us:>10} us  of {ftti_us} us: ",
               timed) +
           (is_handled ? "fits\n" : "does not fit\n") +
           fill("  deadline              {deadline_us:>10} us  more than {least_deadline_us} us: ", timed) +
           (timed.at("deadline_suffices").get<bool>() ? "suffices\n" : "too short for steps that go well\n") +
           (timed.contains("step")
                ? fill("  step on this core     {step/polled_us:>10} us  by {step/polls} calls of poll(), before its "
                       "release; {step/waited_us} us by wait(), ",
                       timed) +
                      (at_completion ? "released at completion\n" : "with verified release\n")
                : "");
}

std::string row(const std::string& what, const nlohmann::json& bytes, const std::string& remark) {
    return fmt::format("  {:<22}{:>10} bytes{}{}\n", what, bytes.get<std::uint64_t>(), remark.empty() ? "" : "  ",
                       remark);
}

std::string costs_label_of(const MemoryManifest& manifest) {
    return costs_label(manifest.device.costs, manifest.json.at("device").at("cost_model_name").get<std::string>());
}

std::string totals_text(const MemoryManifest& manifest) {
    const nlohmann::json& json = manifest.json;
    std::string text = fill("{file}\ndevice\n  family                {device/family}\n", json);
    text += fmt::format("  attests               {}\n  costs                 {}\n",
                        attestation_text(manifest.device.attestation), costs_label_of(manifest));
    text += fill(
        "  profile               {device/profile}\n  weights layout        {device/weights_layout}\n"
        "flash\n  file                  {flash/bytes:>10} bytes\n",
        json);
    text += fill_each("    {name:<20}{bytes:>10} bytes\n", json.at("flash").at("segments"));
    text += "RAM on a 32-bit core\n";
    for (const RamPart& part : manifest.ram) {
        text += row(part.title, part.bytes, part.remark);
    }
    const bool in_file = json.at("device").at("file_used_bytes") != 0U;
    return text +
           fill(
               "  stack of submit, poll {stack/submit_poll_bytes:>10} bytes  at most\n"
               "  stack of load         {stack/load_bytes:>10} bytes  at most\n"
               "device memory\n"
               "  DRAM                  {device/dram_used_bytes:>10} bytes  used of {device/dram_bytes}\n"
               "  L1                    {device/l1_used_bytes:>10} bytes  used of {device/l1_bytes}\n",
               json) +
           (in_file ? fill("  weights in the file   {device/file_used_bytes:>10} bytes  of flash, above\n", json)
                    : "") +
           fill(
               "  trace region          {device/trace_region_used_bytes:>10} bytes  used of "
               "{device/trace_region_bytes}, the last of DRAM\n"
               "totals\n"
               "  flash                 {totals/flash_bytes:>10} bytes\n"
               "  RAM                   {totals/ram_bytes:>10} bytes  each part once, and the deeper stack\n"
               "  device memory         {totals/device_bytes:>10} bytes  DRAM and L1; RAM where the device is "
               "this core\n",
               json);
}

std::string regions_text(const nlohmann::json& regions) {
    std::string text;
    for (const nlohmann::json& region : regions) {
        std::string permissions;
        const auto add = [&](const char* member, const char* name) {
            if (region.at(member).get<bool>()) {
                permissions += (permissions.empty() ? "" : ", ") + std::string{name};
            }
        };
        add("kernels_read", "kernels read");
        add("kernels_write", "kernels write");
        add("queues_read", "queues read");
        add("queues_write", "queues write");
        add("fetch", "fetch");
        text += fill("  0x{base:08X} {memory:<4}{bytes:>17} bytes  {name} ({kind}): ", region) + permissions + "\n";
    }
    return text;
}

std::string step_text(const MemoryManifest& manifest) {
    const nlohmann::json& json = manifest.json;
    std::string text = "one step\n";
    for (const auto& [list, name] : {std::pair{"inputs", "input"}, {"outputs", "output"}}) {
        for (const nlohmann::json& each : json.at(list)) {
            text += row(name, each.at("bytes"), each.at("name").get<std::string>());
        }
    }
    std::size_t queue = 0U;
    for (const nlohmann::json& ring : json.at("rings").at("queues")) {
        text += fmt::format("  ring of queue {:<8}", queue++) + fill("{step_words:>10} words", ring) +
                fill("  of {rings/capacity_words}", json) + fill("; set-up takes {setup_words}\n", ring);
    }
    text += json.at("views").at("possible").get<bool>()
                ? "  views                 possible\n"
                : fill("  views                 not possible: {views/why_not}\n", json);
    text += "  time                  ";
    if (json.at("device").at("costs") == costs_name(CostKind::kNotPublished)) {
        text += "not published by the device";
    } else {
        const auto step_us = json.at("time").at("step_cycles").get<double>() * kMicrosecondsPerMillisecond /
                             json.at("device").at("clock_khz").get<std::uint32_t>();
        text += fill("{time/step_cycles:>10} device cycles, ", json) +
                fmt::format("{:.1f} us ({})", step_us, costs_label_of(manifest));
    }
    return text + fill(
                      "; deadline {time/step_deadline_us} us, of set-up {time/setup_deadline_us} us\n"
                      "  release               {verified_release/calls:>10} calls of poll(), where results are "
                      "verified; they must fit into the deadline\n",
                      json);
}

std::string manifest_as_text(const MemoryManifest& manifest) {
    return totals_text(manifest) + regions_text(manifest.json.at("regions")) + step_text(manifest) +
           "protection windows: offset and size in units of 64 bytes, and as a power of two\n" +
           fill_each(
               "  {name:<8} {memory:<12} 0x{offset:08X} {bytes:>9}   0x{pow2_offset:08X} {pow2_bytes:>9}   {access}\n",
               manifest.json.at("windows"));
}

std::string object_counts_text(const std::string& when, const std::vector<ObjectCount>& objects) {
    constexpr std::size_t kInALine = 5U;
    std::string text = fmt::format("  {:<18}", when);
    for (std::size_t i = 0U; i < objects.size(); ++i) {
        const ObjectCount& each = objects[i];
        if (i == 0U) {
            text += fmt::format("{:>6} {}", each.count, each.kind);
        } else if ((i % kInALine) == 0U) {
            text += fmt::format(",\n{:>26} {}", each.count, each.kind);
        } else {
            text += fmt::format(", {} {}", each.count, each.kind);
        }
    }
    return text + "\n";
}

// The objects that an executor's device makes of the binary, at open and at load.
std::string executor_text(const VerifiedFile& file, const Executor& executor) {
    const std::vector<ObjectCount> of_device = executor.objects(file.device(), {});
    if (of_device.empty()) {
        return {};
    }
    std::string text =
        fmt::format("objects on a {} device\n", executor.title()) + object_counts_text("at open", of_device);
    for (std::uint32_t i = 0U; i < file.image().trace_count(); ++i) {
        const TraceView trace = file.image().trace(i);
        const WordSpan words =
            file.image().trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        text += object_counts_text(fmt::format("at load, trace {}", i), executor.objects(file.device(), words));
    }
    return text;
}

std::string executors_text(const VerifiedFile& file) {
    std::string text;
    for (const Executor* const executor : file.target().executors()) {
        text += executor_text(file, *executor);
    }
    return text;
}

MemoryManifest gather(const SizeArguments& arguments, const VerifiedFile& file, const std::string& name) {
    return gather_manifest(file, name, arguments.symbol.empty() ? symbol_for(name) : arguments.symbol);
}

std::string manifest_in_its_form(const SizeArguments& arguments, const VerifiedFile& file, const std::string& name) {
    const MemoryManifest manifest = gather(arguments, file, name);
    if (arguments.header) {
        return (arguments.language == "c99") ? manifest_as_c_header(manifest) : manifest_as_header(manifest);
    }
    return arguments.linker ? manifest_as_linker_fragment(manifest)
                            : (manifest_as_text(manifest) + executors_text(file));
}

// The memory manifest of one file and, with --ftti-us, whether a fault is handled in time.
int show_one(const SizeArguments& arguments, const std::string& name) {
    const VerifiedFile file{name, arguments.target};
    const bool is_timed = arguments.timing.is_asked();
    const nlohmann::json timed = is_timed ? time_faults(arguments.timing, file) : nlohmann::json{};
    if (arguments.json) {
        nlohmann::json json = gather(arguments, file, name).json;
        if (is_timed) {
            json["fault_handling"] = timed;
        }
        write_result(arguments.output, json_text(json) + "\n");
    } else {
        write_result(arguments.output,
                     manifest_in_its_form(arguments, file, name) +
                         (is_timed ? timing_text(timed, arguments.timing.at_completion) : std::string{}));
    }
    return (!is_timed || timed.at("fits").get<bool>()) ? kDone : kDoesNotFit;
}

int show_size(const SizeArguments& arguments) {
    if (is_one_file(arguments.files)) {
        return show_one(arguments, arguments.files.front());
    }
    // Names in headers and linker scripts, and files that builds read, are those of one binary.
    const std::array<std::pair<bool, const char*>, 5> options{{{arguments.header, "--header"},
                                                               {arguments.linker, "--ld"},
                                                               {!arguments.output.empty(), "--output"},
                                                               {!arguments.symbol.empty(), "--symbol"},
                                                               {arguments.timing.is_asked(), "--ftti-us"}}};
    for (const auto& [is_given, option] : options) {
        if (is_given) {
            throw CliError{kUsage, fmt::format("{}: is about one file, and several were given", option),
                           "call `pianola size` once for each file"};
        }
    }
    const targets::Targets targets = load_targets(arguments.target.plugin);
    const DeviceFile device{arguments.target.device, targets};
    return show_files(arguments.files, arguments.json,
                      {[&](const std::string& name) {
                           fmt::print("{}", manifest_in_its_form(arguments, {name, targets, device}, name));
                       },
                       [&](const std::string& name) { return gather(arguments, {name, targets, device}, name).json; }});
}

}  // namespace

void add_size(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "size", "Shows every byte of memory that a binary needs on a target", show_size);
    command->footer(
        "Examples:\n"
        "  pianola size signs.ptb\n"
        "  pianola size signs.ptb --header -o signs_manifest.h    constants that do not compile where they are not "
        "true\n"
        "  pianola size signs.ptb --ld -o pianola_memory.ld       symbols for a linker script that INCLUDEs it\n"
        "  pianola size signs.ptb --ftti-us 100000 --period-us 20000 --poll-us 1000 --reset-us 20000 \\\n"
        "      --clock-hz 200000000 --cycles-per-instruction 3 --port-instructions 100\n"
        "                                                         whether a fault is handled in time\n\n"
        "The binary is verified first. RAM is exact, for cores with 32-bit pointers. docs/reference/manifest.md "
        "explains every "
        "entry, docs/guide/timing.md the time from a fault to the safe state.");
    add_files_option(*command, arguments->files);
    add_text(*command, "-o,--output", arguments->output, kWrites, "File to write; default: standard output");
    auto* const json = command->add_flag("--json", arguments->json, "Print as JSON");
    auto* const header = command->add_flag("--header", arguments->header, "Print as a C++17 header of constants");
    CLI::Option* const linker = command->add_flag("--ld", arguments->linker, "Print as symbols for a GNU linker script")
                                    ->excludes(json)
                                    ->excludes(header);
    header->excludes(json);
    add_language_option(*command, arguments->language, "c++", "Of the header");
    add_symbol_option(*command, arguments->symbol, "Name in header and symbols; default: from the file name");
    add_target_options(*command, arguments->target);
    add_timing_options(*command, arguments->timing);
    command->get_option("--ftti-us")->excludes(header)->excludes(linker);
}

}  // namespace pianola::cli
