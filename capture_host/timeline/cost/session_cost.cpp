#include "capture_host/timeline/cost/session_cost.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/slice_check.h"

namespace pianola::timeline {
namespace {

void add(Counts& counts, Term term, std::uint64_t value) {
    counts.at(static_cast<std::size_t>(term)) += value;
}

void add(Counts& counts, const Counts& others, std::uint64_t times = 1U) {
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        counts.at(i) += others.at(i) * times;
    }
}

// The formulas of one binary: what the parts of calls do at most, in the order in which a step meets them. The
// functions after this class add them up to calls.
class Formulas {
  public:
    explicit Formulas(const SessionFacts& facts) : f_{facts} {}

    // The beginning of each call.
    [[nodiscard]] Counts check() const {
        Counts counts{};
        add(counts, Term::kCall, 1U);
        seal(counts, f_.bound_bytes + f_.loaded_bytes + f_.running_bytes);
        return counts;
    }
    // The end of a call that has changed the state.
    [[nodiscard]] Counts reseal() const {
        Counts counts{};
        seal(counts, f_.running_bytes);
        return counts;
    }

    // Enqueues a script with its notifications, and rings the doorbells.
    [[nodiscard]] Counts enqueue(const ScriptFacts& script, std::uint64_t left_out) const {
        Counts counts{};
        const std::uint64_t commands = script.commands - left_out + script.notifications;
        add(counts, Term::kEnqueue, commands);
        add(counts, Term::kSealCommand, commands);
        add(counts, Term::kDoorbell, script.notifications);
        add(counts, Term::kBound, f_.reads_file ? f_.devices : 0U);
        return counts;
    }
    [[nodiscard]] Counts submit_script(const ScriptFacts& script, std::uint64_t bindings) const {
        Counts counts = check();
        add(counts, state());
        add(counts, Term::kNow, 1U);
        add(counts, give_views());
        add(counts, Term::kBind, bindings);
        add(counts, Term::kBound, bindings);
        seal(counts, f_.bound_bytes);
        add(counts, enqueue(script, 0U));
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts submit_views() const {
        Counts counts = check();
        add(counts, state());
        add(counts, Term::kNow, 1U);
        add(counts, give_views());
        add(counts, enqueue(f_.step, f_.step.transfers));
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts submit_transfers() const { return submit_script(f_.step, f_.input_pieces + f_.output_pieces); }
    [[nodiscard]] Counts start() const { return submit_script(f_.prologue, f_.is_pipelined ? f_.input_pieces : 0U); }
    [[nodiscard]] Counts stop() const { return submit_script(f_.epilogue, f_.is_pipelined ? f_.output_pieces : 0U); }

    // One call of the comparison of constants.
    [[nodiscard]] Counts slice() const { return verified(f_.call_pieces, f_.call_bytes); }
    [[nodiscard]] Counts all_slices() const { return verified(f_.kept_pieces, f_.kept_bytes); }
    // A difference is read back once more.
    [[nodiscard]] Counts differing_piece() const {
        return f_.sees_memory ? chunks(std::min<std::uint64_t>(f_.kept_bytes, kCheckedBytes), 1U) : Counts{};
    }
    [[nodiscard]] Counts scrub() const {
        Counts counts = check();
        add(counts, slice());
        add(counts, reseal());
        return counts;
    }
    // State, summed after a script and before the next one.
    [[nodiscard]] Counts state() const {
        Counts counts{};
        const std::uint64_t ranges = f_.verifies ? f_.state_regions : 0U;
        const std::uint64_t bytes = f_.verifies ? f_.state_bytes : 0U;
        add(counts, Term::kHostView, ranges);
        add(counts, Term::kSummedBytes, bytes);
        if (f_.sees_memory) {
            add(counts, Term::kTake, ranges);
            add(counts, Term::kViewBytes, bytes);
        } else {
            add(counts, Term::kReadBack, (bytes / kChunkBytes) + ranges);
            add(counts, Term::kReadBackBytes, bytes);
        }
        return counts;
    }

    // Polls the devices once.
    [[nodiscard]] Counts look(std::uint64_t notifications) const {
        Counts counts{};
        add(counts, Term::kService, f_.devices);
        add(counts, Term::kCompletion, notifications);
        add(counts, Term::kNow, 1U);
        return counts;
    }
    // Releases a completed script's buffers to the application.
    [[nodiscard]] Counts release() const {
        Counts counts{};
        const std::uint64_t bindings = f_.input_pieces + f_.output_pieces;
        add(counts, Term::kBind, bindings);
        add(counts, Term::kBound, bindings);
        seal(counts, f_.bound_bytes);
        add(counts, Term::kNow, (f_.steps_in_flight > 1U) ? 1U : 0U);
        if (f_.has_views) {
            add(counts, Term::kTake, f_.inputs + f_.outputs);
            add(counts, Term::kViewBytes, f_.input_bytes + f_.output_bytes);
        }
        add(counts, Term::kWatchdog, 1U);
        add(counts, state());
        return counts;
    }
    // The longest poll() completes a step, compares a slice, and releases.
    [[nodiscard]] Counts poll() const {
        Counts counts = check();
        add(counts, look(most_notifications()));
        if (f_.verifies) {
            add(counts, slice());
        }
        add(counts, Term::kNow, f_.shares ? 2U : 0U);  // before the slice, and after the last one
        add(counts, release());
        add(counts, reseal());
        return counts;
    }
    [[nodiscard]] Counts wait(std::uint64_t idle_rounds) const {
        const std::uint64_t slices = f_.verifies ? std::max<std::uint64_t>(f_.slices, 1U) : 1U;
        Counts counts{};
        add(counts, check(), idle_rounds + 1U);
        add(counts, reseal(), idle_rounds + 1U);
        add(counts, look(most_notifications()), idle_rounds + 1U);
        add(counts, look(0U), slices - 1U);
        add(counts, Term::kIdle, idle_rounds);
        if (f_.verifies) {
            add(counts, all_slices());
        }
        seal(counts, f_.bound_bytes + f_.loaded_bytes);
        add(counts, Term::kNow, f_.shares ? (slices + 1U) : 0U);
        add(counts, release());
        return counts;
    }
    [[nodiscard]] Counts run(std::uint64_t idle_rounds) const {
        Counts counts = check();
        add(counts, submit_transfers());
        add(counts, wait(idle_rounds));
        if (f_.has_prologue) {
            add(counts, start());
            add(counts, wait(idle_rounds));
        }
        if (f_.is_pipelined) {
            add(counts, stop());
            add(counts, wait(idle_rounds));
        }
        return counts;
    }
    [[nodiscard]] Counts reset_state(std::uint64_t idle_rounds) const {
        Counts counts = check();
        if (keeps_state()) {
            add(counts, stop());
            add(counts, start());
            add(counts, wait(idle_rounds), 2U);
        }
        return counts;
    }
    // The vectors before and at `end`: as steps between two resets of state, or each alone.
    [[nodiscard]] Counts self_test(std::uint64_t vectors, std::uint64_t idle_rounds) const {
        Counts counts = check();
        seal(counts, f_.bound_bytes + f_.loaded_bytes + f_.running_bytes);  // output_bytes()
        if (keeps_state()) {
            add(counts, reset_state(idle_rounds), 2U);
        }
        add(counts, run(idle_rounds), vectors);
        add(counts, Term::kComparedBytes, vectors * f_.output_bytes);
        add(counts, reseal());
        return counts;
    }

    [[nodiscard]] Counts load(std::uint64_t idle_rounds) const {
        constexpr std::uint64_t kValidations = 2U;
        constexpr std::uint64_t kBytesShown = 2U;  // of a view: the first and the last
        constexpr std::uint64_t kValues = 3U;      // that each is given
        Counts counts{};
        add(counts, Term::kCall, 1U);
        add(counts, Term::kStates, 1U);
        add(counts, Term::kNow, 3U);
        add(counts, Term::kDescribe, 1U + (kValidations * (f_.devices - 1U)));
        add(counts, Term::kCounter, kValidations);
        add(counts, Term::kValidations, kValidations);
        add(counts, Term::kSealedBytes, kValidations * (f_.loaded_bytes + f_.setup_bytes));
        add(counts, Term::kDigestedBytes, f_.digested_bytes);
        add(counts, Term::kReset, f_.devices);
        add(counts, Term::kProgramRegion, f_.devices * f_.regions);
        add(counts, Term::kProgrammedRegion, f_.devices * f_.regions);
        add(counts, Term::kBind, f_.devices * 2U);
        add(counts, enqueue(f_.setup, 0U));
        add(counts, look(f_.setup.notifications), idle_rounds + 1U);
        add(counts, Term::kIdle, idle_rounds);
        add(counts, Term::kPieces, f_.kept_pieces + f_.written_pieces);
        add(counts, chunks(f_.kept_bytes + f_.written_bytes, f_.kept_pieces + f_.written_pieces));
        add(counts, Term::kSummedBytes, f_.other_bytes);
        add(counts, state());
        seal(counts, (f_.bound_bytes * 3U) + f_.loaded_bytes + f_.running_bytes);
        if (f_.admits_views) {
            const std::uint64_t tries = f_.has_views ? f_.step.transfers * kBytesShown * kValues : 0U;
            add(counts, Term::kHostView, f_.step.transfers);
            add(counts, Term::kGive, tries);
            add(counts, Term::kViewBytes, tries);
            add(counts, Term::kReadBack, tries);
            add(counts, Term::kReadBackBytes, tries);
            add(counts, Term::kZeroedBytes, f_.has_views ? f_.input_bytes : 0U);
        }
        return counts;
    }

    [[nodiscard]] Counts set_parameters(std::uint64_t values) const {
        Counts counts = check();
        // Each point belongs to one parameter; if a parameter is named again, all of its points are set again.
        const std::uint64_t words = f_.devices * f_.patch_points *
                                    std::max<std::uint64_t>((values + std::max<std::uint64_t>(f_.parameters, 1U) - 1U) /
                                                                std::max<std::uint64_t>(f_.parameters, 1U),
                                                            1U);
        add(counts, Term::kPatchWord, words);
        add(counts, Term::kReadBack, words);
        add(counts, Term::kReadBackBytes, words * sizeof(std::uint32_t));
        add(counts, reseal());
        return counts;
    }

    [[nodiscard]] Counts fault() const {
        Counts counts{};
        add(counts, Term::kRecords, 1U);
        add(counts, Term::kNow, 1U);
        add(counts, Term::kReset, f_.devices);
        add(counts, Term::kSafeState, 1U);
        seal(counts, f_.bound_bytes * 2U);
        return counts;
    }

  private:
    void seal(Counts& counts, std::uint64_t bytes) const { add(counts, Term::kSealedBytes, f_.verifies ? bytes : 0U); }
    [[nodiscard]] bool keeps_state() const { return f_.has_prologue && !f_.is_pipelined; }
    [[nodiscard]] std::uint64_t most_notifications() const {
        return std::max({f_.step.notifications, f_.prologue.notifications, f_.epilogue.notifications});
    }
    [[nodiscard]] Counts give_views() const {
        Counts counts{};
        if (f_.has_views) {
            add(counts, Term::kGive, f_.inputs);
            add(counts, Term::kViewBytes, f_.input_bytes);
        }
        return counts;
    }
    [[nodiscard]] Counts verified(std::uint64_t pieces, std::uint64_t bytes) const {
        Counts counts{};
        const bool reads = !f_.sees_memory || (f_.patch_points != 0U);
        add(counts, Term::kPieces, pieces);
        add(counts, Term::kHostView, pieces);
        if (f_.sees_memory) {
            add(counts, Term::kTake, pieces);
            add(counts, Term::kViewBytes, bytes);
            add(counts, Term::kSummedBytes, reads ? 0U : bytes);
        }
        if (reads) {
            add(counts, chunks(bytes, pieces));
        }
        return counts;
    }
    // Read back and summed. The last chunk of each piece may be a part of one.
    [[nodiscard]] Counts chunks(std::uint64_t bytes, std::uint64_t pieces) const {
        Counts counts{};
        const std::uint64_t reads = (bytes / kChunkBytes) + pieces;
        add(counts, Term::kReadBack, reads);
        add(counts, Term::kReadBackBytes, bytes);
        add(counts, Term::kSummedBytes, bytes);
        add(counts, Term::kPointLooks, reads * f_.patch_points);
        return counts;
    }

    const SessionFacts& f_;
};

// Of calls that reach a device, and those that look at sealed state only.
Counts cost_without_fault(Call call, const Formulas& formulas, const SessionFacts& facts, const Situation& situation) {
    Counts counts{};
    switch (call) {
        case Call::kLoad:
            return formulas.load(situation.idle_rounds);
        case Call::kStart:
            return formulas.start();
        case Call::kStop:
            return formulas.stop();
        case Call::kSetParameters:
            return formulas.set_parameters(situation.values);
        case Call::kSubmitViews:
            return formulas.submit_views();
        case Call::kSubmitTransfers:
            return formulas.submit_transfers();
        case Call::kPoll:
            return formulas.poll();
        case Call::kWait:
            return formulas.wait(situation.idle_rounds);
        case Call::kRun:
            return formulas.run(situation.idle_rounds);
        case Call::kResetState:
            return formulas.reset_state(situation.idle_rounds);
        case Call::kSelfTestOne:
            return formulas.self_test(facts.has_prologue && !facts.is_pipelined ? situation.vector + 1U : 1U,
                                      situation.idle_rounds);
        case Call::kSelfTestAll:
            return formulas.self_test(facts.self_tests, situation.idle_rounds);
        case Call::kScrub:
            return formulas.scrub();
        case Call::kScrubCalls:
        case Call::kReleaseSteps:
            counts = formulas.check();
            add(counts, Term::kPieces, facts.kept_pieces);
            return counts;
        case Call::kConfirmStart:
            counts = formulas.check();
            add(counts, Term::kCounter, 2U);
            return counts;
        case Call::kUnload:
            counts = formulas.check();
            add(counts, Term::kReset, facts.devices);
            add(counts, formulas.reseal());
            return counts;
        case Call::kConstruct:
            add(counts, Term::kCall, 1U);
            add(counts, Term::kStates, 1U);
            add(counts, Term::kSealedBytes, facts.verifies ? facts.empty_bytes : 0U);
            return counts;
        case Call::kInputView:
        case Call::kOutputView:
        case Call::kOutputBytes:
            return formulas.check();
        default:  // members that give out what they hold
            add(counts, Term::kCall, 1U);
            return counts;
    }
}

// Calls that may find a fault: the others are const, or touch no device.
bool may_latch(Call call) {
    switch (call) {
        case Call::kLoad:
        case Call::kStart:
        case Call::kStop:
        case Call::kSetParameters:
        case Call::kSubmitViews:
        case Call::kSubmitTransfers:
        case Call::kPoll:
        case Call::kWait:
        case Call::kRun:
        case Call::kResetState:
        case Call::kSelfTestOne:
        case Call::kSelfTestAll:
        case Call::kScrub:
        case Call::kConfirmStart:
        case Call::kUnload:
            return true;
        default:
            return false;
    }
}

// Outputs that a fault in this call overwrites: those of all steps in flight, those of its script, or none where
// nothing may be under way.
std::uint64_t lent_bytes(Call call, const SessionFacts& facts) {
    switch (call) {
        case Call::kSubmitTransfers:
        case Call::kPoll:
        case Call::kWait:
        case Call::kScrub:
            return facts.steps_in_flight * facts.output_bytes;
        case Call::kRun:
        case Call::kSelfTestOne:
        case Call::kSelfTestAll:
            return facts.output_bytes;
        case Call::kStop:
            return facts.is_pipelined ? facts.output_bytes : 0U;
        default:
            return 0U;
    }
}

}  // namespace

Counts cost_of(Call call, const SessionFacts& facts, const Situation& situation) noexcept {
    const Formulas formulas{facts};
    Counts counts = cost_without_fault(call, formulas, facts, situation);
    if (!situation.has_fault || !may_latch(call)) {
        return counts;
    }
    add(counts, formulas.fault());
    add(counts, Term::kZeroedBytes, lent_bytes(call, facts));
    add(counts, formulas.reseal());
    switch (call) {
        case Call::kLoad:  // looks for the place of a difference in all constants
            add(counts, formulas.all_slices());
            add(counts, formulas.differing_piece());
            break;
        case Call::kPoll:
        case Call::kWait:
        case Call::kRun:
        case Call::kResetState:
        case Call::kScrub:
        case Call::kSelfTestOne:
        case Call::kSelfTestAll:
            add(counts, formulas.differing_piece());
            break;
        default:
            break;
    }
    return counts;
}

Counts cost_of_fault(const SessionFacts& facts) noexcept {
    Counts counts = Formulas{facts}.fault();
    add(counts, Term::kZeroedBytes, lent_bytes(Call::kPoll, facts));
    return counts;
}

namespace {

struct Named {
    Term term;
    const char* name;
};
constexpr std::array<Named, kTermCount> kTermNames{{{Term::kCall, "calls"},
                                                    {Term::kSealedBytes, "bytes sealed"},
                                                    {Term::kDescribe, "describe"},
                                                    {Term::kReset, "reset"},
                                                    {Term::kProgramRegion, "program_region"},
                                                    {Term::kProgrammedRegion, "programmed_region"},
                                                    {Term::kReadBack, "read_back"},
                                                    {Term::kPatchWord, "patch_word"},
                                                    {Term::kBind, "bind"},
                                                    {Term::kBound, "bound"},
                                                    {Term::kHostView, "host_view"},
                                                    {Term::kGive, "give_to_device"},
                                                    {Term::kTake, "take_from_device"},
                                                    {Term::kEnqueue, "enqueue"},
                                                    {Term::kDoorbell, "ring_doorbell"},
                                                    {Term::kService, "service"},
                                                    {Term::kCompletion, "completion"},
                                                    {Term::kNow, "now_us"},
                                                    {Term::kIdle, "idle"},
                                                    {Term::kWatchdog, "serve_watchdog"},
                                                    {Term::kCounter, "security counter"},
                                                    {Term::kSafeState, "enter_safe_state"},
                                                    {Term::kSealCommand, "seal of a command"},
                                                    {Term::kReadBackBytes, "bytes read back"},
                                                    {Term::kViewBytes, "bytes of views"},
                                                    {Term::kZeroedBytes, "bytes zeroed"},
                                                    {Term::kDigestedBytes, "bytes digested"},
                                                    {Term::kSummedBytes, "bytes summed"},
                                                    {Term::kComparedBytes, "bytes compared"},
                                                    {Term::kPieces, "pieces"},
                                                    {Term::kPointLooks, "looks at points"},
                                                    {Term::kRecords, "fault records"},
                                                    {Term::kStates, "states made"},
                                                    {Term::kValidations, "validations"}}};

struct NamedCall {
    Call call;
    const char* name;
};
constexpr std::array<NamedCall, kCallCount> kCallNames{{{Call::kConstruct, "Session"},
                                                        {Call::kLoad, "load"},
                                                        {Call::kHasViews, "has_views"},
                                                        {Call::kInputView, "input_view"},
                                                        {Call::kOutputView, "output_view"},
                                                        {Call::kStart, "start"},
                                                        {Call::kStop, "stop"},
                                                        {Call::kSetParameters, "set_parameters"},
                                                        {Call::kSubmitViews, "submit (views)"},
                                                        {Call::kSubmitTransfers, "submit (transfers)"},
                                                        {Call::kPoll, "poll"},
                                                        {Call::kWait, "wait"},
                                                        {Call::kIsVerifying, "is_verifying"},
                                                        {Call::kRun, "run"},
                                                        {Call::kResetState, "reset_state"},
                                                        {Call::kSelfTestOne, "self_test (one)"},
                                                        {Call::kSelfTestAll, "self_test (all)"},
                                                        {Call::kScrub, "scrub"},
                                                        {Call::kScrubCalls, "scrub_calls"},
                                                        {Call::kReleaseSteps, "release_steps"},
                                                        {Call::kConfirmStart, "confirm_start"},
                                                        {Call::kUnload, "unload"},
                                                        {Call::kIsLoaded, "is_loaded"},
                                                        {Call::kPlan, "plan"},
                                                        {Call::kFault, "fault"},
                                                        {Call::kPastFault, "past_fault"},
                                                        {Call::kFaultCount, "fault_count"},
                                                        {Call::kStepsCompleted, "steps_completed"},
                                                        {Call::kSelfTestCount, "self_test_count"},
                                                        {Call::kSelfTests, "self_tests"},
                                                        {Call::kOutputBytes, "output_bytes"}}};

}  // namespace

const char* name_of(Term term) noexcept {
    for (const Named& each : kTermNames) {
        if (each.term == term) {
            return each.name;
        }
    }
    return "";
}

bool is_port_call(Term term) noexcept {
    return (term >= Term::kDescribe) && (term <= Term::kSealCommand);
}

std::uint64_t count(const Counts& counts, Term term) noexcept {
    return counts.at(static_cast<std::size_t>(term));
}

std::uint64_t port_calls(const Counts& counts) noexcept {
    std::uint64_t calls = 0U;
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        calls += is_port_call(static_cast<Term>(i)) ? counts.at(i) : 0U;
    }
    return calls;
}

const char* name_of(Call call) noexcept {
    for (const NamedCall& each : kCallNames) {
        if (each.call == call) {
            return each.name;
        }
    }
    return "";
}

namespace {

struct Coefficient {
    Term term;
    std::uint32_t host;
    std::uint32_t ecu;
};

// Hundredths. Host: g++ 12.2, -O3, x86-64: what the term takes where it weighs most in tests/session_cost, rounded up.
// ECU: bytes by the slowest board, zeros by a C library that writes byte by byte, all else the host's, which is more
// than boards take.
constexpr std::array<Coefficient, 30> kCoefficients{
    {{Term::kCall, 27500U, 27500U},     {Term::kSealedBytes, 80U, 135U},      {Term::kDescribe, 5000U, 5000U},
     {Term::kReset, 5000U, 5000U},      {Term::kProgramRegion, 6000U, 6000U}, {Term::kProgrammedRegion, 6000U, 6000U},
     {Term::kReadBack, 18200U, 18200U}, {Term::kPatchWord, 6000U, 6000U},     {Term::kBind, 6000U, 6000U},
     {Term::kBound, 6000U, 6000U},      {Term::kHostView, 4000U, 4000U},      {Term::kGive, 2000U, 2000U},
     {Term::kTake, 2000U, 2000U},       {Term::kEnqueue, 11000U, 11000U},     {Term::kDoorbell, 10000U, 10000U},
     {Term::kService, 4000U, 4000U},    {Term::kCompletion, 10000U, 10000U},  {Term::kNow, 15000U, 15000U},
     {Term::kIdle, 1000U, 1000U},       {Term::kWatchdog, 10000U, 10000U},    {Term::kCounter, 4000U, 4000U},
     {Term::kSafeState, 5000U, 5000U},  {Term::kSealCommand, 2000U, 2000U},   {Term::kZeroedBytes, 6U, 400U},
     {Term::kSummedBytes, 105U, 238U},  {Term::kComparedBytes, 105U, 140U},   {Term::kPieces, 57000U, 57000U},
     {Term::kPointLooks, 800U, 800U},   {Term::kRecords, 90000U, 90000U},     {Term::kStates, 250000U, 250000U}}};

constexpr std::uint64_t kHundredths = 100U;

}  // namespace

std::uint64_t coefficient(Core core, Term term) noexcept {
    for (const Coefficient& each : kCoefficients) {
        if (each.term == term) {
            return (core == Core::kHost) ? each.host : each.ecu;
        }
    }
    return 0U;
}

std::uint64_t instructions(Core core, const Counts& counts) noexcept {
    std::uint64_t hundredths = 0U;
    for (std::size_t i = 0U; i < kTermCount; ++i) {
        hundredths += counts.at(i) * coefficient(core, static_cast<Term>(i));
    }
    return (hundredths + kHundredths - 1U) / kHundredths;
}

}  // namespace pianola::timeline
