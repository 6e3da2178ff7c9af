// A port of Pianola to an accelerator of our own making: an NPU that copies and fills. docs/guide/porting.md goes
// through it.
//
// The NPU lives in this process: Device::service() is its clock. It has two queues, eight regions, and its own memory;
// everything else is what a real one would have.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/platform.h"

namespace npu {

using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Status;
using pianola::WordSpan;

inline constexpr std::uint32_t kDramBase = 0x8000'0000U;
inline constexpr std::uint32_t kDramBytes = 0x1'0000U;
inline constexpr std::uint32_t kTraceRegionBytes = 0x4000U;
inline constexpr std::uint32_t kQueues = 2U;
inline constexpr std::uint32_t kRingCommands = 32U;
inline constexpr std::uint32_t kWordsPerCommand = 8U;  // in a ring: seven of the command, and its check

// Words of a trace: bits 0-15 of the first are the opcode, bits 16-31 the number of words.
inline constexpr std::uint32_t kCopy = 0x0004'0001U;  // destination, source, bytes
inline constexpr std::uint32_t kFill = 0x0004'0002U;  // destination, bytes, value (0-255)
// destination, source, bytes of a row, rows, bytes from one row to the next, in both places
inline constexpr std::uint32_t kCopyRows = 0x0006'0004U;
inline constexpr std::uint32_t kEnd = 0x0001'0003U;
inline constexpr std::uint32_t kWords = 4U;  // of a copy or fill
inline constexpr std::uint32_t kRowsWords = 6U;
inline constexpr std::uint32_t kMaxRows = 256U;

[[nodiscard]] std::uint64_t move_cycles(std::uint32_t size_bytes) noexcept;
[[nodiscard]] std::uint64_t rows_cycles(std::uint32_t row_bytes, std::uint32_t rows) noexcept;

// What the words mean: for the proofs at load.
class CommandSet final : public pianola::CommandSet {
  public:
    CommandSet() = default;
    ~CommandSet() = default;
    CommandSet(const CommandSet&) = delete;
    CommandSet(CommandSet&&) = delete;
    CommandSet& operator=(const CommandSet&) = delete;
    CommandSet& operator=(CommandSet&&) = delete;

    Status decode(WordSpan words, pianola::DecodeState& state, pianola::DecodedCommand& command,
                  pianola::DecodeError& error) const noexcept override;
    [[nodiscard]] pianola::KernelIdentity kernel(std::uint32_t id) const noexcept override;
    [[nodiscard]] pianola::PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const pianola::QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t queue_cycles(const pianola::QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     pianola::QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override;
};

// Driver and device in one.
class Device final : public pianola::Device {
  public:
    Device() = default;
    ~Device() = default;
    Device(const Device&) = delete;
    Device(Device&&) = delete;
    Device& operator=(const Device&) = delete;
    Device& operator=(Device&&) = delete;

    Status describe(pianola::DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const pianola::RegionConfig& region) noexcept override;
    Status programmed_region(std::uint32_t index, pianola::RegionConfig& region) const noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    void take_from_device(MutableByteSpan view) noexcept override;
    Status enqueue(std::uint32_t queue, const pianola::QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, pianola::Completion& completion) noexcept override;

  private:
    // A notification that is under way, or was: the record is valid once it is done.
    struct Notification {
        std::uint32_t token{0U};
        bool is_enqueued{false};
        bool is_done{false};
        pianola::Completion record;
    };
    struct Queue {
        std::array<pianola::QueueCommand, kRingCommands> ring{};
        std::uint32_t written{0U};    // commands since the reset, by enqueue()
        std::uint32_t published{0U};  // by the doorbell
        std::uint32_t consumed{0U};   // by the device
        std::uint32_t executed{0U};   // commands of the queue and of traces
        std::uint64_t digest{0U};
        std::uint64_t time_cycles{0U};
        bool is_stopped{false};
        pianola::Completion fault;
        std::array<Notification, pianola::kMaxStepsInFlight> notifications{};
        // The trace that is running; no words while none is.
        std::uint32_t trace_address{0U};
        std::uint32_t trace_words{0U};
        std::uint64_t trace_digest{0U};
    };
    using Permission = bool pianola::RegionConfig::*;

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::size_t size_bytes) noexcept;
    // nullptr where no region permits it.
    [[nodiscard]] std::uint8_t* permitted(std::uint32_t address, std::uint32_t size_bytes,
                                          Permission permission) noexcept;
    [[nodiscard]] std::uint32_t word_at(std::uint32_t address) noexcept;
    void step(Queue& queue) noexcept;
    void step_queue(Queue& queue) noexcept;
    void step_trace(Queue& queue) noexcept;
    [[nodiscard]] bool is_held(const pianola::QueueCommand& command) const noexcept;
    [[nodiscard]] pianola::DeviceFault execute(Queue& queue, const pianola::QueueCommand& command) noexcept;
    [[nodiscard]] pianola::DeviceFault transfer(const pianola::QueueCommand& command) noexcept;
    [[nodiscard]] pianola::DeviceFault execute_trace_command(Queue& queue, std::uint32_t& words) noexcept;
    [[nodiscard]] pianola::DeviceFault copy_rows(Queue& queue) noexcept;
    static void stop(Queue& queue, pianola::DeviceFault fault) noexcept;
    static void publish(Queue& queue, std::uint32_t token) noexcept;

    CommandSet command_set_;
    alignas(pianola::kFileAlignmentBytes) std::array<std::uint8_t, kDramBytes> dram_{};
    std::array<pianola::RegionConfig, pianola::kMaxRegions> regions_{};
    std::uint32_t region_count_{0U};
    std::array<ByteSpan, pianola::kSourceSlots> sources_{};
    std::array<MutableByteSpan, pianola::kDestinationSlots> destinations_{};
    std::array<std::uint32_t, pianola::kMaxEvents> events_{};
    std::array<Queue, kQueues> queues_{};
};

// The ECU around it: a clock that runs while the session waits, and a safe state that is counted.
class Platform final : public pianola::Platform {
  public:
    Platform() = default;
    ~Platform() = default;
    Platform(const Platform&) = delete;
    Platform(Platform&&) = delete;
    Platform& operator=(const Platform&) = delete;
    Platform& operator=(Platform&&) = delete;

    [[nodiscard]] std::uint64_t now_us() noexcept override { return time_us_; }
    void idle() noexcept override { time_us_ += 1U; }
    void serve_watchdog() noexcept override { watchdog_services_ += 1U; }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = security_version_;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        security_version_ = version;
        return Status::kOk;
    }
    void enter_safe_state(const pianola::FaultRecord& /*fault*/) noexcept override { safe_state_entries_ += 1U; }

    [[nodiscard]] std::uint32_t watchdog_services() const noexcept { return watchdog_services_; }
    [[nodiscard]] std::uint32_t safe_state_entries() const noexcept { return safe_state_entries_; }

  private:
    std::uint64_t time_us_{0U};
    std::uint32_t security_version_{0U};
    std::uint32_t watchdog_services_{0U};
    std::uint32_t safe_state_entries_{0U};
};

}  // namespace npu
