#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Whether a command of the set-up writes state.
[[nodiscard]] bool is_state(const Plan& plan, const PlanWorkspace& workspace, const QueueCommand& command) noexcept {
    const std::uint32_t region = find_region(plan, command.address, command.size_bytes);
    return (region < kMaxRegions) && (workspace.region_kinds[region] == RegionKind::kState);
}

}  // namespace

// Each byte once: weights, be they in the file, and state, with which the data flow begins.
bool check_set_up(Context& context) noexcept {
    PlanWorkspace& workspace = context.workspace;
    workspace.weights.clear();
    workspace.written.clear();
    bool good = true;
    const std::uint32_t in_file = find_region_in_file(context.plan);
    if (in_file < kMaxRegions) {
        // Among the constants it takes the place of a command.
        const RegionConfig& region = context.plan.regions[in_file];
        const std::uint32_t capacity = context.device.capacities->script_commands;
        enter_root(context, Field::kRegions, in_file);
        good = (workspace.setup.count < capacity)
                   ? assign(context, workspace.weights,
                            ByteRun{region.base, region.size_bytes, Access::kWrite, "region"}, kWrittenTag)
                   : refuse_at(context, Rule::kCapCommands, Field::kNone, workspace.setup.count + 1U, capacity);
    }
    for (std::uint32_t i = 0U; good && (i < workspace.setup.count); ++i) {
        const PlannedCommand& entry = workspace.setup_commands[i];
        const QueueCommand& command = entry.command;
        if (!is_taken(context, entry) || (command.slot != kWeightsSlot)) {
            continue;
        }
        enter_command(context, entry);
        IntervalMap& written = is_state(context.plan, workspace, command) ? workspace.written : workspace.weights;
        good = claim(context, written, command.address, command.size_bytes, Rule::kScrWeightsOnce);
    }
    return good;
}

// Fills in Plan::constants: weights in the file, then constants that the set-up writes, then state that it writes.
bool list_constants(Context& context) noexcept {
    const PlanWorkspace& workspace = context.workspace;
    const Envelope& envelope = context.image.envelope();
    const Plan& plan = context.plan;
    ConstantRanges& constants = context.plan.constants;
    constants.count = 0U;
    const std::uint32_t in_file = find_region_in_file(plan);
    if (in_file < kMaxRegions) {
        const RegionConfig& region = plan.regions[in_file];
        constants.ranges[0] = ConstantRange{region.base, envelope.weights.offset, region.size_bytes,
                                            (DeviceBits{1U} << plan.device_count) - 1U};
        constants.count = 1U;
    }
    for (const bool takes_state : {false, true}) {
        constants.kept_count = constants.count;
        for (std::uint32_t i = 0U; i < workspace.setup.count; ++i) {
            const PlannedCommand& entry = workspace.setup_commands[i];
            const QueueCommand& command = entry.command;
            if (is_state(plan, workspace, command) == takes_state) {
                const Segment& segment = (command.slot == kWeightsSlot) ? envelope.weights : envelope.traces;
                constants.ranges[constants.count] = ConstantRange{command.address, segment.offset + command.slot_offset,
                                                                  command.size_bytes, entry.devices};
                constants.count += 1U;
            }
        }
    }
    return true;
}

namespace {

// A step's writes from the host must not overlap what set-up has written, which is compared with the file.
bool check_write(Context& context, const PlannedCommand& entry) noexcept {
    const QueueCommand& command = entry.command;
    enter_command(context, entry);
    if (context.workspace.weights.largest_tag(command.address, command.size_bytes, 0U) != 0U) {
        return refuse_at(context, Rule::kScrWeightsOnce, Field::kInput, command.address);
    }
    return assign(context, context.workspace.written,
                  ByteRun{command.address, command.size_bytes, Access::kWrite, "input"}, kWrittenTag);
}

bool check_read(Context& context, const PlannedCommand& entry) noexcept {
    const QueueCommand& command = entry.command;
    if (context.workspace.written.contains(command.address, command.size_bytes)) {
        return true;
    }
    enter_command(context, entry);
    return refuse_at(context, Rule::kScrUnwritten, Field::kOutput, command.address, command.size_bytes);
}

}  // namespace

bool reads_weights(const Context& context, const ByteRun& run) noexcept {
    return (run.access != Access::kWrite) && context.workspace.weights.contains(run.address, run.size_bytes);
}

// Program order is an order in which the queues can run, and commands that no event orders do not conflict
// (queues.cpp): so this order represents every order. Written bytes stay written: one visit of the step represents all,
// and the first replay of a trace every later one. State is written at set-up, and outlives the step.
bool check_data_flow(Context& context) noexcept {
    const Plan& plan = context.plan;
    find_tensors(context);
    static_assert(kMaxTraces <= 32U, "a bit for each trace");
    std::uint32_t proved = 0U;
    for (std::uint32_t i = 0U; i < (plan.epilogue.first + plan.epilogue.count); ++i) {
        const PlannedCommand& entry = plan.commands[i];
        const QueueCommand& command = entry.command;
        bool good = true;
        if (!is_taken(context, entry)) {
            good = true;  // another device's
        } else if (command.kind == QueueCommandKind::kWrite) {
            good = check_write(context, entry);
        } else if (command.kind == QueueCommandKind::kReplay) {
            const std::uint32_t bit = 1U << entry.trace;
            good = ((proved & bit) != 0U) || prove_trace(context, entry.trace);
            proved |= bit;
        } else if (command.kind == QueueCommandKind::kRead) {
            good = check_read(context, entry);
        } else {
            // Events touch no memory.
        }
        if (!good) {
            return false;
        }
    }
    judge_views(context);
    return true;
}

}  // namespace pianola::proof
