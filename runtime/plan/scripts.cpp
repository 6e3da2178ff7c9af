#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// How often each object has been named, for the rules that say "exactly once".
struct Uses {
    std::array<bool, kMaxTraces> traces_loaded{};
    std::array<bool, kMaxTraces> traces_replayed{};
    std::array<bool, kMaxInputs> inputs_written{};
    std::array<bool, kMaxOutputs> outputs_read{};
    std::array<bool, kMaxEvents> events_recorded{};
};

// One script command under check.
struct Place {
    ScriptKind script;
    std::uint32_t command;
};

Status refuse_index(Context& context, const Place& place, const char* field, std::uint32_t actual,
                    std::uint32_t limit) noexcept {
    return refuse_script_command(context, place.script, place.command, Rule::kScrIndex, field, actual, limit);
}

// An object that a script may name once: `index` is one of `count`, and was not named before.
template <std::size_t kCapacity>
Status claim(Context& context, const Place& place, const char* field, std::uint32_t index, std::uint32_t count,
             std::array<bool, kCapacity>& used, Rule once) noexcept {
    if (index >= count) {
        return refuse_index(context, place, field, index, count);
    }
    if (used[index]) {
        return refuse_script_command(context, place.script, place.command, once, field, 2U, 1U);
    }
    used[index] = true;
    return Status::kOk;
}

[[nodiscard]] std::uint32_t buffer_address(const Context& context, const BufferView& buffer) noexcept {
    return context.plan.regions[buffer.region].base + buffer.offset_bytes;
}

Status resolve_write_buffer(Context& context, const Place& place, const ScriptCommandView& view,
                            QueueCommand& command) noexcept {
    if (view.object >= context.image.buffer_count()) {
        return refuse_index(context, place, "buffer", view.object, context.image.buffer_count());
    }
    const BufferView buffer = context.image.buffer(view.object);
    const bool to_weights = context.workspace.region_kinds[buffer.region] == RegionKind::kWeights;
    if (!to_weights || !context.image.weights().contains(view.segment_offset, buffer.size_bytes)) {
        return refuse_script_command(context, place.script, place.command, Rule::kScrWeights,
                                     to_weights ? "segment_offset" : "buffer", view.segment_offset,
                                     context.image.weights().size());
    }
    command.kind = QueueCommandKind::kWrite;
    command.address = buffer_address(context, buffer);
    command.size_bytes = buffer.size_bytes;
    command.slot = kWeightsSlot;
    command.slot_offset = view.segment_offset;
    if (context.workspace.weights.intersects(command.address, command.size_bytes)) {
        return refuse_script_command(context, place.script, place.command, Rule::kScrWeightsOnce, "buffer",
                                     command.address);
    }
    if (!is_ok(context.workspace.weights.add(command.address, command.size_bytes))) {
        return refuse_script_command(context, place.script, place.command, Rule::kCapIntervals, "buffer", kMaxIntervals,
                                     kMaxIntervals);
    }
    return Status::kOk;
}

// kLoadTrace and kReplayTrace.
Status resolve_trace(Context& context, const Place& place, const ScriptCommandView& view,
                     std::array<bool, kMaxTraces>& used, QueueCommand& command) noexcept {
    const Status claimed =
        claim(context, place, "trace", view.object, context.image.trace_count(), used, Rule::kScrTraceOnce);
    if (!is_ok(claimed)) {
        return claimed;
    }
    const TraceView trace = context.image.trace(view.object);
    command.kind = (view.kind == ScriptCommandKind::kLoadTrace) ? QueueCommandKind::kWrite : QueueCommandKind::kReplay;
    command.address = context.plan.trace_region_base + trace.offset_bytes;
    command.size_bytes = trace.word_count * static_cast<std::uint32_t>(sizeof(std::uint32_t));
    command.slot = kTracesSlot;
    command.slot_offset = trace.offset_bytes;
    return Status::kOk;
}

void move_tensor(const Context& context, const TensorView& tensor, QueueCommand& command) noexcept {
    const BufferView buffer = context.image.buffer(tensor.buffer);
    command.address = buffer_address(context, buffer);
    command.size_bytes = buffer.size_bytes;
}

