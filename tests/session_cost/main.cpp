// pianola_session_cost: drives sessions on hostile binaries, and says what calls of them did and what the formulas of
// capture_host/timeline/cost give.
//
//   pianola_session_cost calls                    names of all calls that have a formula, as JSON
//   pianola_session_cost counts                   every plan, call and fault: counts and formulas, as JSON
//   pianola_session_cost run PLAN CALL FAULT      one of them, in a function of its own, which callgrind counts
//   pianola_session_cost formulas                 what each call counts, as factors of the binary's numbers
//   pianola_session_cost coefficients             of each count: hundredths of an instruction on host and ECU
//   pianola_session_cost ecu                      what boards have measured, as the formulas of a 32-bit core give it
//
// tests/session_cost/counts.py and instructions.py judge.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>

#include "capture_host/timeline/cost/session_cost.h"
#include "tests/session_cost/rig.h"

namespace {

using pianola::Release;
using pianola::Status;
using pianola::test::Call;
using pianola::test::cost_plans;
using pianola::test::CostPlan;
using pianola::test::counted_in;
using pianola::test::Counts;
using pianola::test::Fault;
using pianola::test::is_instrumented;
using pianola::test::Rig;
using pianola::test::SessionFacts;
using pianola::test::Situation;
using pianola::test::Term;
using pianola::timeline::ScriptFacts;

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
        text += fmt::format(R"({}"{}": {})", text.empty() ? "" : ", ", pianola::timeline::name_of(static_cast<Term>(i)),
                            counts.at(i));
    }
    return text;
}

const char* name_of(Release release) {
    if (release == Release::kWithinInterval) {
        return "within_interval";
    }
    return (release == Release::kVerified) ? "verified" : "at_completion";
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
        comma, plan.name, name_of(release), plan.is_largest, pianola::timeline::name_of(call), fault,
        situation.has_fault, list_of(measured.counts), list_of(cost_of(call, rig.facts(), situation)));
    comma = ",";
}

