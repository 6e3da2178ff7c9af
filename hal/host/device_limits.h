// Checks of a device's memories for every family.
//
// For Target::what_is_wrong_with(): a user's description, or a file's target before it is proved.
#pragma once

#include <cstdint>
#include <string>

#include "pianola/config.h"
#include "pianola/device.h"

namespace pianola {

// Returns the problem with member names; empty if there is none.
[[nodiscard]] inline std::string what_is_wrong_with_memories(const DeviceDescription& device) {
    constexpr std::uint32_t kLargestMemoryBytes = 1U << 30U;
    const std::uint64_t dram_end = std::uint64_t{device.dram_base} + device.dram_bytes;
    const std::uint64_t l1_end = std::uint64_t{device.l1_base} + device.l1_bytes;
    if ((device.dram_bytes > kLargestMemoryBytes) || (device.l1_bytes > kLargestMemoryBytes) ||
        (dram_end > UINT32_MAX) || (l1_end > UINT32_MAX)) {
        return "memories must be at most 1 GiB, and end below 4 GiB";
    }
    if ((device.l1_base < dram_end) && (device.dram_base < l1_end)) {
        return "DRAM and L1 overlap";
    }
    for (const std::uint32_t value :
         {device.dram_base, device.dram_bytes, device.l1_base, device.l1_bytes, device.trace_region_bytes}) {
        if ((value % kFileAlignmentBytes) != 0U) {
            return "bases and sizes must be multiples of " + std::to_string(kFileAlignmentBytes);
        }
    }
    return (device.trace_region_bytes > device.dram_bytes) ? "the trace region must fit into DRAM" : "";
}

}  // namespace pianola
