// CopyNpu: an accelerator that can only copy, as small as a port can be.
//
// The device of the tests of plugins. One queue, one core, two commands: copy (header, destination, source, bytes; a
// cycle for each byte) and end (a header; one cycle). The product tree knows nothing of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/platform.h"

namespace pianola::copy_npu {

inline constexpr const char* kFamily = "copy-npu";
inline constexpr std::uint32_t kDramBase = 0x8000'0000U;
inline constexpr std::uint32_t kMostDramBytes = 0x1'0000U;
inline constexpr std::uint32_t kRingWords = 128U;
inline constexpr std::uint32_t kCopy = 1U;
inline constexpr std::uint32_t kEnd = 2U;
inline constexpr std::uint32_t kCopyWords = 4U;

inline DeviceDescription usual_device() {
    DeviceDescription device;
    device.family = kFamily;
    device.command_set_id = 0x4359'504FU;
    device.command_set_version = 1U;
    device.dram_base = kDramBase;
    device.dram_bytes = kMostDramBytes;
    device.l1_base = 0x1000'0000U;
    device.l1_bytes = 0x1000U;
    device.trace_region_bytes = 0x1000U;
    device.clock_khz = 1000U;
    device.queue_count = 1U;
    device.ring_words = kRingWords;
    device.grid_columns = 1U;
    device.grid_rows = 1U;
    device.dram_banks = 1U;
    device.attestation = Attestation::kDigest;
    device.costs = CostKind::kExact;
    device.cost_model = 1U;
    device.weights_layout = 1U;
    return device;
}

[[nodiscard]] constexpr std::uint64_t chain(std::uint64_t digest, std::uint32_t word) noexcept {
    return ((digest ^ word) * 0x0000'0100'0000'01B3U) + 1U;
}

class Commands final : public CommandSet {
  public:
    Status decode(WordSpan words, DecodeState& /*state*/, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        command = DecodedCommand{};
        if (!words.empty() && (words[0] == kEnd)) {
            command.kind = CommandKind::kEnd;
            command.length_words = 1U;
            command.cost_cycles = 1U;
            return Status::kOk;
        }
        if ((words.size() < kCopyWords) || (words[0] != kCopy)) {
            error = {"header", 0U, true, false};
            return Status::kRefused;
        }
        command.kind = CommandKind::kCopy;
        command.length_words = kCopyWords;
        command.cost_cycles = words[3];
        if (!command.extents.add(words[2], words[3], Access::kRead, "from")) {
            error = {"bytes", 3U, false, false};
            return Status::kRefused;
        }
        if (!command.extents.add(words[1], words[3], Access::kWrite, "to")) {
            error = {"to", 1U, false, false};
            return Status::kRefused;
        }
        return Status::kOk;
    }
    [[nodiscard]] KernelIdentity kernel(std::uint32_t /*id*/) const noexcept override { return {}; }
    [[nodiscard]] PatchKind patch_kind(WordSpan /*words*/, std::uint32_t /*word*/) const noexcept override {
        return PatchKind::kNone;
    }
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& /*command*/) const noexcept override { return 1U; }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override {
        return is_transfer(command.kind) ? command.size_bytes : 1U;
    }
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override {
        const std::uint64_t replayed = (command.kind == QueueCommandKind::kReplay) ? trace_digest : 0U;
        for (const std::uint32_t word :
             {number, static_cast<std::uint32_t>(command.kind), command.address, command.size_bytes, command.slot,
              command.slot_offset, command.event, command.value, static_cast<std::uint32_t>(replayed),
              static_cast<std::uint32_t>(replayed >> 32U)}) {
            digest = chain(digest, word);
        }
        command.check = static_cast<std::uint32_t>(chain(number, command.address + command.size_bytes + command.value));
        return digest;
    }
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override {
        return chain(digest, words[0]);
    }
};

// The device, in the caller's thread: a doorbell runs everything.
class Npu final : public Device {
  public:
    explicit Npu(const DeviceDescription& description) : description_{description} {}

