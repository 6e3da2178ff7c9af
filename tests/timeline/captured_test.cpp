// The model says what the simulator does: command by command, from the start of a step to its end.

#include "capture_host/timeline/captured.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/replay.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

constexpr std::uint32_t kCapturedSteps = 5U;

// Start and end of every command on every lane. The log has a dispatch where its core works; what its queue spends on
// it is in the model only.
using Times = std::map<std::tuple<std::uint32_t, LaneKind, std::uint32_t>, std::vector<std::pair<Cycles, Cycles>>>;

// The simulators' own logs of all scripts, without any code of the timeline.
Times simulate(const Subject& subject) {
    sim::SimOptions options;
    options.spec = test::small_device();
    options.keep_log = true;
    options.time = std::make_shared<sim::SimTime>();
    std::vector<std::unique_ptr<sim::SimDevice>> devices;
    std::vector<Device*> pointers;
    for (std::size_t i = 0U; i < subject.workloads().size(); ++i) {
        devices.push_back(std::make_unique<sim::SimDevice>(options));
        pointers.push_back(devices.back().get());
    }
    sim::SimPlatform platform{*devices.front()};
    const refdev::RefdevCommandSet command_set;
    Session session{DeviceSet{{pointers.data(), pointers.size()}, 1U, static_cast<std::uint32_t>(pointers.size())},
                    platform, command_set, kDevelopmentConfig};
    const auto workspace = std::make_unique<PlanWorkspace>();
    Verdict verdict;
    EXPECT_EQ(session.load(subject.file(), *workspace, verdict), Status::kOk);
    for (const auto& device : devices) {
        device->clear_log();
    }
    const test::MeshShape shape{1U, static_cast<std::uint32_t>(devices.size())};
    const std::vector<std::uint8_t> input = test::mesh_input(shape, 1U);
    std::vector<std::uint8_t> output(input.size());
    const ByteSpan in{input.data(), input.size()};
    const MutableByteSpan out{output.data(), output.size()};
    const auto finish = [&session](Status submitted) {
        EXPECT_EQ(submitted, Status::kOk);
        EXPECT_EQ(session.wait(), Status::kOk);
    };
    const Cycles origin = devices.front()->now_cycles();
    const Plan& plan = session.plan();
    if (plan.is_pipelined) {
        finish(session.start({&in, 1U}));
    }
    if (plan.steps_in_flight == 2U) {
        EXPECT_EQ(session.submit({&in, 1U}, {&out, 1U}), Status::kOk);
    }
    for (std::uint32_t i = plan.steps_in_flight; i <= kCapturedSteps; ++i) {
        finish(session.submit({&in, 1U}, {&out, 1U}));
    }
    if (plan.steps_in_flight == 2U) {
        finish(Status::kOk);
    }
    if (plan.is_pipelined) {
        finish(session.stop({&out, 1U}));
    }
    EXPECT_EQ(output, test::mesh_output(input));
    Times times;
    for (std::uint32_t device = 0U; device < devices.size(); ++device) {
        for (std::uint32_t queue = 0U; queue < options.spec.queue_count; ++queue) {
            for (const refdev::ExecutedCommand& command : devices[device]->log(queue)) {
                const bool is_core = command.core != refdev::kNoCore;
                times[{device, is_core ? LaneKind::kCore : LaneKind::kQueue, is_core ? command.core : command.queue}]
                    .emplace_back(command.start_cycles - origin, command.end_cycles - origin);
            }
        }
    }
    return times;
}

Times times_of(const std::vector<Slice>& slices, const Subject& subject) {
    std::set<std::string> dispatched;
    for (const std::vector<TraceCommand>& trace : subject.workload().traces) {
        for (const TraceCommand& command : trace) {
            if (command.kind == CommandKind::kDispatch) {
                dispatched.insert(command.label);
            }
        }
    }
    Times times;
    for (const Slice& slice : slices) {
        const bool is_front =
            (slice.lane.kind == LaneKind::kQueue) && (dispatched.count(std::string{slice.name}) != 0U);
        if ((slice.lane.kind != LaneKind::kHost) && !is_front) {
            times[{slice.lane.device, slice.lane.kind, slice.lane.index}].emplace_back(slice.start, slice.end);
        }
    }
    return times;
}

std::vector<test::Workload> all_workloads() {
    return {test::make_small_workload(1U),
            test::make_small_workload(2U),
            on_cores(1U),
            on_cores(2U),
            pipelined(1U),
            pipelined(2U),
            mixed(1U),
            mixed(2U),
            test::make_mesh_workload({1U, 3U}, 2U)};
}

TEST(Captured, TheModelIsTheSimulator) {
    for (const test::Workload& workload : all_workloads()) {
        const Subject subject{workload};
        const Times simulated = simulate(subject);
        EXPECT_GE(simulated.size(), 1U);
        EXPECT_EQ(times_of(slices_of(session_pattern(subject.workloads(), HostCost{}), kCapturedSteps), subject),
                  simulated);
    }
}

TEST(Captured, TracedOnOneQueueIsTheSimulatorToo) {
    const Subject subject{1U};
    EXPECT_EQ(times_of(slices_of(traced_pattern(subject.workload(), HostCost{}), kCapturedSteps), subject),
              simulate(subject));
}

TEST(Captured, DrawsWhatTheLogSays) {
    for (const test::Workload& workload : all_workloads()) {
        const Subject subject{workload};
        const Pattern pattern = session_pattern(subject.workloads(), HostCost{});
        std::vector<Slice> slices;
        run_captured(subject.file(), refdev::target(), subject.device(), pattern, kCapturedSteps,
                     [&slices](const Slice& slice) { slices.push_back(slice); });
        const Times simulated = simulate(subject);
        EXPECT_EQ(times_of(slices, subject), simulated);
        Cycles end = 0U;  // the host has a step under way all the time
        for (const Slice& slice : on_lane(slices, LaneKind::kHost)) {
            EXPECT_EQ(slice.start, end);
            end = slice.end;
        }
        Cycles last = 0U;
        for (const auto& [lane, times] : simulated) {
            last = std::max(last, times.back().second);
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
    const SteadyState steady = measure(traced_pattern(subject.workload(), HostCost{})).front();
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

TEST(Captured, APatternOfAnotherMeshIsRefused) {
    const Subject mesh{mixed(1U)};
    for (const std::vector<Workload>& workloads :
         {std::vector<Workload>{mesh.workload()}, Subject{test::make_mesh_workload({1U, 3U}, 1U)}.workloads()}) {
        const Pattern pattern = session_pattern(workloads, HostCost{});
        EXPECT_THROW(run_captured(mesh.file(), refdev::target(), mesh.device(), pattern, 1U, [](const Slice&) {}),
                     std::logic_error);
    }
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
