#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U;

// What a kind of script command is, and what it may name.
struct KindRule {
    const char* field;       // that names its object
    QueueCommandKind queue;  // what the device gets
    ScriptKind script;       // where it belongs: only set-up may write weights and load traces; it may do nothing else
    Rule once;               // refuses a second command on the same object; kNotRun where there may be any number
};
constexpr std::array<KindRule, kKinds> kKindRules{{
    {"body", QueueCommandKind::kUnspecified, ScriptKind::kUnspecified, Rule::kNotRun},
    {"buffer", QueueCommandKind::kWrite, ScriptKind::kSetup, Rule::kNotRun},  // weights have a rule for bytes
    {"trace", QueueCommandKind::kWrite, ScriptKind::kSetup, Rule::kScrTraceOnce},
    {"input", QueueCommandKind::kWrite, ScriptKind::kStep, Rule::kScrInputOnce},
    {"trace", QueueCommandKind::kReplay, ScriptKind::kStep, Rule::kScrTraceOnce},
    {"output", QueueCommandKind::kRead, ScriptKind::kStep, Rule::kScrOutputOnce},
    {"event", QueueCommandKind::kRecordEvent, ScriptKind::kStep, Rule::kOrdEventRecord},
    {"event", QueueCommandKind::kWaitEvent, ScriptKind::kStep, Rule::kNotRun},
}};

[[nodiscard]] constexpr std::size_t index_of(ScriptCommandKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

// Per kind of command: how many objects there are to name, and which have been named.
struct Objects {
    std::uint32_t count{0U};
    std::uint32_t used{0U};  // bit per object, where a kind has a rule `once`
};
using ObjectsByKind = std::array<Objects, kKinds>;
constexpr std::uint32_t kUsedBits = 32U;
static_assert((kMaxTraces <= kUsedBits) && (kMaxInputs <= kUsedBits) && (kMaxOutputs <= kUsedBits) &&
              (kMaxEvents <= kUsedBits));

[[nodiscard]] ObjectsByKind count_objects(const Context& context) noexcept {
    const std::uint32_t traces = context.image.trace_count();
    return ObjectsByKind{{{},
                          {context.image.buffer_count(), 0U},
                          {traces, 0U},
                          {context.plan.input_count, 0U},
                          {traces, 0U},
                          {context.plan.output_count, 0U},
                          {kMaxEvents, 0U},
                          {kMaxEvents, 0U}}};
}

[[nodiscard]] constexpr bool is_used(const Objects& objects, std::uint32_t index) noexcept {
    return ((objects.used >> index) & 1U) != 0U;
}

void name_buffer(const Context& context, std::uint32_t index, QueueCommand& command) noexcept {
    const BufferView buffer = context.image.buffer(index);
    command.address = context.plan.regions[buffer.region].base + buffer.offset_bytes;
    command.size_bytes = buffer.size_bytes;
}

void name_trace(const Context& context, std::uint32_t index, QueueCommand& command) noexcept {
    const TraceView trace = context.image.trace(index);
    command.address = context.plan.trace_region_base + trace.offset_bytes;
    command.size_bytes = trace.word_count * static_cast<std::uint32_t>(sizeof(std::uint32_t));
    command.slot = kTracesSlot;
    command.slot_offset = trace.offset_bytes;
}

Status name_weights(Context& context, const Place& place, const ScriptCommandView& view,
                    QueueCommand& command) noexcept {
    IntervalSet& written = context.workspace.weights;
    const bool to_weights =
        context.workspace.region_kinds[context.image.buffer(view.object).region] == RegionKind::kWeights;
    const ByteSpan weights = context.image.weights();
    name_buffer(context, view.object, command);
    command.slot = kWeightsSlot;
    command.slot_offset = view.segment_offset;
    if (!to_weights || !weights.contains(view.segment_offset, command.size_bytes)) {
        return refuse_at(context, place, Rule::kScrWeights, to_weights ? "segment_offset" : "buffer",
                         view.segment_offset, static_cast<std::uint32_t>(weights.size()));
    }
    if (written.intersects(command.address, command.size_bytes)) {
        return refuse_at(context, place, Rule::kScrWeightsOnce, "buffer", command.address);
    }
    if (!is_ok(written.add(command.address, command.size_bytes))) {
        return refuse_at(context, place, Rule::kCapIntervals, "buffer", kMaxIntervals, kMaxIntervals);
    }
    return Status::kOk;
}

// Turns a script command whose object is there into what its queue gets.
Status resolve(Context& context, const Place& place, const ScriptCommandView& view, QueueCommand& command) noexcept {
    command = QueueCommand{};
    command.kind = kKindRules[index_of(view.kind)].queue;
    switch (view.kind) {
        case ScriptCommandKind::kWriteBuffer:
            return name_weights(context, place, view, command);
        case ScriptCommandKind::kLoadTrace:
        case ScriptCommandKind::kReplayTrace:
            name_trace(context, view.object, command);
            break;
        case ScriptCommandKind::kWriteInput:
            name_buffer(context, context.image.input(view.object).buffer, command);
            command.slot = kFirstInputSlot + view.object;
            break;
        case ScriptCommandKind::kReadOutput:
            name_buffer(context, context.image.output(view.object).buffer, command);
            command.slot = view.object;
            break;
        case ScriptCommandKind::kRecordEvent:
        case ScriptCommandKind::kWaitEvent:  // what it waits for may be recorded later in the script; see check_uses()
            command.event = view.object;
            break;
        case ScriptCommandKind::kUnspecified:
        default:
            break;  // belongs in no script
    }
    return Status::kOk;
}

// Where the command may go, and what it may name: one of the objects that are there, once where there is a rule for that.
Status check_command(const Context& context, const Place& place, const ScriptCommandView& view, ScriptKind script,
                     Objects& objects) noexcept {
    const KindRule& rule = kKindRules[index_of(view.kind)];
    const std::uint32_t queues = (script == ScriptKind::kSetup) ? 1U : context.plan.queue_count;
    if (view.queue >= queues) {
        return refuse_at(context, place, Rule::kScrQueue, "queue", view.queue, queues);
    }
    if (rule.script != script) {
        return refuse_at(context, place, Rule::kScrCommand, "body", static_cast<std::uint32_t>(view.kind));
    }
    if (view.object >= objects.count) {
        return refuse_at(context, place, Rule::kScrIndex, rule.field, view.object, objects.count);
    }
    if (rule.once != Rule::kNotRun) {
        if (is_used(objects, view.object)) {
            return refuse_at(context, place, rule.once, rule.field, 2U, 1U);
        }
        objects.used |= 1U << view.object;
    }
    return Status::kOk;
}

Status resolve_script(Context& context, ScriptKind kind, ObjectsByKind& objects, PlannedScript& planned) noexcept {
    const std::uint32_t index = find_script(context.image, kind);
    const std::uint32_t count = context.image.script(index).command_count;
    planned.count = 0U;
    planned.executed_commands.fill(0U);
    planned.queue_used.fill(false);
    planned.cycles = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const ScriptCommandView view = context.image.script_command(index, i);
        const Place place{"scripts", index, view.file_offset, "commands", i};
        const Status possible = check_command(context, place, view, kind, objects[index_of(view.kind)]);
        if (!is_ok(possible)) {
            return possible;
        }
        PlannedCommand& entry = planned.commands[i];
        entry.queue = view.queue;
        const Status resolved = resolve(context, place, view, entry.command);
        if (!is_ok(resolved)) {
            return resolved;
        }
        planned.queue_used[view.queue] = true;
        std::uint32_t& executed = planned.executed_commands[view.queue];
        executed += 1U;
        if (view.kind == ScriptCommandKind::kReplayTrace) {
            executed += context.image.trace(view.object).command_count;
        }
    }
    planned.count = count;
    return Status::kOk;
}

