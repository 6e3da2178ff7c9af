// What a program may do with one buffer, and a binary may not: two inputs, or two outputs, of one step in the same
// bytes; and what the host gives its first contents and the steps change.
//
// Between capture_order and capture_scripts. The runtime wants inputs disjoint, outputs too, and set-up's bytes
// unchanged. So each gets separate memory, and a copy between that and where the program has it. A tensor of several
// devices gets the same memory on all of them.
#pragma once

#include <vector>

#include "capture_host/host/capture/capture_devices.h"

namespace pianola::host {

// Of each device, in their order. Throws API-CAPTURE-LIMIT where the device has no memory left for that, and
// API-CAPTURE-CONTENT where an input would begin with what the captured run had.
[[nodiscard]] std::vector<Reading> with_staging(const std::vector<const Reading*>& readings,
                                                const SpreadTensors& tensors, const Target& target,
                                                const DeviceDescription& spec);

}  // namespace pianola::host
