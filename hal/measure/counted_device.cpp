#include "hal/measure/counted_device.h"

#include "hal/measure/markers.h"

namespace pianola::measure {

void CountedDevice::step() noexcept {
    pianola_count_resume();
    static_cast<void>(all_.step());
    pianola_count_pause();
}

void CountedDevice::step(std::uint32_t queue) noexcept {
    board::QueueServer& server = queues_[queue];
    pianola_count_resume();
    static_cast<void>(server.step());
    pianola_count_pause();
}

}  // namespace pianola::measure
