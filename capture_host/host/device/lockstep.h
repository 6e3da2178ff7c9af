// Lockstep: several devices that are given memory at the same offsets.
//
// The first one takes what is free on all; what it was given, the others are given in the same order. So one address
// names a buffer, or what an operation needs by the way, on all of them, whatever else their memories hold. Holds the
// devices' locks.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "capture_host/base/range_set.h"
#include "pianola_host/device.h"

namespace pianola::host {

class Lockstep {
  public:
    // Different devices, at least one; none of them is in step with others already.
    explicit Lockstep(std::vector<std::shared_ptr<Device>> devices);
    ~Lockstep();
    Lockstep(const Lockstep&) = delete;
    Lockstep& operator=(const Lockstep&) = delete;

    // The calls that follow are of this device. The first turn is device 0's.
    void take_turn(std::size_t device);

    // For DeviceState::allocate().
    [[nodiscard]] bool leads() const noexcept { return turn_ == 0U; }
    [[nodiscard]] RangeSet allocated(Memory memory) const;                          // on the other devices
    [[nodiscard]] RangeSet avoided(Memory memory, const MemoryOwner& owner) const;  // there, for other reasons
    [[nodiscard]] bool is_under_trace(Memory memory, std::uint64_t begin, std::uint64_t end) const;  // there
    void settle();  // the others: as idle devices
    void note(std::uint32_t offset) { given_.push_back(offset); }
    // What the first device was given by the same call.
    [[nodiscard]] std::uint32_t repeat();
    // For Device::allocate(): the first device's buffer by the same call.
    [[nodiscard]] BufferId first_twin(BufferId buffer);

  private:
    std::vector<std::shared_ptr<Device>> devices_;
    std::vector<std::unique_lock<std::recursive_mutex>> locks_;
    std::size_t turn_{0U};
    std::vector<std::uint32_t> given_;
    std::size_t repeated_{0U};
    std::vector<BufferId> buffers_;  // of the first device
    std::size_t twins_{0U};
};

}  // namespace pianola::host
