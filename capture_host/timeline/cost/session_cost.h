// SessionCost: the most that each public call of a session may do, as counts.
//
// The formulas exist here once. tests/session_cost holds them against sessions on hostile binaries; `pianola size` and
// docs/evidence/session_cost.md take them from here. A count is a sum of products of SessionFacts, never a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "capture_host/timeline/cost/session_facts.h"

namespace pianola::timeline {

// The counted terms. Those from kDescribe to kSealCommand are calls of the port.
enum class Term : std::uint8_t {
    kCall,         // entries into a call of the session, own uses included
    kSealedBytes,  // of the session's state, summed up or compared
    kDescribe,
    kReset,
    kProgramRegion,
    kProgrammedRegion,
    kReadBack,
    kPatchWord,
    kBind,
    kBound,
    kHostView,
    kGive,
    kTake,
    kEnqueue,
    kDoorbell,
    kService,
    kCompletion,
    kNow,
    kIdle,
    kWatchdog,
    kCounter,  // of security versions: read or raised
    kSafeState,
    kSealCommand,  // CommandSet::seal()
    kReadBackBytes,
    kViewBytes,      // that change hands: maintenance of caches
    kZeroedBytes,    // of outputs, and of inputs after a load
    kDigestedBytes,  // by load(): its first validation
    kSummedBytes,    // constants in place or read back, state, and the rest of the file; without both validations
    kComparedBytes,  // outputs of self-tests
    kPieces,         // slices of constants
    kPointLooks,     // looks at a patch point while a trace is compared
    kRecords,        // of faults: filled in and kept
    kStates,         // of a session, set to their first contents
    kValidations,    // docs/evidence/worst_case.md has what one takes
    kTerms
};
inline constexpr std::size_t kTermCount = static_cast<std::size_t>(Term::kTerms);
[[nodiscard]] const char* name_of(Term term) noexcept;
[[nodiscard]] bool is_port_call(Term term) noexcept;

using Counts = std::array<std::uint64_t, kTermCount>;
[[nodiscard]] std::uint64_t count(const Counts& counts, Term term) noexcept;
[[nodiscard]] std::uint64_t port_calls(const Counts& counts) noexcept;

// Every public function of Session. The names are those of the class; where one is overloaded, what tells them apart
// follows after a space.
enum class Call : std::uint8_t {
    kConstruct,
    kLoad,
    kHasViews,
    kInputView,
    kOutputView,
    kStart,
    kStop,
    kSetParameters,
    kSubmitViews,
    kSubmitTransfers,
    kPoll,
    kWait,
    kIsVerifying,
    kRun,
    kResetState,
    kSelfTestOne,
    kSelfTestAll,
    kScrub,
    kScrubCalls,
    kReleaseSteps,
    kConfirmStart,
    kUnload,
    kIsLoaded,
    kPlan,
    kFault,
    kPastFault,
    kFaultCount,
    kStepsCompleted,
    kSelfTestCount,
    kSelfTests,
    kOutputBytes,
    kCalls
};
inline constexpr std::size_t kCallCount = static_cast<std::size_t>(Call::kCalls);
[[nodiscard]] const char* name_of(Call call) noexcept;

// Conditions other than the binary that a call's cost depends on.
struct Situation {
    bool has_fault{false};          // a fault latches, at the worst moment
    std::uint64_t idle_rounds{0U};  // of calls that wait: how often a device was still at work, for each script
    std::uint64_t values{0U};       // that set_parameters() is given
    std::uint64_t vector{0U};       // that self_test(index) is given
};

// An upper bound for a call that succeeds, is refused, or with `has_fault` latches a fault. Reading: const members
// take kCall alone.
[[nodiscard]] Counts cost_of(Call call, const SessionFacts& facts, const Situation& situation) noexcept;

// What a fault adds to any call: the reset, zeros in outputs, the record, the safe state.
[[nodiscard]] Counts cost_of_fault(const SessionFacts& facts) noexcept;

// One coefficient for each count, measured with callgrind and held by tests/session_cost. What the port's own methods
// take is not in them.
//
// Coefficients of the host are measured; those of a 32-bit core follow from them and are checked against boards.
enum class Core : std::uint8_t { kHost, kEcu };

// Hundredths of an instruction for one of the term; 0 where another term stands for it.
[[nodiscard]] std::uint64_t coefficient(Core core, Term term) noexcept;
// An upper bound, without the port's instructions and without validations.
[[nodiscard]] std::uint64_t instructions(Core core, const Counts& counts) noexcept;

}  // namespace pianola::timeline
