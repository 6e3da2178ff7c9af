// HookedDevice: a simulated device whose every call goes through a hook, which may damage something first, answer in
// its place, or have the device lie.
//
// How the campaigns of this folder get between a session and its device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hal/devices/refdev/sim/sim_device.h"
#include "pianola/device.h"

namespace pianola::campaign {

enum class Call : std::uint8_t {
    kDescribe,
    kReset,
    kProgramRegion,
    kProgrammedRegion,
    kReadBack,
    kPatchWord,
    kBindSource,
    kBindDestination,
    kBoundSource,
    kBoundDestination,
    kHostView,
    kGiveToDevice,
    kTakeFromDevice,
    kEnqueue,
    kRingDoorbell,
    kService,
    kCompletion,
};

// What a call does that says nothing of it.
enum class Lie : std::uint8_t {
    kNone,
    kOmitted,    // nothing
    kTwice,      // the same once more
    kWrong,      // another value: memory, word, permission
    kElsewhere,  // in another place: slot, queue, address
    kNeighbour,  // on another device of the mesh
};

// number counts the calls from 0. An answer stands for the call, which is then not made; where a call has none, it
// gives nothing.
using Hook = std::function<std::optional<Status>(Call call, std::uint32_t number)>;
using LieHook = std::function<Lie(Call call, std::uint32_t number)>;
// Sees a completion before the session does, and may change it and the answer.
using CompletionHook =
    std::function<Status(std::uint32_t number, std::uint32_t token, Status status, Completion& completion)>;
// Changes what the device is given as a region.
using GivenRegionHook = std::function<void(RegionConfig& region)>;
// See what the device says that it enforces, or that it will use for a slot, before the session does, and may change it
// and the answer.
using RegionHook = std::function<Status(Status status, RegionConfig& region)>;
using DescriptionHook = std::function<void(DeviceDescription& description)>;
using BoundHook = std::function<void(Call call, ByteSpan& memory)>;
// Changes the view that host_view() returns.
using ViewHook = std::function<void(MutableByteSpan& view)>;

class HookedDevice final : public Device {
  public:
    explicit HookedDevice(const sim::SimOptions& options) : device_{options}, other_(kOtherBytes) {}

    void set_hook(Hook hook) { hook_ = std::move(hook); }
    void set_lies(LieHook lies) { lies_ = std::move(lies); }
    // What is made on another device is made on that one, past its hooks.
    void set_neighbour(HookedDevice& neighbour) { neighbour_ = &neighbour.device_; }
    void set_given_region_hook(GivenRegionHook hook) { given_region_hook_ = std::move(hook); }
    void set_completion_hook(CompletionHook hook) { completion_hook_ = std::move(hook); }
    void set_region_hook(RegionHook hook) { region_hook_ = std::move(hook); }
    void set_description_hook(DescriptionHook hook) { description_hook_ = std::move(hook); }
    void set_bound_hook(BoundHook hook) { bound_hook_ = std::move(hook); }
    void set_view_hook(ViewHook hook) { view_hook_ = std::move(hook); }
    [[nodiscard]] std::uint32_t calls() const noexcept { return calls_; }
    [[nodiscard]] sim::SimDevice& inner() noexcept { return device_; }

