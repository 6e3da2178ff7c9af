// Kit: what the checks of a port have in common: expectations, a device brought to a known state, commands that are
// sealed as a session would, samples, and memory filled with patterns.
#pragma once

#include <array>
#include <cstdint>

#include "hal/port_kit/port.h"
#include "pianola/config.h"

namespace pianola::port {

enum class Outcome : std::uint8_t { kPassed, kFailed, kNotOffered };

inline constexpr std::uint32_t kBufferBytes = 4096U;
inline constexpr std::uint32_t kWordBytes = 4U;
inline constexpr std::uint32_t kTraceWords = kTraceBytes / kWordBytes;
inline constexpr std::uint32_t kMaxSampleExtents = 24U;
inline constexpr std::uint32_t kWholeByte = 0xFFU;

// A trace, and what decode() says of it.
struct Trace {
    std::array<std::uint32_t, kTraceWords> words{};
    std::uint32_t count{0U};       // words, the end included
    std::uint32_t body_words{0U};  // without the end
    std::uint32_t commands{0U};
    std::uint64_t digest{0U};
    std::uint64_t cost_cycles{0U};
    bool has_dispatch{false};  // commands overlap: their costs are no sum
    std::array<Extent, kMaxSampleExtents> extents{};
    std::uint32_t extent_count{0U};

    [[nodiscard]] WordSpan view() const noexcept { return WordSpan{words.data(), count}; }
    [[nodiscard]] std::uint32_t size_bytes() const noexcept { return count * kWordBytes; }
    // Whether a command reads, or writes, this byte.
    [[nodiscard]] bool touches(std::uint32_t address, Access access) const noexcept;
};

// Numbers to go through, whichever unsigned type a target's 32-bit numbers and literals are.
template <typename... Numbers>
[[nodiscard]] constexpr std::array<std::uint32_t, sizeof...(Numbers)> list_of(Numbers... numbers) noexcept {
    return {static_cast<std::uint32_t>(numbers)...};
}

// Bytes that tests write: neither equal to their neighbours nor to those of another seed.
[[nodiscard]] constexpr std::uint8_t pattern(std::uint32_t seed, std::uint32_t address) noexcept {
    constexpr std::uint32_t kMix = 0x9E37'79B1U;
    constexpr std::uint32_t kSeedMix = 0x85EB'CA6BU;
    constexpr std::uint32_t kTopByte = 24U;
    const std::uint32_t mixed = (address * kMix) ^ ((seed + 1U) * kSeedMix);
    return static_cast<std::uint8_t>((mixed ^ (mixed >> 15U)) * kMix >> kTopByte);
}

// Which seed a byte has, or is left with: see Kit::fill().
struct Fill {
    std::uint32_t seed{0U};
    std::uint8_t flip{0U};  // every bit that is set here is turned over, except in bytes that `reads` reads
    const Trace* reads{nullptr};
    std::uint32_t other_seed{0U};  // of bytes that `reads` does not read, where it is set

    [[nodiscard]] std::uint8_t at(std::uint32_t address) const noexcept;
};

[[nodiscard]] QueueCommand transfer(QueueCommandKind kind, std::uint32_t address, std::uint32_t size_bytes,
                                    std::uint32_t slot, std::uint32_t slot_offset = 0U) noexcept;
[[nodiscard]] QueueCommand event_command(QueueCommandKind kind, std::uint32_t event, std::uint32_t value) noexcept;
[[nodiscard]] QueueCommand notify_command(std::uint32_t token) noexcept;
[[nodiscard]] QueueCommand replay_command(std::uint32_t address, std::uint32_t size_bytes) noexcept;
[[nodiscard]] bool is_same(ByteSpan one, ByteSpan other) noexcept;  // the same memory
[[nodiscard]] bool is_same(const RegionConfig& one, const RegionConfig& other) noexcept;

// Decodes the commands of one trace, from its first to its last.
class Decoder {
  public:
    explicit Decoder(const CommandSet& command_set) noexcept : command_set_{command_set} {}
    Status next(WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
        return command_set_.decode(words, state_, command, error);
    }
    // The same for callers that walk a trace by the lengths of decode(): kInternal if the length is invalid.
    Status walk(WordSpan words, DecodedCommand& command, DecodeError& error) noexcept {
        const Status status = next(words, command, error);
        const bool is_length = (command.length_words != 0U) && (command.length_words <= words.size());
        return (is_ok(status) && !is_length) ? Status::kInternal : status;
    }
    [[nodiscard]] const DecodeState& state() const noexcept { return state_; }

