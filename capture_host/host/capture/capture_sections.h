// From a loop to the sections of a capture: set-up, prologue, steps and epilogue, with their inputs and outputs.
//
// Used by capture_discovery, which says where the loop is.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"
#include "capture_host/host/capture/capture_loops.h"

namespace pianola::host {

// Writes whose bytes something has read, by their calls' numbers.
[[nodiscard]] std::set<std::uint64_t> read_writes(const std::vector<Section>& sections, const CommandSet& command_set);

// The calls before the loop are set-up; or their programs and first inputs are a prologue, and the calls after the loop
// are the epilogue.
[[nodiscard]] std::vector<Section> sections_of(const Calls& calls, const Loop& loop, bool with_prologue);

// The sections with all steps as the first one, without what nothing reads, and with what is not declared. `read`:
// read_writes().
[[nodiscard]] Reading reading(std::vector<Section> sections, const Declarations& declarations,
                              const std::set<std::uint64_t>& read, const CommandSet& command_set);

// Without a loop: one step. Where inputs are declared, what else is written is set-up, else constants alone are.
[[nodiscard]] Reading single_step(const Calls& calls, const Declarations& declarations,
                                  const std::set<std::uint64_t>& read, const CommandSet& command_set);

}  // namespace pianola::host
