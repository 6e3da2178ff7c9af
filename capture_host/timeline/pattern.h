// Pattern: the commands that the host enqueues for every step, by queue.
//
// A pattern is one way to drive the same workload: operation by operation, as a trace, or as a trace with transfers on
// a second queue; on several devices, one pattern for all of them. docs/guide/timeline.md says what each one assumes.
// Times are device cycles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/timeline/workload.h"
#include "pianola_host/host_cost.h"

namespace pianola::timeline {

// What a stretch of time is spent on.
enum class Category : std::uint8_t {
    kDispatch,   // host: makes and enqueues one operation
    kEnqueue,    // host: enqueues one queue command
    kHostWaits,  // host: the ring is full, or a step has to complete first
    kWrite,      // queue: input transfer
    kRead,       // queue: output transfer
    kCompute,    // queue: a command of the workload's traces
    kStaging,    // queue: a copy that the pattern adds, to free the input or the output early
    kEvent,      // queue: records an event
    kWaits,      // queue: is held back by an event
    kControl,    // queue: front of a replay, completion record
};

using pianola::HostCost;  // rounded up to whole device cycles

// One command on a queue.
struct Item {
    std::uint32_t device{0U};  // index of Pattern::devices
    std::uint32_t queue{0U};
    QueueCommandKind kind{QueueCommandKind::kUnspecified};  // kUnspecified: an operation without trace
    Category category{Category::kControl};
    std::string label;
    Cycles cycles{0U};  // by itself; 0 for an operation without trace
    std::uint32_t ring_words{0U};
    std::vector<TraceCommand> body;  // of a replay; or the operation, with the barriers after it
    Category body_category{Category::kCompute};
    std::uint32_t event{0U};  // a wait is for the last record that is enqueued before it, if there is one
    Cycles host_cycles{0U};
    bool is_ahead{false};  // works for the next step; left out in the last one
};

struct Pattern {
    std::string name;
    std::vector<Item> prologue;  // once, for the first step
    std::vector<Item> step;
    std::vector<Item> epilogue;  // once, for the last step
    std::vector<Coordinate> devices{Coordinate{}};
    std::uint32_t queues{1U};  // of each device
    std::uint32_t ring_words{0U};
    bool doorbell_per_command{false};  // else one for each queue and step
    // Steps that may be under way before the host waits for the oldest, as Session does; prologue and epilogue run
    // alone then. 0: as many as the rings hold.
    std::uint32_t steps_in_flight{0U};
};

// No trace: the host dispatches every operation by itself. All on one queue.
[[nodiscard]] Pattern eager_pattern(const Workload& workload, const HostCost& cost);
// Write inputs, replay, read outputs. All on one queue.
[[nodiscard]] Pattern traced_pattern(const Workload& workload, const HostCost& cost);
// Whether the device has a command that copies, for the pattern below.
[[nodiscard]] bool can_stage(const Workload& workload);
// Transfers on queue 1. Copies at both ends of the trace free input and output for the next transfer.
[[nodiscard]] Pattern two_queue_pattern(const Workload& workload, const HostCost& cost);
// Transfers on queue 1. Instead of copies, the traces are cut after the last reader of inputs and before the first use
// of outputs.
[[nodiscard]] Pattern split_pattern(const Workload& workload, const HostCost& cost);
// The four above.
struct Mode {
    const char* name{""};
    Pattern (*make)(const Workload& workload, const HostCost& cost){nullptr};
    std::uint32_t queues{1U};
    bool copies{false};  // needs a command that copies
};
inline constexpr std::array<Mode, 4> kModes{
    Mode{"eager", eager_pattern, 1U, false}, Mode{"traced", traced_pattern, 1U, false},
    Mode{"two-queues", two_queue_pattern, 2U, true}, Mode{"two-queues-split", split_pattern, 2U, false}};
[[nodiscard]] bool is_possible(const Mode& mode, const Workload& workload);
// The binary's own scripts: what Session does.
[[nodiscard]] Pattern session_pattern(const Workload& workload, const HostCost& cost);
// The same for all devices of a mesh. There is one host: it takes the devices in turn, command by command. A device
// that steps give nothing to do has no items of a mode.
[[nodiscard]] Pattern make_pattern(const Mode& mode, const std::vector<Workload>& devices, const HostCost& cost);
[[nodiscard]] Pattern session_pattern(const std::vector<Workload>& devices, const HostCost& cost);

}  // namespace pianola::timeline