    Status describe(DeviceDescription& description) const noexcept override {
        description = description_;
        return Status::kOk;
    }
    Status reset() noexcept override {
        state_ = State{};
        return Status::kOk;
    }
    Status program_region(const RegionConfig& region) noexcept override {
        if (state_.region_count == state_.regions.size()) {
            return Status::kCapacity;
        }
        state_.regions.at(state_.region_count) = region;
        state_.region_count += 1U;
        return Status::kOk;
    }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        if (index >= state_.region_count) {
            return Status::kInvalidArgument;
        }
        region = state_.regions.at(index);
        return Status::kOk;
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        std::memcpy(out.data(), at(address), out.size());
        return Status::kOk;
    }
    Status patch_word(std::uint32_t /*address*/, std::uint32_t /*word*/) noexcept override {
        return Status::kInvalidArgument;
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        state_.sources.at(slot) = memory;
        return Status::kOk;
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        state_.destinations.at(slot) = memory;
        return Status::kOk;
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override { return state_.sources.at(slot); }
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override {
        return state_.destinations.at(slot);
    }
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t /*address*/, std::uint32_t /*size_bytes*/) noexcept override {
        return {};
    }
    void give_to_device(ByteSpan /*view*/) noexcept override {}
    void take_from_device(MutableByteSpan /*view*/) noexcept override {}
    Status enqueue(std::uint32_t /*queue*/, const QueueCommand& command) noexcept override {
        if (state_.waiting == state_.ring.size()) {
            return Status::kBusy;
        }
        state_.ring.at(state_.waiting) = command;
        state_.waiting += 1U;
        return Status::kOk;
    }
    Status ring_doorbell(std::uint32_t /*queue*/) noexcept override {
        for (std::uint32_t i = 0U; i < state_.waiting; ++i) {
            execute(state_.ring.at(i));
        }
        state_.waiting = 0U;
        return Status::kOk;
    }
    Status service() noexcept override { return Status::kOk; }
    Status completion(std::uint32_t /*queue*/, std::uint32_t token, Completion& completion) noexcept override {
        for (const Completion& done : state_.done) {
            if (done.token == token) {
                completion = done;
                return (done.fault == DeviceFault::kNone) ? Status::kOk : Status::kDeviceFault;
            }
        }
        completion = Completion{};
        completion.executed_commands = state_.executed;
        return Status::kPending;
    }

  private:
    struct State {
        std::array<RegionConfig, kMaxRegions> regions{};
        std::uint32_t region_count{0U};
        std::array<ByteSpan, kSourceSlots> sources{};
        std::array<MutableByteSpan, kDestinationSlots> destinations{};
        std::array<QueueCommand, kRingWords> ring{};
        std::uint32_t waiting{0U};
        std::uint32_t number{0U};
        std::uint32_t executed{0U};
        std::uint64_t digest{0U};
        std::uint64_t time_cycles{0U};
        std::array<Completion, kMaxStepsInFlight> done{};
    };

    // Everything that reaches the device has been proved to lie inside.
    [[nodiscard]] std::uint8_t* at(std::uint32_t address) noexcept { return &dram_.at(address - kDramBase); }

    std::uint64_t replay(const QueueCommand& command) noexcept {
        std::uint64_t digest = 0U;
        std::array<std::uint32_t, kMostDramBytes / sizeof(std::uint32_t)>& words = words_;
        std::memcpy(words.data(), at(command.address), command.size_bytes);
        const std::size_t count = command.size_bytes / sizeof(std::uint32_t);
        DecodeState state;
        for (std::size_t i = 0U; i < count;) {
            DecodedCommand decoded;
            DecodeError error;
            if (!is_ok(commands_.decode(WordSpan{&words.at(i), count - i}, state, decoded, error))) {
                return digest;
            }
            if (decoded.kind == CommandKind::kCopy) {
                std::memmove(at(words.at(i + 1U)), at(words.at(i + 2U)), words.at(i + 3U));
            }
            digest = commands_.trace_digest(digest, WordSpan{&words.at(i), decoded.length_words});
            state_.executed += 1U;
            state_.time_cycles += decoded.cost_cycles;
            i += decoded.length_words;
        }
        return digest;
    }

    void execute(QueueCommand command) noexcept {
        std::uint64_t trace_digest = 0U;
        state_.executed += 1U;
        state_.time_cycles += commands_.queue_cycles(command);
        if (command.kind == QueueCommandKind::kWrite) {
            std::memcpy(at(command.address), state_.sources.at(command.slot).data() + command.slot_offset,
                        command.size_bytes);
        } else if (command.kind == QueueCommandKind::kRead) {
            std::memcpy(state_.destinations.at(command.slot).data() + command.slot_offset, at(command.address),
                        command.size_bytes);
        } else if (command.kind == QueueCommandKind::kReplay) {
            trace_digest = replay(command);
        } else {
            // One queue has nothing to wait for.
        }
        const std::uint32_t check = command.check;
        state_.digest = commands_.seal(state_.digest, state_.number, trace_digest, command);
        state_.number += 1U;
        if (command.kind == QueueCommandKind::kNotify) {
            Completion completion;
            completion.token = command.value;
            completion.executed_commands = state_.executed;
            completion.digest = state_.digest;
            completion.time_cycles = state_.time_cycles;
            completion.fault = (check == command.check) ? DeviceFault::kNone : DeviceFault::kBadArgument;
            state_.done.at(command.value % kMaxStepsInFlight) = completion;
        }
    }

    DeviceDescription description_;
    Commands commands_;
    State state_;
    std::array<std::uint8_t, kMostDramBytes> dram_{};
    std::array<std::uint32_t, kMostDramBytes / sizeof(std::uint32_t)> words_{};
};

class Ecu final : public Platform {
  public:
    [[nodiscard]] std::uint64_t now_us() noexcept override {
        now_us_ += 1U;
        return now_us_;
    }
    void idle() noexcept override {}
    void serve_watchdog() noexcept override {}
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override {}

  private:
    std::uint64_t now_us_{0U};
};

}  // namespace pianola::copy_npu
