// Checks what the host's writes become in a binary: inputs, set-up, or nothing.
//
// A binary gets all inputs of a step before it gives any output, and does set-up once, with the captured run's data. So
// it cannot carry data from an output to an input, and a turn before the loop must not become set-up.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// For a device or a mesh. What a step writes becomes an input, whose values are never those of the captured run; if its
// bytes are those of an output of the same step, the program is refused. What the host may have computed from another
// device's output never becomes set-up, whatever the data.
// Throws API-CAPTURE-CONTENT, with both calls. Returns warnings: inputs that the host wrote after it had seen an output
// of the same step, and set-up that it wrote after it had seen an output of the same device.
[[nodiscard]] std::vector<std::string> check_host_copies(const Interpretation& interpretation,
                                                         const std::vector<Section>& program);

// Programs before prologue and steps are no part of the binary: the steps must find exactly what set-up writes.
// Throws API-CAPTURE-CONTENT.
void check_calls_before_steps(const Interpretation& interpretation, const CommandSet& command_set);

// A turn before the loop that is not like its turns must neither be lost nor become a constant. Writes before the loop
// are refused if the host has read their results there, if they act as an input, or if the loop continues with state
// that depends on them. `program` has the calls as they were made, whose inputs may have been there. Throws
// API-CAPTURE-CONTENT, with both calls. Returns warnings: turns before the loop without a result, and constants that
// the loop's state depends on.
[[nodiscard]] std::vector<std::string> check_turns_before_loop(const Interpretation& interpretation,
                                                               const std::vector<Section>& program,
                                                               const CommandSet& command_set);

// Checks set-up data in the memory of an input before the step writes it. It may be the first contents only if no
// output depends on it; otherwise it is an input of the program. Throws API-CAPTURE-CONTENT.
void check_first_contents(const Interpretation& interpretation, const Call& write, const CommandSet& command_set);

}  // namespace pianola::host
