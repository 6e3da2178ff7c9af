// Replaces plan/queues.cpp in a runtime that drives one queue of a device and has no events. A file that uses another
// queue is refused as by a device that has one.
#include "runtime/plan/events.h"

namespace pianola::proof {

std::uint32_t queue_limit(const Context& /*context*/) noexcept {
    return 1U;
}

std::uint32_t event_limit() noexcept {
    return 0U;
}

void start_script(Events& /*events*/) noexcept {}

// Scripts have named no event: refuses every call.
bool pass_event(Context& context, const PlannedCommand& entry, std::uint64_t /*before*/, Events& /*events*/,
                std::uint64_t& /*cycles*/) noexcept {
    return refuse_at(context, Rule::kScrIndex, Field::kEvent, entry.command.event, event_limit());
}

bool check_left_over(Context& /*context*/, const Events& /*events*/) noexcept {
    return true;
}

// One queue runs in order. Commands on another queue are refused, because races were not checked.
bool check_races(Context& context) noexcept {
    const Plan& plan = context.plan;
    const QueueBits used = plan.prologue.queues_used | plan.step.queues_used | plan.epilogue.queues_used;
    return ((used & queue_bit(context.mesh_device, 1U)) == 0U)
               ? true
               : refuse_at(context, Rule::kScrQueue, Field::kQueue, 1U, queue_limit(context));
}

}  // namespace pianola::proof
