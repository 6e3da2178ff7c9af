// A runtime without parameters and without zero-copy I/O: what needs them is refused by name, and all else is the same.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "runtime/integrity/parameter_words.h"
#include "runtime/plan/proof.h"
#include "runtime/session/armed.h"
#include "tests/support/bench.h"
#include "tests/support/nested_calls.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

TEST(WithoutFeatures, RunsWhatDoesNotNeedThem) {
    Bench bench;
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << rule_id(bench.verdict.rule);
    const std::vector<std::uint8_t> input = workload_input(1U);
    std::vector<std::uint8_t> output(kWorkloadBytes);
    for (std::uint32_t step = 0U; step < 3U; ++step) {
        output.assign(kWorkloadBytes, 0U);
        EXPECT_EQ(bench.run(input, output), Status::kOk);
        EXPECT_EQ(output, workload_output(input));
    }
}

TEST(WithoutFeatures, NoWordIsOfAParameter) {
    verifies({"swr~left-out-features~1"});
    std::array<std::uint8_t, 4> word{1U, 2U, 3U, 4U};
    const std::array<std::uint8_t, 4> file{5U, 6U, 7U, 8U};
    EXPECT_TRUE(take_out_parameters(Plan{}, ParameterValues{}, 0U, ByteSpan{file.data(), file.size()},
                                    MutableByteSpan{word.data(), word.size()}));
    EXPECT_EQ(word, (std::array<std::uint8_t, 4>{1U, 2U, 3U, 4U}));
}

TEST(WithoutFeatures, RefusesParameters) {
    verifies({"swr~left-out-features~1"});
    Bench bench;
    Workload workload = make_workload(1U, 1U);
    workload.manifest.parameters = {{"scale", ParameterKind::kRuntimeArgument, 3U, 200U, 1U, {{0U, 1U}, {0U, 2U}}}};
    const files::AlignedBytes file{workload.file()};
    EXPECT_EQ(bench.load(file.view()), Status::kRefused);
    EXPECT_EQ(bench.verdict.rule, Rule::kCapPoints);
    EXPECT_EQ(bench.verdict.actual, 2U);
    EXPECT_EQ(bench.verdict.limit, 0U);
    EXPECT_EQ(path_text(bench.verdict), "parameters[0].points");
    // No plan with a parameter comes out of the proofs. Where one did, its commands would be refused.
    const Image image;
    Plan plan;
    Verdict verdict;
    DeviceDescription device;
    ASSERT_EQ(bench.device.describe(device), Status::kOk);
    proof::Context context{
        image, device, bench.command_set, *bench.workspace, plan, verdict, {proof::Field::kTraces, 0U, header::kBytes},
        0U};
    proof::TraceCommand command;
    proof::keep_state(context);
    EXPECT_FALSE(proof::widen_command(context, proof::TracePosition{}, command));
    EXPECT_EQ(verdict.rule, Rule::kCapPoints);
}

TEST(WithoutFeatures, HasNoViews) {
    verifies({"swr~left-out-features~1"});
    Bench bench;
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    std::array<std::uint8_t, 4> bytes{};
    MutableByteSpan input{bytes};
    EXPECT_EQ(bench.session.input_view(0U, input), Status::kInvalidArgument);
    EXPECT_TRUE(input.empty());
    ByteSpan output{bytes};
    EXPECT_EQ(bench.session.output_view(0U, output), Status::kInvalidArgument);
    EXPECT_TRUE(output.empty());
    EXPECT_EQ(bench.session.submit(), Status::kInvalidArgument);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
}

// What a binary without views is answered by a runtime that has them.
TEST(WithoutFeatures, AnswersCallsForViewsByItsState) {
    Bench bench;
    MutableByteSpan input;
    EXPECT_EQ(bench.session.input_view(0U, input), Status::kInvalidState);
    EXPECT_EQ(bench.session.submit(), Status::kInvalidState);
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    EXPECT_EQ(bench.session.submit(), Status::kInvalidArgument);
    *bench.device.memory_at(bench.session.plan().trace_region_base, 1U) ^= 1U;
    ASSERT_EQ(bench.session.scrub(), Status::kIntegrity);
    EXPECT_EQ(bench.session.input_view(0U, input), Status::kFaultLatched);
    EXPECT_EQ(bench.session.submit(), Status::kFaultLatched);
}

TEST(WithoutFeatures, ACallForAViewFindsThatTheSessionHasChanged) {
    Bench bench;
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    ASSERT_EQ(bench.load(file.view()), Status::kOk);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const Span<std::uint8_t> memory{reinterpret_cast<std::uint8_t*>(&bench.session), sizeof(Session)};
    std::size_t armed = 0U;
    while ((armed < memory.size()) && (std::memcmp(&memory[armed], &kArmed, sizeof(kArmed)) != 0)) {
        armed += sizeof(kArmed);
    }
    ASSERT_LT(armed, memory.size());
    memory[armed] ^= 1U;
    MutableByteSpan input;
    EXPECT_EQ(bench.session.input_view(0U, input), Status::kIntegrity);
}

TEST(WithoutFeatures, NothingDependsOnAPlatformThatCallsBack) {
    verifies({"swr~not-reentered~1"});
    const files::AlignedBytes file{make_workload(1U, 1U).file()};
    NestedCalls nested{file.view(), kWorkloadBytes, kWorkloadBytes};
    Bench bench;
    NestingPlatform platform{bench.platform, nested};
    Session session{bench.device, platform, bench.command_set, kDevelopmentConfig};
    nested.make_on(session, *bench.workspace, bench.verdict);
    ASSERT_EQ(session.load(file.view(), *bench.workspace, bench.verdict), Status::kOk);
    std::vector<std::uint8_t> scratch(kWorkloadBytes);
    ASSERT_EQ(session.self_test({scratch.data(), scratch.size()}), Status::kOk);
    EXPECT_EQ(session.confirm_start(), Status::kOk);
    EXPECT_GT(nested.times(), 4U);
    EXPECT_EQ(bench.platform.safe_state_entries(), 0U);
}

}  // namespace
}  // namespace pianola::test
