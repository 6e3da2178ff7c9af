// What is in front of a loop: set-up, and not a turn.
//
// Used by capture_make. A binary does set-up once, with the captured run's data.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"

namespace pianola::host {

// Programs in front of prologue and steps are no part of the binary: what set-up writes must be what the steps find.
// Throws API-CAPTURE-CONTENT.
void check_front(const Reading& reading, const CommandSet& command_set);

// A turn in front of the loop that is not like its turns must neither be lost nor become a constant. Refused are writes
// in front whose results the host has read there, where they play the part of an input, or where the loop goes on with
// state that follows from them; `program` has the calls as they were made, whose inputs may have lain there. Throws
// API-CAPTURE-CONTENT, with both calls. Gives warnings: turns in front that give nothing, and constants that the loop's
// state follows from.
[[nodiscard]] std::vector<std::string> check_front_turns(const Reading& reading, const std::vector<Section>& program,
                                                         const CommandSet& command_set);

// What set-up has written is found in the memory of an input before the step writes that. It may be the first contents
// only where no output shows them, for else it is an input of the program. Throws API-CAPTURE-CONTENT.
void check_first_contents(const Reading& reading, const Call& write, const CommandSet& command_set);

}  // namespace pianola::host
