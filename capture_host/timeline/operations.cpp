#include "capture_host/timeline/operations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "capture_host/timeline/captured.h"

namespace pianola::timeline {
namespace {

// The most slices that are kept, if that leaves enough steps to show a steady state.
constexpr std::size_t kSlicesKept = 2'000'000U;
constexpr std::size_t kFewestMeasured = 8U;

[[nodiscard]] bool is_dispatching(const TraceCommand& command) {
    return (command.kind == CommandKind::kDispatch) || (command.kind == CommandKind::kBarrier) ||
           (command.kind == CommandKind::kEnd);
}

// A slice in which a kernel runs: of a core, or of a queue that executes a command itself, after its waits.
[[nodiscard]] bool has_kernel(const Slice& slice) {
    return (slice.lane.kind == LaneKind::kCore) || ((slice.command != nullptr) && !is_dispatching(*slice.command));
}

[[nodiscard]] host::ByteRange kernel_of(const Slice& slice) {
    return {(slice.lane.kind == LaneKind::kCore) ? slice.start : (slice.end - slice.command->cycles), slice.end};
}

// The key of a line of the table: an operation of the workload by its number, or a kind of queue command by its name.
using Line = std::pair<std::uint32_t, std::string>;

[[nodiscard]] Line line_of(const Slice& slice) {
    const Item& item = *slice.item;
    const bool is_staging = item.body_category == Category::kStaging;
    const bool is_eager = (item.kind == QueueCommandKind::kUnspecified) && !item.body.empty();
    const TraceCommand* const command =
        (slice.command != nullptr) ? slice.command : (is_eager ? &item.body.front() : nullptr);
    if (is_staging) {
        return {0U, "copies to free a buffer"};
    }
    if ((command != nullptr) && (command->operation != 0U)) {
        return {command->operation, command->label};
    }
    switch (item.category) {
        case Category::kWrite:
        case Category::kRead:
            return {0U, item.label};
        case Category::kEvent:
        case Category::kWaits:
            return {0U, "events"};
        case Category::kDispatch:
        case Category::kEnqueue:
        case Category::kHostWaits:
        case Category::kCompute:
        case Category::kStaging:
        case Category::kControl:
        default:
            return {0U, "replays and completions"};
    }
}

// The lines of what is measured: of the host, the steps; of a device, exactly the time, so that nothing is missing or
// counted twice at its ends.
class Lines {
  public:
    explicit Lines(const Meter::Window& window) : window_{window} {}

    // Whether the slice, or the idle time of its queue before it, from `idle` on, is measured.
    [[nodiscard]] bool counts(const Slice& slice, Cycles idle) const {
        return window_.has(slice.step) || ((slice.lane.kind != LaneKind::kHost) && (slice.end > window_.begin) &&
                                           (std::min(idle, slice.start) < window_.end));
    }
    // The part that is measured; may be empty.
    [[nodiscard]] host::ByteRange measured(const host::ByteRange& interval) const {
        const Cycles start = std::clamp(interval.begin, window_.begin, window_.end);
        return {start, std::clamp(interval.end, start, window_.end)};
    }

    [[nodiscard]] TimeSpent& of(const Slice& slice) { return entry_of(slice).time.spent; }

    void note_kernel(const Slice& slice) { entry_of(slice).kernels.add(measured(kernel_of(slice))); }

    // In the order in which the device begins them.
    [[nodiscard]] std::vector<OperationTime> operations() {
        std::multimap<Cycles, OperationTime> sorted;  // equal keys stay in order
        for (auto& [line, entry] : entries_) {
            entry.time.spent.kernel = entry.kernels.size();
            sorted.emplace(entry.first, entry.time);
        }
        std::vector<OperationTime> times;
        std::transform(sorted.begin(), sorted.end(), std::back_inserter(times),
                       [](const auto& each) { return each.second; });
        return times;
    }

  private:
    struct Entry {
        OperationTime time;
        Cycles first{UINT64_MAX};  // when the device begins it
        Busy kernels;
    };

    [[nodiscard]] Entry& entry_of(const Slice& slice) {
        const Line line = line_of(slice);
        Entry& entry = entries_[{line.first, (line.first == 0U) ? line.second : std::string{}}];
        const bool has_name = (slice.command == nullptr) || (slice.command->kind != CommandKind::kBarrier);
        entry.time.name = has_name ? line.second : entry.time.name;
        entry.time.operation = line.first;
        if ((slice.lane.kind != LaneKind::kHost) && window_.has(slice.step)) {
            entry.first = std::min(entry.first, slice.start);
        }
        return entry;
    }