// What must be named at all: every object of these kinds.
struct Requirement {
    const char* list;
    ScriptCommandKind kind;
};
constexpr std::array<Requirement, 4> kRequirements{{
    {"traces", ScriptCommandKind::kLoadTrace},
    {"traces", ScriptCommandKind::kReplayTrace},
    {"inputs", ScriptCommandKind::kWriteInput},
    {"outputs", ScriptCommandKind::kReadOutput},
}};

Status check_uses(const Context& context, const ObjectsByKind& objects) noexcept {
    for (const Requirement& requirement : kRequirements) {
        const Objects& all = objects[index_of(requirement.kind)];
        for (std::uint32_t i = 0U; i < all.count; ++i) {
            if (!is_used(all, i)) {
                return refuse_at(context, root_place(context, requirement.list, i),
                                 kKindRules[index_of(requirement.kind)].once, nullptr, 0U, 1U);
            }
        }
    }
    const Objects& recorded = objects[index_of(ScriptCommandKind::kRecordEvent)];
    for (std::uint32_t i = 0U; i < context.plan.step.count; ++i) {
        const QueueCommand& command = context.plan.step.commands[i].command;
        if ((command.kind == QueueCommandKind::kWaitEvent) && !is_used(recorded, command.event)) {
            return refuse_at(context, command_place(context, ScriptKind::kStep, i), Rule::kOrdEventNever, "event",
                             command.event);
        }
    }
    return Status::kOk;
}

// There is exactly one script of each kind.
Status check_script_kinds(const Context& context) noexcept {
    const std::uint32_t count = context.image.script_count();
    for (const ScriptKind wanted : {ScriptKind::kSetup, ScriptKind::kStep}) {
        std::uint32_t found = 0U;
        for (std::uint32_t i = 0U; i < count; ++i) {
            found += (context.image.script(i).kind == wanted) ? 1U : 0U;
        }
        if (found != 1U) {
            return refuse_at(context, root_place(context, "scripts"), Rule::kScrMissing, nullptr, found, 1U);
        }
    }
    return Status::kOk;
}

}  // namespace

Status check_scripts(Context& context) noexcept {
    const Status kinds = check_script_kinds(context);
    if (!is_ok(kinds)) {
        return kinds;
    }
    ObjectsByKind objects = count_objects(context);
    const Status setup = resolve_script(context, ScriptKind::kSetup, objects, context.workspace.setup);
    if (!is_ok(setup)) {
        return setup;
    }
    const Status step = resolve_script(context, ScriptKind::kStep, objects, context.plan.step);
    if (!is_ok(step)) {
        return step;
    }
    return check_uses(context, objects);
}

}  // namespace pianola::proof
