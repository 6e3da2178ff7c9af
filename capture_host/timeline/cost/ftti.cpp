#include "capture_host/timeline/cost/ftti.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "capture_host/timeline/cost/session_cost.h"

namespace pianola::timeline {
namespace {

// Two more looks than slices: one may come right before the completion, and one right before a slice's turn.
constexpr std::uint64_t kMoreLooks = 2U;

Counts without(const Counts& counts, const Counts& part) {
    Counts left{};
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        left.at(i) = counts.at(i) - part.at(i);
    }
    return left;
}

class Sum {
  public:
    explicit Sum(const EcuTiming& ecu) : ecu_{ecu} {}

    void add(Interval interval, const char* name, std::uint64_t time_us, const std::string& formula) {
        answer_.addends.push_back({interval, name, formula, time_us});
        (interval == Interval::kDetection ? answer_.detection_us : answer_.reaction_us) += time_us;
    }
    void add_work(Interval interval, const char* name, const Counts& counts) {
        add(interval, name, time_us(counts),
            fmt::format("({} instructions + {} port calls x {}) x {:g} cycles / {} Hz",
                        instructions(Core::kEcu, counts), port_calls(counts), ecu_.port_instructions,
                        ecu_.cycles_per_instruction, ecu_.clock_hz));
    }
    [[nodiscard]] std::uint64_t time_us(const Counts& counts) const {
        constexpr double kMicroseconds = 1e6;
        const std::uint64_t all = instructions(Core::kEcu, counts) + (port_calls(counts) * ecu_.port_instructions);
        const double us = std::ceil(static_cast<double>(all) * ecu_.cycles_per_instruction * kMicroseconds /
                                    static_cast<double>(ecu_.clock_hz));
        if (us > static_cast<double>(kLongestWorkUs)) {
            throw TooSlow{fmt::format("a call of {} instructions, {:g} cycles each, takes {:.3g} us at {} Hz", all,
                                      ecu_.cycles_per_instruction, us, ecu_.clock_hz)};
        }
        return static_cast<std::uint64_t>(us);
    }
    void add_device(Interval interval, const char* name) {
        add(interval, name, device_us(),
            fmt::format("the longest command of each queue: {} cycles ({}) / {} kHz", ecu_.work->poll_cycles,
                        ecu_.work->costs, ecu_.work->clock_khz));
    }
    // Of the commands that one poll() executes at most.
    [[nodiscard]] std::uint64_t device_us() const {
        return (ecu_.work == nullptr) ? 0U : work_us(ecu_.work->poll_cycles);
    }
    // Steps, as poll() executes them. Each time is rounded up.
    void add_step(std::uint64_t poll_us, std::uint64_t slices) {
        answer_.step_polls = ecu_.work->command_cycles.size();
        std::uint64_t cycles = 0U;
        for (const std::uint64_t each : ecu_.work->command_cycles) {
            answer_.polled_us += std::max(ecu_.poll_us, poll_us + work_us(each));
            cycles += each;
        }
        answer_.waited_us = work_us(cycles) + ((answer_.step_polls + slices) * poll_us);
    }
    [[nodiscard]] FttiAnswer& result() { return answer_; }

  private:
    [[nodiscard]] std::uint64_t work_us(std::uint64_t cycles) const {
        constexpr std::uint64_t kMicrosecondsPerMillisecond = 1000U;
        const std::uint32_t khz = ecu_.work->clock_khz;
        return ((cycles * kMicrosecondsPerMillisecond) + khz - 1U) / khz;
    }

    const EcuTiming& ecu_;
    FttiAnswer answer_;
};

}  // namespace

FttiAnswer answer(const SessionFacts& facts, const EcuTiming& ecu) {
    Situation fault;
    fault.has_fault = true;
    const Counts poll = cost_of(Call::kPoll, facts, {});
    Counts latch = without(cost_of(Call::kPoll, facts, fault), poll);
    Counts zeros{};
    constexpr auto kZeroed = static_cast<std::size_t>(Term::kZeroedBytes);
    std::swap(zeros.at(kZeroed), latch.at(kZeroed));

    Sum sum{ecu};
    const std::uint64_t poll_us = sum.time_us(poll);
    const std::uint64_t turn_us = std::max(ecu.poll_us, poll_us);
    sum.add(Interval::kDetection, "next step", ecu.period_us, "period: the fault follows right after a verified step");
    if (ecu.release_steps > 1U) {
        sum.add(
            Interval::kDetection, "shared release", (ecu.release_steps - 1U) * ecu.period_us,
            fmt::format("{} more steps until its share of the constants is verified again", ecu.release_steps - 1U));
    }
    sum.add(Interval::kDetection, "deadline", facts.steps_in_flight * ecu.deadline_us,
            fmt::format("{} steps in flight x {} us", facts.steps_in_flight, ecu.deadline_us));
    // One that takes longer than its period makes the next one late.
    sum.add(Interval::kDetection, "next poll", std::max(ecu.poll_us, poll_us + sum.device_us()),
            "poll period, or poll() where that is longer: one is right before the deadline");
    sum.add(Interval::kDetection, "jitter", ecu.jitter_us, "of the task that polls");
    sum.add_work(Interval::kDetection, "poll()", poll);
    if (ecu.work != nullptr) {
        sum.add_device(Interval::kDetection, "device in poll()");
    }
    sum.add(Interval::kReaction, "reset()", facts.devices * ecu.reset_us,
            fmt::format("{} devices x {} us", facts.devices, ecu.reset_us));
    sum.add_work(Interval::kReaction, "zeros in outputs", zeros);
    sum.add_work(Interval::kReaction, "fault record", latch);
    sum.add(Interval::kReaction, "safe state", ecu.safe_state_us, "enter_safe_state(), and what it starts");

    FttiAnswer& result = sum.result();
    // A late step verifies everything, also where steps share a verification; the first one after load() may be late.
    const std::uint64_t slices = facts.verifies ? facts.slices : 0U;
    if (ecu.work != nullptr) {
        sum.add_step(poll_us, slices);
    }
    const std::uint64_t step_us = (ecu.work != nullptr) ? result.polled_us : ecu.step_us;
    result.least_deadline_us = (facts.steps_in_flight * (step_us + ((slices + kMoreLooks) * turn_us))) + ecu.jitter_us;
    result.deadline_suffices = ecu.deadline_us > result.least_deadline_us;
    result.fits = result.deadline_suffices && (result.handling_us() <= ecu.ftti_us);
    return result;
}

}  // namespace pianola::timeline
