// Finds data that the host carried from an output to an input while a workload was captured.
//
// Runs after discovery, for a device or a mesh. A binary gets all inputs of a step before it gives any output,
// and its set-up once: it cannot carry data. What a step writes becomes an input, whose values are never those of the
// captured run; if its bytes are those of an output of the same step, the program is refused. What the host may have
// computed from another device's output never becomes set-up, whatever the data.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// Throws API-CAPTURE-CONTENT, with both calls. Returns warnings: inputs that the host wrote after it had seen an output
// of the same step, and set-up that it wrote after it had seen an output of the same device.
[[nodiscard]] std::vector<std::string> check_carried(const Reading& reading, const std::vector<Section>& program);

}  // namespace pianola::host
