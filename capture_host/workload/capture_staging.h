// What a program may do with one buffer, and a binary may not: two inputs, or two outputs, of one step in the same
// bytes; and what the host gives its first contents and the steps change.
//
// Place in the whole: between capture_order and capture_scripts. The runtime wants inputs disjoint, outputs too, and
// set-up's bytes unchanged. So each gets memory of its own, and a copy between that and where the program has it.
// Internal to the host API.
#pragma once

#include "capture_host/workload/capture_discovery.h"

namespace pianola::host {

// Throws API-CAPTURE-LIMIT where the device has no memory left for that.
[[nodiscard]] Reading with_staging(const Reading& reading, const Target& target, const DeviceDescription& spec);

}  // namespace pianola::host
