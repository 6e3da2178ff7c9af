// The model's rules, on the small workload and on patterns made for one rule each. All numbers are worked out by hand.

#include <gtest/gtest.h>

#include <map>

#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

Item item(std::uint32_t queue, QueueCommandKind kind, Cycles cycles, std::uint32_t words, Cycles host_cycles) {
    Item made;
    made.queue = queue;
    made.kind = kind;
    made.label = "item";
    made.cycles = cycles;
    made.ring_words = words;
    made.host_cycles = host_cycles;
    return made;
}

TEST(Workload, IsWhatTheBinaryHolds) {
    const Subject subject{2U};
    const Workload& workload = subject.workload();
    ASSERT_EQ(workload.traces.size(), 1U);
    ASSERT_EQ(workload.traces[0].size(), 3U);
    EXPECT_EQ(workload.traces[0][0].label, "0 REQUANTIZE");
    EXPECT_EQ(workload.traces[0][0].cycles, kFirst);
    EXPECT_TRUE(workload.traces[0][0].reads_input);
    EXPECT_FALSE(workload.traces[0][0].touches_output);
    EXPECT_EQ(workload.traces[0][1].label, "1 ADD");
    EXPECT_EQ(workload.traces[0][1].cycles, kSecond);
    EXPECT_FALSE(workload.traces[0][1].reads_input);
    EXPECT_TRUE(workload.traces[0][1].touches_output);
    EXPECT_EQ(workload.traces[0][2].kind, CommandKind::kEnd);
    ASSERT_EQ(workload.inputs.size(), 1U);
    EXPECT_EQ(workload.inputs[0].bytes, test::kWorkloadBytes);
    ASSERT_EQ(workload.outputs.size(), 1U);
    EXPECT_EQ(workload.step.size(), 7U);  // write, record, wait, replay, record, wait, read
    EXPECT_TRUE(workload.prologue.empty());
    EXPECT_TRUE(workload.epilogue.empty());
}

TEST(Schedule, TracedIsGaplessWhereTheHostIsFree) {
    const Subject subject{1U};
    const std::vector<Slice> queue =
        on_lane(slices_of(traced_pattern(subject.workload(), kFree), 2U), LaneKind::kQueue);
    const std::vector<Cycles> lengths{kTransfer, kCommand, kFirst, kSecond, kCommand, kTransfer, kCommand};
    ASSERT_EQ(queue.size(), 2U * lengths.size());
    Cycles time = 0U;
    for (std::size_t i = 0U; i < queue.size(); ++i) {
        EXPECT_EQ(queue[i].start, time) << i;
        time += lengths[i % lengths.size()];
        EXPECT_EQ(queue[i].end, time) << i;
        EXPECT_EQ(queue[i].step, i / lengths.size());
    }
}

TEST(Schedule, EagerStartsEveryOperationAtItsDoorbell) {
    const Subject subject{1U};
    const std::vector<Slice> queue =
        on_lane(slices_of(eager_pattern(subject.workload(), kSlowHost), 1U), LaneKind::kQueue);
    ASSERT_EQ(queue.size(), 5U);
    EXPECT_EQ(queue[0].start, 50U);    // the write
    EXPECT_EQ(queue[1].start, 1050U);  // 50 + 1000
    EXPECT_EQ(queue[2].start, 2050U);
    EXPECT_EQ(queue[3].start, 2050U + kSecond);  // the read was enqueued at 2100, but the add is still running
    EXPECT_EQ(queue[4].end, 2050U + kSecond + kTransfer + kCommand);
}

TEST(Schedule, TheWholeStepHasOneDoorbellWithTrace) {
    const Subject subject{1U};
    const std::vector<Slice> slices = slices_of(traced_pattern(subject.workload(), kSlowHost), 1U);
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue).front().start, 200U);  // four commands of 50
    EXPECT_EQ(on_lane(slices, LaneKind::kHost).size(), 4U);
}

