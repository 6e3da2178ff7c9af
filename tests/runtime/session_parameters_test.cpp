// Declared parameters of a session: what values it takes, what they change, and what happens where the device does not
// take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/campaign/hooked_device.h"
#include "tests/support/bench.h"
#include "tests/support/nested_calls.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Value = Session::ParameterValue;

constexpr std::uint32_t kFillBytes = 8U;
constexpr std::uint8_t kCapturedFirst = 7U;
constexpr std::uint8_t kCapturedSecond = 9U;

// The workload, then two fills of output bytes: 0 to 7 with the first parameter, 8 to 15 with the second, which is
// even.
Workload workload_with_parameters() {
    Workload workload = make_workload(1U);
    const auto& regions = workload.manifest.regions;
    const auto output = std::find_if(regions.begin(), regions.end(),
                                     [](const auto& region) { return region.kind == RegionKind::kOutput; });
    std::vector<std::uint32_t> words = words_of(workload.segments.traces);
    const auto first = static_cast<std::uint32_t>(words.size() - 1U);  // where the end was
    const std::uint32_t fill = refdev::header_word(refdev::Opcode::kFill, refdev::kFillWords);
    const std::uint32_t barrier = refdev::header_word(refdev::Opcode::kBarrier, 1U);
    words.insert(words.end() - 1, {barrier, fill, output->base, kFillBytes, kCapturedFirst, fill,
                                   output->base + kFillBytes, kFillBytes, kCapturedSecond - 1U});
    EXPECT_TRUE(set_trace(workload, words));
    workload.manifest.parameters = {
        {"first", ParameterKind::kRuntimeArgument, 3U, 200U, 1U, {{0U, first + 4U}}},
        {"second", ParameterKind::kRuntimeArgument, 0U, 254U, 2U, {{0U, first + 8U}}},
    };
    return workload;
}

Bytes expected_output(const Bytes& input, std::uint8_t first, std::uint8_t second) {
    Bytes output = workload_output(input);
    std::fill_n(output.begin(), kFillBytes, first);
    std::fill_n(output.begin() + kFillBytes, kFillBytes, second);
    return output;
}

class SessionParameters : public testing::Test {
  protected:
    SessionParameters() : file_{workload_with_parameters().file()} {}

    Status load() { return session_.load(file_.view(), *workspace_, verdict_); }
    Status set(const std::vector<Value>& values) {
        return session_.set_parameters(Span<const Value>{values.data(), values.size()});
    }
    Status submit() {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output_.data(), output_.size()}};
        return session_.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    // One step, and whether its output is the one of these values.
    void expect_step(std::uint8_t first, std::uint8_t second) {
        ASSERT_EQ(submit(), Status::kOk);
        ASSERT_EQ(session_.wait(), Status::kOk);
        EXPECT_EQ(output_, expected_output(input_, first, second));
    }

    files::AlignedBytes file_;
    campaign::HookedDevice device_{sim::SimOptions{}};
    sim::SimPlatform platform_{device_.inner()};
    refdev::RefdevCommandSet command_set_;
    Session session_{device_, platform_, command_set_, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
    Bytes input_ = workload_input(1U);
    Bytes output_ = Bytes(kWorkloadBytes);
};

TEST_F(SessionParameters, HoldFromTheNextSubmissionOn) {
    verifies({"swr~parameters~1"});
    ASSERT_EQ(load(), Status::kOk) << rule_id(verdict_.rule) << ' ' << path_text(verdict_);
    expect_step(kCapturedFirst, kCapturedSecond - 1U);
    EXPECT_EQ(set({{0U, 3U}}), Status::kOk);
    expect_step(3U, kCapturedSecond - 1U);
    EXPECT_EQ(set({{1U, 254U}, {0U, 200U}}), Status::kOk);
    expect_step(200U, 254U);
    expect_step(200U, 254U);
    EXPECT_EQ(set({{0U, 5U}, {0U, 6U}}), Status::kOk) << "of two values for one, the last holds";
    expect_step(6U, 254U);
    EXPECT_EQ(set({}), Status::kOk);
    expect_step(6U, 254U);
    ASSERT_EQ(load(), Status::kOk);
    expect_step(kCapturedFirst, kCapturedSecond - 1U);
    EXPECT_EQ(platform_.safe_state_entries(), 0U);
}

TEST_F(SessionParameters, AreSetAllOrNone) {
    verifies({"swr~parameters~1"});
    ASSERT_EQ(load(), Status::kOk);
    EXPECT_EQ(set({{0U, 100U}, {2U, 100U}}), Status::kInvalidArgument) << "no such parameter";
    EXPECT_EQ(set({{0U, 100U}, {UINT32_MAX, 100U}}), Status::kInvalidArgument);
    EXPECT_EQ(set({{0U, 100U}, {1U, 101U}}), Status::kInvalidArgument) << "not a multiple";
    EXPECT_EQ(set({{1U, 100U}, {0U, 2U}}), Status::kInvalidArgument) << "below";
    EXPECT_EQ(set({{1U, 100U}, {0U, 201U}}), Status::kInvalidArgument) << "above";
    expect_step(kCapturedFirst, kCapturedSecond - 1U);
    EXPECT_EQ(set({{0U, 100U}, {1U, 100U}}), Status::kOk) << "and the same values without the wrong one are taken";
    expect_step(100U, 100U);
}

