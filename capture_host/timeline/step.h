// Step: one step of the captured workload by itself, operator by operator.
//
// The page shows operators with it: which part of the step's critical path each of them takes, and what it accesses.
// The host takes no time and nothing else is under way, so that a step is as long as the binary's proved budget says.
// docs/guide/timeline.md defines the figures.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "capture_host/timeline/pattern.h"

namespace pianola::timeline {

// A program of a trace.
struct Operator {
    std::uint32_t operation{0U};  // of the workload
    std::string name;
    std::string kind;
};
// The operators that a step replays, in order.
[[nodiscard]] std::vector<Operator> operators_of(const Workload& workload);
// "CONV_2D" of "2 CONV_2D"; of a name of another form, the command that takes longest.
[[nodiscard]] std::string operator_kind(const std::string& name, const std::string& longest_command);

// A stretch of the critical path: what the step could not have ended without.
struct PathPart {
    std::uint32_t operation{0U};  // 0: a transfer, an event, a replay or a completion
    std::string name;
    Category category{Category::kControl};
    Cycles start{0U};
    Cycles end{0U};
};

// A line of the table of costs.
struct Cost {
    std::uint32_t operation{0U};  // as above
    std::string name;
    std::string kind;  // of an operator
    Category category{Category::kControl};
    Cycles on_path{0U};  // these add up to the step
    Cycles kernels{0U};  // of all its commands, on whatever core
    std::uint32_t commands{0U};
    std::uint32_t words{0U};
    std::uint64_t read_bytes{0U};
    std::uint64_t written_bytes{0U};
    std::set<std::uint32_t> cores;  // that it is dispatched to; empty: the queue executes it
};

struct DeviceStep {
    Coordinate device;
    Cycles cycles{0U};
    std::vector<PathPart> path;  // without gaps, from 0 to `cycles`
    std::vector<Cost> costs;     // in the order in which they begin
};

// For each device that steps use.
[[nodiscard]] std::vector<DeviceStep> measure_step(const std::vector<Workload>& devices);

}  // namespace pianola::timeline