Status resolve_input(Context& context, const Place& place, const ScriptCommandView& view, Uses& uses,
                     QueueCommand& command) noexcept {
    const Status claimed = claim(context, place, "input", view.object, context.image.input_count(), uses.inputs_written,
                                 Rule::kScrInputOnce);
    if (is_ok(claimed)) {
        command.kind = QueueCommandKind::kWrite;
        command.slot = kFirstInputSlot + view.object;
        move_tensor(context, context.image.input(view.object), command);
    }
    return claimed;
}

Status resolve_output(Context& context, const Place& place, const ScriptCommandView& view, Uses& uses,
                      QueueCommand& command) noexcept {
    const Status claimed = claim(context, place, "output", view.object, context.image.output_count(), uses.outputs_read,
                                 Rule::kScrOutputOnce);
    if (is_ok(claimed)) {
        command.kind = QueueCommandKind::kRead;
        command.slot = view.object;
        move_tensor(context, context.image.output(view.object), command);
    }
    return claimed;
}

// A record. What a wait waits for may be recorded later in the script; check_uses() looks at it.
Status resolve_record(Context& context, const Place& place, const ScriptCommandView& view, Uses& uses,
                      QueueCommand& command) noexcept {
    const Status claimed =
        claim(context, place, "event", view.object, kMaxEvents, uses.events_recorded, Rule::kOrdEventRecord);
    command.kind = QueueCommandKind::kRecordEvent;
    command.event = view.object;
    return claimed;
}

Status resolve_wait(Context& context, const Place& place, const ScriptCommandView& view,
                    QueueCommand& command) noexcept {
    if (view.object >= kMaxEvents) {
        return refuse_index(context, place, "event", view.object, kMaxEvents);
    }
    command.kind = QueueCommandKind::kWaitEvent;
    command.event = view.object;
    return Status::kOk;
}

// Only set-up may write weights and load traces; it may do nothing else.
[[nodiscard]] bool belongs(ScriptKind script, ScriptCommandKind kind) noexcept {
    const bool is_setup = (kind == ScriptCommandKind::kWriteBuffer) || (kind == ScriptCommandKind::kLoadTrace);
    return is_setup == (script == ScriptKind::kSetup);
}

Status resolve(Context& context, const Place& place, const ScriptCommandView& view, Uses& uses,
               QueueCommand& command) noexcept {
    command = QueueCommand{};
    switch (view.kind) {
        case ScriptCommandKind::kWriteBuffer:
            return resolve_write_buffer(context, place, view, command);
        case ScriptCommandKind::kLoadTrace:
            return resolve_trace(context, place, view, uses.traces_loaded, command);
        case ScriptCommandKind::kReplayTrace:
            return resolve_trace(context, place, view, uses.traces_replayed, command);
        case ScriptCommandKind::kWriteInput:
            return resolve_input(context, place, view, uses, command);
        case ScriptCommandKind::kReadOutput:
            return resolve_output(context, place, view, uses, command);
        case ScriptCommandKind::kRecordEvent:
            return resolve_record(context, place, view, uses, command);
        case ScriptCommandKind::kWaitEvent:
            return resolve_wait(context, place, view, command);
        case ScriptCommandKind::kUnspecified:
        default:
            return refuse_script_command(context, place.script, place.command, Rule::kScrCommand, "body");
    }
}

