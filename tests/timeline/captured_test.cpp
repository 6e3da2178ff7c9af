// The model says what the simulator does: command by command, from the start of a step to its end.

#include "capture_host/timeline/captured.h"

#include <gtest/gtest.h>

#include "hal/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "runtime/session/session.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

constexpr std::uint32_t kSteps = 5U;

// The simulator's own log of some steps, without any code of the timeline.
std::vector<std::vector<refdev::ExecutedCommand>> simulate(const Subject& subject) {
    sim::SimOptions options;
    options.spec = test::small_device();
    options.keep_log = true;
    sim::SimDevice device{options};
    sim::SimPlatform platform{device};
    const refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set};
    const auto workspace = std::make_unique<PlanWorkspace>();
    Verdict verdict;
    EXPECT_EQ(session.load(subject.file(), *workspace, verdict), Status::kOk);
    device.clear_log();
    const std::vector<std::uint8_t> input = test::workload_input(1U);
    std::vector<std::uint8_t> output(test::kWorkloadBytes);
    const ByteSpan in{input.data(), input.size()};
    const MutableByteSpan out{output.data(), output.size()};
    const Cycles origin = device.now_cycles();
    for (std::uint32_t i = 0U; i < kSteps; ++i) {
        EXPECT_EQ(session.run({&in, 1U}, {&out, 1U}), Status::kOk);
    }
    std::vector<std::vector<refdev::ExecutedCommand>> logs;
    for (std::uint32_t queue = 0U; queue < options.spec.queue_count; ++queue) {
        logs.push_back(device.log(queue));
        for (refdev::ExecutedCommand& command : logs.back()) {
            command.start_cycles -= origin;
            command.end_cycles -= origin;
        }
    }
    return logs;
}

void expect_equal(const std::vector<Slice>& slices, const std::vector<std::vector<refdev::ExecutedCommand>>& logs) {
    for (std::uint32_t queue = 0U; queue < logs.size(); ++queue) {
        const std::vector<Slice> lane = on_lane(slices, LaneKind::kQueue, queue);
        ASSERT_EQ(lane.size(), logs[queue].size());
        for (std::size_t i = 0U; i < lane.size(); ++i) {
            EXPECT_EQ(lane[i].start, logs[queue][i].start_cycles) << "queue " << queue << ", command " << i;
            EXPECT_EQ(lane[i].end, logs[queue][i].end_cycles) << "queue " << queue << ", command " << i;
        }
    }
}

TEST(Captured, TheModelIsTheSimulator) {
    for (const std::uint32_t queues : {1U, 2U}) {
        const Subject subject{queues};
        const auto logs = simulate(subject);
        EXPECT_FALSE(logs[0].empty());
        EXPECT_EQ(logs[1].empty(), queues == 1U);
        expect_equal(slices_of(session_pattern(subject.workload(), HostCost{}), kSteps), logs);
    }
}

TEST(Captured, TracedOnOneQueueIsTheSimulatorToo) {
    const Subject subject{1U};
    expect_equal(slices_of(traced_pattern(subject.workload(), HostCost{}), kSteps), simulate(subject));
}

TEST(Captured, DrawsWhatTheLogSays) {
    for (const std::uint32_t queues : {1U, 2U}) {
        const Subject subject{queues};
        const Pattern pattern = session_pattern(subject.workload(), HostCost{});
        std::vector<Slice> slices;
        run_captured(subject.file(), test::small_device(), pattern, kSteps,
                     [&slices](const Slice& slice) { slices.push_back(slice); });
        expect_equal(slices, simulate(subject));
        const std::vector<Slice> host = on_lane(slices, LaneKind::kHost);
        ASSERT_EQ(host.size(), kSteps);
        EXPECT_EQ(host.back().end, kSteps * ((queues == 1U) ? 488U : 552U));
    }
}

TEST(Captured, APatternOfAnotherFileIsRefused) {
    const Subject subject{1U};
    const Pattern pattern = session_pattern(Subject{2U}.workload(), HostCost{});
    EXPECT_THROW(run_captured(subject.file(), test::small_device(), pattern, 1U, [](const Slice&) {}),
                 std::logic_error);
}

TEST(Captured, AFileThatIsRefusedIsNotReplayed) {
    const Subject subject{1U};
    const Pattern pattern = session_pattern(subject.workload(), HostCost{});
    EXPECT_THROW(run_captured(subject.file(), refdev::DeviceSpec{}, pattern, 1U, [](const Slice&) {}), ReplayError);
}

}  // namespace
}  // namespace pianola::timeline
