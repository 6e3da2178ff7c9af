#include "runtime/plan/events.h"

namespace pianola::proof {
namespace {

bool refuse_event(Context& context, const PlannedCommand& entry, Rule rule) noexcept {
    enter_command(context, entry);
    return refuse_at(context, rule, Field::kEvent, entry.command.event);
}

// `other` is the other queue.
bool take_turn(Context& context, const PlannedCommand& entry, bool waits, EventState& event) noexcept {
    std::uint32_t& own = waits ? event.waiter : event.recorder;
    const std::uint32_t other = waits ? event.recorder : event.waiter;
    if (event.is_set != waits) {
        return refuse_event(context, entry, waits ? Rule::kOrdEventNever : Rule::kOrdEventUnused);
    }
    const std::uint32_t queue = entry.queue + 1U;
    if (((own != 0U) && (own != queue)) || (other == queue)) {
        return refuse_event(context, entry, Rule::kOrdEventQueue);
    }
    own = queue;
    event.is_set = !waits;
    return true;
}

}  // namespace

std::uint32_t queue_limit(const Context& context) noexcept {
    return context.device.queue_count;
}

std::uint32_t event_limit() noexcept {
    return kMaxEvents;
}

void start_script(Events& events) noexcept {
    for (EventState& event : events) {
        event.cycles = 0U;
    }
}

bool pass_event(Context& context, const PlannedCommand& entry, std::uint64_t before, Events& events,
                std::uint64_t& cycles) noexcept {
    EventState& event = events[entry.command.event];
    const bool waits = entry.command.kind == QueueCommandKind::kWaitEvent;
    if (!take_turn(context, entry, waits, event)) {
        return false;
    }
    if (waits) {
        cycles = later(cycles, event.cycles + (cycles - before));  // its cycles come after the record
    } else {
        event.cycles = cycles;
    }
    return true;
}

bool check_left_over(Context& context, const Events& events) noexcept {
    const PlannedScript& last = context.plan.epilogue;
    for (std::uint32_t i = (last.count == 0U) ? 0U : (last.first + last.count); i > 0U; --i) {
        const PlannedCommand& entry = context.plan.commands[i - 1U];
        const bool records = is_taken(context, entry) && (entry.command.kind == QueueCommandKind::kRecordEvent);
        if (records && events[entry.command.event].is_set) {
            return refuse_event(context, entry, Rule::kOrdEventUnused);
        }
    }
    return true;
}

}  // namespace pianola::proof
