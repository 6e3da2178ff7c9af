// Constants that are compared in several slices: a result is held back until the last of them, and the scrub goes on
// from call to call.
#include <gtest/gtest.h>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/campaign/hooked_device.h"
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

// wait() verifies all slices in one call: what changes in the session meanwhile withholds the result, as between polls.
TEST_F(SessionSlices, StateThatChangesWhileItWaitsWithholdsTheResult) {
    verifies({"swr~verified-release~1"});
    const files::AlignedBytes short_file{make_workload(1U, 1U).file()};  // verified in one slice
    std::uint32_t views_of_a_step = 0U;
    std::uint32_t views_of_both = 0U;
    for (const files::AlignedBytes* const file : {&short_file, static_cast<const files::AlignedBytes*>(&file_)}) {
        for (std::uint32_t at = 0U; at <= views_of_a_step; ++at) {  // 0: nothing changes
            campaign::HookedDevice device{sim::SimOptions{}};
            sim::SimPlatform platform{device.inner()};
            const refdev::RefdevCommandSet command_set;
            Session session{device, platform, command_set, kDevelopmentConfig};
            const auto workspace = std::make_unique<PlanWorkspace>();
            Verdict verdict;
            ASSERT_EQ(session.load(file->view(), *workspace, verdict), Status::kOk);
            const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
            const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
            ASSERT_EQ(session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
            const auto address_of = [](const auto& object) {
                // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
                return reinterpret_cast<std::uintptr_t>(&object);
            };
            const std::uintptr_t place = address_of(session.plan().inputs[0].bytes) - address_of(session);
            std::uint32_t views = 0U;
            device.set_hook([&](campaign::Call call, std::uint32_t /*number*/) -> std::optional<Status> {
                views += (call == campaign::Call::kHostView) ? 1U : 0U;
                if ((call == campaign::Call::kHostView) && (views == at)) {
                    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
                    reinterpret_cast<std::uint8_t*>(&session)[place] ^= 1U;
                }
                return std::nullopt;
            });
            EXPECT_EQ(session.wait(), (at == 0U) ? Status::kOk : Status::kIntegrity) << at;
            EXPECT_EQ(session.fault().stage, (at == 0U) ? FaultStage::kNone : FaultStage::kState);
            EXPECT_EQ(output_, (at == 0U) ? workload_output(input_) : std::vector<std::uint8_t>(kWorkloadBytes));
            views_of_a_step = (at == 0U) ? views : views_of_a_step;
        }
        EXPECT_GT(views_of_a_step, views_of_both);
        views_of_both += views_of_a_step;
        views_of_a_step = 0U;
    }
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
