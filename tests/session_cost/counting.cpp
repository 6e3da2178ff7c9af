#include "tests/session_cost/counting.h"

#include "pianola/span.h"

namespace pianola::test {

Status CountingDevice::describe(DeviceDescription& description) const noexcept {
    tally(Term::kDescribe, 1U);
    return port([&] { return device_.describe(description); });
}

Status CountingDevice::reset() noexcept {
    tally(Term::kReset, 1U);
    const bool fails = plan_.strikes(Fault::kReset);
    last_token_ = 0U;
    return port([&] { return fails ? Status::kTimeout : device_.reset(); });
}

Status CountingDevice::program_region(const RegionConfig& region) noexcept {
    tally(Term::kProgramRegion, 1U);
    return port([&] { return device_.program_region(region); });
}

Status CountingDevice::programmed_region(std::uint32_t index, RegionConfig& region) const noexcept {
    tally(Term::kProgrammedRegion, 1U);
    return port([&] { return device_.programmed_region(index, region); });
}

Status CountingDevice::read_back(std::uint32_t address, MutableByteSpan out) noexcept {
    tally(Term::kReadBack, 1U);
    tally(Term::kReadBackBytes, out.size());
    return port([&] {
        const Status status = device_.read_back(address, out);
        if (plan_.strikes(Fault::kLastWord)) {
            out[out.size() - 1U] = static_cast<std::uint8_t>(out[out.size() - 1U] ^ 1U);
        }
        return status;
    });
}

Status CountingDevice::patch_word(std::uint32_t address, std::uint32_t word) noexcept {
    tally(Term::kPatchWord, 1U);
    return port([&] { return device_.patch_word(address, word); });
}

Status CountingDevice::bind_source(std::uint32_t slot, ByteSpan memory) noexcept {
    tally(Term::kBind, 1U);
    return port([&] { return device_.bind_source(slot, memory); });
}

Status CountingDevice::bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept {
    tally(Term::kBind, 1U);
    return port([&] { return device_.bind_destination(slot, memory); });
}

ByteSpan CountingDevice::bound_source(std::uint32_t slot) const noexcept {
    tally(Term::kBound, 1U);
    return port([&] { return device_.bound_source(slot); });
}

ByteSpan CountingDevice::bound_destination(std::uint32_t slot) const noexcept {
    tally(Term::kBound, 1U);
    return port([&] { return device_.bound_destination(slot); });
}

MutableByteSpan CountingDevice::host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept {
    tally(Term::kHostView, 1U);
    return port([&] { return device_.host_view(address, size_bytes); });
}

void CountingDevice::give_to_device(ByteSpan view) noexcept {
    tally(Term::kGive, 1U);
    tally(Term::kViewBytes, view.size());
    port([&] { device_.give_to_device(view); });
}

void CountingDevice::take_from_device(MutableByteSpan view) noexcept {
    tally(Term::kTake, 1U);
    tally(Term::kViewBytes, view.size());
    port([&] { device_.take_from_device(view); });
}

Status CountingDevice::enqueue(std::uint32_t queue, const QueueCommand& command) noexcept {
    tally(Term::kEnqueue, 1U);
    const bool fails = plan_.strikes(Fault::kLastCommand);
    return port([&] { return fails ? Status::kBusy : device_.enqueue(queue, command); });
}

Status CountingDevice::ring_doorbell(std::uint32_t queue) noexcept {
    tally(Term::kDoorbell, 1U);
    const bool fails = plan_.strikes(Fault::kLastDoorbell);
    return port([&] { return fails ? Status::kDeviceFault : device_.ring_doorbell(queue); });
}

Status CountingDevice::service() noexcept {
    tally(Term::kService, 1U);
    return port([&] { return device_.service(); });
}

Status CountingDevice::completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept {
    tally(Term::kCompletion, 1U);
    return port([&] {
        looks_ = (token == last_token_) ? (looks_ + 1U) : 0U;
        last_token_ = token;
        if ((plan_.fault == Fault::kTimeout) || (looks_ < pending_rounds_)) {
            return Status::kPending;
        }
        const Status status = device_.completion(queue, token, completion);
        if (plan_.strikes(Fault::kDeviceFault)) {
            completion.fault = DeviceFault::kBus;
            return Status::kDeviceFault;
        }
        if (plan_.strikes(Fault::kWrongDigest)) {
            completion.digest ^= 1U;
        }
        return status;
    });
}

std::uint64_t CountingPlatform::now_us() noexcept {
    tally(Term::kNow, 1U);
    return port([&] { return platform_.now_us() + plan_.late_us; });
}

void CountingPlatform::idle() noexcept {
    tally(Term::kIdle, 1U);
    port([&] { platform_.idle(); });
}

void CountingPlatform::serve_watchdog() noexcept {
    tally(Term::kWatchdog, 1U);
    port([&] { platform_.serve_watchdog(); });
}

Status CountingPlatform::lowest_security_version(std::uint32_t& version) noexcept {
    tally(Term::kCounter, 1U);
    return port([&] { return platform_.lowest_security_version(version); });
}

Status CountingPlatform::raise_security_version(std::uint32_t version) noexcept {
    tally(Term::kCounter, 1U);
    return port([&] { return platform_.raise_security_version(version); });
}

void CountingPlatform::enter_safe_state(const FaultRecord& fault) noexcept {
    tally(Term::kSafeState, 1U);
    port([&] { platform_.enter_safe_state(fault); });
}

Status CountingEngine::begin() noexcept {
    hash_ = Sha256{};
    return Status::kOk;
}

Status CountingEngine::update(ByteSpan bytes) noexcept {
    tally(Term::kDigestedBytes, bytes.size());
    hash_.update(bytes);
    return Status::kOk;
}

Status CountingEngine::finish(Sha256Digest& digest) noexcept {
    digest = hash_.finish();
    return Status::kOk;
}

std::uint32_t counted_seal(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept {
    tally(Term::kSealedBytes, bytes);
    return real_seal(object, bytes, before);
}

}  // namespace pianola::test
