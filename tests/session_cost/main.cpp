// pianola_session_cost: drives sessions on hostile binaries, and says what calls of them did and what the formulas of
// capture_host/timing give.
//
//   pianola_session_cost calls                    names of all calls that have a formula, as JSON
//   pianola_session_cost list                     plans and faults, as JSON
//   pianola_session_cost counts                   every plan, call and fault: counts and formulas, as JSON
//   pianola_session_cost run PLAN CALL FAULT      one of them, in a function of its own, which callgrind counts
//
// Place in the whole: tests only; tests/session_cost/measure.py judges.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>

#include "tests/session_cost/rig.h"

namespace {

using pianola::Release;
using pianola::Status;
using namespace pianola::test;

constexpr std::array<std::pair<Fault, const char*>, 11> kFaults{{{Fault::kNone, "none"},
                                                                 {Fault::kTimeout, "timeout"},
                                                                 {Fault::kDeviceFault, "device_fault"},
                                                                 {Fault::kWrongDigest, "wrong_digest"},
                                                                 {Fault::kLastCommand, "last_command"},
                                                                 {Fault::kLastDoorbell, "last_doorbell"},
                                                                 {Fault::kLastWord, "last_word"},
                                                                 {Fault::kLastConstant, "last_constant"},
                                                                 {Fault::kLastOutput, "last_output"},
                                                                 {Fault::kState, "state"},
                                                                 {Fault::kReset, "reset"}}};

// Counted. A function that the optimiser must leave alone.
[[gnu::noinline]] Status pianola_counted_call(Rig& rig, Call call) {
    return rig.perform(call);
}

Call call_at(std::size_t index) {
    return static_cast<Call>(index);
}

// Members that give out what they hold are one call: Rig::perform() makes all of them.
bool is_driven(Call call) {
    switch (call) {
        case Call::kHasViews:
        case Call::kIsVerifying:
        case Call::kPlan:
        case Call::kFault:
        case Call::kPastFault:
        case Call::kFaultCount:
        case Call::kStepsCompleted:
        case Call::kSelfTestCount:
        case Call::kSelfTests:
            return false;
        default:
            return true;
    }
}

// The largest of each term, of calls that are made until they have come to an end.
void keep_largest(Counts& largest, const Counts& counts) {
    for (std::size_t i = 0U; i < counts.size(); ++i) {
        largest.at(i) = std::max(largest.at(i), counts.at(i));
    }
}

struct Measured {
    Counts counts{};
    Status status{Status::kOk};
};

// poll() and scrub() take several calls, of which each is one.
Measured measure(Rig& rig, Call call) {
    Measured measured;
    const bool repeats = (call == Call::kPoll) || (call == Call::kScrub);
    const std::uint64_t most = repeats ? (rig.facts().slices + rig.situation(call).idle_rounds + 1U) : 1U;
    for (std::uint64_t i = 0U; i < most; ++i) {
        Counts counts{};
        counted_in = &counts;
        measured.status = pianola_counted_call(rig, call);
        counted_in = nullptr;
        keep_largest(measured.counts, counts);
        const bool goes_on =
            (measured.status == Status::kPending) || ((call == Call::kScrub) && is_ok(measured.status));
        if (!goes_on) {
            break;
        }
    }
    return measured;
}

std::string list_of(const Counts& counts) {
    std::string text;
    for (std::size_t i = 0U; i < counts.size(); ++i) {
        text += fmt::format(R"({}"{}": {})", text.empty() ? "" : ", ", pianola::timing::name_of(static_cast<Term>(i)),
                            counts.at(i));
    }
    return text;
}

void print_row(const char*& comma, const CostPlan& plan, Release release, Call call, const char* fault, Rig& rig,
               Measured& measured) {
    Situation situation = rig.situation(call);
    situation.has_fault = !is_ok(rig.session().fault().status);
    if (situation.has_fault) {
        measured.counts.at(static_cast<std::size_t>(Term::kZeroedBytes)) = rig.zeroed_bytes();
    }
    fmt::print(
        "{}\n{{\"plan\": \"{}\", \"release\": \"{}\", \"largest\": {}, \"call\": \"{}\", \"fault\": \"{}\", "
        "\"latched\": {}, \"measured\": {{{}}}, \"formula\": {{{}}}}}",
        comma, plan.name, (release == Release::kVerified) ? "verified" : "at_completion", plan.is_largest,
        pianola::timing::name_of(call), fault, situation.has_fault, list_of(measured.counts),
        list_of(cost_of(call, rig.facts(), situation)));
    comma = ",";
}

int counts() {
    const char* comma = "[";
    for (const CostPlan& plan : cost_plans()) {
        for (const Release release : {Release::kVerified, Release::kAtCompletion}) {
            Rig rig{plan, release, true};
            for (std::size_t i = 0U; i < pianola::timing::kCallCount; ++i) {
                for (const auto& [fault, name] : kFaults) {
                    const Call call = call_at(i);
                    if (!is_driven(call) || !rig.can_strike(fault, call)) {
                        continue;
                    }
                    rig.renew();
                    rig.prepare(call);
                    rig.arm(fault, call);
                    Measured measured = measure(rig, call);
                    print_row(comma, plan, release, call, name, rig, measured);
                }
            }
        }
    }
    fmt::print("\n]\n");
    return 0;
}

const CostPlan& plan_named(const std::string& name) {
    for (const CostPlan& plan : cost_plans()) {
        if (plan.name == name) {
            return plan;
        }
    }
    throw std::invalid_argument{name + ": no such plan"};
}

Call call_named(const std::string& name) {
    for (std::size_t i = 0U; i < pianola::timing::kCallCount; ++i) {
        if (name == pianola::timing::name_of(call_at(i))) {
            return call_at(i);
        }
    }
    throw std::invalid_argument{name + ": no such call"};
}

Fault fault_named(const std::string& name) {
    for (const auto& [fault, known] : kFaults) {
        if (name == known) {
            return fault;
        }
    }
    throw std::invalid_argument{name + ": no such fault"};
}

int run_one(const std::string& plan_name, const std::string& call_name, const std::string& fault_name) {
    const CostPlan& plan = plan_named(plan_name);
    const Call call = call_named(call_name);
    Rig rig{plan, Release::kVerified, false};
    const Fault fault = fault_named(fault_name);
    if (!rig.can_strike(fault, call)) {
        fmt::print("{{}}\n");
        return 0;
    }
    rig.prepare(call);
    for (std::uint64_t i = 0U; (call == Call::kPoll) && (i < rig.situation(call).idle_rounds); ++i) {
        static_cast<void>(rig.perform(call));  // the device is still at work
    }
    rig.arm(fault, call);
    is_instrumented = true;
    const Status status = pianola_counted_call(rig, call);
    is_instrumented = false;
    Situation situation = rig.situation(call);
    situation.has_fault = !is_ok(rig.session().fault().status);
    fmt::print("{{\"status\": {}, \"latched\": {}, \"formula\": {{{}}}}}\n", static_cast<std::uint32_t>(status),
               situation.has_fault, list_of(cost_of(call, rig.facts(), situation)));
    return 0;
}

int calls() {
    const char* comma = "[";
    for (std::size_t i = 0U; i < pianola::timing::kCallCount; ++i) {
        fmt::print("{}\"{}\"", comma, pianola::timing::name_of(call_at(i)));
        comma = ", ";
    }
    fmt::print("]\n");
    return 0;
}

int run(const std::vector<std::string>& arguments) {
    if ((arguments.size() == 2U) && (arguments[1] == "calls")) {
        return calls();
    }
    if ((arguments.size() == 2U) && (arguments[1] == "counts")) {
        return counts();
    }
    if ((arguments.size() == 5U) && (arguments[1] == "run")) {
        return run_one(arguments[2], arguments[3], arguments[4]);
    }
    fmt::print(stderr, "usage: pianola_session_cost calls | counts | run PLAN CALL FAULT\n");
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "pianola_session_cost: {}\n", error.what());
        return 1;
    }
}
