// FaultyDriver: the reference device's driver, with faults on request.
//
// Tests use it to make the device fail, on the simulator and on boards. Products use a driver without this.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/refdev_driver.h"

namespace pianola::refdev {

// Injected faults. Counters count from 1; 0 is never.
struct FaultScript {
    std::uint32_t lose_doorbell{0U};  // the n-th doorbell does not arrive
    std::uint32_t lose_completion{
        0U};  // the n-th completion that would be reported is not, nor any after it on its queue
    std::uint32_t refuse_enqueue{0U};    // the n-th enqueue() answers kBusy
    std::uint32_t refuse_region{0U};     // the n-th program_region() answers kCapacity
    std::uint32_t refuse_bind{0U};       // the n-th bind answers kInvalidArgument
    std::uint32_t damage_read_back{0U};  // the n-th read_back() differs in one bit
    std::uint32_t fail_reset{0U};        // the n-th reset() answers kTimeout
};

class FaultyDriver : public RefdevDriver {
  public:
    FaultyDriver(const DeviceSpec& spec, SharedState& shared, DeviceLink& link, const FaultScript& script,
                 std::uint32_t reset_limit_us = kResetLimitUs) noexcept
        : RefdevDriver{spec, shared, link, reset_limit_us}, script_{script} {}

    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

  protected:
    ~FaultyDriver() = default;

  private:
    FaultScript script_;
    FaultScript counters_;
    std::array<bool, kMaxQueues> completion_lost_{};
};

}  // namespace pianola::refdev
