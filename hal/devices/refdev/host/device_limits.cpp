#include "hal/devices/refdev/host/device_limits.h"

#include "hal/devices/refdev/device_spec.h"
#include "hal/host/device_limits.h"
#include "pianola/config.h"

namespace pianola::refdev {
namespace {

std::string what_is_wrong_with_grid(const DeviceDescription& device) {
    const auto is_edge = [](std::uint32_t cores) { return (cores >= 1U) && (cores <= kMaxGridEdge); };
    if (!is_edge(device.grid_columns) || !is_edge(device.grid_rows) || (device.dram_banks < 1U) ||
        (device.dram_banks > kMaxDramBanks)) {
        return "grid_columns and grid_rows must be 1 to " + std::to_string(kMaxGridEdge) + ", dram_banks 1 to " +
               std::to_string(kMaxDramBanks);
    }
    const std::uint32_t cores = device.grid_columns * device.grid_rows;
    const std::uint32_t granularity = cores * kFileAlignmentBytes;
    if ((device.l1_bytes % granularity) != 0U) {
        return "l1_bytes is " + std::to_string(device.l1_bytes) + " for " + std::to_string(cores) +
               " cores, but must be a multiple of " + std::to_string(granularity) +
               ", so that each has a multiple of " + std::to_string(kFileAlignmentBytes);
    }
    return "";
}

}  // namespace

std::string what_is_wrong_with(const DeviceDescription& device) {
    std::string wrong = what_is_wrong_with_memories(device);
    if (wrong.empty()) {
        wrong = what_is_wrong_with_grid(device);
    }
    if (wrong.empty() &&
        ((device.queue_count == 0U) || (device.queue_count > kMaxQueues) || (device.clock_khz == 0U))) {
        wrong = "queue_count must be 1 to " + std::to_string(kMaxQueues) + ", clock_khz at least 1";
    }
    return wrong;
}

}  // namespace pianola::refdev