TEST(Schedule, HostTimesAreRoundedUpToCycles) {
    const Subject subject{1U};
    const Pattern pattern = traced_pattern(subject.workload(), {0U, 1U});  // 1 ns is half a cycle
    EXPECT_EQ(pattern.step.front().host_cycles, 1U);
}

TEST(Schedule, SessionWaitsForEveryStep) {
    const Subject subject{2U};
    const std::vector<Slice> slices = slices_of(session_pattern(subject.workload(), kSlowHost), 2U);
    // 9 commands of 50 with the completion records; the step takes 552 (Gaps.AsCaptured), then the host begins again.
    EXPECT_EQ(on_lane(slices, LaneKind::kQueue, 1U).front().start, 450U);
    const std::vector<Slice> host = on_lane(slices, LaneKind::kHost);
    ASSERT_EQ(host.size(), 19U);
    EXPECT_EQ(host[9].category, Category::kHostWaits);
    EXPECT_EQ(host[9].end, 450U + 552U);
}

TEST(Schedule, TheRingBoundsRunningAhead) {
    Pattern pattern;
    pattern.ring_words = 10U;
    pattern.doorbell_per_command = true;
    pattern.step = {item(0U, QueueCommandKind::kWrite, 100U, 5U, 1U)};
    const std::vector<Slice> host = on_lane(slices_of(pattern, 4U), LaneKind::kHost);
    // Two fit. The first is done at 1 + 100, when the host makes the third; the second at 201, for the fourth.
    ASSERT_EQ(host.size(), 6U);
    EXPECT_EQ(host[1].end, 2U);
    EXPECT_EQ(host[2].category, Category::kHostWaits);
    EXPECT_EQ(host[2].end, 101U);
    EXPECT_EQ(host[3].end, 102U);
    EXPECT_EQ(host[4].category, Category::kHostWaits);
    EXPECT_EQ(host[4].end, 201U);
    EXPECT_EQ(host[5].end, 202U);
}

TEST(Schedule, AReplayLeavesTheRingBeforeItsTraceRuns) {
    Pattern pattern;
    pattern.ring_words = 3U;
    pattern.doorbell_per_command = true;
    pattern.step = {item(0U, QueueCommandKind::kReplay, 16U, 3U, 1U)};
    pattern.step[0].body.resize(1U);
    pattern.step[0].body[0].kind = CommandKind::kLaunch;
    pattern.step[0].body[0].cycles = 1000U;
    const std::vector<Slice> host = on_lane(slices_of(pattern, 2U), LaneKind::kHost);
    ASSERT_EQ(host.size(), 3U);
    EXPECT_EQ(host[1].end, 17U);  // 1 + 16
}

TEST(Schedule, AWaitEndsBehindTheLastRecordInFrontOfIt) {
    const Item wait = item(1U, QueueCommandKind::kWaitEvent, 16U, 3U, 0U);
    const Item write = item(0U, QueueCommandKind::kWrite, 200U, 5U, 0U);
    const Item record = item(0U, QueueCommandKind::kRecordEvent, 16U, 3U, 0U);
    Pattern pattern;
    pattern.queues = 2U;
    pattern.ring_words = 100U;
    pattern.step = {write, record, wait};
    const std::vector<Slice> waiting = on_lane(slices_of(pattern, 2U), LaneKind::kQueue, 1U);
    ASSERT_EQ(waiting.size(), 2U);
    EXPECT_EQ(waiting[0].start, 0U);
    EXPECT_EQ(waiting[0].end, 232U);
    EXPECT_EQ(waiting[1].start, 232U);
    EXPECT_EQ(waiting[1].end, 448U);       // 2 * 216 + 16
    pattern.step = {wait, write, record};  // the first step waits for nothing, the second for the first's record
    const std::vector<Slice> lagging = on_lane(slices_of(pattern, 2U), LaneKind::kQueue, 1U);
    EXPECT_EQ(lagging[0].end, 16U);
    EXPECT_EQ(lagging[1].end, 232U);
}

