// The figures of the table, against arithmetic on the small workload; and that no pattern overwrites what is still
// needed.

#include <gtest/gtest.h>

#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

SteadyState first_of(const Pattern& pattern) {
    return measure(pattern).front();
}

Cycles per_step(const SteadyState& steady) {
    EXPECT_EQ(steady.cycles_per_step.part % steady.cycles_per_step.whole, 0U);
    return steady.cycles_per_step.part / steady.cycles_per_step.whole;
}

// Both shares, as numbers of cycles in one step.
void expect_step(const SteadyState& steady, Cycles cycles, Cycles busy, Cycles hidden) {
    const std::uint64_t steps = steady.cycles_per_step.whole;
    EXPECT_EQ(per_step(steady), cycles);
    EXPECT_EQ(steady.busy.whole, cycles * steps);
    EXPECT_EQ(steady.busy.part, busy * steps);
    EXPECT_EQ(steady.hidden.whole, kTransfer * steps);
    EXPECT_EQ(steady.hidden.part, hidden * steps);
}

TEST(Gaps, Eager) {
    const Subject subject{1U};
    expect_step(first_of(eager_pattern(subject.workload(), kFree)), 456U, kFirst + kSecond, 0U);
    // 1000 cycles for each operation, 50 for write, read and completion record.
    EXPECT_EQ(per_step(first_of(eager_pattern(subject.workload(), {2000U, 100U}))), 2150U);
}

TEST(Gaps, Traced) {
    const Subject subject{1U};
    expect_step(first_of(traced_pattern(subject.workload(), kFree)), 488U, kTrace, 0U);
    expect_step(first_of(traced_pattern(subject.workload(), {2000U, 100U})), 488U, kTrace, 0U);  // 200 of the host
    EXPECT_EQ(per_step(first_of(traced_pattern(subject.workload(), {2000U, 400U}))), 800U);      // four times 200
}

TEST(Gaps, TwoQueues) {
    const Subject subject{1U};
    // Wait, staging trace (16 + 92 + 16), record; replay and trace; wait, staging trace, record, completion record.
    const Cycles step = 16U + 124U + 16U + 16U + kTrace + 16U + 124U + 16U + 16U;
    expect_step(first_of(two_queue_pattern(subject.workload(), kFree)), step, kTrace, kTransfer);
    // Fifteen commands of 100 cycles.
    EXPECT_EQ(per_step(first_of(two_queue_pattern(subject.workload(), {0U, 200U}))), 1500U);
}

TEST(Gaps, TwoQueuesSplit) {
    const Subject subject{1U};
    // Wait; replay, requantize, end; record; wait; replay, add, end; record; completion record.
    const Cycles step = 16U + (16U + kFirst + 16U) + 16U + 16U + (16U + kSecond + 16U) + 16U + 16U;
    // The write starts 16 behind the record, the second half 32 behind it: 16 of the write are not hidden.
    expect_step(first_of(split_pattern(subject.workload(), kFree)), step, kTrace + kCommand, kTransfer - 16U);
}

TEST(Gaps, AsCaptured) {
    expect_step(first_of(session_pattern(Subject{1U}.workload(), kFree)), 488U, kTrace, 0U);
    // Write and record; wait, replay, trace, record; wait, read, completion record.
    expect_step(first_of(session_pattern(Subject{2U}.workload(), kFree)),
                92U + 16U + 32U + kTrace + 16U + 16U + 92U + 16U, kTrace, 0U);
}

TEST(Meter, OverlapsAreCountedOnce) {
    Meter meter;
    const auto add = [&meter](Category category, std::uint32_t queue, Cycles start, Cycles end, std::uint32_t step) {
        meter.add({Lane{LaneKind::kQueue, queue}, category, start, end, step, "slice"});
    };
    add(Category::kCompute, 0U, 0U, 100U, 0U);
    add(Category::kCompute, 0U, 120U, 180U, 1U);
    add(Category::kCompute, 1U, 150U, 200U, 1U);  // 120 to 200 are busy
    add(Category::kWrite, 1U, 90U, 130U, 1U);     // 10 and 10 of 40 are hidden
    add(Category::kCompute, 0U, 200U, 300U, 2U);
    const SteadyState steady = meter.result();
    EXPECT_EQ(steady.cycles_per_step.part, 100U);  // of the steps 0, 1 and 2 the last does not count
    EXPECT_EQ(steady.cycles_per_step.whole, 1U);
    EXPECT_EQ(steady.busy.part, 80U);
    EXPECT_EQ(steady.hidden.part, 20U);
    EXPECT_EQ(steady.hidden.whole, 40U);
}

