#include "runtime/plan/proof.h"

namespace pianola::proof {

bool is_state(const Plan& plan, const PlanWorkspace& workspace, const QueueCommand& command) noexcept {
    const std::uint32_t region = find_region(plan, command.address, command.size_bytes);
    return (region < kMaxRegions) && (workspace.region_kinds[region] == RegionKind::kState);
}

// Each byte once: weights, and state, with which the data flow begins.
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
        good = claim(context, written, command.address, command.size_bytes, Rule::kScrWeightsOnce);
    }
    return good;
}

}  // namespace pianola::proof
