#include "hal/refdev/device_core.h"

namespace pianola::refdev {

Progress DeviceCore::step() noexcept {
    const std::uint32_t phase = shared_.reset_phase.load(std::memory_order_acquire);
    if (phase != phase_) {
        phase_ = phase;
        processor_.reset();
        if (is_held(phase)) {
            confirmed_.store(phase, std::memory_order_release);
        }
    }
    return is_held(phase) ? Progress::kIdle : processor_.step();
}

}  // namespace pianola::refdev
