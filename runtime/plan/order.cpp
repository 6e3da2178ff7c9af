#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

using Clock = std::array<std::uint8_t, kMaxQueues>;

struct QueueState {
    std::uint64_t cycles{0U};      // virtual time
    std::uint32_t next{0U};        // index of the next command in the script
    std::uint32_t ring_words{0U};  // what the script takes in the ring
    Clock clock{};                 // what is known of all queues
};

struct EventState {
    std::uint64_t cycles{0U};  // of the record
    Clock clock{};
    bool recorded{false};
};

// The queues of one script, run against each other: what has completed, when, and what is known of the other queues.
struct Run {
    std::array<QueueState, kMaxQueues> queues{};
    std::array<EventState, kMaxEvents> events{};
    std::uint32_t done{0U};
};

// The index of the next command of a queue at or behind `from`.
[[nodiscard]] std::uint32_t next_of(const PlannedScript& script, std::uint32_t queue, std::uint32_t from) noexcept {
    std::uint32_t index = from;
    while ((index < script.count) && (script.commands[index].queue != queue)) {
        index += 1U;
    }
    return index;
}

void learn(Clock& clock, const Clock& other) noexcept {
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        clock[i] = (other[i] > clock[i]) ? other[i] : clock[i];
    }
}

// What a command takes on its queue, the trace that it replays included.
[[nodiscard]] std::uint64_t cycles_of(const Context& context, const QueueCommand& command) noexcept {
    std::uint64_t cycles = context.command_set.queue_cycles(command);
    if (command.kind == QueueCommandKind::kReplay) {
        cycles += context.image.trace(replayed_trace(context, command)).cost_cycles;
    }
    return cycles;
}

// Runs the command if nothing holds it back. False where it waits for a record that has not happened.
[[nodiscard]] bool run_command(const Context& context, const PlannedCommand& entry, Run& run) noexcept {
    const QueueCommand& command = entry.command;
    QueueState& queue = run.queues[entry.queue];
    EventState& event = run.events[command.event];  // the first, where the command has none
    const bool waits = command.kind == QueueCommandKind::kWaitEvent;
    if (waits && !event.recorded) {
        return false;
    }
    std::uint8_t& own_clock = queue.clock[entry.queue];
    own_clock = static_cast<std::uint8_t>(own_clock + 1U);  // at most kMaxScriptCommands
    if (waits) {
        learn(queue.clock, event.clock);
        queue.cycles = (event.cycles > queue.cycles) ? event.cycles : queue.cycles;
    }
    queue.cycles += cycles_of(context, command);
    queue.ring_words += context.command_set.queue_words(command);
    if (command.kind == QueueCommandKind::kRecordEvent) {
        event = EventState{queue.cycles, queue.clock, true};
    }
    return true;
}

// The record that ends every script on every queue that it uses.
void run_notify(const Context& context, PlannedScript& script, Run& run) noexcept {
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
        QueueState& queue = run.queues[i];
        if (script.queue_used[i]) {
            queue.cycles += context.command_set.queue_cycles(notify);
            queue.ring_words += context.command_set.queue_words(notify);
            script.executed_commands[i] += 1U;
        }
        script.cycles = (queue.cycles > script.cycles) ? queue.cycles : script.cycles;
    }
}

// Each pass runs every queue as far as it gets; a pass in which none moves is a deadlock, or the end. At most
// kMaxScriptCommands passes.
void run_queues(const Context& context, const PlannedScript& script, Run& run) noexcept {
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::uint32_t i = 0U; i < kMaxQueues; ++i) {
            QueueState& queue = run.queues[i];
            queue.next = next_of(script, i, queue.next);
            while ((queue.next < script.count) && run_command(context, script.commands[queue.next], run)) {
                context.workspace.clocks[queue.next] = queue.clock;
                context.workspace.order[run.done] = static_cast<std::uint8_t>(queue.next);
                run.done += 1U;
                moved = true;
                queue.next = next_of(script, i, queue.next + 1U);
            }
        }
    }
}

Status check_rings(const Context& context, const Run& run, ScriptKind kind, Rule rule) noexcept {
    for (const QueueState& queue : run.queues) {
        if (queue.ring_words > context.device.ring_words) {
            const std::uint32_t script = find_script(context.image, kind);
            return refuse_at(context, Place{"scripts", script, context.image.script(script).file_offset}, rule, nullptr,
                             queue.ring_words, context.device.ring_words);
        }
    }
    return Status::kOk;
}

Status run_script(const Context& context, ScriptKind kind, PlannedScript& script, Rule ring_rule) noexcept {
    static_assert(kMaxScriptCommands <= UINT8_MAX, "clocks and order hold indices of script commands");
    Run run;
    run_queues(context, script, run);
    if (run.done < script.count) {
        std::uint32_t stuck = script.count;
        for (const QueueState& queue : run.queues) {
            stuck = (queue.next < stuck) ? queue.next : stuck;
        }
        return refuse_at(context, command_place(context, kind, stuck), Rule::kOrdDeadlock, "event",
                         script.commands[stuck].command.event);
    }
    run_notify(context, script, run);
    return check_rings(context, run, kind, ring_rule);
}

}  // namespace

Status check_order(Context& context) noexcept {
    const Status setup = run_script(context, ScriptKind::kSetup, context.workspace.setup, Rule::kBudSetupRing);
    if (!is_ok(setup)) {
        return setup;
    }
    return run_script(context, ScriptKind::kStep, context.plan.step, Rule::kBudRing);
}

}  // namespace pianola::proof
