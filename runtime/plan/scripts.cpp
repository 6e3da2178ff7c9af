#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

constexpr std::size_t kKinds = static_cast<std::size_t>(ScriptCommandKind::kWaitEvent) + 1U;

// What a kind of script command is, and what it may name.
struct KindRule {
    const char* field;       // that names its object
    QueueCommandKind queue;  // what the device gets
    // Where it belongs, a bit per kind: only set-up may write weights and load traces; it may do nothing else.
    std::uint8_t scripts;
    Rule once;  // refuses a second command on the same object in one script; kNotRun where there may be any number
};
[[nodiscard]] constexpr std::uint8_t bit_of(ScriptKind kind) noexcept {
    return static_cast<std::uint8_t>(1U << static_cast<std::uint32_t>(kind));
}
constexpr std::uint8_t kSetup = bit_of(ScriptKind::kSetup);
constexpr std::uint8_t kStep = bit_of(ScriptKind::kStep);
constexpr std::uint8_t kFirst = static_cast<std::uint8_t>(kStep | bit_of(ScriptKind::kPrologue));
constexpr std::uint8_t kLast = static_cast<std::uint8_t>(kStep | bit_of(ScriptKind::kEpilogue));
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

// A number per kind of command.
using PerKind = std::array<std::uint32_t, kKinds>;
constexpr std::uint32_t kUsedBits = 32U;
static_assert((kMaxTraces < kUsedBits) && (kMaxInputs < kUsedBits) && (kMaxOutputs < kUsedBits));

// How many objects there are for each kind of command to name.
[[nodiscard]] PerKind count_objects(const Context& context) noexcept {
    const std::uint32_t traces = context.image.trace_count();
    PerKind objects{};
    objects[index_of(ScriptCommandKind::kWriteBuffer)] = context.image.buffer_count();
    objects[index_of(ScriptCommandKind::kLoadTrace)] = traces;
    objects[index_of(ScriptCommandKind::kWriteInput)] = context.plan.input_count;
    objects[index_of(ScriptCommandKind::kReplayTrace)] = traces;
    objects[index_of(ScriptCommandKind::kReadOutput)] = context.plan.output_count;
    objects[index_of(ScriptCommandKind::kRecordEvent)] = kMaxEvents;
    objects[index_of(ScriptCommandKind::kWaitEvent)] = kMaxEvents;
    return objects;
}

// A script while its commands are resolved.
struct ScriptInMaking {
    ScriptKind kind{ScriptKind::kUnspecified};
    std::uint8_t index{0U};    // in the manifest
    std::uint8_t command{0U};  // of the script, the one that is resolved
    std::uint8_t trace{0U};    // that it names
    PerKind used{};            // the objects that the script has named, a bit each
};

bool append(Context& context, std::uint32_t queue, ScriptInMaking& script, const QueueCommand& command) noexcept {
    PlannedScript& planned = script_of(context, script.kind);
    const std::uint32_t place = planned.first + planned.count;
    if (place >= kMaxScriptCommands) {
        return refuse_at(context, Rule::kCapCommands, nullptr, place + 1U, kMaxScriptCommands);
    }
    PlannedCommand& entry = commands_of(context, script.kind)[place];
    entry.command = command;
    entry.queue = static_cast<std::uint8_t>(queue);
    entry.script = script.index;
    entry.index = script.command;
    entry.trace = script.trace;
    planned.count += 1U;
    planned.executed_commands[queue] += planned.queue_used[queue] ? 1U : 2U;  // with the notify that ends the script
    planned.queue_used[queue] = true;
    return true;
}

// Returns the buffer's region.
std::uint32_t name_buffer(const Context& context, std::uint32_t index, QueueCommand& command) noexcept {
    const BufferView buffer = context.image.buffer(index);
    command.address = context.plan.regions[buffer.region].base + buffer.offset_bytes;
    command.size_bytes = buffer.size_bytes;
    return buffer.region;
}

// What set-up writes: weights, which stay as they are, and state as it is at first. Each byte once.
bool name_weights(Context& context, const ScriptCommandView& view, QueueCommand& command) noexcept {
    const RegionKind kind = context.workspace.region_kinds[name_buffer(context, view.object, command)];
    const bool is_state = kind == RegionKind::kState;
    const bool is_set_up = is_state || (kind == RegionKind::kWeights) || (kind == RegionKind::kShared);
    const ByteSpan weights = context.image.weights();
    command.slot = kWeightsSlot;
    command.slot_offset = view.segment_offset;
    if (!is_set_up || !weights.contains(view.segment_offset, command.size_bytes)) {
        return refuse_at(context, Rule::kScrWeights, is_set_up ? "segment_offset" : "buffer", view.segment_offset,
                         static_cast<std::uint32_t>(weights.size()));
    }
    IntervalMap& written = is_state ? context.workspace.written : context.workspace.weights;
    if (written.largest_tag(command.address, command.size_bytes, 0U) != 0U) {
        return refuse_at(context, Rule::kScrWeightsOnce, "buffer", command.address);
    }
    return assign(context, written, ByteRun{command.address, command.size_bytes, Access::kWrite, "buffer"},
                  kWrittenTag);
}

