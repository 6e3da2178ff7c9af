// SharedState: everything that the ECU core and the device's cores share, in one object.
//
// On a board it is in memory that all cores access; in the simulator it is a member. The ECU core uses it through
// RefdevDriver, each device core through its DeviceCore. Each member names its writer; members that are not atomic are
// published by a later atomic. Its initial value is all zero, so that start-up code can create it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/execution_log.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/queue_memory.h"
#include "pianola/config.h"

namespace pianola::refdev {

struct SharedState {
    std::array<QueueMemory, kMaxQueues> queues;
    EventFile events;     // written by the queues; cleared by the ECU core during a reset
    HostMemory host;      // written by the ECU core, of each slot while no command that names it is under way
    DeviceMemory memory;  // written by the ECU core between a reset and the first doorbell

    // Reset, in two phases. Odd: queues stop, and confirm by writing the same number; then the ECU core owns all
    // members. Even: queues may run.
    std::atomic<std::uint32_t> reset_phase{0U};                            // written by the ECU core
    std::array<std::atomic<std::uint32_t>, kMaxQueues> reset_confirmed{};  // each written by its queue's core

    std::array<ExecutionLog, kMaxQueues> logs;  // each written by its queue's core
};

// RAM of the SharedState of that profile on a 32-bit core, execution logs included.
// runtime/include/pianola/footprint.h says how the number is kept correct.
[[nodiscard]] constexpr std::uint32_t shared_state_bytes32(const Capacities& capacities) noexcept {
    const KeptHistory kept = kept_history(capacities);
    return 4784U + (336U * capacities.steps_in_flight) + (64U * kept.records) + (16U * kept.doorbells) +
           (32U * kept.log_entries);
}

[[nodiscard]] constexpr bool is_held(std::uint32_t reset_phase) noexcept {
    return (reset_phase & 1U) != 0U;
}

}  // namespace pianola::refdev
