// One step by itself: its critical path, what operators cost, how long memory is needed, and arrows between slices.

#include "capture_host/timeline/step.h"

#include <gtest/gtest.h>

#include <numeric>

#include "capture_host/timeline/captured.h"
#include "capture_host/timeline/flows.h"
#include "capture_host/timeline/lifetimes.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

Cycles path_sum(const DeviceStep& step) {
    return std::accumulate(step.path.begin(), step.path.end(), Cycles{0U},
                           [](Cycles sum, const PathPart& part) { return sum + (part.end - part.start); });
}

const Cost& cost_of(const DeviceStep& step, const std::string& name) {
    const auto found =
        std::find_if(step.costs.begin(), step.costs.end(), [&name](const Cost& each) { return each.name == name; });
    EXPECT_NE(found, step.costs.end()) << name;
    return *found;
}

TEST(Step, IsAsLongAsItsProvedBudgetAndItsLinesAddUp) {
    for (const test::Workload& workload : {test::make_small_workload(1U), test::make_small_workload(2U), on_cores(1U),
                                           on_cores(2U), pipelined(1U), pipelined(3U), mixed(2U)}) {
        Cycles longest = 0U;
        for (const DeviceStep& step : measure_step(Subject{workload}.workloads())) {
            longest = std::max(longest, step.cycles);
            EXPECT_EQ(path_sum(step), step.cycles);
            Cycles at = 0U;
            for (const PathPart& part : step.path) {
                EXPECT_EQ(part.start, at) << part.name;
                at = part.end;
            }
            EXPECT_EQ(std::accumulate(step.costs.begin(), step.costs.end(), Cycles{0U},
                                      [](Cycles sum, const Cost& each) { return sum + each.on_path; }),
                      step.cycles);
        }
        EXPECT_EQ(longest, workload.manifest.step_cycles);
    }
}

TEST(Step, CostsAreWorkedOutByHand) {
    const std::vector<DeviceStep> steps = measure_step(Subject{1U}.workloads());
    ASSERT_EQ(steps.size(), 1U);
    const DeviceStep& step = steps.front();
    EXPECT_EQ(cost_of(step, "write 96 bytes").on_path, kTransfer);
    EXPECT_EQ(cost_of(step, "read 96 bytes").on_path, kTransfer);
    const Cost& first = step.costs.at(2U);
    EXPECT_EQ(first.on_path, kFirst);
    EXPECT_EQ(first.kernels, kFirst);
    EXPECT_EQ(first.commands, 1U);
    EXPECT_EQ(first.read_bytes, test::kWorkloadBytes);
    EXPECT_EQ(first.written_bytes, test::kWorkloadBytes);
    EXPECT_TRUE(first.cores.empty());
}

TEST(Step, KernelsOfCoresAreCountedOnAllOfThem) {
    const std::vector<DeviceStep> steps = measure_step(Subject{on_cores(1U)}.workloads());
    const Cost& parts = cost_of(steps.front(), "parts");
    EXPECT_EQ(parts.cores, (std::set<std::uint32_t>{0U, 1U}));
    EXPECT_EQ(parts.commands, 4U);  // three dispatches and the barrier
    EXPECT_LT(parts.on_path, parts.kernels + (4U * kCommand));
    EXPECT_EQ(parts.kernels, 3U * (64U + (2U * 32U / 16U) + (2U * 32U / 8U)));
}

TEST(Step, KindsAreOfNamesOrOfCommands) {
    EXPECT_EQ(operator_kind("2 CONV_2D", "conv2d"), "CONV_2D");
    for (const char* const name : {"layer 2", "CONV_2D", "2 conv", "2 ", "", " CONV_2D", "2", "x2 CONV_2D"}) {
        EXPECT_EQ(operator_kind(name, "conv2d"), "conv2d") << name;
    }
}

TEST(Lifetimes, GoFromWhatMakesToWhatNeedsLast) {
    const Lifetimes all = find_lifetimes(Subject{1U}.workload());
    ASSERT_EQ(all.places.size(), 4U);  // write, two operators, read
    ASSERT_EQ(all.values.size(), 3U);
    const auto check = [&all](std::size_t value, std::size_t made_at, std::size_t used_at) {
        EXPECT_EQ(all.values[value].made_at, made_at) << value;
        EXPECT_EQ(all.values[value].used_at, used_at) << value;
        EXPECT_EQ(all.values[value].bytes, test::kWorkloadBytes) << value;
        EXPECT_FALSE(all.values[value].from_before || all.values[value].stays) << value;
    };
    check(0U, 0U, all.values[0].used_at);  // the input
    EXPECT_GE(all.values[0].used_at, 1U);
    check(1U, 1U, 2U);  // what the first operator makes
    check(2U, 2U, 3U);  // the output
    EXPECT_GE(all.most_bytes, 2U * test::kWorkloadBytes);
    EXPECT_EQ(all.most_activation_bytes, test::kWorkloadBytes);  // from the first operator on
    EXPECT_EQ(all.most_activations_at, 1U);
}

