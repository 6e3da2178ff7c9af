// What every inference of a captured workload computes: proved over the values that the host writes, not over the data
// that were captured.
//
// The last look at a reading before its binary is made.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"

namespace pianola::host {

// Every output of the binary is the expression that the program has read, and of a pipeline whose tensors were found,
// all inferences use the inputs alike. Throws OrderRefused of a pipeline, else API-CAPTURE-CONTENT. Returns why no
// captured inference can be a self-test vector; empty where all can.
[[nodiscard]] std::string check_meaning(const Reading& reading, const Scripts& scripts,
                                        const std::vector<Section>& program, const CommandSet& command_set);

}  // namespace pianola::host
