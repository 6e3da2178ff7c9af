#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Devices of a mesh share no memory but the host's, and none waits for another: an event is recorded and waited for by
// each device on its own. So what a device does depends on its own commands alone, and a mesh does what its devices do
// one by one. Each device's commands are proved as those of a single device are; docs/DESIGN.md has the argument.
[[nodiscard]] bool prove_device(Context& context) noexcept {
    return check_set_up(context) && check_order(context) && check_data_flow(context) && check_races(context);
}

// Those of `devices` that take what the context's device takes of the commands, and nothing else.
[[nodiscard, gnu::noinline]] DeviceBits alike(const Context& context, const PlannedCommands& commands,
                                              std::uint32_t count, DeviceBits devices) noexcept {
    DeviceBits left = devices;
    for (std::uint32_t i = 0U; i < count; ++i) {
        left &= is_taken(context, commands[i]) ? commands[i].devices : ~commands[i].devices;
    }
    return left;
}

// Whether an earlier device has the same commands: then what was proved of that one is proved of this one.
[[nodiscard]] bool is_proved(const Context& context) noexcept {
    const Plan& plan = context.plan;
    const PlanWorkspace& workspace = context.workspace;
    const DeviceBits earlier = (DeviceBits{1U} << context.mesh_device) - 1U;
    return alike(context, workspace.setup_commands, workspace.setup.count,
                 alike(context, plan.commands, plan.epilogue.first + plan.epilogue.count, earlier)) != 0U;
}

[[nodiscard]] DeviceBits devices_of(const DeviceRange& mesh, const DeviceRange& range) noexcept {
    DeviceBits devices = 0U;
    if (((std::uint32_t{range.row} + range.rows) <= mesh.rows) &&
        ((std::uint32_t{range.column} + range.columns) <= mesh.columns)) {
        for (std::uint32_t row = range.row; row < (std::uint32_t{range.row} + range.rows); ++row) {
            devices |= ((1U << range.columns) - 1U) << ((row * mesh.columns) + range.column);
        }
    }
    return devices;
}

}  // namespace

DeviceBits devices_in(const DeviceRange& mesh, const DeviceRange& range) noexcept {
    // Of one device there is one part.
    return kDrivesOneDevice ? static_cast<DeviceBits>(std::memcmp(&range, &mesh, sizeof(range)) == 0)
                            : devices_of(mesh, range);
}

bool check_devices(Context& context) noexcept {
    for (context.mesh_device = 0U; context.mesh_device < device_count(context.plan); ++context.mesh_device) {
        const bool is_new = kDrivesOneDevice || !is_proved(context);
        if (is_new && !prove_device(context)) {
            return false;
        }
    }
    return true;
}

}  // namespace pianola::proof
