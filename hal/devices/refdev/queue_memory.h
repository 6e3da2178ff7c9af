// What the ECU core and a command processor share: rings, events, bound host memory.
//
// The only memory that both sides write. Each word has one writer; publication is a store with release order,
// observation a load with acquire order, so that the same source is correct in one thread, between threads, and between
// cores with coherent memory. Boards without coherence add their cache maintenance around it in their own folder.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/device_spec.h"
#include "pianola/config.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::refdev {

static_assert((kRingWords & kRingMask) == 0U, "positions wrap by masking");

inline constexpr std::uint32_t kDoorbellSlots = kept_history(kCapacities).doorbells;
static_assert((kRingCommands % kDoorbellSlots) == 0U, "positions wrap");
[[nodiscard]] constexpr std::uint32_t doorbell_slot(std::uint32_t position) noexcept {
    return (position / 2U) % kDoorbellSlots;
}

struct QueueMemory {
    // Written by the ECU core. Positions count words since reset and wrap; the ring is indexed modulo its size.
    std::array<std::uint32_t, kRingWords> ring{};
    std::atomic<std::uint32_t> published{0U};  // words that the device may consume; publishes the ring and the times
    // Of the device's cost model, from a reset on. A copy: damage to it changes times, and nothing is found through it.
    CommandCosts costs{};
    // Device time of each doorbell, at the slot of the first command that it publishes: that command starts no earlier.
    // An earlier doorbell's time in a slot is not later than the queue's time by then.
    std::array<std::uint64_t, kDoorbellSlots> doorbell_cycles{};

    // Written by the command processor.
    std::atomic<std::uint32_t> consumed{0U};  // publishes the effects of the consumed commands, completions included
    std::atomic<std::uint32_t> progress{0U};  // rises with every command
    std::atomic<std::uint32_t> completed_token{0U};  // publishes a completion
    std::atomic<std::uint32_t> stopped{0U};          // 1 after a fault; publishes `fault`
    std::array<Completion, kMaxStepsInFlight>
        completions{};  // indexed by token: never more notifications than that are under way
    Completion fault;
};

// Number of records of an event whose times are kept: a waiting queue reads its record's time while the next ones are
// made. A queue that is further behind finds the time of a later record.
inline constexpr std::uint32_t kKeptRecords = kept_history(kCapacities).records;
static_assert((kKeptRecords & (kKeptRecords - 1U)) == 0U, "counters wrap");

// One event: a waiter compares the counter by unsigned difference, so that it may wrap. It is valid only while it
// equals its copy: a damaged counter blocks every waiter.
struct EventCell {
    std::atomic<std::uint32_t> counter{0U};  // publishes the copy and the time
    std::atomic<std::uint32_t> copy{0U};
    std::array<std::uint64_t, kKeptRecords> times_cycles{};  // of the records, indexed by their counter value
};
using EventFile = std::array<EventCell, kMaxEvents>;

// One slot of host memory. It is valid only while it equals its copy, like the protection unit's registers: a damaged
// slot has no memory.
template <typename Bytes>
class HostBinding {
  public:
    void bind(Bytes memory) noexcept {
        memory_ = memory;
        copy_ = memory;
    }
    [[nodiscard]] bool is_whole() const noexcept { return is_same(memory_, copy_); }
    [[nodiscard]] Bytes memory() const noexcept {
        const Bytes memory = memory_;
        return is_same(memory, copy_) ? memory : Bytes{};
    }

  private:
    [[nodiscard]] static bool is_same(Bytes one, Bytes other) noexcept {
        return (one.data() == other.data()) && (one.size() == other.size());
    }

    Bytes memory_;
    Bytes copy_;
};

struct HostMemory {
    std::array<HostBinding<ByteSpan>, kSourceSlots> sources{};
    std::array<HostBinding<MutableByteSpan>, kDestinationSlots> destinations{};
};

}  // namespace pianola::refdev
