#include "capture_host/timeline/operations.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "capture_host/timeline/busy.h"
#include "capture_host/timeline/captured.h"

namespace pianola::timeline {
namespace {

// So many slices at most are kept, as far as that leaves the fewest steps that show a steady state.
constexpr std::size_t kSlicesKept = 2'000'000U;
constexpr std::size_t kFewestMeasured = 8U;

[[nodiscard]] bool is_dispatching(const TraceCommand& command) {
    return (command.kind == CommandKind::kDispatch) || (command.kind == CommandKind::kBarrier) ||
           (command.kind == CommandKind::kEnd);
}

// A slice in which a kernel runs: of a core, or of a queue that executes a command by itself, behind what it waits for.
[[nodiscard]] bool has_kernel(const Slice& slice) {
    return (slice.lane.kind == LaneKind::kCore) || ((slice.command != nullptr) && !is_dispatching(*slice.command));
}

[[nodiscard]] Busy::Interval kernel_of(const Slice& slice) {
    return {(slice.lane.kind == LaneKind::kCore) ? slice.start : (slice.end - slice.command->cycles), slice.end};
}

// What a line of the table is of: an operation of the workload by its number, or else, by name, what queue commands
// have in common.
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

// The lines of the steps that are measured.
class Lines {
  public:
    explicit Lines(const Meter::Window& window) : window_{window} {}

    [[nodiscard]] bool counts(const Slice& slice) const { return window_.has(slice.step); }

    [[nodiscard]] TimeSpent& of(const Slice& slice) { return entry_of(slice).time.spent; }

    void note_kernel(const Slice& slice) { entry_of(slice).kernels[slice.step].add(kernel_of(slice)); }

    // In the order in which the device begins them.
    [[nodiscard]] std::vector<OperationTime> operations() {
        std::multimap<Cycles, OperationTime> sorted;  // equal keys stay in order
        for (auto& [line, entry] : entries_) {
            for (auto& [step, busy] : entry.kernels) {
                busy.join();
                entry.time.spent.kernel += busy.sum();
            }
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
        Cycles first{UINT64_MAX};               // when the device begins it
        std::map<std::uint32_t, Busy> kernels;  // by step
    };

    [[nodiscard]] Entry& entry_of(const Slice& slice) {
        const Line line = line_of(slice);
        Entry& entry = entries_[{line.first, (line.first == 0U) ? line.second : std::string{}}];
        const bool has_name = (slice.command == nullptr) || (slice.command->kind != CommandKind::kBarrier);
        entry.time.name = has_name ? line.second : entry.time.name;
        if (slice.lane.kind != LaneKind::kHost) {
            entry.first = std::min(entry.first, slice.start);
        }
        return entry;
    }

    Meter::Window window_;
    std::map<Line, Entry> entries_;
};

// What a queue's slice is spent on; in front of that it waits, for kernels or for an event.
void spend(const Slice& slice, const Busy& busy, TimeSpent& spent) {
    const Cycles own = (slice.command != nullptr) ? slice.command->cycles : slice.item->cycles;
    const Cycles begin = slice.end - own;
    spent.gap += busy.outside(slice.start, begin);
    if (slice.category == Category::kWrite) {
        spent.to_device += own;
    } else if (slice.category == Category::kRead) {
        spent.from_device += own;
    } else {
        spent.dispatch += busy.outside(begin, slice.end);
    }
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

Performance OperationMeter::result(const std::string& mode) const {
    const Meter::Window window = meter_.window();
    std::map<std::uint32_t, Busy> busy;  // kernels, by the queue whose they are
    for (const Slice& slice : slices_) {
        if (has_kernel(slice)) {
            busy[slice.item->queue].add(kernel_of(slice));
        }
    }
    for (auto& [queue, kernels] : busy) {
        kernels.join();
    }
    Lines lines{window};
    std::map<std::uint32_t, Cycles> ends;  // of what each queue has done so far
    for (const Slice& slice : slices_) {
        const bool is_queue = slice.lane.kind == LaneKind::kQueue;
        Cycles& end = ends[slice.item->queue];
        if (lines.counts(slice)) {
            const Busy& kernels = busy[slice.item->queue];
            if (slice.lane.kind == LaneKind::kHost) {
                lines.of(slice).host += slice.end - slice.start;
            } else if (is_queue) {
                lines.of(slice).gap += (slice.start > end) ? kernels.outside(end, slice.start) : 0U;
                spend(slice, kernels, lines.of(slice));
            } else {
                // Of a core: its kernels are all that there is.
            }
            if (has_kernel(slice)) {
                lines.note_kernel(slice);
            }
        }
        end = is_queue ? slice.end : end;
    }
    return {mode, meter_.result(), static_cast<std::uint32_t>(window.last - window.first), lines.operations()};
}

Performance measure_operations(const Pattern& pattern) {
    std::size_t slices_of_step = 0U;
    for (const Item& item : pattern.step) {
        slices_of_step += 2U + (2U * item.body.size());
    }
    const std::size_t steps = std::clamp(kSlicesKept / std::max<std::size_t>(slices_of_step, 1U), kFewestMeasured,
                                         std::size_t{kMeasuredSteps});
    OperationMeter meter;
    schedule(pattern, static_cast<std::uint32_t>(steps), [&meter](const Slice& slice) { meter.add(slice); });
    return meter.result(pattern.name);
}

std::vector<Performance> measure_operations(ByteSpan file, const DeviceDescription& device, const Workload& workload,
                                            const HostCost& cost) {
    std::vector<Performance> all;
    for (const Mode& mode : kModes) {
        if (is_possible(mode, workload)) {
            all.push_back(measure_operations(mode.make(workload, cost)));
        }
    }
    if (can_run_captured(*workload.target)) {
        const Pattern session = session_pattern(workload, HostCost{});
        OperationMeter meter;
        run_captured(file, *workload.target, device, session, steps_to_measure(workload),
                     [&meter](const Slice& slice) { meter.add(slice); });
        all.push_back(meter.result(session.name));
    }
    return all;
}

}  // namespace pianola::timeline
