// Events that a program takes anew, as record_event() of a mesh gives them: which of them are the same in every turn.
//
// In front of capture_discovery, as a loop is found by calls that repeat.
#pragma once

#include <vector>

#include "capture_host/host/capture/call_log.h"

namespace pianola::host {

// Events that are recorded once, and then waited for, become places that are used again: a record takes the first of
// its device and queue that nobody will wait for any more. Who waits for what is as before.
[[nodiscard]] std::vector<Section> with_event_slots(const std::vector<Section>& sections);

}  // namespace pianola::host