int counts() {
    const char* comma = "[";
    for (const CostPlan& plan : cost_plans()) {
        for (const Release release : {Release::kVerified, Release::kAtCompletion, Release::kWithinInterval}) {
            Rig rig{plan, release, true};
            for (std::size_t i = 0U; i < pianola::timeline::kCallCount; ++i) {
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
    for (std::size_t i = 0U; i < pianola::timeline::kCallCount; ++i) {
        if (name == pianola::timeline::name_of(call_at(i))) {
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
    const Counts formula = cost_of(call, rig.facts(), situation);
    fmt::print(
        "{{\"plan\": \"{}\", \"call\": \"{}\", \"fault\": \"{}\", \"largest\": {}, \"pending\": {}, "
        "\"latched\": {}, \"port_calls\": {}, \"instructions\": {}}}\n",
        plan.name, call_name, fault_name, plan.is_largest, status == Status::kPending, situation.has_fault,
        pianola::timeline::port_calls(formula),
        pianola::timeline::instructions(pianola::timeline::Core::kHost, formula));
    return 0;
}

// As tests/baremetal measures it: an inference on views released at completion, a slice of a verified release beyond
// it.
int ecu() {
    using pianola::timeline::Core;
    const CostPlan& plan = plan_named("typical_seen");
    const auto formula = [&plan](bool verifies, std::uint64_t slices, std::initializer_list<Call> calls) {
        const Rig rig{plan, Release::kVerified, false};
        pianola::timeline::RuntimeFacts runtime;
        runtime.capacities = &pianola::profiles::kSmallEcu;
        runtime.verifies = verifies;
        runtime.sees_memory = true;
        SessionFacts facts = rig.facts_for(runtime);
        facts.slices = slices;
        facts.kept_bytes = slices * pianola::kScrubSliceBytes;
        facts.kept_pieces = facts.kept_bytes / pianola::kCheckedBytes;
        std::pair<std::uint64_t, std::uint64_t> sum{0U, 0U};
        for (const Call call : calls) {
            const Counts counts = cost_of(call, facts, {});
            sum.first += pianola::timeline::instructions(Core::kEcu, counts);
            sum.second += pianola::timeline::port_calls(counts);
        }
        return sum;
    };
    const auto inference = formula(false, 0U, {Call::kInputView, Call::kSubmitViews, Call::kPoll, Call::kOutputView});
    const auto fewer = formula(true, 2U, {Call::kWait});
    const auto more = formula(true, 3U, {Call::kWait});
    fmt::print("{{\"inference\": {}, \"inference_port_calls\": {}, \"slice\": {}, \"slice_port_calls\": {}}}\n",
               inference.first, inference.second, more.first - fewer.first, more.second - fewer.second);
    return 0;
}

// Numbers that a count is a sum of, of one device and one step in flight.
constexpr std::array<std::pair<std::uint64_t SessionFacts::*, const char*>, 23> kNumbers{
    {{&SessionFacts::regions, "regions"},
     {&SessionFacts::inputs, "inputs"},
     {&SessionFacts::outputs, "outputs"},
     {&SessionFacts::input_pieces, "bound inputs"},
     {&SessionFacts::output_pieces, "bound outputs"},
     {&SessionFacts::input_bytes, "input bytes"},
     {&SessionFacts::output_bytes, "output bytes"},
     {&SessionFacts::patch_points, "patch points"},
     {&SessionFacts::self_tests, "vectors"},
     {&SessionFacts::digested_bytes, "digested bytes"},
     {&SessionFacts::other_bytes, "other bytes"},
     {&SessionFacts::kept_pieces, "kept slices"},
     {&SessionFacts::kept_bytes, "kept bytes"},
     {&SessionFacts::written_pieces, "written slices of state"},
     {&SessionFacts::written_bytes, "written bytes of state"},
     {&SessionFacts::state_regions, "regions of state"},
     {&SessionFacts::state_bytes, "state bytes"},
     {&SessionFacts::call_pieces, "slices of a call"},
     {&SessionFacts::call_bytes, "bytes of a call"},
     {&SessionFacts::slices, "calls of a scrub"},
     {&SessionFacts::bound_bytes, "bound"},
     {&SessionFacts::loaded_bytes, "loaded"},
     {&SessionFacts::running_bytes, "running"}}};
constexpr std::array<std::pair<ScriptFacts SessionFacts::*, const char*>, 4> kScripts{
    {{&SessionFacts::setup, "set-up"},
     {&SessionFacts::prologue, "prologue"},
     {&SessionFacts::step, "step"},
     {&SessionFacts::epilogue, "epilogue"}}};
constexpr std::array<std::pair<std::uint64_t ScriptFacts::*, const char*>, 2> kScriptNumbers{
    {{&ScriptFacts::commands, "commands"}, {&ScriptFacts::notifications, "queues"}}};

// What a count rises by for one more of a number: of bytes that are read 128 at a time, a 128th.
constexpr std::uint64_t kStep = pianola::timeline::kChunkBytes;

std::string factor(std::uint64_t more, const std::string& name) {
    if (more == 0U) {
        return {};
    }
    const bool is_whole = (more % kStep) == 0U;
    const std::uint64_t times = is_whole ? (more / kStep) : more;
    const std::string what = is_whole ? name : fmt::format("{}/{}", name, kStep);
    return (times == 1U) ? what : fmt::format("{} x {}", times, what);
}

template <typename Cost>
std::string formula_of(Term term, const SessionFacts& base, const Cost& cost) {
    const std::uint64_t constant = pianola::timeline::count(cost(base), term);
    std::string text = (constant == 0U) ? "" : fmt::format("{}", constant);
    const auto add = [&](const SessionFacts& changed, const std::string& name) {
        const std::string more = factor(pianola::timeline::count(cost(changed), term) - constant, name);
        text += more.empty() ? "" : ((text.empty() ? "" : " + ") + more);
    };
    for (const auto& [member, name] : kNumbers) {
        SessionFacts changed = base;
        changed.*member += kStep;
        add(changed, name);
    }
    for (const auto& [script, script_name] : kScripts) {
        for (const auto& [member, name] : kScriptNumbers) {
            SessionFacts changed = base;
            ScriptFacts& facts = changed.*script;
            facts.*member += kStep;
            add(changed, fmt::format("{} {}", script_name, name));
        }
    }
    return text;
}

template <typename Cost>
void print_formulas(const char*& comma, const char* call, const SessionFacts& base, const Cost& cost) {
    fmt::print("{}\n\"{}\": {{", comma, call);
    const char* inner = "";
    for (std::size_t i = 0U; i < pianola::timeline::kTermCount; ++i) {
        const Term term = static_cast<Term>(i);
        const std::string text = (term == Term::kPointLooks) ? std::string{} : formula_of(term, base, cost);
        if (!text.empty()) {
            fmt::print("{}\"{}\": \"{}\"", inner, pianola::timeline::name_of(term), text);
            inner = ", ";
        }
    }
    fmt::print("}}");
    comma = ",";
}

int formulas() {
    SessionFacts base;
    base.devices = 1U;
    base.steps_in_flight = 1U;
    base.slices = 1U;
    base.self_tests = 1U;
    const char* comma = "{";
    for (std::size_t i = 0U; i < pianola::timeline::kCallCount; ++i) {
        const Call call = call_at(i);
        SessionFacts facts = base;
        facts.is_pipelined = (call == Call::kStart) || (call == Call::kStop);
        facts.has_views = call == Call::kSubmitViews;
        facts.has_prologue = facts.is_pipelined || (call == Call::kResetState);
        print_formulas(comma, pianola::timeline::name_of(call), facts,
                       [call](const SessionFacts& each) { return cost_of(call, each, {}); });
    }
    print_formulas(comma, "a fault", base,
                   [](const SessionFacts& each) { return pianola::timeline::cost_of_fault(each); });
    fmt::print("\n}}\n");
    return 0;
}

int coefficients() {
    const char* comma = "[";
    for (std::size_t i = 0U; i < pianola::timeline::kTermCount; ++i) {
        const Term term = static_cast<Term>(i);
        fmt::print("{}[\"{}\", {}, {}]", comma, pianola::timeline::name_of(term),
                   pianola::timeline::coefficient(pianola::timeline::Core::kHost, term),
                   pianola::timeline::coefficient(pianola::timeline::Core::kEcu, term));
        comma = ", ";
    }
    fmt::print("]\n");
    return 0;
}

int calls() {
    const char* comma = "[";
    for (std::size_t i = 0U; i < pianola::timeline::kCallCount; ++i) {
        fmt::print("{}\"{}\"", comma, pianola::timeline::name_of(call_at(i)));
        comma = ", ";
    }
    fmt::print("]\n");
    return 0;
}

int run(const std::vector<std::string>& arguments) {
    constexpr std::array<std::pair<const char*, int (*)()>, 5> kCommands{
        {{"calls", calls}, {"counts", counts}, {"formulas", formulas}, {"coefficients", coefficients}, {"ecu", ecu}}};
    for (const auto& [name, command] : kCommands) {
        if ((arguments.size() == 2U) && (arguments[1] == name)) {
            return command();
        }
    }
    if ((arguments.size() == 5U) && (arguments[1] == "run")) {
        return run_one(arguments[2], arguments[3], arguments[4]);
    }
    fmt::print(stderr,
               "usage: pianola_session_cost calls | counts | formulas | coefficients | ecu | run PLAN CALL FAULT\n");
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
