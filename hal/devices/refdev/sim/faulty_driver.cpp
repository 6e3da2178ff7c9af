#include "hal/devices/refdev/sim/faulty_driver.h"

namespace pianola::refdev {
namespace {

// Counts one more call; true if the script makes this one fail.
[[nodiscard]] bool is_scripted(std::uint32_t& counter, std::uint32_t wanted) noexcept {
    counter += 1U;
    return (wanted != 0U) && (counter == wanted);
}

}  // namespace

Status FaultyDriver::reset() noexcept {
    if (is_scripted(counters_.fail_reset, script_.fail_reset)) {
        return Status::kTimeout;
    }
    completion_lost_.fill(false);
    return RefdevDriver::reset();
}

Status FaultyDriver::program_region(const RegionConfig& region) noexcept {
    if (is_scripted(counters_.refuse_region, script_.refuse_region)) {
        return Status::kCapacity;
    }
    return RefdevDriver::program_region(region);
}

Status FaultyDriver::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    const Status status = RefdevDriver::read_back(address, out);
    if (is_ok(status) && is_scripted(counters_.damage_read_back, script_.damage_read_back) && !out.empty()) {
        out[0] = static_cast<std::uint8_t>(out[0] ^ 1U);
    }
    return status;
}

Status FaultyDriver::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    if (is_scripted(counters_.refuse_bind, script_.refuse_bind)) {
        return Status::kInvalidArgument;
    }
    return RefdevDriver::bind_source(slot, memory);
}

Status FaultyDriver::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    if (is_scripted(counters_.refuse_bind, script_.refuse_bind)) {
        return Status::kInvalidArgument;
    }
    return RefdevDriver::bind_destination(slot, memory);
}

Status FaultyDriver::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    if (is_scripted(counters_.refuse_enqueue, script_.refuse_enqueue)) {
        return Status::kBusy;
    }
    return RefdevDriver::enqueue(queue, command);
}

Status FaultyDriver::ring_doorbell(std::uint32_t queue) noexcept {
    if (is_scripted(counters_.lose_doorbell, script_.lose_doorbell)) {
        return Status::kOk;
    }
    return RefdevDriver::ring_doorbell(queue);
}

Status FaultyDriver::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    const Status status = RefdevDriver::completion(queue, token, completion);
    if (is_ok(status) && (completion_lost_[queue] || is_scripted(counters_.lose_completion, script_.lose_completion))) {
        completion_lost_[queue] = true;
        return Status::kPending;
    }
    return status;
}

}  // namespace pianola::refdev
