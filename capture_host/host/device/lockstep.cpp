#include "capture_host/host/device/lockstep.h"

#include <algorithm>

#include "capture_host/host/device/device_state.h"

namespace pianola::host {

Lockstep::Lockstep(std::vector<std::shared_ptr<Device>> devices) : devices_{std::move(devices)} {
    for (const std::shared_ptr<Device>& device : devices_) {
        locks_.emplace_back(device->state().mutex);
    }
    for (const std::shared_ptr<Device>& device : devices_) {
        device->state().lockstep = this;
    }
}

Lockstep::~Lockstep() {
    for (const std::shared_ptr<Device>& device : devices_) {
        device->state().lockstep = nullptr;
    }
}

void Lockstep::take_turn(std::size_t device) {
    turn_ = device;
    repeated_ = 0U;
    twins_ = 0U;
}

RangeSet Lockstep::allocated(Memory memory) const {
    RangeSet set;
    for (std::size_t i = 1U; i < devices_.size(); ++i) {
        set.add(devices_[i]->state().allocator(memory).allocated());
    }
    return set;
}

RangeSet Lockstep::avoided(Memory memory, const MemoryOwner& owner) const {
    RangeSet set;
    for (std::size_t i = 1U; i < devices_.size(); ++i) {
        DeviceState& state = devices_[i]->state();
        set.add(state.claimed_by_others(memory, owner));
        set.add(state.under_trace(memory));
    }
    return set;
}

bool Lockstep::is_under_trace(Memory memory, std::uint64_t begin, std::uint64_t end) const {
    return std::any_of(devices_.begin() + 1, devices_.end(), [&](const std::shared_ptr<Device>& device) {
        return device->state().under_trace(memory).intersects(begin, end);
    });
}

void Lockstep::settle() {
    for (std::size_t i = 1U; i < devices_.size(); ++i) {
        devices_[i]->state().drain();
        devices_[i]->state().forget_claims();
    }
}

std::uint32_t Lockstep::repeat() {
    if (repeated_ >= given_.size()) {
        throw HostError{HostRule::kMemoryFull, "a device needs memory that the first one in step did not need"};
    }
    repeated_ += 1U;
    return given_[repeated_ - 1U];
}

BufferId Lockstep::first_twin(BufferId buffer) {
    if (leads()) {
        buffers_.push_back(buffer);
    }
    twins_ += 1U;
    return (twins_ <= buffers_.size()) ? buffers_[twins_ - 1U] : buffer;
}

}  // namespace pianola::host
