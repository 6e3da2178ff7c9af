// Proves what every inference of a captured workload computes, over the values that the host writes, not over the
// captured data.
//
// The last check of an interpretation before its binary is made.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// Checks that every output of the binary is the expression that the program has read, and that all inferences of a
// discovered pipeline use the inputs alike. Throws OrderRefused for a pipeline, else API-CAPTURE-CONTENT. Returns why
// no captured inference can be a self-test vector; empty if all can.
[[nodiscard]] std::string check_meaning(const Interpretation& interpretation, const Scripts& scripts,
                                        const std::vector<Section>& program, const CommandSet& command_set);

}  // namespace pianola::host
