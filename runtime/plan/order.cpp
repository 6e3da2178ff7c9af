#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// An event, as the scripts use it. Records and waits take turns, each on a queue of its own: so every wait has a record
// of its own, which no other can stand in for, and none is lost.
struct EventState {
    std::uint64_t cycles{
        0U};  // of the last record, in the time of the script that is walked; 0 where an earlier one made it
    std::uint32_t recorder{0U};  // queue + 1; 0 where there is none yet
    std::uint32_t waiter{0U};    // likewise
    bool is_set{false};          // recorded, and not yet waited for
};
using Events = std::array<EventState, kMaxEvents>;

struct QueueState {
    std::uint64_t cycles{0U};      // virtual time
    std::uint32_t ring_words{0U};  // what the script takes in the ring
};
using Queues = std::array<QueueState, kMaxQueues>;

// Adds what a command takes on its queue, the trace that it replays included.
void charge(const Context& context, const QueueCommand& command, QueueState& queue) noexcept {
    queue.cycles += context.command_set.queue_cycles(command);
    queue.ring_words += context.command_set.queue_words(command);
    if (command.kind == QueueCommandKind::kReplay) {
        queue.cycles += context.image.trace(replayed_trace(context, command)).cost_cycles;
    }
}

bool refuse_event(Context& context, const PlannedCommand& entry, Rule rule) noexcept {
    enter_command(context, entry);
    return refuse_at(context, rule, "event", entry.command.event);
}

// One use of an event by a command. `other` is the queue on the other side.
bool take_turn(Context& context, const PlannedCommand& entry, EventState& event) noexcept {
    const bool waits = entry.command.kind == QueueCommandKind::kWaitEvent;
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

// Walks a script in program order, which is an order in which the queues can run: a wait looks back only, so that there
// can be no deadlock. Leaves the script's length, alone on an idle device.
bool walk(Context& context, ScriptKind kind, Events& events, Queues& queues) noexcept {
    PlannedScript& script = script_of(context, kind);
    const PlannedCommands& commands = commands_of(context, kind);
    for (EventState& event : events) {
        event.cycles = 0U;
    }
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& entry = commands[i];
        if (!is_taken(context, entry)) {
            continue;
        }
        const QueueCommand& command = entry.command;
        QueueState& queue = queues[entry.queue];
        EventState& event = events[command.event];  // the first, where the command has none
        const bool waits = command.kind == QueueCommandKind::kWaitEvent;
        const bool records = command.kind == QueueCommandKind::kRecordEvent;
        if ((waits || records) && !take_turn(context, entry, event)) {
            return false;
        }
        if (waits) {
            queue.cycles = later(queue.cycles, event.cycles);
        }
        charge(context, command, queue);
        if (records) {
            event.cycles = queue.cycles;
        }
    }
    // The record that ends every script on every queue that it uses.
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        if (script.uses(context.mesh_device, i)) {
            charge(context, notify, queues[i]);
        }
        script.cycles = later(script.cycles, queues[i].cycles);
    }
    return true;
}

// All steps that are under way at once fit into the rings; other scripts run alone.
bool check_rings(Context& context, ScriptKind kind, const Queues& queues) noexcept {
    const std::uint32_t at_once = (kind == ScriptKind::kStep) ? context.plan.steps_in_flight : 1U;
    for (const QueueState& queue : queues) {
        const std::uint32_t words = queue.ring_words * at_once;
        if (words > context.device.ring_words) {
            const std::uint32_t index = find_script(context.image, kind);
            enter(context, "scripts", index, context.image.script(index).file_offset);
            return refuse_at(context, (kind == ScriptKind::kSetup) ? Rule::kBudSetupRing : Rule::kBudRing, nullptr,
                             words, context.device.ring_words);
        }
    }
    return true;
}

// An epilogue leaves no record that nothing has waited for, be it the last step's: afterwards everything starts afresh.
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

// The step twice: what holds from step to step holds for ever.
constexpr std::array<ScriptKind, 5> kSequence{ScriptKind::kSetup, ScriptKind::kPrologue, ScriptKind::kStep,
                                              ScriptKind::kStep, ScriptKind::kEpilogue};

}  // namespace

bool check_order(Context& context) noexcept {
    Events events{};
    for (const ScriptKind kind : kSequence) {
        Queues queues{};
        if (!walk(context, kind, events, queues) || !check_rings(context, kind, queues)) {
            return false;
        }
    }
    return check_left_over(context, events);
}

}  // namespace pianola::proof
