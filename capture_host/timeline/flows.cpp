#include "capture_host/timeline/flows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace pianola::timeline {
namespace {

using Event = std::pair<std::uint32_t, std::uint32_t>;  // device, event

// The record that each wait of an event waits for, by their numbers in the order in which the host enqueues them: the
// last one before it, if any.
class Pairs {
  public:
    Pairs(const Pattern& pattern, std::uint32_t steps) {
        add(pattern.prologue, false);
        for (std::uint32_t step = 0U; step < steps; ++step) {
            add(pattern.step, (step + 1U) == steps);
        }
        add(pattern.epilogue, true);
    }

    [[nodiscard]] std::optional<std::size_t> record_of(const Event& event, std::size_t wait) const {
        const auto found = waits_.find(event);
        return (found != waits_.end()) && (wait < found->second.size()) ? found->second[wait] : std::nullopt;
    }

  private:
    void add(const std::vector<Item>& items, bool is_last) {
        for (const Item& item : items) {
            const Event event{item.device, item.event};
            if (item.is_ahead && is_last) {
                continue;
            }
            if (item.kind == QueueCommandKind::kRecordEvent) {
                records_[event] += 1U;
            } else if (item.kind == QueueCommandKind::kWaitEvent) {
                const std::size_t records = records_[event];
                waits_[event].push_back((records > 0U) ? std::optional<std::size_t>{records - 1U} : std::nullopt);
            }
        }
    }

    std::map<Event, std::size_t> records_;
    std::map<Event, std::vector<std::optional<std::size_t>>> waits_;
};

class Finder {
  public:
    explicit Finder(const Panel& panel) : panel_{panel} {}

    std::vector<Flow> find() {
        note_causes();
        const Pairs pairs{*panel_.pattern, steps_};
        for (std::size_t i = 0U; i < panel_.slices.size(); ++i) {
            const Slice& slice = panel_.slices[i];
            if (slice.lane.kind == LaneKind::kHost) {
                link_completion(i);
            } else if (slice.item != nullptr) {
                link_queue(i, pairs);
            }
        }
        return std::move(flows_);
    }

  private:
    using Place = std::tuple<const Item*, const TraceCommand*, std::uint32_t>;  // and the step

    void note_causes() {
        for (std::size_t i = 0U; i < panel_.slices.size(); ++i) {
            const Slice& slice = panel_.slices[i];
            steps_ = std::max(steps_, slice.step + 1U);
            if (slice.item == nullptr) {
                continue;
            }
            if (slice.lane.kind == LaneKind::kHost) {
                enqueued_.emplace(Place{slice.item, nullptr, slice.step}, i);
            } else if ((slice.lane.kind == LaneKind::kQueue) && (slice.command != nullptr)) {
                dispatched_.emplace(Place{slice.item, slice.command, slice.step}, i);
            } else if (slice.item->kind == QueueCommandKind::kRecordEvent) {
                records_[{slice.item->device, slice.item->event}].push_back(i);
            } else if (slice.item->kind == QueueCommandKind::kNotify) {
                notified_.emplace(slice.end, i);
            }
        }
    }

    void link_queue(std::size_t to, const Pairs& pairs) {
        const Slice& slice = panel_.slices[to];
        if (slice.lane.kind == LaneKind::kCore) {
            link(FlowKind::kDispatch, dispatched_, {slice.item, slice.command, slice.step}, to);
            return;
        }
        // An operation without a trace is enqueued with its first command.
        const bool is_first =
            (slice.command == nullptr) || ((slice.item->cycles == 0U) && (slice.command == slice.item->body.data()));
        if (is_first) {
            link(FlowKind::kEnqueue, enqueued_, {slice.item, nullptr, slice.step}, to);
        }
        if (slice.item->kind == QueueCommandKind::kWaitEvent) {
            link_event(to, pairs);
        }
    }

    void link_event(std::size_t to, const Pairs& pairs) {
        const Item& item = *panel_.slices[to].item;
        const Event event{item.device, item.event};
        const std::optional<std::size_t> record = pairs.record_of(event, waits_[event]);
        waits_[event] += 1U;
        const std::vector<std::size_t>& records = records_[event];
        if (record.has_value() && (*record < records.size())) {
            add(FlowKind::kEvent, records[*record], to);
        }
    }

    // The host's wait ends when the completion has been recorded.
    void link_completion(std::size_t to) {
        const Slice& slice = panel_.slices[to];
        const auto found = notified_.find(slice.end);
        if ((slice.category == Category::kHostWaits) && (slice.item == nullptr) && (found != notified_.end())) {
            add(FlowKind::kCompletion, found->second, to);
        }
    }

    void link(FlowKind kind, const std::map<Place, std::size_t>& causes, const Place& place, std::size_t to) {
        const auto found = causes.find(place);
        if (found != causes.end()) {
            add(kind, found->second, to);
        }
    }

    // An arrow goes from the middle of what the cause takes by itself to that of the caused: both are inside of their
    // slices, and in order. What takes no time has no inside.
    void add(FlowKind kind, std::size_t from, std::size_t to) {
        const Slice& cause = panel_.slices[from];
        const Slice& caused = panel_.slices[to];
        const double start = middle(cause);
        const double end = std::max(middle(caused), start);
        const bool has_inside = (cause.start < cause.end) && (caused.start < caused.end);
        if (has_inside && (end <= static_cast<double>(caused.end))) {
            flows_.push_back({kind, from, to, start, end});
        }
    }

    [[nodiscard]] static double middle(const Slice& slice) {
        const Cycles whole = slice.end - slice.start;
        Cycles own = whole;
        if ((slice.lane.kind == LaneKind::kQueue) && (slice.item != nullptr)) {
            own = (slice.command != nullptr) ? slice.command->cycles : slice.item->cycles;
        }
        return static_cast<double>(slice.end) - (static_cast<double>(std::min(own, whole)) / 2.0);
    }

    const Panel& panel_;
    std::uint32_t steps_{0U};
    std::map<Place, std::size_t> enqueued_;
    std::map<Place, std::size_t> dispatched_;
    std::map<Event, std::vector<std::size_t>> records_;
    std::map<Event, std::size_t> waits_;
    std::map<Cycles, std::size_t> notified_;
    std::vector<Flow> flows_;
};

}  // namespace

const char* name_of(FlowKind kind) {
    switch (kind) {
        case FlowKind::kEvent:
            return "event";
        case FlowKind::kDispatch:
            return "dispatch";
        case FlowKind::kCompletion:
            return "completion";
        case FlowKind::kEnqueue:
        default:
            return "enqueue";
    }
}

std::vector<Flow> find_flows(const Panel& panel) {
    return Finder{panel}.find();
}

}  // namespace pianola::timeline
