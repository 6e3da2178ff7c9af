// What the ECU core and a command processor share: rings, events, bound host memory.
//
// Place in the whole: the only memory that both sides write. Each word has one writer; publication is a store with release
// order, observation a load with acquire order, so that the same source is right in one thread, between threads, and between
// cores with coherent memory. Boards without coherence add their cache maintenance around it in their own folder.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "hal/refdev/device_spec.h"
#include "runtime/core/config.h"
#include "runtime/core/span.h"
#include "runtime/device/device.h"

namespace pianola::refdev {

static_assert((kRingWords & (kRingWords - 1U)) == 0U, "positions wrap by masking");

struct QueueMemory {
    // Written by the ECU core. Positions count words since reset and wrap; the ring is indexed modulo its size.
    std::array<std::uint32_t, kRingWords> ring{};
    std::atomic<std::uint32_t> published{0U};            // words that the device may consume
    std::atomic<std::uint32_t> doorbell_cycles_low{0U};  // device time at the doorbell: an idle queue starts no earlier
    std::atomic<std::uint32_t> doorbell_cycles_high{0U};

    // Written by the command processor.
    std::atomic<std::uint32_t> consumed{0U};
    std::atomic<std::uint32_t> progress{0U};         // rises with every command
    std::atomic<std::uint32_t> completed_token{0U};  // publishes a completion
    std::atomic<std::uint32_t> stopped{0U};          // 1 after a fault; publishes `fault`
    std::array<Completion, kMaxStepsInFlight>
        completions{};  // by token: no more notifications than that are ever under way
    Completion fault;
};

// The last records of an event whose times are kept: a queue that waits for one reads its time while the next are made. No session has
// more records of one event under way than scripts have commands, in all its steps; who drives the device otherwise, and lets a queue fall
// further behind, finds the time of a later record.
inline constexpr std::uint32_t kKeptRecords = 64U;
static_assert(kKeptRecords >= (kMaxStepsInFlight * (kMaxScriptCommands / 2U)),
              "each record has its wait in the same scripts");
static_assert((kKeptRecords & (kKeptRecords - 1U)) == 0U, "counters wrap");

// One event: who waits compares the counter by unsigned difference, so that it may wrap. It counts while it equals its copy only: one that
// damage has changed lets nobody pass.
struct EventCell {
    std::atomic<std::uint32_t> counter{0U};  // publishes the copy and the time
    std::atomic<std::uint32_t> copy{0U};
    std::array<std::uint64_t, kKeptRecords> times_cycles{};  // of the records, by what they set the counter to
};
using EventFile = std::array<EventCell, kMaxEvents>;

// One slot of host memory. It counts while it equals its copy only, as the protection unit's registers do: in one that damage has changed
// there is no memory.
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
