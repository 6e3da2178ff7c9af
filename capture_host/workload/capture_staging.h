// Tensors that share memory: two inputs, or two outputs, of one step in the same bytes.
//
// Place in the whole: between capture_order and capture_scripts. The runtime wants the inputs disjoint, and the
// outputs. So all but the first get memory of their own, and a copy between it and where the program has them. Internal
// to the host API.
#pragma once

#include "capture_host/workload/capture_discovery.h"

namespace pianola::host {

// Throws API-CAPTURE-LIMIT where the device has no memory left for that.
[[nodiscard]] Reading with_staging(const Reading& reading, const Target& target, const DeviceDescription& spec);

}  // namespace pianola::host