TEST(Lifetimes, AnInputForTheNextStepStays) {
    const Lifetimes all = find_lifetimes(Subject{pipelined(1U)}.workload());
    EXPECT_TRUE(all.values.front().from_before);  // what the step before has written
    EXPECT_TRUE(all.values.back().stays);         // and what this one writes for the next
    EXPECT_EQ(all.values.back().used_at, all.places.size() - 1U);
}

// Every wait that follows a record has one arrow, and every dispatch; no arrow leaves its slices or goes back in time.
TEST(Flows, LinkSlicesInOrder) {
    for (const test::Workload& workload : {test::make_small_workload(2U), on_cores(2U), pipelined(2U), mixed(2U)}) {
        const Subject subject{workload};
        for (const Pattern& pattern : all_patterns(subject.workloads(), {2000U, 100U})) {
            constexpr std::uint32_t kSteps = 3U;
            Panel panel;
            panel.pattern = std::make_shared<const Pattern>(pattern);
            panel.slices = slices_of(*panel.pattern, kSteps);
            std::map<FlowKind, std::size_t> counts;
            for (const Flow& flow : find_flows(panel)) {
                const Slice& from = panel.slices.at(flow.from);
                const Slice& to = panel.slices.at(flow.to);
                EXPECT_LE(flow.start, flow.end) << pattern.name;
                EXPECT_TRUE((static_cast<double>(from.start) < flow.start) &&
                            (flow.start < static_cast<double>(from.end)));
                EXPECT_TRUE((static_cast<double>(to.start) < flow.end) && (flow.end <= static_cast<double>(to.end)));
                EXPECT_FALSE(from.lane == to.lane);
                counts[flow.kind] += 1U;
            }
            std::size_t dispatches = 0U;
            std::size_t waits = 0U;
            std::size_t commands = 0U;
            for (const Slice& slice : panel.slices) {
                const bool is_wait = (slice.command == nullptr) && (slice.item != nullptr) &&
                                     (slice.item->kind == QueueCommandKind::kWaitEvent);
                dispatches += (slice.lane.kind == LaneKind::kCore) ? 1U : 0U;
                waits += ((slice.lane.kind == LaneKind::kQueue) && is_wait) ? 1U : 0U;
                commands += ((slice.lane.kind == LaneKind::kHost) && (slice.item != nullptr)) ? 1U : 0U;
            }
            EXPECT_EQ(counts[FlowKind::kDispatch], dispatches) << pattern.name;
            EXPECT_EQ(counts[FlowKind::kEnqueue], commands) << pattern.name;
            EXPECT_LE(counts[FlowKind::kEvent], waits) << pattern.name;
            // Waits without a record: the first of "output read" and "input consumed", on each device.
            EXPECT_GE(counts[FlowKind::kEvent] + (2U * pattern.devices.size()), waits) << pattern.name;
        }
    }
}

TEST(Flows, ARecordIsLinkedToTheWaitForIt) {
    const Subject subject{2U};
    Panel panel;
    panel.pattern = std::make_shared<const Pattern>(two_queue_pattern(subject.workload(), HostCost{}));
    panel.slices = slices_of(*panel.pattern, 3U);
    std::size_t seen = 0U;
    for (const Flow& flow : find_flows(panel)) {
        const Slice& from = panel.slices[flow.from];
        const Slice& to = panel.slices[flow.to];
        if (flow.kind == FlowKind::kEvent) {
            EXPECT_EQ(from.item->event, to.item->event);
            EXPECT_LE(from.end, to.end - to.item->cycles);
            const bool is_read_back = from.name == "record: output read";
            EXPECT_EQ(to.step, is_read_back ? (from.step + 1U) : to.step);
            seen += 1U;
        }
    }
    EXPECT_EQ(seen, 3U + 3U + 2U + 2U);  // written, made; read back and consumed have nobody who waits at the end
}

TEST(Deadlines, RunFromSubmission) {
    for (const std::uint32_t in_flight : {1U, 2U}) {
        const Subject subject{pipelined(in_flight)};
        Panel panel;
        panel.pattern = std::make_shared<const Pattern>(session_pattern(subject.workload(), HostCost{}));
        run_captured(subject.file(), refdev::target(), subject.device(), *panel.pattern, 4U,
                     [&panel](const Slice& slice) { panel.slices.push_back(slice); });
        const std::vector<Slice> host = on_lane(panel.slices, LaneKind::kHost);
        ASSERT_EQ(host.size(), 6U);  // prologue, four steps, epilogue
        const Cycles deadline = Cycles{subject.workload().step_deadline_us} * subject.workload().clock_khz / 1000U;
        ASSERT_GT(deadline, 0U);
        const std::vector<Cycles> deadlines = deadlines_of(panel, subject.workload(), 4U);
        ASSERT_EQ(deadlines.size(), 4U);
        for (std::size_t step = 0U; step < 4U; ++step) {
            const std::size_t submitted_at_end_of = (step < in_flight) ? 0U : ((step - in_flight) + 1U);
            EXPECT_EQ(deadlines[step], host[submitted_at_end_of].end + deadline) << step;
        }
    }
}

}  // namespace
}  // namespace pianola::timeline
