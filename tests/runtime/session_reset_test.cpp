// State that steps hand on: what the prologue gives it, what resets it, and what self-tests make of it.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "capture_host/capture/capture.h"
#include "capture_host/capture/link.h"
#include "pianola_host/manifest.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/sums.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint32_t kSelfTests = 3U;

// What the sums are at first: of one value, which is filled in, or of several, which are copied.
Bytes first_sums(bool is_mixed) {
    Bytes sums(kSumsBytes, 5U);
    sums.back() = is_mixed ? 100U : 5U;
    return sums;
}

Bytes file_of(bool is_mixed, std::uint32_t queues = 1U) {
    capture::CaptureOptions options;
    options.self_tests = kSelfTests;
    options.link.queues = queues;
    return capture::capture_workload(record_sums(first_sums(is_mixed)), options).file;
}

Bytes input_of(std::uint32_t seed) {
    Bytes input(kSumsBytes);
    for (std::size_t i = 0U; i < input.size(); ++i) {
        input[i] = static_cast<std::uint8_t>((std::size_t{seed} * 7U) + (i * 3U) + 250U);
    }
    return input;
}

class ResetSession : public testing::TestWithParam<bool> {
  protected:
    Status load(const Bytes& file) {
        file_ = std::make_unique<files::AlignedBytes>(file);
        return session_.load(file_->view(), *workspace_, verdict_);
    }
    Status run(const Bytes& input, Bytes& output) {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session_.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // Steps from the first contents, each as it must be.
    void expect_stream(std::uint32_t steps) {
        Bytes sums = first_sums(GetParam());
        for (std::uint32_t i = 0U; i < steps; ++i) {
            Bytes output(kSumsBytes);
            ASSERT_EQ(run(input_of(i), output), Status::kOk) << i;
            EXPECT_EQ(output, step_of_sums(input_of(i), sums)) << i;
        }
    }
    Status self_test(std::uint32_t index) { return session_.self_test(index, {scratch_.data(), scratch_.size()}); }
    Status self_test() { return session_.self_test({scratch_.data(), scratch_.size()}); }

    std::unique_ptr<files::AlignedBytes> file_;
    campaign::HookedDevice device_{sim::SimOptions{}};
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Bytes scratch_ = Bytes(kSumsBytes);
};

TEST_P(ResetSession, IsHandedOnAndReset) {
    verifies({"swr~state-is-reset~1"});
    EXPECT_EQ(session_.reset_state(), Status::kInvalidState);
    for (const std::uint32_t queues : {1U, 2U}) {
        ASSERT_EQ(load(file_of(GetParam(), queues)), Status::kOk) << rule_id(verdict_.rule);
        EXPECT_EQ(session_.reset_state(), Status::kOk);  // which starts
        EXPECT_EQ(session_.start({}), Status::kInvalidState);
        EXPECT_EQ(session_.reset_state(), Status::kOk);
        for (std::uint32_t stream = 0U; stream < 3U; ++stream) {
            expect_stream(10U + stream);
            EXPECT_EQ(session_.reset_state(), Status::kOk);
        }
    }
    EXPECT_EQ(platform_.safe_state_entries(), 0U);
}

// The two calls that a cyclic task makes of it.
TEST_P(ResetSession, IsResetByStopAndStartToo) {
    verifies({"swr~state-is-reset~1"});
    ASSERT_EQ(load(file_of(GetParam())), Status::kOk);
    expect_stream(4U);
    ASSERT_EQ(session_.stop({}), Status::kOk);
    ASSERT_EQ(session_.wait(), Status::kOk);
    ASSERT_EQ(session_.start({}), Status::kOk);
    EXPECT_EQ(session_.reset_state(), Status::kInvalidState) << "the prologue is under way";
    ASSERT_EQ(session_.wait(), Status::kOk);
    expect_stream(4U);
}

// Vectors are the first steps, whatever was before, and the state is as at first behind them.
TEST_P(ResetSession, IsResetAroundSelfTests) {
    ASSERT_EQ(load(file_of(GetParam())), Status::kOk);
    expect_stream(5U);
    for (const std::uint32_t index : {2U, 0U, 1U, 2U}) {
        EXPECT_EQ(self_test(index), Status::kOk) << index;
    }
    expect_stream(5U);
    EXPECT_EQ(self_test(), Status::kOk);
    expect_stream(5U);
    scratch_.pop_back();
    EXPECT_EQ(self_test(), Status::kInvalidArgument);
}

// A vector that is wrong is found by those behind it as well, but not by those before it.
TEST_P(ResetSession, FindsAWrongVectorOnTheWayToAnother) {
    ASSERT_EQ(load(file_of(GetParam())), Status::kOk);
    const ByteSpan vectors = session_.self_tests();
    capture::LinkedWorkload workload = capture::link(record_sums(first_sums(GetParam())), {});
    workload.segments.self_tests.assign(vectors.begin(), vectors.end());
    workload.segments.self_tests.at(3U * std::size_t{kSumsBytes}) ^= 1U;  // the output of vector 1
    workload.manifest.self_test_origins.assign(kSelfTests, SelfTestOrigin::kCaptured);
    const Bytes file = capture::write_trace_binary(workload.manifest, workload.segments);
    for (const std::uint32_t index : {1U, 2U, kSelfTests}) {
        ASSERT_EQ(load(file), Status::kOk);
        EXPECT_EQ(self_test(0U), Status::kOk);
        EXPECT_EQ((index < kSelfTests) ? self_test(index) : self_test(), Status::kIntegrity) << index;
        EXPECT_EQ(session_.fault().stage, FaultStage::kSelfTest);
        EXPECT_EQ(self_test(0U), Status::kFaultLatched);
    }
}

// A device that fails while state is reset: the fault latches, whoever asked.
TEST_P(ResetSession, IsNotResetByADeviceThatFails) {
    for (const bool by_self_test : {false, true}) {
        ASSERT_EQ(load(file_of(GetParam())), Status::kOk);
        expect_stream(1U);
        device_.set_hook([](campaign::Call made, std::uint32_t /*number*/) {
            return (made == campaign::Call::kService) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
        });
        EXPECT_EQ(by_self_test ? self_test() : session_.reset_state(), Status::kDeviceFault);
        device_.set_hook(nullptr);
        EXPECT_EQ(session_.reset_state(), Status::kFaultLatched);
    }
}

INSTANTIATE_TEST_SUITE_P(Contents, ResetSession, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Copied" : "Filled"; });

// Where no start gives state its contents, there is nothing to reset.
TEST(SessionWithoutState, IsNotReset) {
    verifies({"swr~state-is-reset~1"});
    const files::AlignedBytes file{make_workload(1U).file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    const std::uint64_t before = bench.device.progress();
    EXPECT_EQ(bench.session.reset_state(), Status::kOk);
    EXPECT_EQ(bench.device.progress(), before);
}

}  // namespace
}  // namespace pianola::test
