// Streams of a command set with registers and strided operands: which are accepted, and which are refused.
#include <gtest/gtest.h>

#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/proofs/register_streams.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Words = std::vector<std::uint32_t>;

// One start of unit 0.
Words one_start(const Operand& first, const Operand& second, const Operand& result) {
    Words words;
    set_operand(words, 0U, 0U, first);
    set_operand(words, 0U, 1U, second);
    set_operand(words, 0U, 2U, result);
    words.push_back(kStartCode);
    words.push_back(kEndCode);
    return words;
}

constexpr Operand kAnInput{kInputBase};

TEST_F(Streams, AreAcceptedWhereEveryRunIsInside) {
    EXPECT_EQ(judge({one_start(kAnInput, {kBase, 4U, 8U, 16U, 2U, 128U}, {kScratchBase, 3U, 10U, 7U, 5U, 100U})}),
              "accepted");
}

// Between the runs lie bytes that nobody has written: a hull would be refused.
TEST_F(Streams, MayReadWhatWasWrittenRunByRun) {
    const Operand runs{kScratchBase, 4U, 8U, 16U};
    Words words = one_start(kAnInput, kAnInput, runs);
    words.pop_back();
    set_operand(words, 1U, 0U, runs);
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "accepted");
    Operand one_more = runs;
    one_more.inner += 1U;
    words.resize(words.size() - 38U);
    set_operand(words, 1U, 0U, one_more);
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "TRC-UNWRITTEN");
}

TEST_F(Streams, AreRefusedWhereTheLastRunLeavesItsRegion) {
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 4U, 4U, 20U})}), "accepted");
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 5U, 4U, 20U})}), "TRC-BOUNDS");
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 4U, 2U, 20U, 3U, 40U})}), "TRC-BOUNDS");
}

TEST_F(Streams, AreRefusedWhereRunsWrapRound) {
    for (const Operand& operand :
         {Operand{kScratchBase, 4U, UINT32_MAX, UINT32_MAX}, Operand{kScratchBase, 4U, 2U, UINT32_MAX},
          Operand{kScratchBase, 4U, 1U, 0U, UINT32_MAX, UINT32_MAX},
          Operand{kScratchBase, 4U, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, Operand{kScratchBase, 0U},
          Operand{kScratchBase, 4U, 0U}, Operand{kScratchBase, 4U, 1U, 0U, 0U}, Operand{0U, UINT32_MAX, 2U, 1U}}) {
        EXPECT_EQ(judge({one_start(kAnInput, kAnInput, operand)}), "TRC-ARGUMENT");
    }
}

// More runs than the proofs look at: they stand for their hull, and none of them counts as written.
TEST_F(Streams, OfTooManyRunsTakeTheirHull) {
    const Operand many{kScratchBase, 2U, kMaxRunsPerExtent + 1U, 4U};
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, many)}), "accepted");
    Words words = one_start(kAnInput, kAnInput, many);
    words.pop_back();
    Words exact = one_start(kAnInput, kAnInput, {kScratchBase, 2U, kMaxRunsPerExtent, 4U});
    exact.pop_back();
    for (Words* const stream : {&words, &exact}) {
        set_operand(*stream, 1U, 0U, {kScratchBase, 2U});
        set_operand(*stream, 1U, 1U, kAnInput);
        set_operand(*stream, 1U, 2U, {kScratchBase + 1024U, 1U});
        stream->push_back(kStartCode | 1U);
        stream->push_back(kEndCode);
    }
    EXPECT_EQ(judge({words}), "TRC-UNWRITTEN");
    EXPECT_EQ(judge({exact}), "accepted");
}

// Any number of runs that touch are one.
TEST_F(Streams, OfRunsThatTouchAreOneRun) {
    Words words = one_start(kAnInput, kAnInput, {kScratchBase, 4U, 20U, 4U, 10U, 80U});
    words.pop_back();
    set_operand(words, 1U, 0U, {kScratchBase, 800U});
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "accepted");
}

TEST_F(Streams, BeginWithRegistersThatHaveNoValue) {
    verifies({"swr~no-unwritten-reads~1"});
    const Words whole = one_start(kAnInput, kAnInput, {kScratchBase, 4U});
    EXPECT_EQ(judge({whole, {kStartCode, kEndCode}}), "TRC-ARGUMENT") << "the first trace's registers are not its own";
    EXPECT_EQ(judge({whole, whole}), "accepted");
    Words without = whole;
    without.erase(without.begin() + 4, without.begin() + 6);
    EXPECT_EQ(judge({without}), "TRC-ARGUMENT");
}

// The command set calls a register's value patchable, which it is not: what later commands touch hangs on it.
TEST_F(Streams, MayNotHaveRegistersPatched) {
    Workload workload;
    const std::vector<std::uint8_t> file = binary_of({one_start(kAnInput, kAnInput, {kScratchBase, 4U})}, false);
    ASSERT_EQ(judge(file), "accepted");
    const files::AlignedBytes bytes{file};
    Image image;
    ASSERT_TRUE(is_ok(validate(bytes.view(), device_, RegisterCommandSet{}, kDevelopmentTrust, *workspace_, image,
                               *plan_, verdict_)));
    workload.manifest = capture::read_manifest(image);
    workload.segments.weights.assign(image.weights().begin(), image.weights().end());
    workload.segments.traces.assign(image.trace_segment().begin(), image.trace_segment().end());
    workload.manifest.parameters = {{"bytes", ParameterKind::kRuntimeArgument, 1U, 4U, 1U, {{0U, 27U}}}};
    EXPECT_EQ(judge(workload.file()), "PAR-ACCEPTED");
    workload.manifest.parameters[0].minimum = 4U;
    EXPECT_EQ(judge(workload.file()), "accepted") << "one value is no change";
}

}  // namespace
}  // namespace pianola::test
