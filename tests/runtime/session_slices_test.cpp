// Constants that are compared in several slices: a result is held back until the last of them, and the scrub goes on
// from call to call.
#include <gtest/gtest.h>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

// The workload with so many barriers behind it that its trace takes two slices.
Workload long_workload() {
    constexpr std::size_t kBarriers = kScrubSliceBytes / sizeof(std::uint32_t);
    Workload workload = make_workload(1U, 1U);
    std::vector<std::uint32_t> words = words_of(workload.segments.traces);
    words.insert(words.end() - 1, kBarriers, refdev::header_word(refdev::Opcode::kBarrier, 1U));
    EXPECT_TRUE(set_trace(workload, words));
    return workload;
}

class SessionSlices : public testing::Test {
  protected:
    SessionSlices() : file_{long_workload().file()} {}

    void load() {
        ASSERT_EQ(bench_.load(file_.view()), Status::kOk) << rule_id(bench_.verdict.rule);
        ASSERT_EQ(bench_.session.scrub_calls(), 2U);
    }
    // In what the second slice compares.
    void flip() { *bench_.device.memory_at(bench_.session.plan().trace_region_base + kScrubSliceBytes + 4U, 1U) ^= 1U; }

    files::AlignedBytes file_;
    Bench bench_;
    std::vector<std::uint8_t> input_ = workload_input(1U);
    std::vector<std::uint8_t> output_ = std::vector<std::uint8_t>(kWorkloadBytes);
};

TEST_F(SessionSlices, AResultIsReleasedAfterTheLast) {
    verifies({"swr~verified-release~1"});
    load();
    ASSERT_EQ(bench_.submit(input_, output_), Status::kOk);
    EXPECT_EQ(bench_.session.poll(), Status::kPending);
    EXPECT_TRUE(bench_.session.is_verifying());
    EXPECT_EQ(bench_.session.poll(), Status::kOk);
    EXPECT_FALSE(bench_.session.is_verifying());
    EXPECT_EQ(output_, workload_output(input_));
    EXPECT_EQ(bench_.run(workload_input(2U), output_), Status::kOk) << "wait() goes on by itself";
    EXPECT_EQ(output_, workload_output(workload_input(2U)));
}

TEST_F(SessionSlices, AndWithheldWhereTheLastDiffers) {
    verifies({"swr~verified-release~1"});
    load();
    ASSERT_EQ(bench_.submit(input_, output_), Status::kOk);
    EXPECT_EQ(bench_.session.poll(), Status::kPending);
    flip();
    EXPECT_EQ(bench_.session.poll(), Status::kIntegrity);
    EXPECT_EQ(bench_.session.fault().stage, FaultStage::kScrub);
    EXPECT_EQ(output_, std::vector<std::uint8_t>(kWorkloadBytes));
}

TEST_F(SessionSlices, TheScrubGoesOnWhereItStopped) {
    load();
    for (std::uint32_t call = 0U; call < 4U; ++call) {
        EXPECT_EQ(bench_.session.scrub(), Status::kOk);
    }
    flip();
    EXPECT_EQ(bench_.session.scrub(), Status::kOk) << "the first slice is whole";
    EXPECT_EQ(bench_.session.scrub(), Status::kIntegrity);
}

}  // namespace
}  // namespace pianola::test
