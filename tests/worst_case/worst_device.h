// The device of the worst cases.
//
// On the host and on boards, where its memory need not exist: validation touches no device.
#pragma once

#include "hal/devices/refdev/device_spec.h"

namespace pianola::test {

inline constexpr std::uint32_t kWorstDramBase = 0x8000'0000U;

// Much memory, all of the grid, and a trace region of 16 MiB.
[[nodiscard]] constexpr refdev::DeviceSpec worst_device() noexcept {
    refdev::DeviceSpec spec;
    spec.dram_base = kWorstDramBase;
    spec.dram_bytes = 256U * 1024U * 1024U;
    spec.trace_region_bytes = 16U * 1024U * 1024U;
    spec.grid_columns = refdev::kMaxGridEdge;
    spec.grid_rows = refdev::kMaxGridEdge;
    spec.capacities = &profiles::kSmallEcu;
    return spec;
}

}  // namespace pianola::test
