#include "hal/devices/refdev/device_core.h"

#include "runtime/session/footprint_check.h"

namespace pianola::refdev {

static_assert(footprint_agrees<sizeof(DeviceCore), kDeviceCoreBytes32>());

// A queue runs again only with the phase after the one that it has confirmed. A damaged phase word holds it: otherwise
// it would execute the whole ring again, undetected by any completion record.
Progress DeviceCore::change_phase(std::uint32_t phase) noexcept {
    held_ = is_held(phase) || !held_ || (phase != (phase_ + 1U));
    phase_ = phase;
    processor_.reset();
    if (is_held(phase)) {
        confirmed_.store(phase, std::memory_order_release);
    }
    return Progress::kExecuted;
}

Progress DeviceCore::step() noexcept {
    const std::uint32_t phase = shared_.reset_phase.load(std::memory_order_acquire);
    if (phase != phase_) {
        return change_phase(phase);
    }
    return held_ ? Progress::kIdle : processor_.step();
}

}  // namespace pianola::refdev