TEST(Schedule, CoresWorkSideBySideUntilTheQueueNeedsThemAll) {
    const auto dispatch = [](std::uint32_t core, Cycles cycles) {
        TraceCommand command;
        command.label = "dispatched";
        command.kind = CommandKind::kDispatch;
        command.cycles = 16U;
        command.core = core;
        command.core_cycles = cycles;
        return command;
    };
    Pattern pattern;
    pattern.ring_words = 100U;
    pattern.step = {item(0U, QueueCommandKind::kUnspecified, 0U, 3U, 0U),
                    item(0U, QueueCommandKind::kWrite, 10U, 5U, 0U)};
    pattern.step[0].body = {dispatch(5U, 100U), dispatch(2U, 30U), dispatch(5U, 7U)};
    const std::vector<Slice> slices = slices_of(pattern, 2U);
    const std::vector<Slice> first = on_lane(slices, LaneKind::kCore, 5U);
    ASSERT_EQ(first.size(), 4U);
    EXPECT_EQ(first[0].start, 16U);
    EXPECT_EQ(first[0].end, 116U);
    EXPECT_EQ(first[1].start, 116U);
    EXPECT_EQ(first[1].end, 123U);
    EXPECT_EQ(first[2].start, 149U);  // 133, when the write has ended, and its own dispatch
    const std::vector<Slice> second = on_lane(slices, LaneKind::kCore, 2U);
    EXPECT_EQ(second[0].start, 32U);
    EXPECT_EQ(second[0].end, 62U);
    const std::vector<Slice> queue = on_lane(slices, LaneKind::kQueue);
    EXPECT_EQ(queue[3].start, 48U);  // the write waits for the cores, and its wait is seen
    EXPECT_EQ(queue[3].end, 133U);
}

TEST(Schedule, ACommandLongerThanItsRingIsRefused) {
    Pattern pattern;
    pattern.ring_words = 4U;
    pattern.step = {item(0U, QueueCommandKind::kWrite, 1U, 5U, 0U)};
    EXPECT_THROW((void)slices_of(pattern, 1U), std::logic_error);
}

// For many hosts and all patterns: lanes in order, nothing lost, and the same every time.
TEST(Schedule, LanesAreInOrderAndWhole) {
    const Subject subject{2U};
    constexpr std::uint32_t kSteps = 50U;
    for (const std::uint64_t dispatch : {0U, 3U, 400U, 9'300U}) {
        for (const std::uint64_t replay : {0U, 1U, 77U, 300U, 2'000U}) {
            for (const Pattern& pattern : all_patterns(subject.workloads(), {dispatch, replay})) {
                const std::vector<Slice> slices = slices_of(pattern, kSteps);
                std::map<std::pair<LaneKind, std::uint32_t>, Cycles> ends;
                std::map<Category, Cycles> sums;
                for (const Slice& slice : slices) {
                    Cycles& end = ends[{slice.lane.kind, slice.lane.index}];
                    ASSERT_GE(slice.start, end) << pattern.name;
                    ASSERT_GT(slice.end, slice.start) << pattern.name;
                    end = slice.end;
                    sums[slice.category] += slice.end - slice.start;
                }
                const bool is_split = pattern.name == "two-queues-split";  // two traces, two ends
                const bool is_eager = pattern.name == "eager";
                const Cycles compute = kTrace + (is_split ? kCommand : 0U) - (is_eager ? kCommand : 0U);
                EXPECT_EQ(sums[Category::kCompute], kSteps * compute) << pattern.name;
                EXPECT_EQ(sums[Category::kWrite], kSteps * kTransfer) << pattern.name;
                EXPECT_EQ(sums[Category::kRead], kSteps * kTransfer) << pattern.name;
                EXPECT_EQ(sums[Category::kDispatch], is_eager ? (Cycles{kSteps} * 2U * ((dispatch + 1U) / 2U)) : 0U);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::timeline
