#include "runtime/plan/events.h"

namespace pianola::proof {
namespace {

struct QueueState {
    std::uint64_t cycles{0U};      // virtual time
    std::uint32_t ring_words{0U};  // words that the script takes in the ring
};
using Queues = std::array<QueueState, kMaxQueues>;

// Adds a command's words and cycles to its queue, without the trace that it replays.
void charge(const Context& context, const QueueCommand& command, QueueState& queue) noexcept {
    queue.cycles += context.command_set.queue_cycles(command);
    queue.ring_words += context.command_set.queue_words(command);
}

// Walks a script in program order, which is an order in which the queues can run: a wait only refers to earlier
// records, so there can be no deadlock. Leaves the script's duration, alone on an idle device.
bool walk(Context& context, ScriptKind kind, Events& events, Queues& queues) noexcept {
    PlannedScript& script = script_of(context, kind);
    const PlannedCommands& commands = commands_of(context, kind);
    start_script(events);
    for (std::uint32_t i = script.first; i < (script.first + script.count); ++i) {
        const PlannedCommand& entry = commands[i];
        if (!is_taken(context, entry)) {
            continue;
        }
        QueueState& queue = queues[entry.queue];
        const std::uint64_t before = queue.cycles;
        charge(context, entry.command, queue);
        if (entry.command.kind == QueueCommandKind::kReplay) {
            queue.cycles += context.image.trace(entry.trace).cost_cycles;
        }
        if (is_event(entry.command.kind) && !pass_event(context, entry, before, events, queue.cycles)) {
            return false;
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

// All steps that are under way at the same time fit into the rings; other scripts run alone.
bool check_rings(Context& context, ScriptKind kind, const Queues& queues) noexcept {
    const std::uint32_t at_once = (kind == ScriptKind::kStep) ? context.plan.steps_in_flight : 1U;
    for (const QueueState& queue : queues) {
        const std::uint32_t words = queue.ring_words * at_once;
        if (words > context.device.ring_words) {
            const std::uint32_t index = find_script(context.image, kind);
            enter(context, Field::kScripts, index, context.image.script(index).file_offset);
            return refuse_at(context, (kind == ScriptKind::kSetup) ? Rule::kBudSetupRing : Rule::kBudRing, Field::kNone,
                             words, context.device.ring_words);
        }
    }
    return true;
}

// The step twice: what holds from one step to the next holds for all.
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