    Meter::Window window_;
    std::map<Line, Entry> entries_;
};

// Splits a queue's slice by use; its beginning is a wait, for kernels or for an event. From `idle` to the slice the
// queue was idle.
void spend(const Slice& slice, Cycles idle, const Busy& kernels, Lines& lines) {
    const auto outside = [&](Cycles start, Cycles end) {
        const host::ByteRange part = lines.measured({start, end});
        return (part.end - part.begin) - kernels.size_in(part.begin, part.end);
    };
    const Cycles own = (slice.command != nullptr) ? slice.command->cycles : slice.item->cycles;
    const Cycles begin = slice.end - own;
    const host::ByteRange transfer = lines.measured({begin, slice.end});
    TimeSpent& spent = lines.of(slice);
    spent.gap += outside(std::min(idle, slice.start), begin);
    if (slice.category == Category::kWrite) {
        spent.to_device += transfer.end - transfer.begin;
    } else if (slice.category == Category::kRead) {
        spent.from_device += transfer.end - transfer.begin;
    } else {
        spent.dispatch += outside(begin, slice.end);
    }
}

std::vector<Performance> measure_slices(const Pattern& pattern, const Run& run) {
    std::vector<OperationMeter> meters(pattern.devices.size());
    run([&meters](const Slice& slice) { meters[slice.device()].add(slice); });
    std::vector<Performance> devices;
    for (std::size_t i = 0U; i < meters.size(); ++i) {
        devices.push_back(meters[i].result(pattern.name, pattern.devices[i]));
    }
    return devices;
}

}  // namespace

TimeSpent Performance::total() const {
    TimeSpent sum;
    for (const OperationTime& each : operations) {
        for (const TimeColumn& column : kTimeColumns) {
            sum.*column.cycles += each.spent.*column.cycles;
        }
    }
    return sum;
}

void OperationMeter::add(const Slice& slice) {
    meter_.add(slice);
    if (slice.item != nullptr) {
        slices_.push_back(slice);
    }
}

Performance OperationMeter::result(const std::string& mode, const Coordinate& device) const {
    const Meter::Window window = meter_.window();
    std::map<std::uint32_t, Busy> busy;  // kernels, by their queue
    for (const Slice& slice : slices_) {
        if (has_kernel(slice)) {
            busy[slice.item->queue].add(kernel_of(slice));
        }
    }
    Lines lines{window};
    std::map<std::uint32_t, Cycles> ends;  // of what each queue has done so far
    for (const Slice& slice : slices_) {
        const bool is_queue = slice.lane.kind == LaneKind::kQueue;
        Cycles& end = ends[slice.item->queue];
        if (lines.counts(slice, is_queue ? end : slice.start)) {
            if (slice.lane.kind == LaneKind::kHost) {
                lines.of(slice).host += slice.end - slice.start;
            } else if (is_queue) {
                spend(slice, end, busy[slice.item->queue], lines);
            } else {
                // A core has kernels only.
            }
            if (has_kernel(slice)) {
                lines.note_kernel(slice);
            }
        }
        end = is_queue ? slice.end : end;
    }
    Performance performance;
    performance.mode = mode;
    performance.device = device;
    performance.steady = meter_.result();
    performance.steps = static_cast<std::uint32_t>(window.last - window.first);
    performance.operations = lines.operations();
    return performance;
}

std::vector<Performance> measure_operations(const Pattern& pattern) {
    std::size_t slices_of_step = 0U;
    for (const Item& item : pattern.step) {
        slices_of_step += 2U + (2U * item.body.size());
    }
    const std::size_t steps = std::clamp(kSlicesKept / std::max<std::size_t>(slices_of_step, 1U), kFewestMeasured,
                                         std::size_t{kMeasuredSteps});
    return measure_slices(pattern,
                          [&](const Sink& sink) { schedule(pattern, static_cast<std::uint32_t>(steps), sink); });
}

std::vector<Performance> measure_operations(ByteSpan file, const DeviceDescription& device,
                                            const std::vector<Workload>& workloads, const HostCost& cost) {
    std::vector<std::vector<Performance>> modes;
    for (const Mode& mode : kModes) {
        if (is_possible(mode, workloads.front())) {
            modes.push_back(measure_operations(make_pattern(mode, workloads, cost)));
        }
    }
    const Target& target = *workloads.front().target;
    if (can_run_captured(target)) {
        const Pattern session = session_pattern(workloads, HostCost{});
        modes.push_back(measure_slices(session, [&](const Sink& sink) {
            run_captured(file, target, device, session, steps_to_measure(workloads.front()), sink);
        }));
    }
    std::vector<Performance> all;
    for (std::vector<Performance>& mode : modes) {
        for (std::size_t i = 0U; i < workloads.size(); ++i) {
            if (!workloads[i].is_idle()) {
                mode[i].gain = modes.front()[i].steady.cycles_per_step.value() / mode[i].steady.cycles_per_step.value();
                all.push_back(std::move(mode[i]));
            }
        }
    }
    return all;
}

}  // namespace pianola::timeline
