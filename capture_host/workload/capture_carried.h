// What the host has carried from one device to another while a workload was captured.
//
// Place in the whole: after capture_discovery, for captures of several devices. A binary is given all inputs of a step
// before it gives any output, and its set-up once: it cannot carry anything. Nothing that the host may have computed
// from another device's output is ever taken for set-up, whatever the data. What a step writes becomes an input, whose
// values are never those of the captured run; where its bytes are those of an output of the same step, the program is
// refused. Internal to the host API.
#pragma once

#include <string>
#include <vector>

#include "capture_host/workload/capture_discovery.h"

namespace pianola::host {

// Throws API-CAPTURE-CONTENT, with both calls. Gives warnings: inputs that the host has written after it had seen
// another device's output of the same step.
[[nodiscard]] std::vector<std::string> check_carried(const Reading& reading, const std::vector<Section>& program);

}  // namespace pianola::host
