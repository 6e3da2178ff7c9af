#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

using Clock = std::array<std::uint8_t, kMaxQueues>;

// The queues of one script, run against each other: what has completed, when, and what is known of the other queues.
struct Run {
    std::array<std::uint32_t, kMaxQueues> next{};        // index of each queue's next command in the script
    std::array<Clock, kMaxQueues> clocks{};              // knowledge of each queue
    std::array<std::uint64_t, kMaxQueues> cycles{};      // virtual time of each queue
    std::array<std::uint32_t, kMaxQueues> ring_words{};  // what the script takes in each ring
    std::array<Clock, kMaxEvents> event_clocks{};
    std::array<std::uint64_t, kMaxEvents> event_cycles{};
    std::array<bool, kMaxEvents> recorded{};
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
    const bool waits = command.kind == QueueCommandKind::kWaitEvent;
    if (waits && !run.recorded[command.event]) {
        return false;
    }
    const std::uint32_t queue = entry.queue;
    std::uint64_t& cycles = run.cycles[queue];
    run.clocks[queue][queue] = static_cast<std::uint8_t>(run.clocks[queue][queue] + 1U);  // at most kMaxScriptCommands
    if (waits) {
        learn(run.clocks[queue], run.event_clocks[command.event]);
        cycles = (run.event_cycles[command.event] > cycles) ? run.event_cycles[command.event] : cycles;
    }
    cycles += cycles_of(context, command);
    run.ring_words[queue] += context.command_set.queue_words(command);
    if (command.kind == QueueCommandKind::kRecordEvent) {
        run.recorded[command.event] = true;
        run.event_clocks[command.event] = run.clocks[queue];
        run.event_cycles[command.event] = cycles;
    }
    return true;
}

// The record that ends every script on every queue that it uses.
void run_notify(const Context& context, PlannedScript& script, Run& run) noexcept {
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        if (script.queue_used[queue]) {
            run.cycles[queue] += context.command_set.queue_cycles(notify);
            run.ring_words[queue] += context.command_set.queue_words(notify);
            script.executed_commands[queue] += 1U;
        }
        script.cycles = (run.cycles[queue] > script.cycles) ? run.cycles[queue] : script.cycles;
    }
}

// Each pass runs every queue as far as it gets; a pass in which none moves is a deadlock, or the end. At most
// kMaxScriptCommands passes.
void run_queues(Context& context, const PlannedScript& script, Run& run) noexcept {
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        run.next[queue] = next_of(script, queue, 0U);
    }
    bool moved = true;
    while (moved) {
        moved = false;
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            std::uint32_t index = run.next[queue];
            while ((index < script.count) && run_command(context, script.commands[index], run)) {
                context.workspace.clocks[index] = run.clocks[queue];
                context.workspace.order[run.done] = static_cast<std::uint8_t>(index);
                run.done += 1U;
                moved = true;
                index = next_of(script, queue, index + 1U);
            }
            run.next[queue] = index;
        }
    }
}

Status check_rings(Context& context, const Run& run, ScriptKind kind, Rule rule) noexcept {
    for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
        if (run.ring_words[queue] > context.device.ring_words) {
            const std::uint32_t script = find_script(context.image, kind);
            context.verdict.path.enter("scripts", script);
            return refuse(context.verdict, rule, context.image.script(script).file_offset, run.ring_words[queue],
                          context.device.ring_words);
        }
    }
    return Status::kOk;
}

Status run_script(Context& context, ScriptKind kind, PlannedScript& script, Rule ring_rule) noexcept {
    static_assert(kMaxScriptCommands <= UINT8_MAX, "clocks and order hold indices of script commands");
    Run run;
    run_queues(context, script, run);
    if (run.done < script.count) {
        std::uint32_t stuck = script.count;
        for (std::uint32_t queue = 0U; queue < kMaxQueues; ++queue) {
            stuck = (run.next[queue] < stuck) ? run.next[queue] : stuck;
        }
        return refuse_script_command(context, kind, stuck, Rule::kOrdDeadlock, "event",
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
