#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kNoQueue = kMaxQueues;

// An event, as the scripts use it. Records and waits take turns, each on a queue of its own: so every wait has a record of its own,
// which no other can stand in for, and none is lost.
struct EventState {
    std::uint64_t cycles{
        0U};  // of the last record, in the time of the script that is walked; 0 where an earlier one made it
    std::uint32_t recorder{kNoQueue};
    std::uint32_t waiter{kNoQueue};
    bool is_set{false};  // recorded, and not yet waited for
};
using Events = std::array<EventState, kMaxEvents>;

struct QueueState {
    std::uint64_t cycles{0U};      // virtual time
    std::uint32_t ring_words{0U};  // what the script takes in the ring
};
using Queues = std::array<QueueState, kMaxQueues>;

// What a command takes on its queue, the trace that it replays included.
[[nodiscard]] std::uint64_t cycles_of(const Context& context, const QueueCommand& command) noexcept {
    std::uint64_t cycles = context.command_set.queue_cycles(command);
    if (command.kind == QueueCommandKind::kReplay) {
        cycles += context.image.trace(replayed_trace(context, command)).cost_cycles;
    }
    return cycles;
}

// One use of an event by a command. `other` is the queue on the other side.
Status take_turn(const Context& context, const PlannedCommand& entry, EventState& event) noexcept {
    const bool waits = entry.command.kind == QueueCommandKind::kWaitEvent;
    std::uint32_t& own = waits ? event.waiter : event.recorder;
    const std::uint32_t other = waits ? event.recorder : event.waiter;
    Rule rule = Rule::kNotRun;
    if (event.is_set != waits) {
        rule = waits ? Rule::kOrdEventNever : Rule::kOrdEventUnused;
    } else if (((own != kNoQueue) && (own != entry.queue)) || (other == entry.queue)) {
        rule = Rule::kOrdEventQueue;
    } else {
        own = entry.queue;
        event.is_set = !waits;
        return Status::kOk;
    }
    return refuse_at(context, place_of(context, entry), rule, "event", entry.command.event);
}

// Walks a script in program order, which is an order in which the queues can run: a wait looks back only, so that there can be no
// deadlock. Leaves the script's length, alone on an idle device.
Status walk(const Context& context, PlannedScript& script, const PlannedCommands& commands, Events& events,
            Queues& queues) noexcept {
    queues = Queues{};
    for (EventState& event : events) {
        event.cycles = 0U;
    }
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& entry = commands[i];
        const QueueCommand& command = entry.command;
        QueueState& queue = queues[entry.queue];
        EventState& event = events[command.event];  // the first, where the command has none
        const bool waits = command.kind == QueueCommandKind::kWaitEvent;
        const bool records = command.kind == QueueCommandKind::kRecordEvent;
        if (waits || records) {
            const Status turn = take_turn(context, entry, event);
            if (!is_ok(turn)) {
                return turn;
            }
        }
        if (waits && (event.cycles > queue.cycles)) {
            queue.cycles = event.cycles;
        }
        queue.cycles += cycles_of(context, command);
        queue.ring_words += context.command_set.queue_words(command);
        if (records) {
            event.cycles = queue.cycles;
        }
    }
    // The record that ends every script on every queue that it uses.
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    script.cycles = 0U;
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        if (script.queue_used[i]) {
            queues[i].cycles += context.command_set.queue_cycles(notify);
            queues[i].ring_words += context.command_set.queue_words(notify);
        }
        script.cycles = (queues[i].cycles > script.cycles) ? queues[i].cycles : script.cycles;
    }
    return Status::kOk;
}

// All steps that are under way at once fit into the rings; other scripts run alone.
Status check_rings(const Context& context, ScriptKind kind, Rule rule, const Queues& queues) noexcept {
    const std::uint32_t at_once = (kind == ScriptKind::kStep) ? context.plan.steps_in_flight : 1U;
    for (const QueueState& queue : queues) {
        const std::uint32_t words = queue.ring_words * at_once;
        if (words > context.device.ring_words) {
            const std::uint32_t index = find_script(context.image, kind);
            return refuse_at(context, Place{"scripts", index, context.image.script(index).file_offset}, rule, nullptr,
                             words, context.device.ring_words);
        }
    }
    return Status::kOk;
}

void count_notifies(PlannedScript& script) noexcept {
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        script.executed_commands[i] += script.queue_used[i] ? 1U : 0U;
    }
}

// An epilogue leaves no record that nothing has waited for, be it the last step's: afterwards everything starts afresh.
Status check_left_over(const Context& context, const Events& events) noexcept {
    const PlannedScript& last = context.plan.epilogue;
    for (std::uint32_t i = (last.count == 0U) ? 0U : (last.first + last.count); i > 0U; --i) {
        const PlannedCommand& entry = context.plan.commands[i - 1U];
        if ((entry.command.kind == QueueCommandKind::kRecordEvent) && events[entry.command.event].is_set) {
            return refuse_at(context, place_of(context, entry), Rule::kOrdEventUnused, "event", entry.command.event);
        }
    }
    return Status::kOk;
}

}  // namespace

Status check_order(Context& context) noexcept {
    Plan& plan = context.plan;
    struct Stage {
        PlannedScript& script;
        const PlannedCommands& commands;
        ScriptKind kind;
        Rule ring_rule;
    };
    PlanWorkspace& workspace = context.workspace;
    const std::array<Stage, 5> stages{{
        {workspace.setup, workspace.setup_commands, ScriptKind::kSetup, Rule::kBudSetupRing},
        {plan.prologue, plan.commands, ScriptKind::kPrologue, Rule::kBudRing},
        {plan.step, plan.commands, ScriptKind::kStep, Rule::kBudRing},
        {plan.step, plan.commands, ScriptKind::kStep, Rule::kBudRing},  // what holds from step to step holds for ever
        {plan.epilogue, plan.commands, ScriptKind::kEpilogue, Rule::kBudRing},
    }};
    Events events{};
    for (const Stage& stage : stages) {
        Queues queues{};
        const Status walked = walk(context, stage.script, stage.commands, events, queues);
        if (!is_ok(walked)) {
            return walked;
        }
        const Status rings = check_rings(context, stage.kind, stage.ring_rule, queues);
        if (!is_ok(rings)) {
            return rings;
        }
    }
    for (PlannedScript* const script : {&workspace.setup, &plan.prologue, &plan.step, &plan.epilogue}) {
        count_notifies(*script);
    }
    return check_left_over(context, events);
}

}  // namespace pianola::proof
