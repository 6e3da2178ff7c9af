#include "capture_host/timeline/gaps.h"

#include <algorithm>

namespace pianola::timeline {
namespace {

constexpr std::size_t kFewestSteps = 3U;

}  // namespace

void Meter::add(const Slice& slice) {
    if (slice.category == Category::kCompute) {
        // Neighbours become one, so that a long trace costs no memory.
        if (!compute_.empty() && (compute_.back().step == slice.step) && (compute_.back().end == slice.start)) {
            compute_.back().end = slice.end;
        } else {
            compute_.push_back({slice.start, slice.end, slice.step});
        }
        if (computed_.size() <= slice.step) {
            computed_.resize(std::size_t{slice.step} + 1U, 0U);
        }
        computed_[slice.step] = std::max(computed_[slice.step], slice.end);
    } else if (slice.category == Category::kWrite) {
        writes_.push_back({slice.start, slice.end, slice.step});
    }
}

Busy Meter::computing() const {
    Busy busy;
    for (const Interval& interval : compute_) {
        busy.add({interval.start, interval.end});
    }
    busy.join();
    return busy;
}

Meter::Window Meter::window() const {
    if (computed_.size() < kFewestSteps) {
        return {};
    }
    const std::size_t last = computed_.size() - 2U;  // the very last works for no later one
    return {last / 2U, last};
}

SteadyState Meter::result() const {
    SteadyState steady;
    const auto [first, last] = window();
    if (first == last) {
        return steady;
    }
    const Busy busy = computing();
    steady.cycles_per_step = {computed_[last] - computed_[first], last - first};
    steady.busy = {busy.inside(computed_[first], computed_[last]), computed_[last] - computed_[first]};
    for (const Interval& write : writes_) {
        if (window().has(write.step)) {
            steady.hidden.part += busy.inside(write.start, write.end);
            steady.hidden.whole += write.end - write.start;
        }
    }
    return steady;
}

SteadyState measure(const Pattern& pattern) {
    Meter meter;
    schedule(pattern, kMeasuredSteps, [&meter](const Slice& slice) { meter.add(slice); });
    return meter.result();
}

}  // namespace pianola::timeline
