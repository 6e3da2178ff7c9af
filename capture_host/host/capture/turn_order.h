// The calls of a program in the order of its turns.
//
// Used before the search for a loop. A program that prefetches writes the input of turn t + 1, or of a later one, while
// the device computes turn t, and may read the output of turn t later. Here each write is immediately before the first
// call that needs it, and each read immediately after the program that computes its data. Programs keep their order,
// and so do the calls of a queue that events order. The device's results stay the same: a call is never moved past
// another one that touches the same bytes if one of the two writes. check_order() proves it again.
#pragma once

#include <optional>
#include <vector>

#include "capture_host/host/capture/call_log.h"

namespace pianola::host {

// nullopt if the calls are in this order already.
[[nodiscard]] std::optional<std::vector<Call>> in_turn_order(const std::vector<Call>& calls,
                                                             const CommandSet& command_set);

// Maps the new events that record_event() of a mesh gives in every turn to slots that repeat, because a loop is found
// by calls that repeat. Events that are recorded once, and then waited for, become slots that are used again: a record
// takes the first slot of its device and queue that has no further wait. Each wait still waits for the same record.
[[nodiscard]] std::vector<Section> with_event_slots(const std::vector<Section>& sections);

}  // namespace pianola::host
