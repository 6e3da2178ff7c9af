// Flows: which slice another one has waited for, or comes from.
//
// Arrows of Chrome traces, between lanes. A flow goes from the slice that causes to the one that is caused, and never
// back in time. Devices of a mesh share no event, and so no arrow but those from and to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture_host/timeline/picture.h"

namespace pianola::timeline {

enum class FlowKind : std::uint8_t {
    kEnqueue,     // the host has enqueued what the queue executes
    kEvent,       // a record, and what waits for it on another queue
    kDispatch,    // the queue has dispatched what a core executes
    kCompletion,  // a completion record, and the host that waits for it
};

struct Flow {
    FlowKind kind{FlowKind::kEnqueue};
    std::size_t from{0U};  // indices into the panel's slices
    std::size_t to{0U};
    double start{0.0};  // a time inside of `from`, in cycles
    double end{0.0};    // and inside of `to`
};

// "event"
[[nodiscard]] const char* name_of(FlowKind kind);
// All flows of a panel, in the order of the slices that are caused.
[[nodiscard]] std::vector<Flow> find_flows(const Panel& panel);

}  // namespace pianola::timeline