    Status describe(DeviceDescription& description) const noexcept override {
        return through(Call::kDescribe, [&](Lie lie) {
            const Status status = made_on(lie).describe(description);
            description.l1_bytes += (lie == Lie::kWrong) ? kStep : 0U;
            description.dram_base += (lie == Lie::kElsewhere) ? kStep : 0U;
            if (description_hook_) {
                description_hook_(description);
            }
            return status;
        });
    }
    Status reset() noexcept override {
        return through(Call::kReset, [&](Lie lie) { return made_on(lie).reset(); });
    }
    Status program_region(const RegionConfig& region) noexcept override {
        return through(Call::kProgramRegion, [&](Lie lie) {
            RegionConfig changed = region;
            if (lie == Lie::kWrong) {
                changed = {region.base, region.size_bytes, true, true, true, true, true};
            }
            changed.base += (lie == Lie::kElsewhere) ? kStep : 0U;
            if (given_region_hook_) {
                given_region_hook_(changed);
            }
            return made_on(lie).program_region(changed);
        });
    }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        return through(Call::kProgrammedRegion, [&](Lie lie) {
            const Status status = made_on(lie).programmed_region(index + ((lie == Lie::kElsewhere) ? 1U : 0U), region);
            region.kernels_write = region.kernels_write != (lie == Lie::kWrong);
            return region_hook_ ? region_hook_(status, region) : status;
        });
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        return through(Call::kReadBack, [&](Lie lie) {
            const Status status = made_on(lie).read_back(address + ((lie == Lie::kElsewhere) ? kStep : 0U), out);
            if ((lie == Lie::kWrong) && !out.empty()) {
                out[0] = static_cast<std::uint8_t>(out[0] ^ 1U);
            }
            return status;
        });
    }
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override {
        return through(Call::kPatchWord, [&](Lie lie) {
            return made_on(lie).patch_word(address + ((lie == Lie::kElsewhere) ? 4U : 0U),
                                           word ^ ((lie == Lie::kWrong) ? 1U : 0U));
        });
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        return through(Call::kBindSource, [&](Lie lie) {
            return made_on(lie).bind_source((lie == Lie::kElsewhere) ? ((slot + 1U) % kSourceSlots) : slot,
                                            (lie == Lie::kWrong) ? ByteSpan{other(memory.size())} : memory);
        });
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        return through(Call::kBindDestination, [&](Lie lie) {
            return made_on(lie).bind_destination((lie == Lie::kElsewhere) ? ((slot + 1U) % kDestinationSlots) : slot,
                                                 (lie == Lie::kWrong) ? other(memory.size()) : memory);
        });
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return bound(Call::kBoundSource,
                     [&](Lie lie, std::uint32_t moved) { return made_on(lie).bound_source(slot + moved); });
    }
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override {
        return bound(Call::kBoundDestination,
                     [&](Lie lie, std::uint32_t moved) { return made_on(lie).bound_destination(slot + moved); });
    }
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        MutableByteSpan view;
        (void)is_ok(through(Call::kHostView, [&](Lie lie) {
            view = (lie == Lie::kWrong)
                       ? other(size_bytes)
                       : made_on(lie).host_view(address + ((lie == Lie::kElsewhere) ? kStep : 0U), size_bytes);
            if (view_hook_) {
                view_hook_(view);
            }
            return Status::kOk;
        }));
        return view;
    }
    void give_to_device(ByteSpan view) noexcept override {
        (void)is_ok(through(Call::kGiveToDevice, [&](Lie lie) {
            made_on(lie).give_to_device(view);
            return Status::kOk;
        }));
    }
    void take_from_device(MutableByteSpan view) noexcept override {
        (void)is_ok(through(Call::kTakeFromDevice, [&](Lie lie) {
            made_on(lie).take_from_device(view);
            return Status::kOk;
        }));
    }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return through(Call::kEnqueue, [&](Lie lie) {
            QueueCommand changed = command;
            if (lie == Lie::kWrong) {
                changed.address += kStep;
                changed.value += 1U;
            }
            return made_on(lie).enqueue((lie == Lie::kElsewhere) ? (queue ^ 1U) : queue, changed);
        });
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        return through(Call::kRingDoorbell, [&](Lie lie) {
            return made_on(lie).ring_doorbell((lie == Lie::kElsewhere) ? (queue ^ 1U) : queue);
        });
    }
    Status service() noexcept override {
        return through(Call::kService, [&](Lie lie) { return made_on(lie).service(); });
    }
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        const std::uint32_t number = calls_;
        const Status status = through(Call::kCompletion, [&](Lie lie) {
            const Status made =
                made_on(lie).completion((lie == Lie::kElsewhere) ? (queue ^ 1U) : queue, token, completion);
            completion.digest ^= (lie == Lie::kWrong) ? 1U : 0U;
            return made;
        });
        return completion_hook_ ? completion_hook_(number, token, status, completion) : status;
    }

  private:
    static constexpr std::uint32_t kStep = 64U;
    static constexpr std::size_t kOtherBytes = 4096U;

    template <typename Forward>
    Status through(Call call, const Forward& forward) const {
        const std::uint32_t number = calls_;
        calls_ += 1U;
        const std::optional<Status> answer = hook_ ? hook_(call, number) : std::nullopt;
        if (answer.has_value()) {
            return *answer;
        }
        const Lie lie = lies_ ? lies_(call, number) : Lie::kNone;
        if (lie == Lie::kOmitted) {
            return Status::kOk;
        }
        if (lie == Lie::kTwice) {
            (void)is_ok(forward(Lie::kNone));
        }
        return forward(lie);
    }

    template <typename Read>
    [[nodiscard]] ByteSpan bound(Call call, const Read& read) const noexcept {
        ByteSpan memory;
        (void)is_ok(through(call, [&](Lie lie) {
            memory = (lie == Lie::kWrong) ? ByteSpan{other_.data(), other_.size()}
                                          : read(lie, (lie == Lie::kElsewhere) ? 1U : 0U);
            return Status::kOk;
        }));
        if (bound_hook_) {
            bound_hook_(call, memory);
        }
        return memory;
    }

    // Memory that is neither the device's nor the application's.
    [[nodiscard]] MutableByteSpan other(std::size_t size_bytes) noexcept {
        return {other_.data(), (size_bytes == 0U) ? 1U : size_bytes};
    }

    [[nodiscard]] const sim::SimDevice& made_on(Lie lie) const noexcept {
        return (lie == Lie::kNeighbour) ? *neighbour_ : device_;
    }
    [[nodiscard]] sim::SimDevice& made_on(Lie lie) noexcept { return (lie == Lie::kNeighbour) ? *neighbour_ : device_; }

    sim::SimDevice device_;
    sim::SimDevice* neighbour_{&device_};
    Hook hook_;
    LieHook lies_;
    CompletionHook completion_hook_;
    GivenRegionHook given_region_hook_;
    RegionHook region_hook_;
    BoundHook bound_hook_;
    ViewHook view_hook_;
    DescriptionHook description_hook_;
    std::vector<std::uint8_t> other_;
    mutable std::uint32_t calls_{0U};
};

}  // namespace pianola::campaign