// A tensor fills its buffers one behind the other: a transfer each.
bool append_tensor(Context& context, const ScriptCommandView& view, ScriptInMaking& script,
                   QueueCommand& command) noexcept {
    const bool is_input = view.kind == ScriptCommandKind::kWriteInput;
    const TensorView tensor = is_input ? context.image.input(view.object) : context.image.output(view.object);
    command.slot = (is_input ? kFirstInputSlot : 0U) + view.object;
    bool good = true;
    for (std::uint32_t i = 0U; good && (i < tensor.buffer_count); ++i) {
        static_cast<void>(name_buffer(context, tensor.buffer + i, command));
        good = append(context, view.queue, script, command);
        command.slot_offset += command.size_bytes;
    }
    return good;
}

// Turns a script command whose object is there into what its queue gets.
bool resolve(Context& context, const ScriptCommandView& view, ScriptInMaking& script) noexcept {
    QueueCommand command;
    command.kind = kKindRules[index_of(view.kind)].queue;
    switch (view.kind) {
        case ScriptCommandKind::kWriteBuffer:
            if (!name_weights(context, view, command)) {
                return false;
            }
            break;
        case ScriptCommandKind::kLoadTrace:
        case ScriptCommandKind::kReplayTrace: {
            const TraceView trace = context.image.trace(view.object);
            script.trace = static_cast<std::uint8_t>(view.object);
            command.address = context.plan.trace_region_base + trace.offset_bytes;
            command.size_bytes = trace.word_count * static_cast<std::uint32_t>(sizeof(std::uint32_t));
            command.slot = kTracesSlot;
            command.slot_offset = trace.offset_bytes;
            if (view.kind == ScriptCommandKind::kReplayTrace) {
                script_of(context, script.kind).executed_commands[view.queue] += trace.command_count;
            } else {
                // With the zeros behind it: the trace region mirrors the segment, whatever it held before.
                const std::uint32_t padded =
                    (command.size_bytes + (kFileAlignmentBytes - 1U)) & ~(kFileAlignmentBytes - 1U);
                const std::uint32_t left = context.image.envelope().traces.size_bytes - trace.offset_bytes;
                command.size_bytes = (padded < left) ? padded : left;
            }
            break;
        }
        case ScriptCommandKind::kWriteInput:
        case ScriptCommandKind::kReadOutput:
            return append_tensor(context, view, script, command);
        default:  // events; what belongs in no script has been refused
            command.event = view.object;
            break;
    }
    return append(context, view.queue, script, command);
}

// Where the command may go, and what it may name: one of the objects that are there, once where there is a rule for
// that.
bool check_command(Context& context, const ScriptCommandView& view, const PerKind& objects,
                   ScriptInMaking& script) noexcept {
    const KindRule& rule = kKindRules[index_of(view.kind)];
    const std::uint32_t queues = (script.kind == ScriptKind::kSetup) ? 1U : context.plan.queue_count;
    if (view.queue >= queues) {
        return refuse_at(context, Rule::kScrQueue, "queue", view.queue, queues);
    }
    if ((rule.scripts & bit_of(script.kind)) == 0U) {
        return refuse_at(context, Rule::kScrCommand, "body", static_cast<std::uint32_t>(view.kind));
    }
    const std::uint32_t count = objects[index_of(view.kind)];
    if (view.object >= count) {
        return refuse_at(context, Rule::kScrIndex, rule.field, view.object, count);
    }
    if (rule.once != Rule::kNotRun) {
        std::uint32_t& used = script.used[index_of(view.kind)];
        const std::uint32_t bit = 1U << view.object;
        if ((used & bit) != 0U) {
            return refuse_at(context, rule.once, rule.field, 2U, 1U);
        }
        used |= bit;
    }
    const DeviceRange& mesh = context.workspace.mesh;
    return has_devices(mesh, view.devices)
               ? true
               : refuse_at(context, Rule::kScrDevices, "devices", view.devices.rows * view.devices.columns,
                           mesh.rows * mesh.columns);
}

