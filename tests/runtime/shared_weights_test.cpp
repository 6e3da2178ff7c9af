// Weights in memory that programs share: whatever may be written there, what the set-up has put there stays.
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The workload with its weights at the front of a shared region, which is as long again.
Workload workload_with_shared_weights() {
    Workload workload = make_workload(1U);
    capture::ManifestRegion& weights = workload.manifest.regions.front();
    EXPECT_EQ(weights.kind, RegionKind::kWeights);
    EXPECT_EQ(workload.manifest.buffers.front().region, 0U);
    EXPECT_EQ(workload.manifest.buffers.front().offset_bytes, 0U);
    constexpr std::uint32_t kBehindTheOthers = 64U * 1024U;
    weights.kind = RegionKind::kShared;
    weights.base += kBehindTheOthers;
    weights.size_bytes = 2U * kWorkloadBytes;
    std::vector<std::uint32_t> words = words_of(workload.segments.traces);
    for (std::uint32_t& word : words) {
        word = (word == (weights.base - kBehindTheOthers)) ? weights.base : word;
    }
    EXPECT_TRUE(set_trace(workload, words));
    return workload;
}

TEST(SharedWeights, AreReadAsOthersAre) {
    const files::AlignedBytes file{workload_with_shared_weights().file()};
    Bench bench;
    ASSERT_EQ(bench.load(file.view()), Status::kOk) << rule_id(bench.verdict.rule) << ' ' << path_text(bench.verdict);
    for (std::uint32_t step = 1U; step <= 3U; ++step) {
        Bytes output(kWorkloadBytes);
        ASSERT_EQ(bench.run(workload_input(step), output), Status::kOk);
        EXPECT_EQ(output, workload_output(workload_input(step)));
    }
}

// A command may write to the region, but for each byte of the weights.
TEST(SharedWeights, AreNotWrittenByCommands) {
    for (const std::uint32_t first : {0U, 1U, kWorkloadBytes - 1U, kWorkloadBytes}) {
        Workload workload = workload_with_shared_weights();
        refdev::Words words = refdev::fill_words(workload.manifest.regions.front().base + first, 1U, 0U);
        refdev::append(words, words_of(workload.segments.traces));
        ASSERT_TRUE(set_trace(workload, words));
        Validator validator;
        const Status status = validator.validate(workload.file());
        if (first == kWorkloadBytes) {
            EXPECT_EQ(status, Status::kOk) << path_text(validator.verdict());
        } else {
            EXPECT_EQ(status, Status::kRefused);
            EXPECT_STREQ(rule_id(validator.verdict().rule), rule_id(Rule::kTrcPermission));
            EXPECT_EQ(path_text(validator.verdict()), "traces[0].commands[0].destination");
        }
    }
}

// An input may lie beside them.
TEST(SharedWeights, AreNotWrittenByInputs) {
    for (const std::uint32_t offset : {0U, kWorkloadBytes - 1U, kWorkloadBytes}) {
        Workload workload = workload_with_shared_weights();
        capture::ManifestBuffer& input = workload.manifest.buffers.at(workload.manifest.inputs.front().buffer);
        const std::uint32_t before = workload.manifest.regions.at(input.region).base + input.offset_bytes;
        input.region = 0U;
        input.offset_bytes = offset;
        std::vector<std::uint32_t> words = words_of(workload.segments.traces);
        for (std::uint32_t& word : words) {
            word = (word == before) ? (workload.manifest.regions.front().base + offset) : word;
        }
        ASSERT_TRUE(set_trace(workload, words));
        Validator validator;
        const Status status = validator.validate(workload.file());
        if (offset == kWorkloadBytes) {
            EXPECT_EQ(status, Status::kOk) << rule_id(validator.verdict().rule) << path_text(validator.verdict());
        } else {
            EXPECT_EQ(status, Status::kRefused);
            EXPECT_STREQ(rule_id(validator.verdict().rule), rule_id(Rule::kScrWeightsOnce));
            EXPECT_EQ(path_text(validator.verdict()), "scripts[1].commands[0].input");
        }
    }
}

}  // namespace
}  // namespace pianola::test
