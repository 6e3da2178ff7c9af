// From the calls of a capture to its binary.
//
// WorkloadCapture::end() calls it. Interpretations of the calls are tried, the likeliest first, until one is proved,
// linked, accepted by the runtime, and its replay gives what the captured run has read.
#pragma once

#include <vector>

#include "capture_host/host/capture/scripts.h"

namespace pianola::host {

// All reads must have completed, and the caller holds the devices' locks. Throws API-CAPTURE-*.
[[nodiscard]] CapturedWorkload make_workload(const DeviceGrid& grid, const std::vector<Section>& recorded,
                                             const Declarations& declarations, CaptureOptions options);

}  // namespace pianola::host
