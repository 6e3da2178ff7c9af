#include "capture_host/timeline/step.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "capture_host/timeline/schedule.h"

namespace pianola::timeline {
namespace {

// When a slice's own work begins: before that it waits, for an event or for cores.
Cycles begin_of(const Slice& slice) {
    if (slice.lane.kind == LaneKind::kCore) {
        return slice.start;
    }
    return slice.end - ((slice.command != nullptr) ? slice.command->cycles : slice.item->cycles);
}

// Whether `later` can have waited for `earlier`: the work before it on its queue and that queue's cores, or the record
// of its event.
bool may_wait_for(const Slice& later, const Slice& earlier) {
    const bool is_event = (later.item->kind == QueueCommandKind::kWaitEvent) &&
                          (earlier.item->kind == QueueCommandKind::kRecordEvent) &&
                          (later.item->event == earlier.item->event);
    return is_event || (later.item->queue == earlier.item->queue);
}

// From its end back to its beginning; in a schedule with a free host, something ends where a work begins.
std::vector<PathPart> find_path(const std::vector<Slice>& slices) {
    std::multimap<Cycles, const Slice*> by_end;
    for (const Slice& slice : slices) {
        if (begin_of(slice) < slice.end) {
            by_end.emplace(slice.end, &slice);
        }
    }
    std::vector<PathPart> path;
    const Slice* current = by_end.empty() ? nullptr : by_end.rbegin()->second;
    while (current != nullptr) {
        const Slice& later = *current;
        const Cycles begin = begin_of(later);
        path.push_back({(later.command != nullptr) ? later.command->operation : 0U, std::string{later.name},
                        later.category, begin, later.end});
        const auto [first, last] = by_end.equal_range(begin);
        const auto found =
            std::find_if(first, last, [&later](const auto& each) { return may_wait_for(later, *each.second); });
        current = (found != last) ? found->second : nullptr;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

// What queue commands have in common has one line; each transfer has its own.
std::string line_name(Category category, const std::string& name) {
    switch (category) {
        case Category::kWrite:
        case Category::kRead:
            return name;
        case Category::kEvent:
        case Category::kWaits:
            return "events";
        case Category::kDispatch:
        case Category::kEnqueue:
        case Category::kHostWaits:
        case Category::kCompute:
        case Category::kStaging:
        case Category::kControl:
        default:
            return "replays and completions";
    }
}

class CostTable {
  public:
    explicit CostTable(const Workload& workload) {
        for (const Operator& each : operators_of(workload)) {
            operators_[each.operation] = each;
        }
    }

    void add(const Slice& slice) {
        Cost& cost = line(slice.command, slice.category, std::string{slice.name}, begin_of(slice));
        if (slice.command == nullptr) {
            cost.commands += 1U;
            cost.words += slice.item->ring_words;
        } else if (slice.lane.kind == LaneKind::kCore) {
            cost.kernels += slice.end - slice.start;
            cost.cores.insert(slice.lane.index);
        } else {
            add_command(*slice.command, cost);
        }
    }

    void add_path(const std::vector<PathPart>& path) {
        for (const PathPart& part : path) {
            lines_.at(key(part.operation, part.category, part.name)).cost.on_path += part.end - part.start;
        }
    }

    [[nodiscard]] std::vector<Cost> costs() const {
        std::multimap<Cycles, Cost> sorted;  // equal keys stay in order
        for (const auto& [name, entry] : lines_) {
            sorted.emplace(entry.first, entry.cost);
        }
        std::vector<Cost> costs;
        std::transform(sorted.begin(), sorted.end(), std::back_inserter(costs),
                       [](const auto& each) { return each.second; });
        return costs;
    }

  private:
    struct Line {
        Cost cost;
        Cycles first{UINT64_MAX};
    };
    using Key = std::pair<std::uint32_t, std::string>;

    [[nodiscard]] static Key key(std::uint32_t operation, Category category, const std::string& name) {
        return {operation, (operation != 0U) ? std::string{} : line_name(category, name)};
    }

    [[nodiscard]] Cost& line(const TraceCommand* command, Category category, const std::string& name, Cycles begin) {
        const std::uint32_t operation = (command != nullptr) ? command->operation : 0U;
        Line& line = lines_[key(operation, category, name)];
        line.first = std::min(line.first, begin);
        line.cost.operation = operation;
        const auto known = operators_.find(operation);
        line.cost.name = (known != operators_.end()) ? known->second.name : line_name(category, name);
        line.cost.kind = (known != operators_.end()) ? known->second.kind : std::string{};
        line.cost.category = category;
        return line.cost;
    }

    static void add_command(const TraceCommand& command, Cost& cost) {
        const bool runs_here = (command.kind != CommandKind::kDispatch) && (command.kind != CommandKind::kBarrier) &&
                               (command.kind != CommandKind::kEnd);
        cost.kernels += runs_here ? command.cycles : 0U;
        cost.commands += 1U;
        cost.words += command.words;
        for (const Touched& each : command.touched) {
            (each.writes ? cost.written_bytes : cost.read_bytes) += each.bytes;
        }
    }

    std::map<std::uint32_t, Operator> operators_;
    std::map<Key, Line> lines_;
};

// The step's script without what surrounds it; a wait for the step before is over at once.
std::vector<Slice> schedule_step(const Pattern& pattern) {
    std::vector<Slice> slices;
    schedule(pattern, 1U, [&slices](const Slice& slice) {
        if (slice.item != nullptr) {
            slices.push_back(slice);
        }
    });
    return slices;
}

}  // namespace

std::string operator_kind(const std::string& name, const std::string& longest_command) {
    const std::size_t space = name.find(' ');
    const auto all_of = [&name](std::size_t first, std::size_t end, const char* admitted) {
        return (first < end) && (name.find_first_not_of(admitted, first) >= end);
    };
    const bool is_operator = (space != std::string::npos) && all_of(0U, space, "0123456789") &&
                             all_of(space + 1U, name.size(), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return is_operator ? name.substr(space + 1U) : longest_command;
}

std::vector<Operator> operators_of(const Workload& workload) {
    std::vector<Operator> operators;
    std::map<std::uint32_t, std::size_t> places;
    std::map<std::uint32_t, std::pair<Cycles, const char*>> longest;
    const std::vector<TraceCommand> commands = workload.commands();
    for (const TraceCommand& command : commands) {
        if (places.emplace(command.operation, operators.size()).second) {
            operators.push_back({command.operation, command.label, {}});
            longest[command.operation] = {0U, command.command};
        }
        const bool is_barrier = command.kind == CommandKind::kBarrier;
        Operator& each = operators[places[command.operation]];
        each.name = is_barrier ? each.name : command.label;
        const Cycles cycles = std::max(command.cycles, command.core_cycles);
        if (!is_barrier && (cycles > longest[command.operation].first)) {
            longest[command.operation] = {cycles, command.command};
        }
    }
    for (Operator& each : operators) {
        each.kind = operator_kind(each.name, longest[each.operation].second);
    }
    return operators;
}

std::vector<DeviceStep> measure_step(const std::vector<Workload>& devices) {
    std::vector<DeviceStep> steps;
    for (const Workload& workload : devices) {
        if (workload.is_idle()) {
            continue;
        }
        Pattern pattern = session_pattern(workload, HostCost{});
        pattern.prologue.clear();
        pattern.epilogue.clear();
        const std::vector<Slice> slices = schedule_step(pattern);
        CostTable table{workload};
        for (const Slice& slice : slices) {
            table.add(slice);
        }
        DeviceStep step;
        step.device = workload.coordinate;
        step.path = find_path(slices);
        step.cycles = step.path.empty() ? 0U : step.path.back().end;
        table.add_path(step.path);
        step.costs = table.costs();
        steps.push_back(std::move(step));
    }
    return steps;
}

}  // namespace pianola::timeline
