// From the calls of a capture to its binary.
//
// What WorkloadCapture::end() does. Every reading of the calls is tried, the likeliest first, until one is proved,
// linked, accepted by the runtime, and replays what the captured run has read.
#pragma once

#include <vector>

#include "capture_host/host/capture/capture_scripts.h"

namespace pianola::host {

// All reads have completed, and the devices' locks are held. Throws API-CAPTURE-*.
[[nodiscard]] CapturedWorkload make_workload(const DeviceGrid& grid, const std::vector<Section>& recorded,
                                             const Declarations& declarations, CaptureOptions options);

}  // namespace pianola::host
