// Footprint: RAM and stack of the runtime on a 32-bit core, as constants that the host can use.
//
// `pianola size` runs where pointers have 64 bits and cannot ask sizeof. The sizes are those of the ILP32 ABI with
// 64-bit integers aligned to 8 bytes: Arm EABI and RISC-V ilp32 agree. footprint.cpp compares them with sizeof in every
// 32-bit build, so that a stale number does not compile.
//
// To refresh after a change of a member: build for any 32-bit core. The compiler names the type and both numbers.
#pragma once

#include <cstdint>

#include "pianola/config.h"

namespace pianola {

inline constexpr std::uint32_t kVerdictBytes32 = 80U;  // Verdict: while loading only
// Session of a runtime of that profile; its size is that for the largest mesh.
[[nodiscard]] constexpr std::uint32_t session_bytes32(const Capacities& capacities) noexcept {
    constexpr std::uint32_t kLast = 7U;  // of the bytes that it is aligned to
    const std::uint32_t device_bytes = 92U + (16U * capacities.steps_in_flight);
    const std::uint32_t bytes = 1204U + (152U * capacities.steps_in_flight) + (device_bytes * capacities.mesh_devices) +
                                (4U * capacities.patch_points) + (56U * capacities.script_commands) +
                                (48U * capacities.fault_records);
    return (bytes + kLast) & ~kLast;
}
// PlanWorkspace: while loading only. Six maps, of 12 bytes for each range.
[[nodiscard]] constexpr std::uint32_t plan_workspace_bytes32(const Capacities& capacities) noexcept {
    return 2552U + (72U * capacities.intervals) + (8U * capacities.mesh_devices) + capacities.patch_points +
           (40U * capacities.script_commands);
}

// Stack below the caller's frame, device driver included. These are limits that the gates check for every board's
// build, not measurements.
inline constexpr std::uint32_t kSubmitPollStackBytes = 2048U;  // Session::submit(), poll()
inline constexpr std::uint32_t kLoadStackBytes = 4096U;        // Session::load()

}  // namespace pianola
