// Which accesses of several devices move one tensor of a mesh.
//
// Used by capture_discovery. Accesses belong together that one call of the mesh has made. Of a tensor whose shards the
// program moves one by one, they belong together where nothing in between could make a difference to what they move.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/capture_discovery.h"

namespace pianola::host {

// Of each call, in the order of the calls: equal for the accesses of one buffer of the mesh that belong together. 0 for
// what is no transfer, and on a device alone.
[[nodiscard]] std::vector<std::uint32_t> pairs_of(const std::vector<Call>& calls, const CommandSet& command_set);

// Every step has the same tensors. Throws API-CAPTURE-TENSOR, with both calls.
void check_pairs(const Reading& reading, const CommandSet& command_set);

}  // namespace pianola::host
