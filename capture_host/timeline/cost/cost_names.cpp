// Names of terms and calls, as pages and JSON show them.
#include <array>

#include "capture_host/timeline/cost/session_cost.h"

namespace pianola::timing {
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
                                                    {Term::kComparedBytes, "bytes compared"},
                                                    {Term::kPieces, "pieces"},
                                                    {Term::kRangeLooks, "looks at ranges"},
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

}  // namespace pianola::timing
