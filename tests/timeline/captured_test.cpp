// The model says what the simulator does: command by command, from the start of a step to its end.

#include "capture_host/timeline/captured.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "capture_host/replay/replay.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

constexpr std::uint32_t kSteps = 5U;

// The simulator's own log of all scripts, without any code of the timeline.
std::vector<refdev::ExecutedCommand> simulate(const Subject& subject) {
    sim::SimOptions options;
    options.spec = test::small_device();
    options.keep_log = true;
    sim::SimDevice device{options};
    sim::SimPlatform platform{device};
    const refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    const auto workspace = std::make_unique<PlanWorkspace>();
    Verdict verdict;
    EXPECT_EQ(session.load(subject.file(), *workspace, verdict), Status::kOk);
    device.clear_log();
    const std::vector<std::uint8_t> input = test::workload_input(1U);
    std::vector<std::uint8_t> output(test::kWorkloadBytes);
    const ByteSpan in{input.data(), input.size()};
    const MutableByteSpan out{output.data(), output.size()};
    const auto finish = [&session](Status submitted) {
        EXPECT_EQ(submitted, Status::kOk);
        EXPECT_EQ(session.wait(), Status::kOk);
    };
    const Cycles origin = device.now_cycles();
    const Plan& plan = session.plan();
    if (plan.is_pipelined) {
        finish(session.start({&in, 1U}));
    }
    if (plan.steps_in_flight == 2U) {
        EXPECT_EQ(session.submit({&in, 1U}, {&out, 1U}), Status::kOk);
    }
    for (std::uint32_t i = plan.steps_in_flight; i <= kSteps; ++i) {
        finish(session.submit({&in, 1U}, {&out, 1U}));
    }
    if (plan.steps_in_flight == 2U) {
        finish(Status::kOk);
    }
    if (plan.is_pipelined) {
        finish(session.stop({&out, 1U}));
    }
    EXPECT_EQ(output, test::workload_output(input));
    std::vector<refdev::ExecutedCommand> log;
    for (std::uint32_t queue = 0U; queue < options.spec.queue_count; ++queue) {
        for (refdev::ExecutedCommand command : device.log(queue)) {
            command.start_cycles -= origin;
            command.end_cycles -= origin;
            log.push_back(command);
        }
    }
    return log;
}

// Start and end of every command on every lane. The log has a dispatch where its core works; what its queue spends on
// it is in the model only.
using Times = std::map<std::pair<LaneKind, std::uint32_t>, std::vector<std::pair<Cycles, Cycles>>>;

Times times_of(const std::vector<Slice>& slices, const Subject& subject) {
    std::set<std::string> dispatched;
    for (const TraceCommand& command : subject.workload().traces.front()) {
        if (command.kind == CommandKind::kDispatch) {
            dispatched.insert(command.label);
        }
    }
    Times times;
    for (const Slice& slice : slices) {
        const bool is_front =
            (slice.lane.kind == LaneKind::kQueue) && (dispatched.count(std::string{slice.name}) != 0U);
        if ((slice.lane.kind != LaneKind::kHost) && !is_front) {
            times[{slice.lane.kind, slice.lane.index}].emplace_back(slice.start, slice.end);
        }
    }
    return times;
}

Times times_of(const std::vector<refdev::ExecutedCommand>& log) {
    Times times;
    for (const refdev::ExecutedCommand& command : log) {
        const bool is_core = command.core != refdev::kNoCore;
        times[is_core ? std::pair{LaneKind::kCore, command.core} : std::pair{LaneKind::kQueue, command.queue}]
            .emplace_back(command.start_cycles, command.end_cycles);
    }
    return times;
}

std::vector<test::Workload> all_workloads() {
    return {test::make_small_workload(1U),
            test::make_small_workload(2U),
            on_cores(1U),
            on_cores(2U),
            pipelined(1U),
            pipelined(2U)};
}

TEST(Captured, TheModelIsTheSimulator) {
    for (const test::Workload& workload : all_workloads()) {
        const Subject subject{workload};
        const Times simulated = times_of(simulate(subject));
        EXPECT_GE(simulated.size(), 1U);
        EXPECT_EQ(times_of(slices_of(session_pattern(subject.workload(), HostCost{}), kSteps), subject), simulated);
    }
}

TEST(Captured, TracedOnOneQueueIsTheSimulatorToo) {
    const Subject subject{1U};
    EXPECT_EQ(times_of(slices_of(traced_pattern(subject.workload(), HostCost{}), kSteps), subject),
              times_of(simulate(subject)));
}

TEST(Captured, DrawsWhatTheLogSays) {
    for (const test::Workload& workload : all_workloads()) {
        const Subject subject{workload};
        const Pattern pattern = session_pattern(subject.workload(), HostCost{});
        std::vector<Slice> slices;
        run_captured(subject.file(), refdev::target(), refdev::description_of(test::small_device()), pattern, kSteps,
                     [&slices](const Slice& slice) { slices.push_back(slice); });
        EXPECT_EQ(times_of(slices, subject), times_of(simulate(subject)));
        Cycles end = 0U;  // the host has a step under way all the time
        for (const Slice& slice : on_lane(slices, LaneKind::kHost)) {
            EXPECT_EQ(slice.start, end);
            end = slice.end;
        }
        Cycles last = 0U;
        for (const refdev::ExecutedCommand& command : simulate(subject)) {
            last = std::max(last, command.end_cycles);
        }
        EXPECT_EQ(end, last);
    }
}

// Three dispatches, of 16 cycles on the queue; their kernels take 64 + 64/16 + 64/8 = 76 on the cores 0, 1 and 0. The
// last begins on core 0 when the first has ended, at 92, and ends at 168; the barrier then takes 16, the add 140 and
// the end 16.
TEST(Captured, CoresAreWorkedOutByHand) {
    const Subject subject{on_cores(1U)};
    const std::vector<Slice> slices = slices_of(traced_pattern(subject.workload(), HostCost{}), 1U);
    const Cycles begin = kTransfer + kCommand;
    const std::vector<Slice> first = on_lane(slices, LaneKind::kCore, 0U);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].start, begin + 16U);
    EXPECT_EQ(first[0].end, begin + 92U);
    EXPECT_EQ(first[1].start, begin + 92U);
    EXPECT_EQ(first[1].end, begin + 168U);
    const std::vector<Slice> second = on_lane(slices, LaneKind::kCore, 1U);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].start, begin + 32U);
    EXPECT_EQ(second[0].end, begin + 108U);
    const SteadyState steady = measure(traced_pattern(subject.workload(), HostCost{}));
    EXPECT_EQ(steady.cycles_per_step.part, steady.cycles_per_step.whole * (488U - kTrace + kCoresTrace));
    EXPECT_EQ(steady.busy.part, steady.cycles_per_step.whole * kCoresTrace);
}

TEST(Captured, APatternOfAnotherFileIsRefused) {
    const Subject subject{1U};
    const Pattern pattern = session_pattern(Subject{2U}.workload(), HostCost{});
    EXPECT_THROW(run_captured(subject.file(), refdev::target(), refdev::description_of(test::small_device()), pattern,
                              1U, [](const Slice&) {}),
                 std::logic_error);
}

TEST(Captured, AFileThatIsRefusedIsNotReplayed) {
    const Subject subject{1U};
    const Pattern pattern = session_pattern(subject.workload(), HostCost{});
    EXPECT_THROW(
        run_captured(subject.file(), refdev::target(), refdev::description_of({}), pattern, 1U, [](const Slice&) {}),
        replay::Refused);
}

}  // namespace
}  // namespace pianola::timeline
