// The N-th call of the device fails, for every N and every failure that the call's contract allows, until no call is
// left to fail.
#include <map>

#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

const std::map<Call, std::vector<Status>>& failures() {
    static const std::map<Call, std::vector<Status>> kFailures{
        {Call::kDescribe, {Status::kDeviceFault, Status::kTimeout}},
        {Call::kReset, {Status::kTimeout, Status::kDeviceFault}},
        {Call::kProgramRegion, {Status::kCapacity}},
        {Call::kProgrammedRegion, {Status::kInvalidArgument}},
        {Call::kBoundSource, {Status::kInvalidArgument}},
        {Call::kBoundDestination, {Status::kInvalidArgument}},
        {Call::kReadBack, {Status::kInvalidArgument}},
        {Call::kPatchWord, {Status::kInvalidArgument}},
        {Call::kBindSource, {Status::kInvalidArgument}},
        {Call::kBindDestination, {Status::kInvalidArgument}},
        {Call::kHostView, {Status::kInvalidArgument}},
        {Call::kGiveToDevice, {}},
        {Call::kTakeFromDevice, {}},
        {Call::kEnqueue, {Status::kBusy, Status::kInvalidArgument}},
        {Call::kRingDoorbell, {Status::kInvalidArgument}},
        {Call::kService, {Status::kDeviceFault, Status::kTimeout}},
        {Call::kCompletion, {Status::kPending, Status::kDeviceFault, Status::kInvalidArgument}},
    };
    return kFailures;
}

// Of one device, with the failure of that number.
void fail_each_call(const Mode& mode, std::uint32_t device, std::size_t failure, Tally& tally) {
    bool reached = true;
    for (std::uint32_t n = 0U; reached; ++n) {
        bool injected = false;
        reached = false;
        Scenario scenario{mode};
        Call at{};
        scenario.device(device).set_hook([&](Call call, std::uint32_t number) -> std::optional<Status> {
            if (number != n) {
                return std::nullopt;
            }
            reached = true;
            at = call;
            const std::vector<Status>& kinds = failures().at(call);
            injected = failure < kinds.size();
            return injected ? std::optional<Status>{kinds.at(failure)} : std::nullopt;
        });
        const Outcome outcome = scenario.run();
        if (injected) {
            count(scenario, {mode, device, "call fails", at, n}, outcome, tally);
        } else if (!reached && (outcome != Outcome::kHarmless)) {
            tally.add(Outcome::kSilent);  // the clean run at the end must be clean
        } else {
            // Fewer failures are possible here, or all went well.
        }
    }
}

}  // namespace

std::vector<NamedTally> fail_calls(const Mode& mode) {
    Tally tally;
    constexpr std::size_t kMostFailures = 3U;
    for (std::uint32_t device = 0U; device < mode.devices; ++device) {
        for (std::size_t failure = 0U; failure < kMostFailures; ++failure) {
            fail_each_call(mode, device, failure, tally);
        }
    }
    return {{"calls that fail", tally}};
}

}  // namespace pianola::campaign
