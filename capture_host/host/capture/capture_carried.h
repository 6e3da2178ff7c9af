// What the host has carried from an output to an input while a workload was captured.
//
// After capture_discovery, on one device as on a mesh. A binary is given all inputs of a step before it gives any
// output, and its set-up once: it cannot carry anything. What a step writes becomes an input, whose values are never
// those of the captured run; where its bytes are those of an output of the same step, the program is refused. What the
// host may have computed from another device's output is never taken for set-up, whatever the data.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"

namespace pianola::host {

// Throws API-CAPTURE-CONTENT, with both calls. Gives warnings: inputs that the host has written after it had seen an
// output of the same step, and set-up that it has written after it had seen an output of the same device.
[[nodiscard]] std::vector<std::string> check_carried(const Reading& reading, const std::vector<Section>& program);

}  // namespace pianola::host
