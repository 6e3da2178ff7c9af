// Recordings: which command buffers stand for what lies in the trace region.
//
// Place in the whole: between queues, which replay what lies at an address, and RecordedTrace. A write to the trace
// region makes those forgotten that it touches, and no others; the same words at the same place are the same recording
// as before, so that a host whose programs take turns in one place does not record each of them anew.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hal/devices/refdev/vulkan/recorded_trace.h"

namespace pianola::vulkan {

class Recordings {
  public:
    explicit Recordings(Parts& parts) : parts_{parts} {}

    // What stands for the bytes; nullptr: record() has to come first. Does not allocate.
    [[nodiscard]] RecordedTrace* find(std::uint32_t address, std::uint32_t bytes) const noexcept;
    // From the words as they lie in memory; nullptr: the driver has no memory for it.
    RecordedTrace* record(std::uint32_t address, std::uint32_t bytes);
    // [address, address + bytes) of the trace region is written.
    void invalidate(std::uint32_t address, std::uint32_t bytes);
    // A word at `address` is now `word`: RecordedTrace::patch(). What is neither a value nor an address makes the trace
    // one to be recorded anew.
    void patch(std::uint32_t address, std::uint32_t word);
    // Whether something was written and nobody has recorded it since.
    [[nodiscard]] bool is_stale() const noexcept { return !written_.empty(); }
    // Records every trace that begins in what was written. kOk; kCapacity.
    Status record_written(std::vector<RecordedTrace*>& fresh);
    // Only while nothing of it is under way: keeps what is in place, and the latest of what was.
    void forget_old();
    // The same, of everything: regions have changed.
    void clear() noexcept;

  private:
    struct Placed {
        std::uint32_t address{0U};
        std::uint32_t bytes{0U};
        RecordedTrace* trace{nullptr};
    };
    struct Written {
        std::uint32_t begin{0U};
        std::uint32_t end{0U};
    };
    [[nodiscard]] WordSpan words_at(std::uint32_t address, std::uint32_t bytes) const noexcept;
    // Of the trace that begins there; 0: none does.
    [[nodiscard]] std::uint32_t trace_bytes(std::uint32_t address, std::uint32_t limit) const;
    void take_off(std::uint32_t begin, std::uint32_t end);

    Parts& parts_;
    std::vector<std::unique_ptr<RecordedTrace>> kept_;  // oldest first
    std::vector<Placed> placed_;
    std::vector<Written> written_;
};

}  // namespace pianola::vulkan
