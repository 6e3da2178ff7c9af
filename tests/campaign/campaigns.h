// The campaigns on the simulator: what each injects in one mode, and what came of it.
//
// docs/evidence/campaigns.md has the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/campaign/scenario.h"

namespace pianola::campaign {

struct NamedTally {
    std::string name;
    Tally tally;
    const char* outside{""};  // why a session does not answer for these faults; empty where it does
};

[[nodiscard]] std::vector<NamedTally> fail_calls(const Mode& mode);
[[nodiscard]] std::vector<NamedTally> tell_lies(const Mode& mode);
[[nodiscard]] std::vector<NamedTally> disturb_completions(const Mode& mode);

struct FlipOptions {
    std::uint32_t seed{1U};
    std::uint32_t samples{2000U};  // of every target that is too large for all its bits at all moments
};
[[nodiscard]] std::vector<NamedTally> change_file(const Mode& mode, const FlipOptions& options);
[[nodiscard]] std::vector<NamedTally> flip_bits(const Mode& mode, const FlipOptions& options);

// What a workload keeps from step to step. Of modes that can have state.
[[nodiscard]] bool keeps_state(const Mode& mode);
[[nodiscard]] std::vector<NamedTally> flip_state(const Mode& mode);

// Releases within an interval: in one mode, with separate workloads.
[[nodiscard]] bool is_released_within_interval(const Mode& mode);
[[nodiscard]] std::vector<NamedTally> flip_within_interval(const Mode& mode, const FlipOptions& options);

// Where a fault was injected.
struct Place {
    const Mode& mode;
    std::uint32_t device;
    std::string what;
    Call call;
    std::uint32_t number;     // of the calls of that device
    bool is_of_device{true};  // and of no other one: what latches must name it
};
// Adds what came of it, and says on standard output what was silent, or is said to be the fault of another device.
void count(const Scenario& scenario, const Place& place, Outcome outcome, Tally& tally);

}  // namespace pianola::campaign
