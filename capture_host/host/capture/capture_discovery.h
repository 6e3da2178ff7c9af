// From recorded calls to a workload: which calls are the loop's turns, and which buffers its inputs and outputs.
//
// What the program has marked and declared stands; the rest is found by what it does. Several readings may be possible:
// the capture takes the first that the runtime accepts and whose replay gives what the captured run has read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "capture_host/host/capture/capture_scripts.h"

namespace pianola::host {

struct Reading {
    std::vector<Section> sections;  // all steps with the calls of the first, and their own data
    Declarations declarations;
    std::string found;                  // how a program without marks was read; empty where it has marks
    std::vector<std::string> warnings;  // of what the program may not have meant, and of what is left out
    bool is_found{false};               // inputs, or outputs: not all were declared
    std::set<std::uint64_t> turn_ends;  // numbers of the calls before the loop that are like the end of a turn
};

// The likeliest first, and at least one. `in_turn_order`: the same calls in another order in which they compute the
// same (turn_order.h); empty where there is none.
[[nodiscard]] std::vector<Reading> readings_of(const std::vector<Section>& sections,
                                               const std::vector<Section>& in_turn_order,
                                               const Declarations& declarations, const CommandSet& command_set);

}  // namespace pianola::host
