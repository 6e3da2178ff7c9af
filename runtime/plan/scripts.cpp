#include "runtime/plan/script_rules.h"

namespace pianola::proof {
namespace {

// Number of objects for each kind of command.
[[nodiscard]] PerKind count_objects(const Context& context) noexcept {
    const std::uint32_t traces = context.image.trace_count();
    PerKind objects{};
    objects[index_of(ScriptCommandKind::kWriteBuffer)] = context.image.buffer_count();
    objects[index_of(ScriptCommandKind::kLoadTrace)] = traces;
    objects[index_of(ScriptCommandKind::kWriteInput)] = context.plan.input_count;
    objects[index_of(ScriptCommandKind::kReplayTrace)] = traces;
    objects[index_of(ScriptCommandKind::kReadOutput)] = context.plan.output_count;
    objects[index_of(ScriptCommandKind::kRecordEvent)] = event_limit();
    objects[index_of(ScriptCommandKind::kWaitEvent)] = objects[index_of(ScriptCommandKind::kRecordEvent)];
    return objects;
}

// A script while its commands are resolved.
struct ScriptInMaking {
    ScriptKind kind{ScriptKind::kUnspecified};
    std::uint8_t index{0U};      // in the manifest
    std::uint8_t command{0U};    // of the script: the command that is being resolved
    std::uint8_t trace{0U};      // that it names
    DeviceBits devices{0U};      // that it is for
    std::uint32_t executed{0U};  // commands of the trace that it replays
    Named named{};
};

bool append(Context& context, std::uint32_t queue, const ScriptInMaking& script, const QueueCommand& command) noexcept {
    PlannedScript& planned = script_of(context, script.kind);
    const std::uint32_t place = planned.first + planned.count;
    const std::uint32_t capacity = context.device.capacities->script_commands;
    if (place >= capacity) {
        return refuse_at(context, Rule::kCapCommands, Field::kNone, place + 1U, capacity);
    }
    PlannedCommand& entry = commands_of(context, script.kind)[place];
    entry.command = command;
    entry.queue = static_cast<std::uint8_t>(queue);
    entry.script = script.index;
    entry.index = script.command;
    entry.trace = script.trace;
    entry.devices = script.devices;
    planned.count += 1U;
    for (std::uint32_t device = 0U; device < device_count(context.plan); ++device) {
        if (has_device(script.devices, device)) {
            // With the notify that ends the script.
            planned.executed_commands[device][queue] += script.executed + (planned.uses(device, queue) ? 1U : 2U);
            planned.queues_used |= queue_bit(device, queue);
        }
    }
    return true;
}

// Returns the buffer's region.
std::uint32_t name_buffer(const Context& context, std::uint32_t index, QueueCommand& command) noexcept {
    const BufferView buffer = context.image.buffer(index);
    command.address = context.plan.regions[buffer.region].base + buffer.offset_bytes;
    command.size_bytes = buffer.size_bytes;
    return buffer.region;
}

// Data that set-up writes: weights, which are constant, and the initial state.
bool name_weights(Context& context, const ScriptCommandView& view, QueueCommand& command) noexcept {
    const std::uint32_t region = name_buffer(context, view.object, command);
    const RegionKind kind = context.workspace.region_kinds[region];
    const bool is_set_up =
        ((kind == RegionKind::kState) || (kind == RegionKind::kWeights) || (kind == RegionKind::kShared)) &&
        context.plan.regions[region].queues_write;  // not in the file
    const ByteSpan weights = context.image.weights();
    command.slot = kWeightsSlot;
    command.slot_offset = view.segment_offset;
    if (!is_set_up || !weights.contains(view.segment_offset, command.size_bytes)) {
        return refuse_at(context, Rule::kScrWeights, is_set_up ? Field::kSegmentOffset : Field::kBuffer,
                         view.segment_offset, static_cast<std::uint32_t>(weights.size()));
    }
    return true;
}

// A tensor fills its buffers in order: a transfer each. Only devices that have a part of it move it.
bool append_tensor(Context& context, const ScriptCommandView& view, const ScriptInMaking& script,
                   QueueCommand& command) noexcept {
    const bool is_input = view.kind == ScriptCommandKind::kWriteInput;
    const TensorView tensor = context.image.tensor(is_input, view.object);
    const DeviceBits places =
        is_input ? context.plan.inputs[view.object].devices : context.plan.outputs[view.object].devices;
    if (script.kind != ScriptKind::kStep) {
        context.plan.is_pipelined = true;
    }
    command.slot = (is_input ? kFirstInputSlot : 0U) + view.object;
    const DeviceBits elsewhere = script.devices & ~places;
    bool good =
        (elsewhere == 0U) ? true : refuse_at(context, Rule::kScrDevices, Field::kDevices, count_of(elsewhere), 0U);
    for (std::uint32_t i = 0U; good && (i < tensor.buffer_count); ++i) {
        static_cast<void>(name_buffer(context, tensor.buffer + i, command));
        good = append(context, view.queue, script, command);
        command.slot_offset += command.size_bytes;
    }
    return good;
}

// Converts a script command whose object exists to a queue command.
bool resolve(Context& context, const ScriptCommandView& view, ScriptInMaking& script) noexcept {
    QueueCommand command;
    command.kind = kKindRules[index_of(view.kind)].queue;
    script.executed = 0U;
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
                script.executed = trace.command_count;
            } else {
                // Includes the zeros after it: the trace region mirrors the segment.
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
        default:  // events; kinds that no script may have are refused before
            command.event = view.object;
            break;
    }
    return append(context, view.queue, script, command);
}

// Checks the command's script, and that its object exists.
bool check_command(Context& context, const ScriptCommandView& view, const PerKind& objects,
                   ScriptInMaking& script) noexcept {
    const KindRule& rule = kKindRules[index_of(view.kind)];
    const std::uint32_t queues = (script.kind == ScriptKind::kSetup) ? 1U : queue_limit(context);
    if (view.queue >= queues) {
        return refuse_at(context, Rule::kScrQueue, Field::kQueue, view.queue, queues);
    }
    if ((std::uint32_t{rule.scripts} & bit_of(script.kind)) == 0U) {
        return refuse_at(context, Rule::kScrCommand, Field::kBody, static_cast<std::uint32_t>(view.kind));
    }
    const std::uint32_t count = objects[index_of(view.kind)];
    if (view.object >= count) {
        return refuse_at(context, Rule::kScrIndex, rule.field, view.object, count);
    }
    script.devices = devices_in(context.workspace.mesh, view.devices);
    if (script.devices == 0U) {
        return refuse_at(context, Rule::kScrDevices, Field::kDevices,
                         std::uint32_t{view.devices.rows} * view.devices.columns, device_count(context.plan));
    }
    if (rule.once != Rule::kNotRun) {
        std::uint16_t& named = script.named[index_of(view.kind) - kFirstOnce][view.object];
        if ((named & script.devices) != 0U) {
            return refuse_at(context, rule.once, rule.field, 2U, 1U);
        }
        named = static_cast<std::uint16_t>(named | script.devices);
    }
    return true;
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
        enter_command(context, Field::kScripts, index, i, command.file_offset);
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
            enter_root(context, Field::kScripts);
            return refuse_at(context, Rule::kScrMissing, Field::kNone, found, 1U);
        }
    }
    return true;
}

