// Compute cores: coordinates and ranges of the device's grid.
//
// The places of buffers' shards and programs' kernels. Column x, row y, from 0.
#pragma once

#include <cstdint>
#include <vector>

#include "pianola/device.h"

namespace pianola::host {

struct CoreCoord {
    std::uint32_t x{0U};
    std::uint32_t y{0U};

    friend bool operator==(CoreCoord left, CoreCoord right) noexcept {
        return (left.x == right.x) && (left.y == right.y);
    }
    friend bool operator!=(CoreCoord left, CoreCoord right) noexcept { return !(left == right); }
};

// A rectangle of cores; `last` belongs to it.
struct CoreRange {
    CoreCoord first;
    CoreCoord last;
};
using CoreRangeSet = std::vector<CoreRange>;

// The cores in the order in which shards are dealt out: range by range, row by row, left to right.
[[nodiscard]] std::vector<CoreCoord> cores_of(const CoreRangeSet& ranges);
// The whole grid of a device.
[[nodiscard]] CoreRangeSet all_cores(const DeviceDescription& spec);
[[nodiscard]] inline CoreRangeSet one_core(CoreCoord core) {
    return {CoreRange{core, core}};
}

// Number of a core in device commands, and its share of L1. L1 is the cores' shares in sequence, row by row.
[[nodiscard]] std::uint32_t core_index(const DeviceDescription& spec, CoreCoord core);
[[nodiscard]] constexpr std::uint32_t core_count(const DeviceDescription& spec) noexcept {
    return spec.grid_columns * spec.grid_rows;
}
[[nodiscard]] constexpr std::uint32_t core_l1_bytes(const DeviceDescription& spec) noexcept {
    return spec.l1_bytes / core_count(spec);
}
[[nodiscard]] std::uint32_t core_l1_base(const DeviceDescription& spec, CoreCoord core);

// Throws HostError (API-PROGRAM-CORES) for a range outside the grid, an empty set, or a core that is named twice.
void check_cores(const DeviceDescription& spec, const CoreRangeSet& ranges, const char* what);

}  // namespace pianola::host