bool resolve_script(Context& context, const PerKind& objects, std::uint32_t first, ScriptInMaking& script) noexcept {
    PlannedScript& planned = script_of(context, script.kind);
    planned = PlannedScript{};
    planned.first = first;
    const std::uint32_t index = find_script(context.image, script.kind);
    if (index >= context.image.script_count()) {
        return true;
    }
    const ScriptView view = context.image.script(index);
    script.index = static_cast<std::uint8_t>(index);
    bool good = true;
    for (std::uint32_t i = 0U; good && (i < view.command_count); ++i) {
        const ScriptCommandView command = context.image.script_command(index, i);
        script.command = static_cast<std::uint8_t>(i);
        enter_command(context, "scripts", index, i, command.file_offset);
        good = check_command(context, command, objects, script) && resolve(context, command, script);
    }
    return good;
}

constexpr std::array<ScriptKind, 4> kKindsInOrder{ScriptKind::kSetup, ScriptKind::kStep, ScriptKind::kPrologue,
                                                  ScriptKind::kEpilogue};

// There is one set-up and one step, and at most one prologue and one epilogue.
bool check_script_kinds(Context& context) noexcept {
    const std::uint32_t count = context.image.script_count();
    for (const ScriptKind wanted : kKindsInOrder) {
        const bool is_optional = (std::uint32_t{bit_of(wanted)} & (std::uint32_t{kSetup} | kStep)) == 0U;
        std::uint32_t found = 0U;
        for (std::uint32_t i = 0U; i < count; ++i) {
            found += (context.image.script(i).kind == wanted) ? 1U : 0U;
        }
        if ((found != 1U) && ((found != 0U) || !is_optional)) {
            enter_root(context, "scripts");
            return refuse_at(context, Rule::kScrMissing, nullptr, found, 1U);
        }
    }
    return true;
}

using Scripts = std::array<ScriptInMaking, 4>;  // set-up, prologue, step, epilogue

// The first inputs and the last outputs of a pipelined workload: all of both, or none of either.
bool check_pipeline(Context& context, std::uint32_t first_inputs, std::uint32_t last_outputs) noexcept {
    const std::uint32_t all_inputs = (1U << context.plan.input_count) - 1U;
    const std::uint32_t all_outputs = (1U << context.plan.output_count) - 1U;
    context.plan.is_pipelined = (first_inputs | last_outputs) != 0U;
    enter_root(context, "scripts");
    return (!context.plan.is_pipelined || ((first_inputs == all_inputs) && (last_outputs == all_outputs)))
               ? true
               : refuse_at(context, Rule::kScrPipeline, nullptr, first_inputs, last_outputs);
}

// Scripts of which one must name every object of a list.
struct Requirement {
    const char* list;
    ScriptCommandKind kind;
    std::uint8_t scripts;
};
constexpr std::array<Requirement, 4> kRequirements{{
    {"traces", ScriptCommandKind::kLoadTrace, kSetup},
    {"traces", ScriptCommandKind::kReplayTrace, kAny},
    {"inputs", ScriptCommandKind::kWriteInput, kStep},
    {"outputs", ScriptCommandKind::kReadOutput, kStep},
}};

// Every object is named where it must be.
bool check_uses(Context& context, const PerKind& objects, const Scripts& scripts) noexcept {
    for (const Requirement& requirement : kRequirements) {
        const std::size_t kind = index_of(requirement.kind);
        std::uint32_t used = 0U;
        for (const ScriptInMaking& script : scripts) {
            used |= ((requirement.scripts & bit_of(script.kind)) != 0U) ? script.used[kind] : 0U;
        }
        for (std::uint32_t i = 0U; i < objects[kind]; ++i) {
            if (((used >> i) & 1U) == 0U) {
                enter_root(context, requirement.list, i);
                return refuse_at(context, kKindRules[kind].once, nullptr, 0U, 1U);
            }
        }
    }
    return check_pipeline(context, scripts[1].used[index_of(ScriptCommandKind::kWriteInput)],
                          scripts[3].used[index_of(ScriptCommandKind::kReadOutput)]);
}

}  // namespace

bool check_scripts(Context& context) noexcept {
    if (!check_script_kinds(context)) {
        return false;
    }
    const PerKind objects = count_objects(context);
    context.workspace.written.clear();  // state, from here on; the data flow begins with it
    Scripts scripts{{{ScriptKind::kSetup}, {ScriptKind::kPrologue}, {ScriptKind::kStep}, {ScriptKind::kEpilogue}}};
    std::uint32_t first = 0U;
    for (ScriptInMaking& script : scripts) {
        if (!resolve_script(context, objects, first, script)) {
            return false;
        }
        // The set-up has commands of its own.
        first += (script.kind == ScriptKind::kSetup) ? 0U : script_of(context, script.kind).count;
    }
    return check_uses(context, objects, scripts);
}

}  // namespace pianola::proof
