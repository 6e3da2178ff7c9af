// Everything that a session on the engine needs, and ways to make the engine fail.
//
// On-target tests of zynq_a9 only. One of these exists per run; it lies in zeroed memory.
#pragma once

#include <cstdint>

#include "hal/boards/zynq_a9/engine.h"
#include "hal/devices/pl330/command_set.h"
#include "pianola/session.h"
#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {

inline constexpr std::uint32_t kNever = UINT32_MAX;

// The board's link, with an eye on the threads, and with faults.
class WatchedLink final : public pl330::EngineLink {
  public:
    [[nodiscard]] std::uint32_t read(std::uint32_t offset) noexcept override { return link_.read(offset); }
    void write(std::uint32_t offset, std::uint32_t value) noexcept override;
    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return link_.memory_at(address, size_bytes);
    }
    [[nodiscard]] std::uint32_t bus_address(const std::uint8_t* memory) noexcept override {
        return link_.bus_address(memory);
    }
    void clean(ByteSpan memory) noexcept override;
    void invalidate(MutableByteSpan memory) noexcept override { link_.invalidate(memory); }
    [[nodiscard]] std::uint64_t now_us() noexcept override { return link_.now_us(); }

    // The program that sends this event sends another one instead, which no thread waits for.
    void mistake_event(std::uint32_t event) noexcept { mistaken_event_ = event; }
    // This command of the debug registers, from now on from 1, does not arrive; 0 for none.
    void lose_command(std::uint32_t number) noexcept {
        commands_ = 0U;
        lost_command_ = number;
    }
    void kill(std::uint32_t channel) noexcept;

    // Since the start: commands after which this many times a thread was asleep in DMAWFE, by channel.
    [[nodiscard]] std::uint32_t waits(std::uint32_t channel) const noexcept { return waits_[channel]; }
    [[nodiscard]] std::uint32_t channel_status(std::uint32_t channel) noexcept;

  private:
    board::ZynqLink link_;
    std::uint32_t mistaken_event_{kNever};
    std::uint32_t lost_command_{0U};
    std::uint32_t commands_{0U};
    std::array<std::uint32_t, kMaxQueues> waits_{};
};

struct EngineBench {
    EngineBench() noexcept;

    WatchedLink link;
    TestPlatform platform;
    pl330::Pl330Driver device;
    pl330::Pl330CommandSet command_set;
    Session session;
    PlanWorkspace workspace;
    Verdict verdict;
};

[[nodiscard]] EngineBench& engine_bench() noexcept;

// Loads a binary into the session. False, with a message that names rule or fault, where that fails.
[[nodiscard]] bool load_for_engine(ByteSpan file) noexcept;

// The memory of one step of the exchange.
struct ExchangeMemory {
    MutableByteSpan input;
    MutableByteSpan output;
};
[[nodiscard]] ExchangeMemory exchange_memory(LoadArea& area) noexcept;

// One step with transfers, on an input made from `seed`.
Status exchange_step(const ExchangeMemory& memory, std::uint32_t seed) noexcept;

// The tests.
std::int32_t test_engine_conformance(const Arguments& arguments) noexcept;
std::int32_t test_engine_replay(const Arguments& arguments) noexcept;
std::int32_t test_engine_validate(const Arguments& arguments) noexcept;
std::int32_t test_engine_forced(const Arguments& arguments) noexcept;
std::int32_t test_engine_evidence(const Arguments& arguments) noexcept;
std::int32_t test_engine_events(const Arguments& arguments) noexcept;
std::int32_t test_engine_faults(const Arguments& arguments) noexcept;
std::int32_t test_engine_count(const Arguments& arguments) noexcept;
std::int32_t test_engine_ram(const Arguments& arguments) noexcept;
std::int32_t test_engine_stack(const Arguments& arguments) noexcept;

}  // namespace pianola::baremetal