  private:
    const CommandSet& command_set_;
    DecodeState state_;
};

class Random {
  public:
    explicit Random(std::uint32_t seed) noexcept : state_{seed | 1U} {}
    std::uint32_t next() noexcept {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 17U;
        state_ ^= state_ << 5U;
        return state_;
    }

  private:
    std::uint32_t state_;
};

class Kit {
  public:
    Kit() = default;
    // Of one check.
    void begin(const PortUnderTest& port) noexcept;
    [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }
    [[nodiscard]] const char* why() const noexcept { return why_; }
    [[nodiscard]] std::uint64_t actual() const noexcept { return actual_; }
    [[nodiscard]] std::uint64_t wanted() const noexcept { return wanted_; }

    // The first that does not hold is what the report says. Returns `holds`.
    bool expect(bool holds, const char* what, std::uint64_t actual = 0U, std::uint64_t wanted = 0U) noexcept;
    bool expect_equal(std::uint64_t actual, std::uint64_t wanted, const char* what) noexcept {
        return expect(actual == wanted, what, actual, wanted);
    }
    bool expect_status(Status actual, Status wanted, const char* what) noexcept;
    // actual() and wanted() are of type Status.
    [[nodiscard]] bool is_status() const noexcept { return is_status_; }
    bool expect_ok(Status actual, const char* what) noexcept { return expect_status(actual, Status::kOk, what); }
    // What a record says of the work: `executed` commands and their digest, or 0 where the device does not attest it.
    [[nodiscard]] bool attests_count() const noexcept { return description_.attestation >= Attestation::kCount; }
    [[nodiscard]] bool attests_digest() const noexcept { return description_.attestation == Attestation::kDigest; }
    bool expect_count(std::uint32_t actual, std::uint32_t executed, const char* what) noexcept {
        return expect_equal(actual, attests_count() ? executed : 0U, what);
    }
    bool expect_digest(std::uint64_t actual, std::uint64_t digest, const char* what) noexcept {
        return expect_equal(actual, attests_digest() ? digest : 0U, what);
    }
    // Who attests no count may say nothing of the command either.
    bool expect_fault_command(const Completion& completion, std::uint32_t executed, const char* what) noexcept {
        return (!attests_count() && (completion.fault_command == 0U)) ||
               expect_equal(completion.fault_command, executed, what);
    }
    // False, and not offered, where the device does not attest it.
    bool offers_count() noexcept;
    bool offers_digest() noexcept;
    // Unless something has failed already. `why`: what this port does not have, for the report.
    void not_offered(const char* why) noexcept;

    [[nodiscard]] const PortUnderTest& port() const noexcept { return *port_; }
    [[nodiscard]] Device& device() const noexcept { return port_->device; }
    [[nodiscard]] Platform& platform() const noexcept { return port_->platform; }
    [[nodiscard]] const CommandSet& command_set() const noexcept { return port_->command_set; }
    [[nodiscard]] const DeviceDescription& description() const noexcept { return description_; }
    [[nodiscard]] std::uint32_t queues() const noexcept { return description_.queue_count; }
    [[nodiscard]] std::uint32_t base() const noexcept { return port_->memory.base; }
    [[nodiscard]] std::uint32_t trace_base() const noexcept {
        return description_.dram_base + (description_.dram_bytes - description_.trace_region_bytes);
    }

    // Resets the device, and forgets what was enqueued.
    bool reset() noexcept;
    // The same, with the region of `memory` that all but fetches may use, the regions of what is watched, and that of
    // traces.
    bool start() noexcept;
    bool program(const RegionConfig& region) noexcept;
    [[nodiscard]] RegionConfig memory_region() const noexcept;
    [[nodiscard]] RegionConfig trace_region() const noexcept;

