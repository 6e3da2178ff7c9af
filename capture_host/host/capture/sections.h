// From a loop to the sections of a capture: set-up, prologue, steps and epilogue, with their inputs and outputs.
//
// Used by discovery, which finds the loop.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "capture_host/host/capture/discovery.h"
#include "capture_host/host/capture/loops.h"

namespace pianola::host {

// The writes whose bytes are read, by their calls' numbers.
[[nodiscard]] std::set<std::uint64_t> read_writes(const std::vector<Section>& sections, const CommandSet& command_set);

// The calls before the loop are set-up; or their programs and first inputs are a prologue, and the calls after the loop
// are the epilogue.
[[nodiscard]] std::vector<Section> sections_of(const Calls& calls, const Loop& loop, bool with_prologue);

// The sections with all steps like the first one, without unread data, and with missing declarations. `read`:
// read_writes().
[[nodiscard]] Reading reading(std::vector<Section> sections, const Declarations& declarations,
                              const std::set<std::uint64_t>& read, const CommandSet& command_set);

// Without a loop: one step. If inputs are declared, other writes are set-up; otherwise only constants are.
[[nodiscard]] Reading single_step(const Calls& calls, const Declarations& declarations,
                                  const std::set<std::uint64_t>& read, const CommandSet& command_set);

}  // namespace pianola::host
