#include "pianola_host/geometry.h"

#include <fmt/format.h>

#include "pianola_host/host_error.h"

namespace pianola::host {

std::vector<CoreCoord> cores_of(const CoreRangeSet& ranges) {
    std::vector<CoreCoord> cores;
    for (const CoreRange& range : ranges) {
        for (std::uint32_t y = range.first.y; y <= range.last.y; ++y) {
            for (std::uint32_t x = range.first.x; x <= range.last.x; ++x) {
                cores.push_back({x, y});
            }
        }
    }
    return cores;
}

CoreRangeSet all_cores(const DeviceDescription& spec) {
    return {CoreRange{{0U, 0U}, {spec.grid_columns - 1U, spec.grid_rows - 1U}}};
}

std::uint32_t core_index(const DeviceDescription& spec, CoreCoord core) {
    return (core.y * spec.grid_columns) + core.x;
}

std::uint32_t core_l1_base(const DeviceDescription& spec, CoreCoord core) {
    return spec.l1_base + (core_index(spec, core) * core_l1_bytes(spec));
}

void check_cores(const DeviceDescription& spec, const CoreRangeSet& ranges, const char* what) {
    std::vector<bool> seen(core_count(spec));
    if (ranges.empty()) {
        throw HostError{HostRule::kProgramCores, fmt::format("{} names no core; name at least one", what)};
    }
    for (const CoreRange& range : ranges) {
        if ((range.first.x > range.last.x) || (range.first.y > range.last.y) || (range.last.x >= spec.grid_columns) ||
            (range.last.y >= spec.grid_rows)) {
            throw HostError{HostRule::kProgramCores,
                            fmt::format("{}: the range ({}, {}) to ({}, {}) does not lie in the grid of {} x {} cores; "
                                        "give the first and the last core of a rectangle inside it",
                                        what, range.first.x, range.first.y, range.last.x, range.last.y,
                                        spec.grid_columns, spec.grid_rows)};
        }
        for (const CoreCoord core : cores_of({range})) {
            if (seen.at(core_index(spec, core))) {
                throw HostError{
                    HostRule::kProgramCores,
                    fmt::format("{}: core ({}, {}) is named twice; ranges must not overlap", what, core.x, core.y)};
            }
            seen.at(core_index(spec, core)) = true;
        }
    }
}

}  // namespace pianola::host
