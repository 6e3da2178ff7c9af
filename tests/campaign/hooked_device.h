// HookedDevice: a simulated device whose every call goes through a hook, which may damage something first, or answer in its place.
//
// Place in the whole: how the campaigns of this folder get between a session and its device. Tests only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hal/sim/sim_device.h"
#include "runtime/device/device.h"

namespace pianola::campaign {

enum class Call : std::uint8_t {
    kDescribe,
    kReset,
    kProgramRegion,
    kReadBack,
    kPatchWord,
    kBindSource,
    kBindDestination,
    kEnqueue,
    kRingDoorbell,
    kService,
    kCompletion,
};

// number counts the calls from 0. An answer stands for the call, which is then not made.
using Hook = std::function<std::optional<Status>(Call call, std::uint32_t number)>;
// Sees a completion before the session does, and may change it and the answer.
using CompletionHook =
    std::function<Status(std::uint32_t number, std::uint32_t token, Status status, Completion& completion)>;

class HookedDevice final : public Device {
  public:
    explicit HookedDevice(const sim::SimOptions& options) : device_{options} {}
    ~HookedDevice() = default;
    HookedDevice(const HookedDevice&) = delete;
    HookedDevice(HookedDevice&&) = delete;
    HookedDevice& operator=(const HookedDevice&) = delete;
    HookedDevice& operator=(HookedDevice&&) = delete;

    void set_hook(Hook hook) { hook_ = std::move(hook); }
    void set_completion_hook(CompletionHook hook) { completion_hook_ = std::move(hook); }
    [[nodiscard]] std::uint32_t calls() const noexcept { return calls_; }
    [[nodiscard]] sim::SimDevice& inner() noexcept { return device_; }

    Status describe(DeviceDescription& description) const noexcept override {
        return through(Call::kDescribe, [&] { return device_.describe(description); });
    }
    Status reset() noexcept override {
        return through(Call::kReset, [&] { return device_.reset(); });
    }
    Status program_region(const RegionConfig& region) noexcept override {
        return through(Call::kProgramRegion, [&] { return device_.program_region(region); });
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        return through(Call::kReadBack, [&] { return device_.read_back(address, out); });
    }
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override {
        return through(Call::kPatchWord, [&] { return device_.patch_word(address, word); });
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        return through(Call::kBindSource, [&] { return device_.bind_source(slot, memory); });
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        return through(Call::kBindDestination, [&] { return device_.bind_destination(slot, memory); });
    }
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return device_.host_view(address, size_bytes);
    }
    void give_to_device(ByteSpan view) noexcept override { device_.give_to_device(view); }
    void take_from_device(MutableByteSpan view) noexcept override { device_.take_from_device(view); }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return through(Call::kEnqueue, [&] { return device_.enqueue(queue, command); });
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        return through(Call::kRingDoorbell, [&] { return device_.ring_doorbell(queue); });
    }
    Status service() noexcept override {
        return through(Call::kService, [&] { return device_.service(); });
    }
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        const std::uint32_t number = calls_;
        const Status status = through(Call::kCompletion, [&] { return device_.completion(queue, token, completion); });
        return completion_hook_ ? completion_hook_(number, token, status, completion) : status;
    }

  private:
    template <typename Forward>
    Status through(Call call, const Forward& forward) const {
        const std::uint32_t number = calls_;
        calls_ += 1U;
        const std::optional<Status> answer = hook_ ? hook_(call, number) : std::nullopt;
        return answer.has_value() ? *answer : forward();
    }

    sim::SimDevice device_;
    Hook hook_;
    CompletionHook completion_hook_;
    mutable std::uint32_t calls_{0U};
};

}  // namespace pianola::campaign
