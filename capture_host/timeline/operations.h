// Operations: where the time of each operation of a step goes, on each device.
//
// Measures slices, as gaps.h does, but operation by operation. docs/guide/timeline.md defines every column.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/timeline/gaps.h"

namespace pianola::timeline {

// Cycles of each step, as sums over the steps that were measured.
struct TimeSpent {
    Cycles host{0U};         // making and enqueueing it
    Cycles dispatch{0U};     // queues, apart from kernels and transfers, while no kernel of theirs runs
    Cycles kernel{0U};       // some kernel of the operation runs
    Cycles to_device{0U};    // input transfers
    Cycles from_device{0U};  // output transfers
    Cycles gap{0U};          // before it its queue has nothing to do, or waits, while no kernel of that queue runs
};

// The columns of the table, by the names that they have everywhere.
struct TimeColumn {
    const char* name{""};
    Cycles TimeSpent::* cycles{nullptr};
};
inline constexpr std::array<TimeColumn, 6> kTimeColumns{TimeColumn{"host", &TimeSpent::host},
                                                        TimeColumn{"dispatch", &TimeSpent::dispatch},
                                                        TimeColumn{"kernel", &TimeSpent::kernel},
                                                        TimeColumn{"host_to_device", &TimeSpent::to_device},
                                                        TimeColumn{"device_to_host", &TimeSpent::from_device},
                                                        TimeColumn{"gap", &TimeSpent::gap}};

struct OperationTime {
    std::string name;
    std::uint32_t operation{0U};  // of the workload; 0: a transfer, events, control
    TimeSpent spent;
};

// Of one device.
struct Performance {
    std::string mode;
    Coordinate device;
    SteadyState steady;
    double gain{1.0};                       // of a step, against eager
    std::uint32_t steps{0U};                // that the sums below are of
    std::vector<OperationTime> operations;  // in the order of the step; transfers, events and control among them

    [[nodiscard]] TimeSpent total() const;
    // A sum, for each of the steps.
    [[nodiscard]] double per_step(Cycles cycles) const {
        return (steps == 0U) ? 0.0 : (static_cast<double>(cycles) / steps);
    }
};

// Collects one device's slices of at least three steps; what they point into must live until the result is there.
class OperationMeter {
  public:
    void add(const Slice& slice);
    [[nodiscard]] Performance result(const std::string& mode, const Coordinate& device) const;

  private:
    Meter meter_;
    std::vector<Slice> slices_;
};

// For each device.
[[nodiscard]] std::vector<Performance> measure_operations(const Pattern& pattern);
// Of every mode that is possible, in the order of kModes; last the binary itself where the target's simulator can show
// it, with a host that takes no time. In a mode, of every device that steps give something to do. The workloads are the
// file's. Throws what run_captured() throws.
[[nodiscard]] std::vector<Performance> measure_operations(ByteSpan file, const DeviceDescription& device,
                                                          const std::vector<Workload>& workloads, const HostCost& cost);

}  // namespace pianola::timeline
