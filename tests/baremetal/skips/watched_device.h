// WatchedDevice: the reference device, which counts how often something was done that only an accepted binary may do.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/refdev_driver.h"
#include "tests/baremetal/skips/order.h"

namespace pianola::baremetal {

class WatchedDevice final : public refdev::RefdevDriver {
  public:
    WatchedDevice(const refdev::DeviceSpec& spec, refdev::SharedState& shared, refdev::DeviceLink& link,
                  Evidence& evidence) noexcept
        : RefdevDriver{spec, shared, link}, evidence_{evidence} {}

    Status program_region(const RegionConfig& region) noexcept override {
        evidence_.regions += 1U;
        return RefdevDriver::program_region(region);
    }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        evidence_.enqueued += 1U;
        return RefdevDriver::enqueue(queue, command);
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        evidence_.doorbells += 1U;
        return RefdevDriver::ring_doorbell(queue);
    }

  private:
    Evidence& evidence_;
};

}  // namespace pianola::baremetal
