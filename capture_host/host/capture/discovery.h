// From recorded calls to a workload: the calls of the loop's turns, and the buffers of its inputs and outputs.
//
// Marks and declarations of the program are binding; the rest is derived from its calls. Several interpretations may be
// possible: the capture takes the first that the runtime accepts and whose replay gives what the captured run has read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "capture_host/host/capture/scripts.h"

namespace pianola::host {

struct Interpretation {
    std::vector<Section> sections;  // all steps with the calls of the first, and their own data
    Declarations declarations;
    std::string how_found;              // how a program without marks was read; empty if it has marks
    std::vector<std::string> warnings;  // about what the program may not have meant, and what is left out
    bool is_derived{false};             // the inputs, or the outputs, were not all declared
    std::set<std::uint64_t> turn_ends;  // numbers of the calls before the loop that are like the end of a turn
};

// At least one, the likeliest first. `in_turn_order`: the same calls in another order with the same results
// (turn_order.h); empty if there is none.
[[nodiscard]] std::vector<Interpretation> interpretations_of(const std::vector<Section>& sections,
                                                             const std::vector<Section>& in_turn_order,
                                                             const Declarations& declarations,
                                                             const CommandSet& command_set);

}  // namespace pianola::host
