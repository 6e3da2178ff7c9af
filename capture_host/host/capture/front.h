// The calls before a loop: set-up, and not a turn.
//
// Used by make. A binary does set-up once, with the captured run's data.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// Programs before prologue and steps are no part of the binary: the steps must find exactly what set-up writes.
// Throws API-CAPTURE-CONTENT.
void check_front(const Reading& reading, const CommandSet& command_set);

// A turn before the loop that is not like its turns must neither be lost nor become a constant. Writes before the loop
// are refused if the host has read their results there, if they act as an input, or if the loop continues with state
// that depends on them. `program` has the calls as they were made, whose inputs may have been there. Throws
// API-CAPTURE-CONTENT, with both calls. Returns warnings: turns before the loop without a result, and constants that
// the loop's state depends on.
[[nodiscard]] std::vector<std::string> check_front_turns(const Reading& reading, const std::vector<Section>& program,
                                                         const CommandSet& command_set);

// Checks set-up data in the memory of an input before the step writes it. It may be the first contents only if no
// output depends on it; otherwise it is an input of the program. Throws API-CAPTURE-CONTENT.
void check_first_contents(const Reading& reading, const Call& write, const CommandSet& command_set);

}  // namespace pianola::host
