#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U;

// What a kind of script command is, and what it may name.
struct KindRule {
    const char* field;       // that names its object
    QueueCommandKind queue;  // what the device gets
    std::uint8_t
        scripts;  // where it belongs, a bit per kind: only set-up may write weights and load traces; it may do nothing else
    Rule once;  // refuses a second command on the same object in one script; kNotRun where there may be any number
};
[[nodiscard]] constexpr std::uint8_t bit_of(ScriptKind kind) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<std::uint32_t>(kind));
}
constexpr std::uint8_t kSetup = bit_of(ScriptKind::kSetup);
constexpr std::uint8_t kFirst = static_cast<std::uint8_t>(bit_of(ScriptKind::kStep) | bit_of(ScriptKind::kPrologue));
constexpr std::uint8_t kLast = static_cast<std::uint8_t>(bit_of(ScriptKind::kStep) | bit_of(ScriptKind::kEpilogue));
constexpr std::uint8_t kAny = static_cast<std::uint8_t>(kFirst | kLast);
constexpr std::array<KindRule, kKinds> kKindRules{{
    {"body", QueueCommandKind::kUnspecified, 0U, Rule::kNotRun},
    {"buffer", QueueCommandKind::kWrite, kSetup, Rule::kNotRun},  // weights have a rule for bytes
    {"trace", QueueCommandKind::kWrite, kSetup, Rule::kScrTraceOnce},
    {"input", QueueCommandKind::kWrite, kFirst, Rule::kScrInputOnce},
    {"trace", QueueCommandKind::kReplay, kAny, Rule::kScrTraceOnce},
    {"output", QueueCommandKind::kRead, kLast, Rule::kScrOutputOnce},
    {"event", QueueCommandKind::kRecordEvent, kAny, Rule::kNotRun},  // events take turns: order.cpp
    {"event", QueueCommandKind::kWaitEvent, kAny, Rule::kNotRun},
}};

[[nodiscard]] constexpr std::size_t index_of(ScriptCommandKind kind) noexcept {
    return static_cast<std::size_t>(kind);
}

// Per kind of command, the objects that a script has named, a bit each.
using UsedObjects = std::array<std::uint32_t, kKinds>;
constexpr std::uint32_t kUsedBits = 32U;
static_assert((kMaxTraces < kUsedBits) && (kMaxInputs < kUsedBits) && (kMaxOutputs < kUsedBits));

// How many objects there are for a kind of command to name.
[[nodiscard]] std::uint32_t count_objects(const Context& context, ScriptCommandKind kind) noexcept {
    switch (kind) {
        case ScriptCommandKind::kWriteBuffer:
            return context.image.buffer_count();
        case ScriptCommandKind::kLoadTrace:
        case ScriptCommandKind::kReplayTrace:
            return context.image.trace_count();
        case ScriptCommandKind::kWriteInput:
            return context.plan.input_count;
        case ScriptCommandKind::kReadOutput:
            return context.plan.output_count;
        case ScriptCommandKind::kRecordEvent:
        case ScriptCommandKind::kWaitEvent:
            return kMaxEvents;
        case ScriptCommandKind::kUnspecified:
        default:
            return 0U;
    }
}

// A script while its commands are resolved.
struct ScriptInMaking {
    PlannedScript& planned;
    PlannedCommands& commands;
    std::uint8_t index;  // in the manifest
    ScriptKind kind;
    UsedObjects used;
};

// A command of the manifest, where it is.
struct Source {
    Place place;
    ScriptCommandView view;
};

