#include "capture_host/cli/size_timing.h"

#include <fmt/format.h>

#include <cmath>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

constexpr std::uint64_t kMostUs = 1'000'000'000'000U;  // eleven days: sums stay far from the end of 64 bits
constexpr std::uint64_t kMostHz = 100'000'000'000U;
constexpr std::uint64_t kMostInstructions = 1'000'000'000U;
constexpr double kMostCycles = 10'000.0;
constexpr double kLeastCycles = 0.001;

const char* interval_name(timeline::Interval interval) {
    return (interval == timeline::Interval::kDetection) ? "detection" : "reaction";
}

std::string sum_line(const char* name, std::uint64_t time_us) {
    return fmt::format("  {:<22}{:>10} us\n", name, time_us);
}

nlohmann::json addend_to_json(const timeline::Addend& each) {
    return {{"interval", interval_name(each.interval)},
            {"name", each.name},
            {"time_us", each.time_us},
            {"formula", each.formula}};
}

std::string complaint_of_no_number(const std::string& text) {
    double value = 0.0;
    return (CLI::detail::lexical_cast(text, value) && std::isfinite(value)) ? std::string{} : (text + " is no number");
}

}  // namespace

void add_timing_options(CLI::App& command, TimingArguments& arguments) {
    timeline::EcuTiming& ecu = arguments.ecu;
    ecu.port_instructions = 100U;
    const auto add = [&command](const char* name, std::uint64_t& value, std::uint64_t lowest, std::uint64_t highest,
                                const char* what) {
        return command.add_option(name, value, what)->check(CLI::Range(lowest, highest))->group("Fault handling time");
    };
    CLI::Option* const ftti =
        add("--ftti-us", ecu.ftti_us, 1U, kMostUs,
            "Fault-tolerant time interval of the item: adds the time from a fault to the safe state, addend by addend, "
            "and ends with 1 where it is longer");
    const std::array<CLI::Option*, 5> needed{
        add("--clock-hz", ecu.clock_hz, 1U, kMostHz, "Clock of the core that runs the session"),
        command
            .add_option("--cycles-per-instruction", ecu.cycles_per_instruction,
                        "Cycles that the core takes for an instruction, at worst: caches and flash included")
            ->check(CLI::Range(kLeastCycles, kMostCycles))
            ->check(complaint_of_no_number, "")  // what is no number passes every range
            ->group("Fault handling time"),
        add("--period-us", ecu.period_us, 1U, kMostUs, "From one submit() to the next, at most"),
        add("--poll-us", ecu.poll_us, 1U, kMostUs, "From one poll() to the next: the period of the task that polls"),
        add("--reset-us", ecu.reset_us, 0U, kMostUs,
            "Most that reset() of one device takes: the port's limit, 20000 with the reference device's driver")};
    for (CLI::Option* const option : needed) {
        ftti->needs(option);
        option->needs(ftti);
    }
    const std::array<CLI::Option*, 4> others{
        add("--deadline-us", ecu.deadline_us, 1U, UINT32_MAX,
            "Deadline of a step to calculate with; default: the binary's"),
        add("--jitter-us", ecu.jitter_us, 0U, kMostUs, "How late a poll() may come")->capture_default_str(),
        add("--safe-state-us", ecu.safe_state_us, 0U, kMostUs,
            "From the call of enter_safe_state() until the item is safe")
            ->capture_default_str(),
        add("--port-instructions", ecu.port_instructions, 0U, kMostInstructions,
            "Instructions of one method of the port (Device, Platform, CommandSet)")
            ->capture_default_str()};
    for (CLI::Option* const option : others) {
        option->needs(ftti);
    }
    command
        .add_flag("--sees-memory", arguments.sees_memory,
                  "The core sees device memory: weights and traces are compared in place")
        ->group("Fault handling time")
        ->needs(ftti);
    command
        .add_flag("--at-completion", arguments.at_completion,
                  "Results are released at completion (Release::kAtCompletion), not verified before")
        ->group("Fault handling time")
        ->needs(ftti);
}

TimingAnswer time_faults(const TimingArguments& arguments, const VerifiedFile& file) {
    timeline::RuntimeFacts runtime;
    runtime.capacities = file.device().capacities;
    runtime.verifies = !arguments.at_completion;
    runtime.sees_memory = arguments.sees_memory;
    const timeline::SessionFacts facts = timeline::facts_of(file.plan(), file.workspace(), file.image().envelope(),
                                                            file.image().self_test_count(), runtime);
    TimingAnswer timed;
    timed.ecu = arguments.ecu;
    if (timed.ecu.deadline_us == 0U) {
        timed.ecu.deadline_us = file.image().budgets().step_deadline_us;
    }
    const std::uint64_t clock_khz = file.device().clock_khz;  // never 0 where cycles are published
    timed.ecu.step_us =
        (clock_khz == 0U) ? 0U : ((file.plan().step.cycles * kMicrosecondsPerMillisecond) + clock_khz - 1U) / clock_khz;
    timed.answer = timeline::answer(facts, timed.ecu);
    return timed;
}

std::string timing_text(const TimingAnswer& timed) {
    const timeline::FttiAnswer& answer = timed.answer;
    std::string text = "from a fault to the safe state\n";
    for (const timeline::Interval interval : {timeline::Interval::kDetection, timeline::Interval::kReaction}) {
        for (const timeline::Addend& each : answer.addends) {
            if (each.interval == interval) {
                text += fmt::format("    {:<20}{:>10} us  {}\n", each.name, each.time_us, each.formula);
            }
        }
        text += (interval == timeline::Interval::kDetection) ? sum_line("detection", answer.detection_us)
                                                             : sum_line("reaction", answer.reaction_us);
    }
    text += fmt::format("  {:<22}{:>10} us  of {} us: {}\n", "handling", answer.handling_us(), timed.ecu.ftti_us,
                        (answer.handling_us() <= timed.ecu.ftti_us) ? "fits" : "does not fit");
    text += fmt::format("  {:<22}{:>10} us  more than {} us: {}\n", "deadline", timed.ecu.deadline_us,
                        answer.least_deadline_us,
                        answer.deadline_suffices ? "suffices" : "too short for steps that go well");
    return text;
}

nlohmann::json timing_to_json(const TimingAnswer& timed) {
    const timeline::FttiAnswer& answer = timed.answer;
    nlohmann::json addends = nlohmann::json::array();
    for (const timeline::Addend& each : answer.addends) {
        addends.push_back(addend_to_json(each));
    }
    return {{"addends", addends},
            {"detection_us", answer.detection_us},
            {"reaction_us", answer.reaction_us},
            {"handling_us", answer.handling_us()},
            {"ftti_us", timed.ecu.ftti_us},
            {"deadline_us", timed.ecu.deadline_us},
            {"least_deadline_us", answer.least_deadline_us},
            {"deadline_suffices", answer.deadline_suffices},
            {"fits", answer.fits}};
}

}  // namespace pianola::cli
