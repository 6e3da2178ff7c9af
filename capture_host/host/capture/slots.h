// Maps the new events that record_event() of a mesh gives in every turn to slots that repeat.
//
// Runs before discovery, which finds a loop by calls that repeat.
#pragma once

#include <vector>

#include "capture_host/host/capture/call_log.h"

namespace pianola::host {

// Events that are recorded once, and then waited for, become slots that are used again: a record takes the first slot
// of its device and queue that has no further wait. Each wait still waits for the same record.
[[nodiscard]] std::vector<Section> with_event_slots(const std::vector<Section>& sections);

}  // namespace pianola::host
