// OneCoreLink: a link to a device that the ECU core is, so that the instruction counter counts the device alone.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/board_link.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/device_link.h"
#include "hal/measure/counted_device.h"

namespace pianola::baremetal {

// Follows queue 0 through its ring and its traces.
class CommandCursor {
  public:
    // Words of the command that the queue executes next; none if nothing is published. The first word of a queue
    // command is without its check.
    [[nodiscard]] WordSpan next(const refdev::SharedState& shared) noexcept;
    // The queue has executed what next() returned. `trace`: the words of the trace, if it was a replay.
    void advance(WordSpan trace) noexcept;

  private:
    std::array<std::uint32_t, refdev::kMaxQueueCommandWords> queue_command_{};
    WordSpan next_;
    WordSpan trace_;  // what is left of the running trace
};

// Each service() executes at most one command of each queue. With counting on, it is one part of the counter's section:
// counting must be paused outside of it.
class OneCoreLink final : public refdev::DeviceLink {
  public:
    explicit OneCoreLink(refdev::SharedState& shared) noexcept
        : DeviceLink{}, shared_{shared}, link_{refdev::DeviceSpec{}, shared}, device_{shared} {}

    [[nodiscard]] std::uint8_t* memory_at(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return link_.memory_at(address, size_bytes);
    }
    void signal(std::uint32_t /*queue*/) noexcept override {}
    Status service() noexcept override;
    void relax() noexcept override {}
    [[nodiscard]] std::uint64_t now_us() noexcept override { return link_.now_us(); }
    void clean(ByteSpan memory) noexcept override { link_.clean(memory); }
    void invalidate(MutableByteSpan memory) noexcept override { link_.invalidate(memory); }

    void set_counting(bool is_on) noexcept { is_counting_ = is_on; }

    // From now on the command of each counted service() is appended to `memory`, in words: the number of its words and
    // the words; 0 if the queue did not execute one.
    void keep_commands(MutableByteSpan memory) noexcept { kept_ = memory; }
    [[nodiscard]] ByteSpan kept_commands() const noexcept { return ByteSpan{kept_}.subspan(0U, kept_bytes_); }
    // False if `memory` was too small.
    [[nodiscard]] bool has_kept_all() const noexcept { return has_kept_all_; }

  private:
    void keep(WordSpan command) noexcept;
    void keep_word(std::uint32_t word) noexcept;

    refdev::SharedState& shared_;
    board::BoardLink link_;
    measure::CountedDevice device_;
    bool is_counting_{true};
    CommandCursor cursor_;
    MutableByteSpan kept_;
    std::size_t kept_bytes_{0U};
    bool has_kept_all_{true};
};

}  // namespace pianola::baremetal
