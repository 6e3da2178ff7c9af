// Events in scripts, for the walk over a script (order.cpp).
//
// A runtime for one queue has no events; runtime/without/queues.cpp stands for queues.cpp there.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

// Records and waits alternate, each on its own queue: so every wait has exactly one record, and none is lost.
struct EventState {
    // Time of the last record, in the time of the current script; 0 if an earlier script made it.
    std::uint64_t cycles{0U};
    std::uint32_t recorder{0U};  // queue + 1; 0 where there is none yet
    std::uint32_t waiter{0U};    // likewise
    bool is_set{false};          // recorded, and not yet waited for
};
using Events = std::array<EventState, kMaxEvents>;

[[nodiscard]] constexpr bool is_event(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kRecordEvent) || (kind == QueueCommandKind::kWaitEvent);
}

// Starts a script, at its own time 0.
void start_script(Events& events) noexcept;
// One use of an event by a command, which began at `before` on its queue. `cycles` is the queue's current time, and
// becomes later if the command has waited.
[[nodiscard]] bool pass_event(Context& context, const PlannedCommand& entry, std::uint64_t before, Events& events,
                              std::uint64_t& cycles) noexcept;
// An epilogue leaves no record without a wait, including the last step's: afterwards everything starts again.
[[nodiscard]] bool check_left_over(Context& context, const Events& events) noexcept;

}  // namespace pianola::proof
