// The campaigns on the simulator: what each injects, and what came of it.
//
// Place in the whole: tests only. docs/CAMPAIGNS.md has the results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/campaign/scenario.h"

namespace pianola::campaign {

struct NamedTally {
    std::string name;
    Tally tally;
};

[[nodiscard]] Tally fail_calls();
[[nodiscard]] std::vector<NamedTally> disturb_completions();

struct FlipOptions {
    std::uint32_t seed{1U};
    std::uint32_t samples{2000U};  // of every target that is too large for all its bits at all moments
};
[[nodiscard]] std::vector<NamedTally> flip_bits(const FlipOptions& options);

}  // namespace pianola::campaign
