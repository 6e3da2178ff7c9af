#include "capture_host/timeline/cost/session_cost.h"

#include "capture_host/timeline/cost/session_formulas.h"

namespace pianola::timing {
namespace {

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
            counts = formulas.check();
            add(counts, formulas.slice());
            add(counts, formulas.reseal());
            return counts;
        case Call::kScrubCalls:
            counts = formulas.check();
            add(counts, Term::kPieces, facts.kept_pieces + facts.slices);
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

// Outputs that a fault in this call overwrites: of all steps in flight, of its own script, or none where nothing may be
// under way.
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

}  // namespace pianola::timing
