// The campaigns on the simulator: what each injects in one mode, and what came of it.
//
// Place in the whole: tests only. docs/evidence/campaigns.md has the results.
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

// Says on standard output what was silent. number: of the calls of that device.
void note(const Mode& mode, std::uint32_t device, const std::string& what, Call call, std::uint32_t number,
          Outcome outcome);

}  // namespace pianola::campaign
