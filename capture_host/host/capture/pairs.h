// Finds the accesses of several devices that move one tensor of a mesh.
//
// Used by discovery. Accesses belong together if one call of the mesh made them. If the program moves the
// shards of a tensor one by one, they belong together if nothing in between could change what they move.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// For each call, in order: equal for the accesses of one buffer of the mesh that belong together. 0 for calls that are
// no transfer, and on a single device.
[[nodiscard]] std::vector<std::uint32_t> pairs_of(const std::vector<Call>& calls, const CommandSet& command_set);

// Checks that every step has the same tensors. Throws API-CAPTURE-TENSOR, with both calls.
void check_pairs(const Reading& reading, const CommandSet& command_set);

}  // namespace pianola::host
