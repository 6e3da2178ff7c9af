#include "hal/sim/device_limits.h"

#include "pianola/config.h"

namespace pianola::sim {
namespace {

constexpr std::uint32_t kLargestMemoryBytes = 1U << 30U;

std::string what_is_wrong_with_memories(const refdev::DeviceSpec& spec) {
    const std::uint64_t dram_end = std::uint64_t{spec.dram_base} + spec.dram_bytes;
    const std::uint64_t l1_end = std::uint64_t{spec.l1_base} + spec.l1_bytes;
    if ((spec.dram_bytes > kLargestMemoryBytes) || (spec.l1_bytes > kLargestMemoryBytes) || (dram_end > UINT32_MAX) ||
        (l1_end > UINT32_MAX)) {
        return "memories must be at most 1 GiB, and end below 4 GiB";
    }
    if ((spec.l1_base < dram_end) && (spec.dram_base < l1_end)) {
        return "DRAM and L1 overlap";
    }
    for (const std::uint32_t value :
         {spec.dram_base, spec.dram_bytes, spec.l1_base, spec.l1_bytes, spec.trace_region_bytes}) {
        if ((value % kFileAlignmentBytes) != 0U) {
            return "bases and sizes must be multiples of " + std::to_string(kFileAlignmentBytes);
        }
    }
    return (spec.trace_region_bytes > spec.dram_bytes) ? "the trace region must fit into DRAM" : "";
}

std::string what_is_wrong_with_grid(const refdev::DeviceSpec& spec) {
    const auto is_edge = [](std::uint32_t cores) { return (cores >= 1U) && (cores <= refdev::kMaxGridEdge); };
    if (!is_edge(spec.grid_columns) || !is_edge(spec.grid_rows) || (spec.dram_banks < 1U) ||
        (spec.dram_banks > refdev::kMaxDramBanks)) {
        return "grid_columns and grid_rows must be 1 to " + std::to_string(refdev::kMaxGridEdge) +
               ", dram_banks 1 to " + std::to_string(refdev::kMaxDramBanks);
    }
    const std::uint32_t cores = refdev::core_count(spec);
    const std::uint32_t granularity = cores * kFileAlignmentBytes;
    if ((spec.l1_bytes % granularity) != 0U) {
        return "l1_bytes is " + std::to_string(spec.l1_bytes) + " for " + std::to_string(cores) +
               " cores, but must be a multiple of " + std::to_string(granularity) +
               ", so that each has a multiple of " + std::to_string(kFileAlignmentBytes);
    }
    return "";
}

}  // namespace

std::string what_is_wrong_with(const refdev::DeviceSpec& spec) {
    std::string wrong = what_is_wrong_with_memories(spec);
    if (wrong.empty()) {
        wrong = what_is_wrong_with_grid(spec);
    }
    if (wrong.empty() && ((spec.queue_count == 0U) || (spec.queue_count > kMaxQueues) || (spec.clock_khz == 0U))) {
        wrong = "queue_count must be 1 to " + std::to_string(kMaxQueues) + ", clock_khz at least 1";
    }
    return wrong;
}

}  // namespace pianola::sim
