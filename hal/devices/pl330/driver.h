// Pl330Driver: a PL330 as a Device. Each queue is a channel thread of the engine; docs/reference/pl330.md describes the
// division of work.
//
// A replay starts the thread at the trace's own address in the trace region: the engine fetches the proved words.
// Transfers and events, which are not in traces, are programs of the driver, one group or one event each, in the
// driver's own memory. A thread ends with DMAEND and cannot go on to another program: the core starts the next one, in
// service(), completion() and ring_doorbell(). The engine waits for events: a thread sleeps in DMAWFE until the other
// executes DMASEV.
//
// The engine enforces no region. The driver checks its own transfers, and the start of a replay, against the regions;
// the words of a trace are covered only by the proof.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/pl330/encoding.h"
#include "hal/devices/pl330/engine_link.h"
#include "pianola/config.h"
#include "pianola/device.h"

namespace pianola::pl330 {

// The memories of one SoC that its engine may use.
struct EngineSpec {
    std::uint32_t dram_base{0U};
    std::uint32_t dram_bytes{0U};
    std::uint32_t l1_base{0U};  // a second memory: the SoC's on-chip memory
    std::uint32_t l1_bytes{0U};
    std::uint32_t trace_region_bytes{0U};
    const Capacities* capacities{&kDeviceCapacities};
};

void describe(const EngineSpec& spec, DeviceDescription& description) noexcept;

inline constexpr std::uint32_t kRingCommands = kMaxScriptCommands;
inline constexpr std::uint32_t kResetLimitUs = 20'000U;

class Pl330Driver final : public Device {
  public:
    // `link` must outlive the driver. The engine reads the driver's memory, so the driver must not move.
    Pl330Driver(const EngineSpec& spec, EngineLink& link) noexcept : Device{}, spec_{spec}, link_{link} {}
    ~Pl330Driver() = default;
    Pl330Driver(const Pl330Driver&) = delete;
    Pl330Driver(Pl330Driver&&) = delete;
    Pl330Driver& operator=(const Pl330Driver&) = delete;
    Pl330Driver& operator=(Pl330Driver&&) = delete;

    Status describe(DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    void take_from_device(MutableByteSpan view) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

  private:
    static constexpr std::size_t kProgramBytes = (kCopyWords + 1U) * sizeof(kEnd);  // one group and its end
    using Program = std::array<std::uint8_t, kProgramBytes>;

    // The record of a notification.
    struct Record {
        bool is_there{false};
        Completion completion;
    };
    struct Queue {
        std::array<QueueCommand, kRingCommands> ring{};
        std::uint32_t written{0U};    // commands since reset, as the other two
        std::uint32_t published{0U};  // by a doorbell
        std::uint32_t done{0U};
        std::uint32_t moved_bytes{0U};  // of the transfer under way
        std::uint32_t end{0U};          // end of the program under way
        std::uint32_t next_program{0U};
        bool is_running{false};
        bool has_stopped{false};
        Completion fault;
        std::array<Record, kMaxStepsInFlight> records{};
    };
    struct Event {
        std::uint32_t sends{0U};  // programs that have ended, as waits
        std::uint32_t waits{0U};
        std::uint32_t value{0U};  // of the last record
    };

    [[nodiscard]] std::uint32_t state_of(std::uint32_t channel) noexcept;
    [[nodiscard]] bool debug_is_idle() noexcept;
    Status go(std::uint32_t channel, std::uint32_t address) noexcept;
    [[nodiscard]] bool kill(std::uint32_t channel) noexcept;
    [[nodiscard]] bool forget_events() noexcept;
    static void forget(Queue& queue) noexcept;
    [[nodiscard]] bool stops_at(std::uint32_t channel, std::uint32_t state) noexcept;
    [[nodiscard]] bool permits(std::uint32_t address, std::uint32_t size_bytes,
                               bool RegionConfig::* permission) const noexcept;
    void fail(std::uint32_t queue, DeviceFault fault, std::uint32_t address) noexcept;
    void fail_as_engine(std::uint32_t queue, std::uint32_t state) noexcept;
    void advance(std::uint32_t queue) noexcept;
    void finish_program(std::uint32_t queue) noexcept;
    void start_next(std::uint32_t queue) noexcept;
    [[nodiscard]] bool publish(std::uint32_t queue, std::uint32_t token) noexcept;
    static void complete(Queue& queue) noexcept;
    [[nodiscard]] bool is_reached(const QueueCommand& wait) const noexcept;
    [[nodiscard]] bool is_waited_for(std::uint32_t event) const noexcept;
    void finish_record(std::uint32_t event) noexcept;
    void start_record(std::uint32_t queue, const QueueCommand& command) noexcept;
    void start_wait(std::uint32_t queue, const QueueCommand& command) noexcept;
    void start_replay(std::uint32_t queue, const QueueCommand& command) noexcept;
    void start_transfer(std::uint32_t queue, const QueueCommand& command) noexcept;
    void start_event(std::uint32_t queue, std::uint32_t program) noexcept;
    void run(std::uint32_t queue, WordSpan words, std::uint32_t end_byte) noexcept;
    [[nodiscard]] std::uint32_t place(Program& program, WordSpan words) noexcept;

    EngineSpec spec_;
    EngineLink& link_;
    std::array<RegionConfig, kMaxRegions> regions_{};
    std::uint32_t region_count_{0U};
    std::array<ByteSpan, kSourceSlots> sources_{};
    std::array<MutableByteSpan, kDestinationSlots> destinations_{};
    std::array<Queue, kMaxQueues> queues_{};
    std::array<Event, kMaxEvents> events_{};
    // Programs that the engine fetches besides traces. Each queue alternates between two: a thread that has not started
    // still shows the end of the previous program.
    std::array<std::array<Program, 2U>, kMaxQueues> programs_{};
};

// RAM of a driver of that profile on a 32-bit core, with the programs that the engine fetches.
// runtime/include/pianola/footprint.h says how the number is kept correct.
[[nodiscard]] constexpr std::uint32_t driver_bytes32(const Capacities& capacities) noexcept {
    return 4680U + (224U * capacities.steps_in_flight);
}

}  // namespace pianola::pl330