Status append(const Context& context, const Source& source, ScriptInMaking& script,
              const QueueCommand& command) noexcept {
    const std::uint32_t place = script.planned.first + script.planned.count;
    if (place >= kMaxScriptCommands) {
        return refuse_at(context, source.place, Rule::kCapCommands, nullptr, place + 1U, kMaxScriptCommands);
    }
    PlannedCommand& entry = script.commands[place];
    entry.command = command;
    entry.queue = static_cast<std::uint8_t>(source.view.queue);
    entry.script = script.index;
    entry.index = static_cast<std::uint8_t>(source.place.inner_index);
    script.planned.count += 1U;
    script.planned.queue_used[entry.queue] = true;
    script.planned.executed_commands[entry.queue] += 1U;
    return Status::kOk;
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

Status name_weights(Context& context, const Source& source, QueueCommand& command) noexcept {
    IntervalMap& written = context.workspace.weights;
    const ScriptCommandView& view = source.view;
    const RegionKind kind = context.workspace.region_kinds[context.image.buffer(view.object).region];
    const bool to_weights = (kind == RegionKind::kWeights) || (kind == RegionKind::kShared);
    const ByteSpan weights = context.image.weights();
    name_buffer(context, view.object, command);
    command.slot = kWeightsSlot;
    command.slot_offset = view.segment_offset;
    if (!to_weights || !weights.contains(view.segment_offset, command.size_bytes)) {
        return refuse_at(context, source.place, Rule::kScrWeights, to_weights ? "segment_offset" : "buffer",
                         view.segment_offset, static_cast<std::uint32_t>(weights.size()));
    }
    if (written.largest_tag(command.address, command.size_bytes, 0U) != 0U) {
        return refuse_at(context, source.place, Rule::kScrWeightsOnce, "buffer", command.address);
    }
    if (!is_ok(written.assign(command.address, command.size_bytes, kWrittenTag))) {
        return refuse_at(context, source.place, Rule::kCapIntervals, "buffer", kMaxIntervals, kMaxIntervals);
    }
    return Status::kOk;
}

// A tensor fills its buffers one behind the other: a transfer each.
Status append_tensor(const Context& context, const Source& source, ScriptInMaking& script, const TensorView& tensor,
                     QueueCommand& command) noexcept {
    command.slot_offset = 0U;
    Status status = Status::kOk;
    for (std::uint32_t i = 0U; is_ok(status) && (i < tensor.buffer_count); ++i) {
        name_buffer(context, tensor.buffer + i, command);
        status = append(context, source, script, command);
        command.slot_offset += command.size_bytes;
    }
    return status;
}

// Turns a script command whose object is there into what its queue gets.
Status resolve(Context& context, const Source& source, ScriptInMaking& script) noexcept {
    const ScriptCommandView& view = source.view;
    QueueCommand command;
    command.kind = kKindRules[index_of(view.kind)].queue;
    switch (view.kind) {
        case ScriptCommandKind::kWriteBuffer: {
            const Status named = name_weights(context, source, command);
            return is_ok(named) ? append(context, source, script, command) : named;
        }
        case ScriptCommandKind::kReplayTrace:
            script.planned.executed_commands[view.queue] += context.image.trace(view.object).command_count;
            name_trace(context, view.object, command);
            break;
        case ScriptCommandKind::kLoadTrace:
            name_trace(context, view.object, command);
            break;
        case ScriptCommandKind::kWriteInput:
            command.slot = kFirstInputSlot + view.object;
            return append_tensor(context, source, script, context.image.input(view.object), command);
        case ScriptCommandKind::kReadOutput:
            command.slot = view.object;
            return append_tensor(context, source, script, context.image.output(view.object), command);
        case ScriptCommandKind::kRecordEvent:
        case ScriptCommandKind::kWaitEvent:
            command.event = view.object;
            break;
        case ScriptCommandKind::kUnspecified:
        default:
            break;  // belongs in no script
    }
    return append(context, source, script, command);
}

// Where the command may go, and what it may name: one of the objects that are there, once where there is a rule for that.
Status check_command(const Context& context, const Source& source, ScriptInMaking& script) noexcept {
    const ScriptCommandView& view = source.view;
    const KindRule& rule = kKindRules[index_of(view.kind)];
    const std::uint32_t queues = (script.kind == ScriptKind::kSetup) ? 1U : context.plan.queue_count;
    if (view.queue >= queues) {
        return refuse_at(context, source.place, Rule::kScrQueue, "queue", view.queue, queues);
    }
    if ((rule.scripts & bit_of(script.kind)) == 0U) {
        return refuse_at(context, source.place, Rule::kScrCommand, "body", static_cast<std::uint32_t>(view.kind));
    }
    const std::uint32_t objects = count_objects(context, view.kind);
    if (view.object >= objects) {
        return refuse_at(context, source.place, Rule::kScrIndex, rule.field, view.object, objects);
    }
    if (rule.once != Rule::kNotRun) {
        std::uint32_t& used = script.used[index_of(view.kind)];
        if (((used >> view.object) & 1U) != 0U) {
            return refuse_at(context, source.place, rule.once, rule.field, 2U, 1U);
        }
        used |= 1U << view.object;
    }
    return Status::kOk;
}

Status resolve_script(Context& context, ScriptInMaking& script) noexcept {
    const std::uint32_t first = script.planned.first;
    script.planned = PlannedScript{};
    script.planned.first = first;
    const std::uint32_t index = find_script(context.image, script.kind);
    script.index = static_cast<std::uint8_t>(index);
    const std::uint32_t count = (index < context.image.script_count()) ? context.image.script(index).command_count : 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        Source source{{}, context.image.script_command(index, i)};
        source.place = Place{"scripts", index, source.view.file_offset, "commands", i};
        const Status possible = check_command(context, source, script);
        if (!is_ok(possible)) {
            return possible;
        }
        const Status resolved = resolve(context, source, script);
        if (!is_ok(resolved)) {
            return resolved;
        }
    }
    return Status::kOk;
}

