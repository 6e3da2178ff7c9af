#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Devices of a mesh share no memory but the host's, and none waits for another: an event is recorded and waited for by
// each device on its own. So what a device does depends on its own commands alone, and a mesh does what its devices do
// one by one. Each device's commands are proved as those of a single device are; docs/DESIGN.md has the argument.
using Check = bool (*)(Context&) noexcept;
constexpr std::array<Check, 4> kChecks{check_set_up, check_order, check_data_flow, check_races};

[[nodiscard]] bool are_for_both(const PlannedCommands& commands, std::uint32_t count, std::uint32_t one,
                                std::uint32_t other) noexcept {
    bool all = true;
    for (std::uint32_t i = 0U; i < count; ++i) {
        all = all && (has_device(commands[i].devices, one) == has_device(commands[i].devices, other));
    }
    return all;
}

// Whether every command of the context's device is one of an earlier device too, and the other way round: then what was
// proved of that one is proved of this one.
[[nodiscard]] bool is_proved(const Context& context) noexcept {
    const Plan& plan = context.plan;
    const PlanWorkspace& workspace = context.workspace;
    bool is_same = false;
    for (std::uint32_t other = 0U; (other < context.mesh_device) && !is_same; ++other) {
        is_same = are_for_both(workspace.setup_commands, workspace.setup.count, other, context.mesh_device) &&
                  are_for_both(plan.commands, plan.epilogue.first + plan.epilogue.count, other, context.mesh_device);
    }
    return is_same;
}

[[nodiscard]] bool prove_device(Context& context) noexcept {
    if (is_proved(context)) {
        return true;
    }
    for (const Check check : kChecks) {
        if (!check(context)) {
            return false;
        }
    }
    return true;
}

}  // namespace

DeviceBits devices_in(const DeviceRange& mesh, const DeviceRange& range) noexcept {
    DeviceBits devices = 0U;
    if (((range.row + range.rows) <= mesh.rows) && ((range.column + range.columns) <= mesh.columns)) {  // all are bytes
        for (std::uint32_t row = range.row; row < (std::uint32_t{range.row} + range.rows); ++row) {
            devices |= ((1U << range.columns) - 1U) << ((row * mesh.columns) + range.column);
        }
    }
    return devices;
}

bool check_devices(Context& context) noexcept {
    for (context.mesh_device = 0U; context.mesh_device < context.plan.device_count; ++context.mesh_device) {
        if (!check_tensors_apart(context) || !check_uses(context) || !prove_device(context)) {
            return false;
        }
    }
    return true;
}

}  // namespace pianola::proof
