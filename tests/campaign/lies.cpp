// The N-th call of the device says that it has been made, and has not; or it has been made twice, or wrongly: for every
// N.
#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

// Where there is no such lie.
[[nodiscard]] bool is_truth(Call call, Lie lie) noexcept {
    const bool is_changed = (lie == Lie::kWrong) || (lie == Lie::kElsewhere);
    switch (call) {
        case Call::kReset:
        case Call::kService:
        case Call::kGiveToDevice:
        case Call::kTakeFromDevice:
            return is_changed;
        case Call::kRingDoorbell:
            return lie == Lie::kWrong;
        case Call::kDescribe:
        case Call::kProgramRegion:
        case Call::kProgrammedRegion:
        case Call::kReadBack:
        case Call::kPatchWord:
        case Call::kBindSource:
        case Call::kBindDestination:
        case Call::kBoundSource:
        case Call::kBoundDestination:
        case Call::kHostView:
        case Call::kEnqueue:
        case Call::kCompletion:
        default:
            return false;
    }
}

// Each call of one device.
void tell_each(const Mode& mode, std::uint32_t device, const char* name, Lie lie, Tally& tally) {
    Scenario clean{mode};
    (void)clean.run();
    for (std::uint32_t n = 0U; n < clean.device(device).calls(); ++n) {
        bool injected = false;
        Call at{};
        Scenario scenario{mode};
        scenario.device(device).set_lies([&](Call call, std::uint32_t number) {
            if ((number != n) || is_truth(call, lie)) {
                return Lie::kNone;
            }
            injected = true;
            at = call;
            return lie;
        });
        const Outcome outcome = scenario.run();
        if (injected) {
            count(scenario, {mode, device, name, at, n, lie != Lie::kNeighbour}, outcome, tally);
        }
    }
}

}  // namespace

std::vector<NamedTally> tell_lies(const Mode& mode) {
    std::vector<std::pair<const char*, Lie>> lies{{"call omitted", Lie::kOmitted},
                                                  {"call made twice", Lie::kTwice},
                                                  {"call made wrongly", Lie::kWrong},
                                                  {"call made elsewhere", Lie::kElsewhere}};
    if (mode.devices > 1U) {
        lies.emplace_back("call made on another device", Lie::kNeighbour);
    }
    std::vector<NamedTally> tallies;
    for (const auto& [name, lie] : lies) {
        Tally tally;
        for (std::uint32_t device = 0U; device < mode.devices; ++device) {
            tell_each(mode, device, name, lie, tally);
        }
        tallies.push_back({name, tally});
    }
    return tallies;
}

}  // namespace pianola::campaign
