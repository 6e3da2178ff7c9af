// Busy: stretches of time in which something is at work, counted once where they overlap.
//
// gaps.h and operations.h measure with it.
#pragma once

#include <vector>

#include "capture_host/timeline/workload.h"

namespace pianola::timeline {

class Busy {
  public:
    struct Interval {
        Cycles start{0U};
        Cycles end{0U};
    };

    void add(Interval interval) { intervals_.push_back(interval); }
    // After the last add(), and before everything else.
    void join();
    [[nodiscard]] Cycles sum() const;
    // How much of [start, end) is in some interval, and in none.
    [[nodiscard]] Cycles inside(Cycles start, Cycles end) const;
    [[nodiscard]] Cycles outside(Cycles start, Cycles end) const { return (end - start) - inside(start, end); }

  private:
    std::vector<Interval> intervals_;
};

}  // namespace pianola::timeline
