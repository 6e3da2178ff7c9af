#include "hal/refdev/device_core.h"

namespace pianola::refdev {

Progress DeviceCore::change_phase(std::uint32_t phase) noexcept {
    phase_ = phase;
    held_ = is_held(phase);
    processor_.reset();
    if (held_) {
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
