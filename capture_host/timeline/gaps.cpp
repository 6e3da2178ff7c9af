#include "capture_host/timeline/gaps.h"

#include <algorithm>
#include <iterator>

namespace pianola::timeline {
namespace {

constexpr std::size_t kFewestSteps = 3U;

void note_end(std::vector<Cycles>& ends, const Slice& slice) {
    if (ends.size() <= slice.step) {
        ends.resize(std::size_t{slice.step} + 1U, 0U);
    }
    ends[slice.step] = std::max(ends[slice.step], slice.end);
}

}  // namespace

void Meter::add(const Slice& slice) {
    if (slice.lane.kind != LaneKind::kHost) {
        note_end(ended_, slice);
    }
    if (slice.category == Category::kCompute) {
        // Neighbours become one, so that a long trace costs no memory.
        if (!compute_.empty() && (compute_.back().step == slice.step) && (compute_.back().end == slice.start)) {
            compute_.back().end = slice.end;
        } else {
            compute_.push_back({slice.start, slice.end, slice.step});
        }
        note_end(computed_, slice);
    } else if (slice.category == Category::kWrite) {
        writes_.push_back({slice.start, slice.end, slice.step});
    }
}

Busy Meter::computing() const {
    Busy busy;
    for (const Interval& interval : compute_) {
        busy.add(interval.start, interval.end);
    }
    return busy;
}

Meter::Window Meter::window() const {
    const std::vector<Cycles>& ends = computed_.empty() ? ended_ : computed_;
    if (ends.size() < kFewestSteps) {
        return {};
    }
    const std::size_t last = ends.size() - 2U;  // the last step does nothing for a later one
    return {last / 2U, last, ends[last / 2U], ends[last]};
}

SteadyState Meter::result() const {
    SteadyState steady;
    const Window measured = window();
    if (measured.first == measured.last) {
        return steady;
    }
    const Busy busy = computing();
    steady.cycles_per_step = {measured.end - measured.begin, measured.last - measured.first};
    steady.busy = {busy.size_in(measured.begin, measured.end), measured.end - measured.begin};
    for (const Interval& write : writes_) {
        if (measured.has(write.step)) {
            steady.hidden.part += busy.size_in(write.start, write.end);
            steady.hidden.whole += write.end - write.start;
        }
    }
    return steady;
}

std::vector<SteadyState> measure(const Pattern& pattern, const Run& run) {
    std::vector<Meter> meters(pattern.devices.size());
    run([&meters](const Slice& slice) { meters[slice.device()].add(slice); });
    std::vector<SteadyState> results;
    std::transform(meters.begin(), meters.end(), std::back_inserter(results),
                   [](const Meter& meter) { return meter.result(); });
    return results;
}

std::vector<SteadyState> measure(const Pattern& pattern) {
    return measure(pattern, [&pattern](const Sink& sink) { schedule(pattern, kMeasuredSteps, sink); });
}

}  // namespace pianola::timeline