Status resolve_script(Context& context, ScriptKind kind, Uses& uses, PlannedScript& planned) noexcept {
    const std::uint32_t index = find_script(context.image, kind);
    const std::uint32_t count = context.image.script(index).command_count;
    const std::uint32_t queues = (kind == ScriptKind::kSetup) ? 1U : context.plan.queue_count;
    planned.count = 0U;
    planned.executed_commands.fill(0U);
    planned.queue_used.fill(false);
    planned.cycles = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Place place{kind, i};
        const ScriptCommandView view = context.image.script_command(index, i);
        if (view.queue >= queues) {
            return refuse_script_command(context, kind, i, Rule::kScrQueue, "queue", view.queue, queues);
        }
        if (!belongs(kind, view.kind)) {
            return refuse_script_command(context, kind, i, Rule::kScrCommand, "body",
                                         static_cast<std::uint64_t>(view.kind));
        }
        PlannedCommand& entry = planned.commands[i];
        entry.queue = view.queue;
        const Status status = resolve(context, place, view, uses, entry.command);
        if (!is_ok(status)) {
            return status;
        }
        planned.queue_used[view.queue] = true;
        planned.executed_commands[view.queue] += 1U;
        if (view.kind == ScriptCommandKind::kReplayTrace) {
            planned.executed_commands[view.queue] += context.image.trace(view.object).command_count;
        }
    }
    planned.count = count;
    return Status::kOk;
}

// The index of the first of `count` objects that was never used; `count` where all were.
template <std::size_t kCapacity>
[[nodiscard]] std::uint32_t first_unused(const std::array<bool, kCapacity>& used, std::uint32_t count) noexcept {
    for (std::uint32_t i = 0U; i < count; ++i) {
        if (!used[i]) {
            return i;
        }
    }
    return count;
}

Status check_uses(Context& context, const Uses& uses) noexcept {
    struct Requirement {
        const char* list;
        std::uint32_t unused;
        std::uint32_t count;
        Rule rule;
    };
    const std::uint32_t traces = context.image.trace_count();
    const std::array requirements{
        Requirement{"traces", first_unused(uses.traces_loaded, traces), traces, Rule::kScrTraceOnce},
        Requirement{"traces", first_unused(uses.traces_replayed, traces), traces, Rule::kScrTraceOnce},
        Requirement{"inputs", first_unused(uses.inputs_written, context.plan.input_count), context.plan.input_count,
                    Rule::kScrInputOnce},
        Requirement{"outputs", first_unused(uses.outputs_read, context.plan.output_count), context.plan.output_count,
                    Rule::kScrOutputOnce},
    };
    for (const Requirement& requirement : requirements) {
        if (requirement.unused < requirement.count) {
            context.verdict.path.enter(requirement.list, requirement.unused);
            return refuse(context.verdict, requirement.rule, context.image.envelope().manifest.offset, 0U, 1U);
        }
    }
    for (std::uint32_t i = 0U; i < context.plan.step.count; ++i) {
        const QueueCommand& command = context.plan.step.commands[i].command;
        if ((command.kind == QueueCommandKind::kWaitEvent) && !uses.events_recorded[command.event]) {
            return refuse_script_command(context, ScriptKind::kStep, i, Rule::kOrdEventNever, "event", command.event);
        }
    }
    return Status::kOk;
}

Status check_script_kinds(Context& context) noexcept {
    std::uint32_t setups = 0U;
    std::uint32_t steps = 0U;
    for (std::uint32_t i = 0U; i < context.image.script_count(); ++i) {
        const ScriptKind kind = context.image.script(i).kind;
        setups += (kind == ScriptKind::kSetup) ? 1U : 0U;
        steps += (kind == ScriptKind::kStep) ? 1U : 0U;
    }
    if ((setups != 1U) || (steps != 1U)) {
        context.verdict.path.enter("scripts");
        const std::uint32_t wrong = (setups != 1U) ? setups : steps;
        return refuse(context.verdict, Rule::kScrMissing, context.image.envelope().manifest.offset, wrong, 1U);
    }
    return Status::kOk;
}

}  // namespace

Status check_scripts(Context& context) noexcept {
    const Status kinds = check_script_kinds(context);
    if (!is_ok(kinds)) {
        return kinds;
    }
    Uses uses;
    const Status setup = resolve_script(context, ScriptKind::kSetup, uses, context.workspace.setup);
    if (!is_ok(setup)) {
        return setup;
    }
    const Status step = resolve_script(context, ScriptKind::kStep, uses, context.plan.step);
    if (!is_ok(step)) {
        return step;
    }
    return check_uses(context, uses);
}

}  // namespace pianola::proof
