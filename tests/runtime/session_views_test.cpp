// Zero-copy I/O: views are there exactly when they are safe, and a step on them copies nothing and computes the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

void write_input(Session& session, const Bytes& input) {
    MutableByteSpan view;
    ASSERT_EQ(session.input_view(0U, view), Status::kOk);
    ASSERT_EQ(view.size(), input.size());
    std::copy(input.begin(), input.end(), view.begin());
}

Bytes read_output(Session& session) {
    ByteSpan view;
    EXPECT_EQ(session.output_view(0U, view), Status::kOk);
    return {view.begin(), view.end()};
}

Status finish(Session& session) {
    Status status = session.poll();
    while (status == Status::kPending) {
        status = session.poll();
    }
    return status;
}

void expect_no_views(const Session& session, Status status) {
    Bytes other(1U);
    MutableByteSpan input{other.data(), other.size()};
    ByteSpan output{other.data(), other.size()};
    EXPECT_EQ(session.input_view(0U, input), status);
    EXPECT_EQ(session.output_view(0U, output), status);
    EXPECT_TRUE(input.empty());
    EXPECT_TRUE(output.empty());
}

class SessionViews : public testing::TestWithParam<std::uint32_t> {
  protected:
    std::uint32_t queues_{GetParam()};
    Workload workload_{make_workload(queues_)};
    files::AlignedBytes file_{workload_.file()};
};

TEST_P(SessionViews, StepsOnViewsComputeTheSameAndTransferNothing) {
    verifies({"swr~views~1"});
    sim::SimOptions options;
    options.keep_log = true;
    Bench bench{options};
    ASSERT_EQ(bench.load(file_.view()), Status::kOk);
    ASSERT_TRUE(bench.session.has_views());
    for (std::uint32_t seed = 1U; seed <= 5U; ++seed) {
        const Bytes input = workload_input(seed);
        write_input(bench.session, input);
        bench.device.clear_log();
        ASSERT_EQ(bench.session.submit(), Status::kOk);
        ASSERT_EQ(finish(bench.session), Status::kOk);
        EXPECT_EQ(read_output(bench.session), workload_output(input));
        for (std::uint32_t queue = 0U; queue < queues_; ++queue) {
            for (const refdev::ExecutedCommand& executed : bench.device.log(queue)) {
                EXPECT_NE(executed.opcode, refdev::Opcode::kWrite);
                EXPECT_NE(executed.opcode, refdev::Opcode::kRead);
            }
        }
        // Both kinds of step may alternate.
        Bytes output(kWorkloadBytes);
        ASSERT_EQ(bench.run(workload_input(seed + 100U), output), Status::kOk);
        EXPECT_EQ(output, workload_output(workload_input(seed + 100U)));
        EXPECT_EQ(read_output(bench.session), output);
    }
}

TEST_P(SessionViews, AreRefusedWhileTheyWouldBeUnsafe) {
    verifies({"swr~views~1"});
    Bench bench;
    expect_no_views(bench.session, Status::kInvalidState);
    ASSERT_EQ(bench.load(file_.view()), Status::kOk);

    MutableByteSpan input;
    ByteSpan output;
    EXPECT_EQ(bench.session.output_view(0U, output), Status::kInvalidState);  // nothing has been computed yet
    ASSERT_EQ(bench.session.input_view(0U, input), Status::kOk);
    EXPECT_TRUE(std::all_of(input.begin(), input.end(), [](std::uint8_t byte) { return byte == 0U; }));
    EXPECT_EQ(bench.session.input_view(1U, input), Status::kInvalidArgument);
    EXPECT_TRUE(input.empty());

    ASSERT_EQ(bench.session.submit(), Status::kOk);
    expect_no_views(bench.session, Status::kInvalidState);
    EXPECT_EQ(bench.session.submit(), Status::kInvalidState);
    ASSERT_EQ(finish(bench.session), Status::kOk);
    ASSERT_EQ(bench.session.output_view(0U, output), Status::kOk);
    EXPECT_EQ(bench.session.output_view(1U, output), Status::kInvalidArgument);

    ASSERT_EQ(bench.session.unload(), Status::kOk);
    expect_no_views(bench.session, Status::kInvalidState);
}

TEST_P(SessionViews, AreRefusedAfterAFault) {
    verifies({"swr~views~1"});
    sim::FaultScript faults;
    faults.lose_completion = (2U * queues_) + 1U;  // of the second step: set-up has one on its only queue
    Bench bench{faults};
    ASSERT_EQ(bench.load(file_.view()), Status::kOk);
    // Memory that an earlier step has bound for transfers is the application's again.
    Bytes application(kWorkloadBytes);
    ASSERT_EQ(bench.run(workload_input(1U), application), Status::kOk);
    application.assign(kWorkloadBytes, 0x77U);

    write_input(bench.session, workload_input(2U));
    ASSERT_EQ(bench.session.submit(), Status::kOk);
    Status status = bench.session.poll();
    while (status == Status::kPending) {
        bench.platform.idle();
        status = bench.session.poll();
    }
    EXPECT_EQ(status, Status::kTimeout);
    EXPECT_EQ(application, Bytes(kWorkloadBytes, 0x77U));
    expect_no_views(bench.session, Status::kFaultLatched);
    EXPECT_EQ(bench.session.submit(), Status::kFaultLatched);
    EXPECT_EQ(bench.platform.safe_state_entries(), 1U);

    ASSERT_EQ(bench.load(file_.view()), Status::kOk);
    write_input(bench.session, workload_input(3U));
    ASSERT_EQ(bench.session.submit(), Status::kOk);
    ASSERT_EQ(finish(bench.session), Status::kOk);
    EXPECT_EQ(read_output(bench.session), workload_output(workload_input(3U)));
}

TEST_P(SessionViews, AreNotThereWhereTheDeviceHidesItsMemory) {
    sim::SimOptions options;
    options.memory_is_visible = false;
    Bench bench{options};
    ASSERT_EQ(bench.load(file_.view()), Status::kOk);
    EXPECT_FALSE(bench.session.has_views());
    expect_no_views(bench.session, Status::kInvalidArgument);
    EXPECT_EQ(bench.session.submit(), Status::kInvalidArgument);

    Bytes output(kWorkloadBytes);
    ASSERT_EQ(bench.run(workload_input(4U), output), Status::kOk);
    EXPECT_EQ(output, workload_output(workload_input(4U)));
    expect_no_views(bench.session, Status::kInvalidArgument);
}

TEST_P(SessionViews, StayInsidePublishedExtents) {
    sim::SimOptions options;
    options.spec = small_device();
    options.check_accesses = true;
    Bench bench{options};
    const files::AlignedBytes small{make_small_workload(queues_).file()};
    ASSERT_EQ(bench.load(small.view()), Status::kOk);
    write_input(bench.session, workload_input(7U));
    ASSERT_EQ(bench.session.submit(), Status::kOk);
    ASSERT_EQ(finish(bench.session), Status::kOk);
    EXPECT_EQ(read_output(bench.session), workload_output(workload_input(7U)));
    EXPECT_EQ(bench.device.access_violations(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Queues, SessionViews, testing::Values(1U, 2U));

}  // namespace
}  // namespace pianola::test
