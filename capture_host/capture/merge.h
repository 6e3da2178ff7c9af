// Merge: makes one binary for a mesh from the captures of its devices.
//
// Devices of a mesh share nothing, so that the work of each is kept as it is; equal commands of several devices become
// one command with a range, and equal traces and weights are stored once.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "capture_host/capture/link.h"
#include "pianola_host/manifest.h"

namespace pianola::capture {

struct MeshOptions {
    std::uint32_t rows{1U};
    std::uint32_t columns{1U};
    // Inputs of which each device has a different piece; other inputs are the same on all their devices. An output of
    // several devices is always in pieces. Pieces are consecutive in the first dimension.
    std::set<std::string> sharded_inputs;
};

// `parts`: the devices' binaries in row-major order, of one target, with the same regions, scripts and parameters.
// Tensors are matched by name. Without self-test vectors. Throws LinkError, which says what differs, or what the result
// would need.
[[nodiscard]] LinkedBinary merge_mesh(const std::vector<LinkedBinary>& parts, const MeshOptions& options);

}  // namespace pianola::capture
