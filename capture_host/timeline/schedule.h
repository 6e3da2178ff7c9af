// Schedule: when host and queues are busy, by a discrete-event model in virtual time.
//
// Turns a pattern into slices of time; gaps.h measures them, picture.h draws them. The model is the device's own
// (docs/reference/device.md) - queues in order, a wait ends no earlier than its record, a command starts no earlier
// than its doorbell, one ring per queue - and a host that enqueues in order, runs ahead as far as the rings let it, and
// takes the time that the pattern states. Devices share the host, and nothing else. All times are device cycles from
// the start of the first step. Deterministic.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "capture_host/timeline/pattern.h"

namespace pianola::timeline {

enum class LaneKind : std::uint8_t { kHost, kQueue, kCore };

struct Lane {
    LaneKind kind{LaneKind::kHost};
    std::uint32_t index{0U};
    std::uint32_t device{0U};  // index of Pattern::devices; 0 of the host
};
[[nodiscard]] constexpr bool operator==(const Lane& left, const Lane& right) {
    return (left.kind == right.kind) && (left.index == right.index) && (left.device == right.device);
}

// One stretch of time on one lane. Slices of a lane come in order and do not overlap.
struct Slice {
    Lane lane;
    Category category{Category::kControl};
    Cycles start{0U};
    Cycles end{0U};
    std::uint32_t step{0U};
    std::string_view name;                 // belongs to the pattern, as the next two do
    const Item* item{nullptr};             // nullptr for a wait of the host
    const TraceCommand* command{nullptr};  // of the item's body; nullptr for the item itself

    // The device that the slice works for, also on the host's lane.
    [[nodiscard]] std::uint32_t device() const { return (item != nullptr) ? item->device : lane.device; }
};

using Sink = std::function<void(const Slice&)>;

// Gives the sink every slice of `steps` steps, lane by lane in order, lanes interleaved. Slices of no length are left
// out on the host's lane only. Throws std::logic_error for a pattern that cannot continue.
void schedule(const Pattern& pattern, std::uint32_t steps, const Sink& sink);

}  // namespace pianola::timeline
