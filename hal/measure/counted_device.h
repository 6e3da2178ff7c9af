// CountedDevice: the reference device on the calling core, each of its steps between two markers.
//
// For images that count what a device costs a core of its kind. On boards with device cores these are given nothing.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/device_server.h"
#include "hal/devices/refdev/shared_state.h"
#include "pianola/config.h"

namespace pianola::measure {

class CountedDevice {
  public:
    explicit CountedDevice(refdev::SharedState& shared) noexcept
        : all_{shared}, queues_{board::QueueServer{0U, shared}, board::QueueServer{1U, shared}} {
        static_assert(kMaxQueues == 2U, "one server for each queue");
    }

    // One step of the device, from the marker `resume` to the marker `pause`: at most one command of each queue.
    // Counting is paused before and after. Not inlined: the same instructions in every image.
    [[gnu::noinline]] void step() noexcept;
    // One step of a queue alone, where several have work and each is to be counted apart. Between two resets of the
    // device, only one of the two is called.
    [[gnu::noinline]] void step(std::uint32_t queue) noexcept;
    // A step that is not counted.
    void step_uncounted() noexcept { static_cast<void>(all_.step()); }

  private:
    board::DeviceServer all_;
    std::array<board::QueueServer, kMaxQueues> queues_;
};

}  // namespace pianola::measure
