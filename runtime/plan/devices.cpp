#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// Devices of a mesh share only host memory, and none waits for another: each device records and awaits its own events.
// So a device's behaviour depends on its own commands alone, and a mesh behaves as its devices do separately. Each
// device's commands are proved as those of a single device; docs/DESIGN.md has the argument.
[[nodiscard]] bool prove_device(Context& context) noexcept {
    return check_set_up(context) && check_order(context) && check_data_flow(context) && check_races(context);
}

// The devices among `devices` that have exactly the same commands as the context's device.
[[nodiscard, gnu::noinline]] DeviceBits alike(const Context& context, const PlannedCommands& commands,
                                              std::uint32_t count, DeviceBits devices) noexcept {
    DeviceBits left = devices;
    for (std::uint32_t i = 0U; i < count; ++i) {
        left &= is_taken(context, commands[i]) ? commands[i].devices : ~commands[i].devices;
    }
    return left;
}

// Whether an earlier device has the same commands: then its proof holds for this one too.
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
    // One device has one part.
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