// What an application would find out the hard way.
struct StepTimes {
    Cycles written{0U};
    Cycles consume_begins{UINT64_MAX};
    Cycles consumed{0U};
    Cycles write_begins{UINT64_MAX};
    Cycles produce_begins{UINT64_MAX};
    Cycles produced{0U};
    Cycles read_begins{UINT64_MAX};
    Cycles read_back{0U};
};

std::vector<StepTimes> step_times_of(const Pattern& pattern, std::uint32_t steps, const char* consumer,
                                     const char* producer) {
    std::vector<StepTimes> times(steps);
    for (const Slice& slice : slices_of(pattern, steps)) {
        if (slice.lane.kind == LaneKind::kHost) {
            continue;
        }
        StepTimes& step = times.at(slice.step);
        if (slice.category == Category::kWrite) {
            step.write_begins = slice.start;
            step.written = slice.end;
        } else if (slice.category == Category::kRead) {
            step.read_begins = slice.start;
            step.read_back = slice.end;
        } else if (slice.name == consumer) {
            step.consume_begins = slice.start;
            step.consumed = slice.end;
        } else if (slice.name == producer) {
            step.produce_begins = slice.start;
            step.produced = slice.end;
        }
    }
    return times;
}

void expect_safe(const Pattern& pattern, const char* consumer, const char* producer) {
    constexpr std::uint32_t kSteps = 40U;
    const std::vector<StepTimes> times = step_times_of(pattern, kSteps, consumer, producer);
    for (std::uint32_t i = 0U; i < kSteps; ++i) {
        EXPECT_GE(times[i].consume_begins, times[i].written) << pattern.name << " " << i;
        EXPECT_GE(times[i].read_begins, times[i].produced) << pattern.name << " " << i;
        if (i > 0U) {
            EXPECT_GE(times[i].write_begins, times[i - 1U].consumed) << pattern.name << " " << i;
            EXPECT_GE(times[i].produce_begins, times[i - 1U].read_back) << pattern.name << " " << i;
        }
    }
}

TEST(Gaps, NoStepOverwritesWhatTheOneBeforeNeeds) {
    const Subject subject{2U};
    for (const std::uint64_t replay : {0U, 1U, 40U, 333U, 5'000U}) {
        const HostCost cost{replay * 2U, replay};
        expect_safe(eager_pattern(subject.workload(), cost), "0 REQUANTIZE", "1 ADD");
        expect_safe(traced_pattern(subject.workload(), cost), "0 REQUANTIZE", "1 ADD");
        expect_safe(split_pattern(subject.workload(), cost), "0 REQUANTIZE", "1 ADD");
        expect_safe(session_pattern(subject.workload(), cost), "0 REQUANTIZE", "1 ADD");
        expect_safe(two_queue_pattern(subject.workload(), cost), "copy input, 96 bytes", "copy output, 96 bytes");
    }
}

// One command that needs the input to its end and begins the output: the parts meet in the middle, the other way round.
TEST(Gaps, SplitWhereOutputsBeginBeforeInputsEnd) {
    Workload workload = Subject{2U}.workload();
    workload.traces[0][0].touches_output = true;
    workload.traces[0][0].label = "both";
    workload.traces[0][1].label = "late";
    workload.traces[0][1].reads_input = true;
    for (const std::uint64_t replay : {0U, 333U}) {
        expect_safe(split_pattern(workload, {0U, replay}), "late", "both");
        expect_safe(split_pattern(workload, {0U, replay}), "both", "late");
    }
}

}  // namespace
}  // namespace pianola::timeline
