#include "tests/timeline/subject.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "capture_host/writer/verify.h"
#include "hal/refdev/device_spec.h"
#include "hal/refdev/refdev_command_set.h"

namespace pianola::timeline {

Subject::Subject(std::uint32_t queues) : bytes_{test::make_small_workload(queues).file()} {
    const auto workspace = std::make_unique<PlanWorkspace>();
    const refdev::RefdevCommandSet command_set;
    DeviceDescription device;
    refdev::describe(test::small_device(), device);
    Image image;
    Plan plan;
    Verdict verdict;
    EXPECT_EQ(capture::verify(bytes_.view(), device, command_set, *workspace, image, plan, verdict), Status::kOk);
    workload_ = read_workload(image, plan, command_set);
}

std::vector<Slice> slices_of(const Pattern& pattern, std::uint32_t steps) {
    std::vector<Slice> slices;
    schedule(pattern, steps, [&slices](const Slice& slice) { slices.push_back(slice); });
    return slices;
}

std::vector<Slice> on_lane(const std::vector<Slice>& slices, LaneKind kind, std::uint32_t index) {
    std::vector<Slice> lane;
    std::copy_if(slices.begin(), slices.end(), std::back_inserter(lane),
                 [kind, index](const Slice& slice) { return slice.lane == Lane{kind, index}; });
    return lane;
}

std::vector<Pattern> all_patterns(const Workload& workload, const HostCost& cost) {
    return {eager_pattern(workload, cost), traced_pattern(workload, cost), two_queue_pattern(workload, cost),
            split_pattern(workload, cost), session_pattern(workload, cost)};
}

}  // namespace pianola::timeline