TEST_F(SessionParameters, AreRefusedWhereTheyDoNotBelong) {
    verifies({"swr~parameters~1"});
    EXPECT_EQ(set({{0U, 100U}}), Status::kInvalidState) << "nothing is loaded";
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(submit(), Status::kOk);
    EXPECT_EQ(set({{0U, 100U}}), Status::kInvalidState) << "a step is under way";
    ASSERT_EQ(session_.wait(), Status::kOk);
    EXPECT_EQ(output_, expected_output(input_, kCapturedFirst, kCapturedSecond - 1U));
    EXPECT_EQ(set({{0U, 100U}}), Status::kOk);
    ASSERT_EQ(session_.unload(), Status::kOk);
    EXPECT_EQ(set({{0U, 100U}}), Status::kInvalidState);
}

// The scrub knows the words that were set, and no others.
TEST_F(SessionParameters, AWordThatChangesBySomebodyElseIsNoticed) {
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(set({{0U, 100U}}), Status::kOk);
    for (std::uint32_t call = 0U; call < session_.scrub_calls(); ++call) {
        EXPECT_EQ(session_.scrub(), Status::kOk);
    }
    const std::uint32_t address = session_.plan().patch_addresses[0];
    std::uint8_t* const word = device_.inner().memory_at(address, 4U);
    ASSERT_EQ(*word, 100U);
    *word = kCapturedFirst;
    Status status = Status::kOk;
    for (std::uint32_t call = 0U; is_ok(status) && (call < session_.scrub_calls()); ++call) {
        status = session_.scrub();
    }
    EXPECT_EQ(status, Status::kIntegrity);
    EXPECT_EQ(session_.fault().stage, FaultStage::kScrub);
}

// Of three words the n-th is not taken: the values are then neither the old nor the new ones, and nothing may be
// replayed.
TEST_F(SessionParameters, APatchThatFailsLatches) {
    for (const std::uint32_t failing : {0U, 1U}) {
        device_.set_hook({});
        ASSERT_EQ(load(), Status::kOk);
        std::uint32_t patches = 0U;
        device_.set_hook([&](campaign::Call call, std::uint32_t /*number*/) -> std::optional<Status> {
            if (call != campaign::Call::kPatchWord) {
                return std::nullopt;
            }
            patches += 1U;
            return (patches == (failing + 1U)) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
        });
        EXPECT_EQ(set({{0U, 100U}, {1U, 100U}}), Status::kDeviceFault);
        EXPECT_EQ(patches, failing + 1U) << "nothing follows the one that failed";
        EXPECT_EQ(session_.fault().stage, FaultStage::kParameter);
        EXPECT_EQ(session_.fault().status, Status::kDeviceFault);
        EXPECT_EQ(session_.fault().address, session_.plan().patch_addresses[failing]);
        EXPECT_TRUE(session_.fault().device_stopped);
        EXPECT_EQ(set({{0U, 100U}}), Status::kFaultLatched);
        EXPECT_EQ(submit(), Status::kFaultLatched);
        EXPECT_EQ(platform_.safe_state_entries(), failing + 1U);
    }
}

// Also where a value is set to what it is, so that nothing of the session's state differs meanwhile.
TEST_F(SessionParameters, NothingDependsOnADeviceThatCallsBack) {
    verifies({"swr~not-reentered~1"});
    ASSERT_EQ(load(), Status::kOk);
    ASSERT_EQ(set({{0U, 100U}}), Status::kOk);
    NestedCalls nested{file_.view(), kWorkloadBytes, kWorkloadBytes};
    nested.make_on(session_, *workspace_, verdict_);
    device_.set_hook([&nested](campaign::Call, std::uint32_t) -> std::optional<Status> {
        nested.make();
        return std::nullopt;
    });
    ASSERT_EQ(set({{0U, 100U}, {1U, 20U}}), Status::kOk);
    EXPECT_EQ(nested.times(), 4U) << "each word is set and read back";
    expect_step(100U, 20U);
}

// The device says that it has taken the word; what is there says that it has not, or can not be read.
TEST_F(SessionParameters, AWordThatDoesNotArriveLatches) {
    verifies({"swr~parameters~1"});
    for (const bool is_lost : {false, true}) {
        device_.set_hook({});
        device_.set_lies({});
        ASSERT_EQ(load(), Status::kOk);
        if (is_lost) {
            device_.set_lies([](campaign::Call call, std::uint32_t /*number*/) {
                return (call == campaign::Call::kPatchWord) ? campaign::Lie::kOmitted : campaign::Lie::kNone;
            });
        } else {
            device_.set_hook([](campaign::Call call, std::uint32_t /*number*/) {
                return (call == campaign::Call::kReadBack) ? std::optional<Status>{Status::kTimeout} : std::nullopt;
            });
        }
        EXPECT_EQ(set({{1U, 100U}}), Status::kDeviceFault);
        EXPECT_EQ(session_.fault().stage, FaultStage::kParameter);
        EXPECT_EQ(session_.fault().address, session_.plan().patch_addresses[1]);
        EXPECT_EQ(submit(), Status::kFaultLatched);
    }
}

}  // namespace
}  // namespace pianola::test