using Scripts = std::array<ScriptInMaking, 4>;  // set-up, prologue, step, epilogue

[[nodiscard]] const NamedObjects& named_by(const Scripts& scripts, std::size_t script,
                                           ScriptCommandKind kind) noexcept {
    return scripts[script].named[index_of(kind) - kFirstOnce];
}

bool refuse_missing(Context& context, Field list, std::uint32_t index, Rule rule) noexcept {
    enter_root(context, list, index);
    return refuse_at(context, rule, Field::kNone, 0U, 1U);
}

// Every object is named where it must be: a device loads the traces that it replays, and no others; each of its tensors
// is moved in the step.
bool check_uses(Context& context, const Scripts& scripts) noexcept {
    constexpr std::size_t kPrologueUses = 1U;
    constexpr std::size_t kStepUses = 2U;
    constexpr std::size_t kEpilogueUses = 3U;
    const std::uint32_t traces = context.image.trace_count();
    for (std::uint32_t i = 0U; i < traces; ++i) {
        std::uint32_t replays = 0U;
        for (std::size_t script = kPrologueUses; script < scripts.size(); ++script) {
            replays |= named_by(scripts, script, ScriptCommandKind::kReplayTrace)[i];
        }
        if ((replays == 0U) || (named_by(scripts, 0U, ScriptCommandKind::kLoadTrace)[i] != replays)) {
            return refuse_missing(context, Field::kTraces, i, Rule::kScrTraceOnce);
        }
    }
    const Plan& plan = context.plan;
    const Span<const PlannedTensor> inputs{plan.inputs.data(), plan.input_count};
    const Span<const PlannedTensor> outputs{plan.outputs.data(), plan.output_count};
    const std::uint32_t input = first_missing(inputs, named_by(scripts, kStepUses, ScriptCommandKind::kWriteInput));
    if (input != plan.input_count) {
        return refuse_missing(context, Field::kInputs, input, Rule::kScrInputOnce);
    }
    const std::uint32_t output = first_missing(outputs, named_by(scripts, kStepUses, ScriptCommandKind::kReadOutput));
    if (output != plan.output_count) {
        return refuse_missing(context, Field::kOutputs, output, Rule::kScrOutputOnce);
    }
    return check_pipeline(context, named_by(scripts, kPrologueUses, ScriptCommandKind::kWriteInput),
                          named_by(scripts, kEpilogueUses, ScriptCommandKind::kReadOutput));
}

}  // namespace

std::uint32_t first_missing(Span<const PlannedTensor> tensors, const NamedObjects& named) noexcept {
    std::uint32_t i = 0U;
    while ((i < tensors.size()) && ((tensors[i].devices & ~std::uint32_t{named[i]}) == 0U)) {
        i += 1U;
    }
    return i;
}

bool check_scripts(Context& context) noexcept {
    if (!check_script_kinds(context)) {
        return false;
    }
    context.plan.is_pipelined = false;
    const PerKind objects = count_objects(context);
    Scripts scripts{{{ScriptKind::kSetup}, {ScriptKind::kPrologue}, {ScriptKind::kStep}, {ScriptKind::kEpilogue}}};
    std::uint32_t first = 0U;
    for (ScriptInMaking& script : scripts) {
        if (!resolve_script(context, objects, first, script)) {
            return false;
        }
        // The set-up has separate commands.
        first += (script.kind == ScriptKind::kSetup) ? 0U : script_of(context, script.kind).count;
    }
    return check_uses(context, scripts);
}

}  // namespace pianola::proof
