// Gaps: how well a pattern uses each device in its steady state.
//
// Measures slices, from the model or from the simulator. docs/guide/timeline.md defines every figure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/base/range_set.h"
#include "capture_host/timeline/schedule.h"

namespace pianola::timeline {

// Times at which something is at work. A set of cycles, like one of bytes: what overlaps is counted once.
using Busy = host::RangeSet;

// A sum over whole steps: exact where a mean would be rounded.
struct Ratio {
    Cycles part{0U};
    Cycles whole{0U};

    [[nodiscard]] double value() const {
        return (whole == 0U) ? 0.0 : (static_cast<double>(part) / static_cast<double>(whole));
    }
};

// Between the end of the computation of one step and that of a later one, first and last steps left out; of a device
// that only transfers, between the ends of what it does.
struct SteadyState {
    Ratio cycles_per_step;  // part: cycles, whole: steps
    Ratio busy;             // of those cycles: some queue executes commands of the workload's traces
    Ratio hidden;           // of the cycles of input transfers: the same
};

// Collects one device's slices of at least three steps.
class Meter {
  public:
    void add(const Slice& slice);
    // The first half of the steps warms up, and the last step does nothing for a later one.
    [[nodiscard]] SteadyState result() const;
    // The measured steps: those after `first`, up to `last`; and the time from the end of one to the end of the other.
    struct Window {
        std::size_t first{0U};
        std::size_t last{0U};
        Cycles begin{0U};
        Cycles end{0U};

        [[nodiscard]] bool has(std::uint32_t step) const { return (step > first) && (step <= last); }
    };
    [[nodiscard]] Window window() const;

  private:
    struct Interval {
        Cycles start{0U};
        Cycles end{0U};
        std::uint32_t step{0U};
    };
    [[nodiscard]] Busy computing() const;

    std::vector<Interval> compute_;
    std::vector<Interval> writes_;
    std::vector<Cycles> computed_;  // for each step: when its computation has ended
    std::vector<Cycles> ended_;     // and the last thing that the device does
};

// The number of steps that the table's figures are measured over; the first half warms up.
inline constexpr std::uint32_t kMeasuredSteps = 64U;

// Gives the sink the slices of a pattern's steps.
using Run = std::function<void(const Sink& sink)>;
// For each device: from the slices of `run`, or of the model.
[[nodiscard]] std::vector<SteadyState> measure(const Pattern& pattern, const Run& run);
[[nodiscard]] std::vector<SteadyState> measure(const Pattern& pattern);

// One line of the table.
struct Row {
    std::string mode;
    Coordinate device;
    SteadyState steady;
    bool host_bound{false};    // a host that takes no time would make steps shorter
    bool host_is_free{false};  // measured on the simulator, whose host takes no time
    double gain{1.0};          // of a step against eager mode on the same device
};

}  // namespace pianola::timeline
