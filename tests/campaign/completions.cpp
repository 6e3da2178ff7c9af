// Doorbells and completions that are lost, doubled or late, each of them in turn.
#include "tests/campaign/campaigns.h"
#include "tests/campaign/scenario.h"

namespace pianola::campaign {
namespace {

// What happens to the n-th doorbell, and the n-th completion that a device reports. Returns whether there was one.
using Inject = bool (*)(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome);

bool doorbell(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome, bool twice) {
    std::uint32_t seen = 0U;
    bool injected = false;
    bool nested = false;
    device.set_hook([&](Call call, std::uint32_t) -> std::optional<Status> {
        if ((call != Call::kRingDoorbell) || nested) {
            return std::nullopt;
        }
        seen += 1U;
        if (seen != (n + 1U)) {
            return std::nullopt;
        }
        injected = true;
        if (twice) {
            nested = true;
            for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
                (void)is_ok(device.inner().ring_doorbell(queue));
            }
            nested = false;
            return std::nullopt;
        }
        return Status::kOk;  // it never arrives
    });
    outcome = scenario.run();
    return injected;
}
bool lose_doorbell(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    return doorbell(scenario, device, n, outcome, false);
}
bool double_doorbell(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    return doorbell(scenario, device, n, outcome, true);
}

bool lose_completion(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    std::uint32_t reported = 0U;
    bool injected = false;
    device.set_completion_hook([&](std::uint32_t, std::uint32_t, Status status, Completion& completion) -> Status {
        reported += is_ok(status) ? 1U : 0U;
        injected = injected || (reported == (n + 1U));
        if (!injected || !is_ok(status)) {
            return status;
        }
        completion = Completion{};
        return Status::kPending;  // from here on for ever
    });
    outcome = scenario.run();
    return injected;
}

bool delay_completion(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome,
                      std::uint32_t looks) {
    std::uint32_t reported = 0U;
    std::uint32_t held_back = 0U;
    device.set_completion_hook([&](std::uint32_t, std::uint32_t, Status status, Completion& completion) -> Status {
        if (is_ok(status) && (reported == n) && (held_back < looks)) {
            held_back += 1U;
            completion = Completion{};
            return Status::kPending;
        }
        reported += is_ok(status) ? 1U : 0U;
        return status;
    });
    outcome = scenario.run();
    return held_back != 0U;
}
bool delay_a_little(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    return delay_completion(scenario, device, n, outcome, 3U);
}
bool delay_too_long(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    return delay_completion(scenario, device, n, outcome, 50'000U);
}

// The record of the notification before is reported once more, as if it were this one's.
bool double_completion(Scenario& scenario, HookedDevice& device, std::uint32_t n, Outcome& outcome) {
    std::uint32_t reported = 0U;
    bool injected = false;
    Completion last;
    device.set_completion_hook([&](std::uint32_t, std::uint32_t, Status status, Completion& completion) -> Status {
        if (!is_ok(status)) {
            return status;
        }
        const Completion now = completion;
        if ((reported == (n + 1U)) && !injected) {
            injected = true;
            completion = last;
        }
        last = now;
        reported += 1U;
        return status;
    });
    outcome = scenario.run();
    return injected;
}

}  // namespace

std::vector<NamedTally> disturb_completions(const Mode& mode) {
    const std::vector<std::pair<const char*, Inject>> injections{
        {"doorbell lost", lose_doorbell},        {"doorbell doubled", double_doorbell},
        {"completion lost", lose_completion},    {"completion a little late", delay_a_little},
        {"completion too late", delay_too_long}, {"completion doubled", double_completion},
    };
    std::vector<NamedTally> tallies;
    for (const auto& [name, inject] : injections) {
        Tally tally;
        for (std::uint32_t device = 0U; device < mode.devices; ++device) {
            bool injected = true;
            for (std::uint32_t n = 0U; injected; ++n) {
                Scenario scenario{mode};
                Outcome outcome = Outcome::kSilent;
                injected = inject(scenario, scenario.device(device), n, outcome);
                if (injected) {
                    count(scenario, {mode, device, name, Call::kCompletion, n}, outcome, tally);
                }
            }
        }
        tallies.push_back({name, tally});
    }
    return tallies;
}

}  // namespace pianola::campaign
