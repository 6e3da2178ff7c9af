// Events, as the scripts use them: what the walk over a script (order.cpp) asks of them.
//
// Place in the whole: a runtime that takes one queue only has no events; runtime/without/queues.cpp stands for
// events.cpp there.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

// Records and waits take turns, each on a queue of its own: so every wait has a record of its own, which no other can
// stand in for, and none is lost.
struct EventState {
    // Of the last record, in the time of the script that is walked; 0 where an earlier script made it.
    std::uint64_t cycles{0U};
    std::uint32_t recorder{0U};  // queue + 1; 0 where there is none yet
    std::uint32_t waiter{0U};    // likewise
    bool is_set{false};          // recorded, and not yet waited for
};
using Events = std::array<EventState, kMaxEvents>;

[[nodiscard]] constexpr bool is_event(QueueCommandKind kind) noexcept {
    return (kind == QueueCommandKind::kRecordEvent) || (kind == QueueCommandKind::kWaitEvent);
}

// A script begins, at its own time 0.
void start_script(Events& events) noexcept;
// One use of an event by a command, which began at `before` on its queue. `cycles` is where the queue has come to, and
// becomes later where the command has waited.
[[nodiscard]] bool pass_event(Context& context, const PlannedCommand& entry, std::uint64_t before, Events& events,
                              std::uint64_t& cycles) noexcept;
// An epilogue leaves no record that nothing has waited for, be it the last step's: afterwards everything starts afresh.
[[nodiscard]] bool check_left_over(Context& context, const Events& events) noexcept;

}  // namespace pianola::proof