    // Seals the command as its queue's next one, and enqueues it.
    Status enqueue(std::uint32_t queue, QueueCommand command) noexcept;
    Status enqueue_replay(std::uint32_t queue, const Trace& trace) noexcept;
    // Enqueues a notification with the next token.
    Status notify(std::uint32_t queue) noexcept;
    [[nodiscard]] std::uint32_t token() const noexcept { return token_; }
    void set_token(std::uint32_t token) noexcept { token_ = token; }
    Status doorbell(std::uint32_t queue) const noexcept { return device().ring_doorbell(queue); }
    // Serves the device until the queue has come to the token, or has stopped; kTimeout where it does neither.
    Status wait(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept;
    // A notification, the doorbell, and wait().
    Status complete(std::uint32_t queue, Completion& completion) noexcept;
    bool expect_completes(std::uint32_t queue, const char* what) noexcept;
    bool expect_fault(std::uint32_t queue, DeviceFault fault, const char* what) noexcept;
    // Serves the device for as long as would do for anything that it still has to do.
    void be_quiet() noexcept;
    // The queue has not come to the token by then.
    bool expect_held(std::uint32_t queue, std::uint32_t token, const char* what) noexcept;

    // What a queue must have executed, and its digest.
    [[nodiscard]] std::uint32_t executed(std::uint32_t queue) const noexcept { return executed_[queue]; }
    [[nodiscard]] std::uint64_t digest(std::uint32_t queue) const noexcept { return digests_[queue]; }

    // Host memory for transfers, 64-byte aligned. start() fills both: sources by fill_source(0), destinations with
    // zeros.
    [[nodiscard]] MutableByteSpan source() noexcept { return MutableByteSpan{source_}; }
    [[nodiscard]] MutableByteSpan destination() noexcept { return MutableByteSpan{destination_}; }
    // Stays until a check says otherwise.
    [[nodiscard]] MutableByteSpan kept() noexcept { return MutableByteSpan{kept_}; }
    void fill_source(std::uint32_t seed) noexcept;
    void clear_destination() noexcept;

    // Sample `index` at `base`; false where there is none.
    bool sample(std::uint32_t index, std::uint32_t base, Trace& trace) noexcept;
    // Its commands as often as fit into `words`, then the end.
    bool repeat(Trace& trace, std::uint32_t words) noexcept;
    // Decodes `trace.words` up to `count`.
    bool study(Trace& trace) noexcept;
    // Writes it to the start of the trace region. After start().
    bool place(const Trace& trace) noexcept;
    [[nodiscard]] Trace& trace() noexcept { return trace_; }
    [[nodiscard]] Trace& other_trace() noexcept { return other_trace_; }

    // Fills `memory` and what is watched, by transfers; a reset and start() come first.
    bool fill(const Fill& fill) noexcept;
    // Fills a part of `memory`. After start().
    bool fill_range(const Range& range, const Fill& fill) noexcept;
    // Reads by read_back(); false, with an expectation that does not hold, where it is refused.
    bool peek(std::uint32_t address, MutableByteSpan out) noexcept;
    // The bytes of the range are those of the fill.
    bool expect_range(const Range& range, const Fill& fill, const char* what) noexcept;
    // Bytes of `memory` and what is watched that are neither those of the fill nor written by `trace`.
    bool expect_only_written(const Trace& trace, const Fill& fill, const char* what) noexcept;

  private:
    bool expect_unwritten(const Trace& trace, const Range& range, const Fill& fill, const char* what) noexcept;

    const PortUnderTest* port_{nullptr};
    DeviceDescription description_;
    Outcome outcome_{Outcome::kPassed};
    const char* why_{""};
    std::uint64_t actual_{0U};
    std::uint64_t wanted_{0U};
    bool is_status_{false};
    std::uint32_t token_{0U};
    std::array<std::uint32_t, kMaxQueues> numbers_{};
    std::array<std::uint32_t, kMaxQueues> executed_{};
    std::array<std::uint64_t, kMaxQueues> digests_{};
    Trace trace_;
    Trace other_trace_;
    alignas(kFileAlignmentBytes) std::array<std::uint8_t, kBufferBytes> source_{};
    alignas(kFileAlignmentBytes) std::array<std::uint8_t, kBufferBytes> destination_{};
    alignas(kFileAlignmentBytes) std::array<std::uint8_t, kSampleBytes> chunk_{};
    alignas(kFileAlignmentBytes) std::array<std::uint8_t, kSampleBytes> kept_{};
};

}  // namespace pianola::port
