#include "runtime/plan/script_rules.h"

namespace pianola::proof {
namespace {

// What the device's commands of each script name: of every kind of command, a bit for each object.
using Uses = std::array<PerKind, kScriptsInOrder.size()>;
constexpr std::size_t kPrologueUses = 1U;
constexpr std::size_t kEpilogueUses = 3U;

// The kind of script command that a planned one comes from, and its object. None of events, of weights, and of what
// moves another part of a tensor than the first.
struct Use {
    ScriptCommandKind kind{ScriptCommandKind::kUnspecified};
    std::uint32_t object{0U};
};
[[nodiscard]] Use use_of(const PlannedCommand& planned) noexcept {
    const QueueCommand& command = planned.command;
    if (command.kind == QueueCommandKind::kReplay) {
        return Use{ScriptCommandKind::kReplayTrace, planned.trace};
    }
    if ((command.kind == QueueCommandKind::kWrite) && (command.slot == kTracesSlot)) {
        return Use{ScriptCommandKind::kLoadTrace, planned.trace};
    }
    if (!is_transfer(command.kind) || (command.slot_offset != 0U)) {
        return Use{};
    }
    if (command.kind == QueueCommandKind::kRead) {
        return Use{ScriptCommandKind::kReadOutput, command.slot};
    }
    return (command.slot >= kFirstInputSlot) ? Use{ScriptCommandKind::kWriteInput, command.slot - kFirstInputSlot}
                                             : Use{};
}

bool count_uses(Context& context, ScriptKind kind, PerKind& used) noexcept {
    const PlannedScript& script = script_of(context, kind);
    const PlannedCommands& commands = commands_of(context, kind);
    bool good = true;
    for (std::uint32_t i = script.first; good && (i < (script.first + script.count)); ++i) {
        const Use use = use_of(commands[i]);
        const KindRule& rule = kKindRules[index_of(use.kind)];
        if ((rule.once == Rule::kNotRun) || !is_taken(context, commands[i])) {
            continue;
        }
        std::uint32_t& objects = used[index_of(use.kind)];
        const std::uint32_t bit = 1U << use.object;
        enter_command(context, commands[i]);
        good = ((objects & bit) == 0U) ? true : refuse_at(context, rule.once, rule.field, 2U, 1U);
        objects |= bit;
    }
    return good;
}

// Refuses the first of the objects that are missing, a bit each, if there is one.
bool check_missing(Context& context, const char* list, std::uint32_t missing, Rule rule) noexcept {
    if (missing == 0U) {
        return true;
    }
    std::uint32_t first = 0U;
    while (((missing >> first) & 1U) == 0U) {
        first += 1U;
    }
    enter_root(context, list, first);
    return refuse_at(context, rule, nullptr, 0U, 1U);
}

// The tensors that the device has a part of, a bit each.
[[nodiscard]] std::uint32_t tensors_of(Span<const TensorPlace> places, std::uint32_t device) noexcept {
    std::uint32_t bits = 0U;
    for (std::uint32_t i = 0U; i < places.size(); ++i) {
        bits |= has_device(places[i].devices, device) ? (1U << i) : 0U;
    }
    return bits;
}

// Scripts of which one must name every object of a list that the device has to do with.
struct Requirement {
    const char* list;
    ScriptCommandKind kind;
    std::uint8_t scripts;
    std::uint32_t wanted;
};

bool check_requirement(Context& context, const Requirement& requirement, const Uses& uses) noexcept {
    const std::size_t kind = index_of(requirement.kind);
    std::uint32_t missing = requirement.wanted;
    for (std::size_t i = 0U; i < uses.size(); ++i) {
        missing &= ((requirement.scripts & bit_of(kScriptsInOrder[i])) != 0U) ? ~uses[i][kind] : missing;
    }
    return check_missing(context, requirement.list, missing, kKindRules[kind].once);
}

// The first inputs and the last outputs of a pipelined workload: all of both, or none of either.
bool check_pipeline(Context& context, const Uses& uses, std::uint32_t inputs, std::uint32_t outputs) noexcept {
    const std::uint32_t first_inputs = uses[kPrologueUses][index_of(ScriptCommandKind::kWriteInput)];
    const std::uint32_t last_outputs = uses[kEpilogueUses][index_of(ScriptCommandKind::kReadOutput)];
    enter_root(context, "scripts");
    return (!context.plan.is_pipelined || ((first_inputs == inputs) && (last_outputs == outputs)))
               ? true
               : refuse_at(context, Rule::kScrPipeline, nullptr, first_inputs, last_outputs);
}

}  // namespace

bool check_uses(Context& context) noexcept {
    Uses uses{};
    std::uint32_t traces = 0U;  // loaded or replayed: a device does both or neither
    for (std::size_t i = 0U; i < uses.size(); ++i) {
        if (!count_uses(context, kScriptsInOrder[i], uses[i])) {
            return false;
        }
        traces |= uses[i][index_of(ScriptCommandKind::kLoadTrace)] | uses[i][index_of(ScriptCommandKind::kReplayTrace)];
    }
    context.workspace.traces_used |= traces;
    const Plan& plan = context.plan;
    const std::uint32_t inputs =
        tensors_of(Span<const TensorPlace>{plan.input_places.data(), plan.input_count}, context.mesh_device);
    const std::uint32_t outputs =
        tensors_of(Span<const TensorPlace>{plan.output_places.data(), plan.output_count}, context.mesh_device);
    const std::array<Requirement, 4> requirements{{
        {"traces", ScriptCommandKind::kLoadTrace, kSetup, traces},
        {"traces", ScriptCommandKind::kReplayTrace, kAny, traces},
        {"inputs", ScriptCommandKind::kWriteInput, kStep, inputs},
        {"outputs", ScriptCommandKind::kReadOutput, kStep, outputs},
    }};
    for (const Requirement& requirement : requirements) {
        if (!check_requirement(context, requirement, uses)) {
            return false;
        }
    }
    return check_pipeline(context, uses, inputs, outputs);
}

bool check_traces_used(Context& context) noexcept {
    const std::uint32_t all = (1U << context.image.trace_count()) - 1U;
    return check_missing(context, "traces", all & ~context.workspace.traces_used, Rule::kScrTraceOnce);
}

bool is_state(const Plan& plan, const PlanWorkspace& workspace, const QueueCommand& command) noexcept {
    const std::uint32_t region = find_region(plan, command.address, command.size_bytes);
    return (region < kMaxRegions) && (workspace.region_kinds[region] == RegionKind::kState);
}

// Each byte once. Weights, and state, with which the data flow begins.
bool check_set_up(Context& context) noexcept {
    PlanWorkspace& workspace = context.workspace;
    workspace.weights.clear();
    workspace.written.clear();
    bool good = true;
    for (std::uint32_t i = 0U; good && (i < workspace.setup.count); ++i) {
        const PlannedCommand& entry = workspace.setup_commands[i];
        const QueueCommand& command = entry.command;
        if (!is_taken(context, entry) || (command.slot != kWeightsSlot)) {
            continue;
        }
        enter_command(context, entry);
        IntervalMap& written = is_state(context.plan, workspace, command) ? workspace.written : workspace.weights;
        const ByteRun run{command.address, command.size_bytes, Access::kWrite, "buffer"};
        good = (written.largest_tag(run.address, run.size_bytes, 0U) == 0U)
                   ? assign(context, written, run, kWrittenTag)
                   : refuse_at(context, Rule::kScrWeightsOnce, "buffer", command.address);
    }
    return good;
}

}  // namespace pianola::proof
