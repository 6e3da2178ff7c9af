#include "capture_host/timeline/busy.h"

#include <algorithm>
#include <utility>

namespace pianola::timeline {

void Busy::join() {
    std::sort(intervals_.begin(), intervals_.end(),
              [](const Interval& left, const Interval& right) { return left.start < right.start; });
    std::vector<Interval> joined;
    for (const Interval& each : intervals_) {
        if (!joined.empty() && (each.start <= joined.back().end)) {
            joined.back().end = std::max(joined.back().end, each.end);
        } else {
            joined.push_back(each);
        }
    }
    intervals_ = std::move(joined);
}

Cycles Busy::sum() const {
    Cycles cycles = 0U;
    for (const Interval& each : intervals_) {
        cycles += each.end - each.start;
    }
    return cycles;
}

Cycles Busy::inside(Cycles start, Cycles end) const {
    Cycles cycles = 0U;
    auto each = std::lower_bound(intervals_.begin(), intervals_.end(), start,
                                 [](const Interval& interval, Cycles time) { return interval.end <= time; });
    for (; (each != intervals_.end()) && (each->start < end); ++each) {
        cycles += std::min(end, each->end) - std::max(start, each->start);
    }
    return cycles;
}

}  // namespace pianola::timeline
