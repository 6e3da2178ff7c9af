// Separates buffers that a program may share and a binary may not: two inputs, or two outputs, of one step in the same
// bytes; and state whose first contents the host writes and the steps change.
//
// Runs after check_order(); make_scripts() then runs again. The runtime requires disjoint inputs, disjoint outputs, and
// unchanged set-up bytes. So each gets separate memory, and a copy between that and the program's place. A tensor of
// several devices gets the same memory on all of them.
#pragma once

#include <vector>

#include "capture_host/host/capture/devices.h"

namespace pianola::host {

// One per device, in order. Throws API-CAPTURE-LIMIT if a device has no memory left, and API-CAPTURE-CONTENT if an
// input would begin with data of the captured run.
[[nodiscard]] std::vector<Interpretation> with_staging(const std::vector<const Interpretation*>& interpretations,
                                                       const MeshTensors& tensors, const Target& target,
                                                       const DeviceDescription& spec);

}  // namespace pianola::host