// Every one of `count` objects is named.
Status check_all_used(const Context& context, const char* list, std::uint32_t used, std::uint32_t count,
                      Rule rule) noexcept {
    for (std::uint32_t i = 0U; i < count; ++i) {
        if (((used >> i) & 1U) == 0U) {
            return refuse_at(context, root_place(context, list, i), rule, nullptr, 0U, 1U);
        }
    }
    return Status::kOk;
}

// There is one set-up and one step, and at most one prologue and one epilogue.
Status check_script_kinds(const Context& context) noexcept {
    constexpr std::array<ScriptKind, 4> kKindsInOrder{ScriptKind::kSetup, ScriptKind::kStep, ScriptKind::kPrologue,
                                                      ScriptKind::kEpilogue};
    const std::uint32_t count = context.image.script_count();
    for (const ScriptKind wanted : kKindsInOrder) {
        const bool is_optional = (bit_of(wanted) & (kSetup | bit_of(ScriptKind::kStep))) == 0U;
        std::uint32_t found = 0U;
        for (std::uint32_t i = 0U; i < count; ++i) {
            found += (context.image.script(i).kind == wanted) ? 1U : 0U;
        }
        if ((found != 1U) && ((found != 0U) || !is_optional)) {
            return refuse_at(context, root_place(context, "scripts"), Rule::kScrMissing, nullptr, found, 1U);
        }
    }
    return Status::kOk;
}

// The first inputs and the last outputs of a pipelined workload: all of both, or none of either.
Status check_pipeline(Context& context, std::uint32_t first_inputs, std::uint32_t last_outputs) noexcept {
    const std::uint32_t all_inputs = (1U << context.plan.input_count) - 1U;
    const std::uint32_t all_outputs = (1U << context.plan.output_count) - 1U;
    context.plan.is_pipelined = (first_inputs | last_outputs) != 0U;
    if (context.plan.is_pipelined && ((first_inputs != all_inputs) || (last_outputs != all_outputs))) {
        return refuse_at(context, root_place(context, "scripts"), Rule::kScrPipeline, nullptr, first_inputs,
                         last_outputs);
    }
    return Status::kOk;
}

// Every object is named where it must be.
Status check_uses(Context& context, const UsedObjects& setup, const UsedObjects& prologue, const UsedObjects& step,
                  const UsedObjects& epilogue) noexcept {
    constexpr std::size_t kLoad = index_of(ScriptCommandKind::kLoadTrace);
    constexpr std::size_t kReplay = index_of(ScriptCommandKind::kReplayTrace);
    constexpr std::size_t kWrite = index_of(ScriptCommandKind::kWriteInput);
    constexpr std::size_t kRead = index_of(ScriptCommandKind::kReadOutput);
    struct Requirement {
        const char* list;
        std::uint32_t used;
        std::uint32_t count;
        Rule rule;
    };
    const std::uint32_t traces = context.image.trace_count();
    const std::array<Requirement, 4> requirements{{
        {"traces", setup[kLoad], traces, Rule::kScrTraceOnce},
        {"traces", prologue[kReplay] | step[kReplay] | epilogue[kReplay], traces, Rule::kScrTraceOnce},
        {"inputs", step[kWrite], context.plan.input_count, Rule::kScrInputOnce},
        {"outputs", step[kRead], context.plan.output_count, Rule::kScrOutputOnce},
    }};
    for (const Requirement& requirement : requirements) {
        const Status status =
            check_all_used(context, requirement.list, requirement.used, requirement.count, requirement.rule);
        if (!is_ok(status)) {
            return status;
        }
    }
    return check_pipeline(context, prologue[kWrite], epilogue[kRead]);
}

}  // namespace

Status check_scripts(Context& context) noexcept {
    const Status kinds = check_script_kinds(context);
    if (!is_ok(kinds)) {
        return kinds;
    }
    Plan& plan = context.plan;
    PlanWorkspace& workspace = context.workspace;
    workspace.setup.first = 0U;
    plan.prologue.first = 0U;
    std::array<ScriptInMaking, 4> scripts{{
        {workspace.setup, workspace.setup_commands, 0U, ScriptKind::kSetup, {}},
        {plan.prologue, plan.commands, 0U, ScriptKind::kPrologue, {}},
        {plan.step, plan.commands, 0U, ScriptKind::kStep, {}},
        {plan.epilogue, plan.commands, 0U, ScriptKind::kEpilogue, {}},
    }};
    for (ScriptInMaking& script : scripts) {
        const Status resolved = resolve_script(context, script);
        if (!is_ok(resolved)) {
            return resolved;
        }
        plan.step.first = plan.prologue.count;
        plan.epilogue.first = plan.prologue.count + plan.step.count;
    }
    return check_uses(context, scripts[0].used, scripts[1].used, scripts[2].used, scripts[3].used);
}

}  // namespace pianola::proof
