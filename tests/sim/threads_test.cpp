// One thread per queue: the same results, logs and virtual times as in one thread, and no data race (ThreadSanitizer).
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/models/replay.h"
#include "tests/sim/logs.h"
#include "tests/support/bench.h"
#include "tests/support/workload.h"

namespace pianola::sim {
namespace {

constexpr std::uint32_t kReplays = 250U;

struct Step {
    replay::Tensors outputs;
    std::array<std::vector<std::string>, 2> logs;
    std::uint64_t end_cycles{0U};
};

// All steps of one mode. The log of a queue may be looked at only while the device is idle: after the step.
std::vector<Step> run_steps(const replay::Bytes& file, Threading threading) {
    SimOptions options;
    options.threading = threading;
    options.keep_log = true;
    replay::Player player{file, options};
    std::vector<Step> steps;
    for (std::uint32_t i = 0U; i < kReplays; ++i) {
        player.device().clear_log();
        const std::uint64_t origin = player.device().now_cycles();
        Step step;
        step.outputs = player.run(player.seeded_inputs(i + 1U));
        for (std::uint32_t queue = 0U; queue < step.logs.size(); ++queue) {
            step.logs.at(queue) = relative_log(player.device(), queue, origin);
        }
        step.end_cycles = player.device().now_cycles();
        steps.push_back(std::move(step));
    }
    return steps;
}

TEST(Threads, TwoQueuesGiveTheSameLogsAsInOneThread) {
    const replay::Bytes file = test::make_workload(2U).file();
    const std::vector<Step> alone = run_steps(file, Threading::kInProcess);
    const std::vector<Step> threaded = run_steps(file, Threading::kThreaded);
    ASSERT_EQ(alone.size(), threaded.size());
    for (std::size_t i = 0U; i < alone.size(); ++i) {
        ASSERT_FALSE(alone[i].logs[0].empty());
        ASSERT_FALSE(alone[i].logs[1].empty());
        ASSERT_EQ(alone[i].outputs, threaded[i].outputs) << "step " << i;
        ASSERT_EQ(alone[i].logs, threaded[i].logs) << "step " << i;
        ASSERT_EQ(alone[i].end_cycles, threaded[i].end_cycles) << "step " << i;
    }
    std::cout << kReplays << " replays with two queues and three threads\n";
}

// A device that is loaded again and again starts and stops its threads.
TEST(Threads, LoadingAnewStopsTheQueues) {
    SimOptions options;
    options.threading = Threading::kThreaded;
    const replay::Bytes file = test::make_workload(2U).file();
    replay::Player player{file, options};
    const replay::Tensors inputs = player.seeded_inputs(1U);
    const replay::Tensors expected = player.run(inputs);
    const files::AlignedBytes aligned{file};
    const auto workspace = std::make_unique<PlanWorkspace>();
    for (std::uint32_t i = 0U; i < 20U; ++i) {
        Verdict verdict;
        ASSERT_EQ(player.session().unload(), Status::kOk);
        ASSERT_EQ(player.session().load(aligned.view(), *workspace, verdict), Status::kOk);
        ASSERT_EQ(player.run(inputs), expected);
    }
}

// Zero-copy I/O: nothing but doorbell and completion orders the ECU's accesses to device memory against the device's.
TEST(Threads, ViewsAreOrderedByDoorbellAndCompletion) {
    SimOptions options;
    options.threading = Threading::kThreaded;
    test::Bench bench{options};
    const files::AlignedBytes file{test::make_workload(2U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    for (std::uint32_t seed = 1U; seed <= kReplays; ++seed) {
        const std::vector<std::uint8_t> input = test::workload_input(seed);
        MutableByteSpan input_view;
        ASSERT_EQ(bench.session.input_view(0U, input_view), Status::kOk);
        std::copy(input.begin(), input.end(), input_view.begin());
        ASSERT_EQ(bench.session.submit(), Status::kOk);
        Status status = bench.session.poll();
        while (status == Status::kPending) {
            status = bench.session.poll();
        }
        ASSERT_EQ(status, Status::kOk);
        ByteSpan output;
        ASSERT_EQ(bench.session.output_view(0U, output), Status::kOk);
        ASSERT_EQ(std::vector<std::uint8_t>(output.begin(), output.end()), test::workload_output(input));
    }
}

}  // namespace
}  // namespace pianola::sim
