// DeviceCore: one command queue of the reference device at work.
//
// Run by a device core's firmware in its loop, by a simulator's thread, or by an ECU core that is also the device's
// core. Takes part in resets and otherwise steps the command processor. Never blocks: the caller decides what to do
// while there is no work.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/command_processor.h"
#include "hal/devices/refdev/shared_state.h"

namespace pianola::refdev {

// RAM of a DeviceCore on a 32-bit core; one per queue, on whichever core serves it.
// runtime/include/pianola/footprint.h says how the number is kept correct.
inline constexpr std::uint32_t kDeviceCoreBytes32 = 400U;

class DeviceCore {
  public:
    // Both must outlive the core. observer may be nullptr. One DeviceCore per queue.
    DeviceCore(std::uint32_t queue, SharedState& shared, CommandObserver* observer) noexcept
        : shared_{shared},
          confirmed_{shared.reset_confirmed[queue]},
          processor_{queue, shared.queues[queue], shared.events, shared.memory, shared.host, observer} {}

    // Takes part in a reset, or executes at most one command; kExecuted in both cases, because in both the ECU core may
    // wait for it. kIdle while a reset holds the queue.
    Progress step() noexcept;

  private:
    [[gnu::cold]] Progress change_phase(std::uint32_t phase) noexcept;  // rare: kept out of step()

    SharedState& shared_;
    std::atomic<std::uint32_t>& confirmed_;
    CommandProcessor processor_;
    std::uint32_t phase_{0U};
    bool held_{false};
};

}  // namespace pianola::refdev
