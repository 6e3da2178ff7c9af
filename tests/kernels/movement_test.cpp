// Kernels that move data or mark progress: copy, fill, gather, view, take and semaphore.
#include <gtest/gtest.h>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

class Movement : public testing::Test {
  protected:
    SmallDevice device_{2048U};
    std::mt19937 random_{29U};

    std::uint32_t up_to(std::uint32_t highest) { return static_cast<std::uint32_t>(random_() % (highest + 1U)); }
};

TEST_F(Movement, CopyMovesExactlyItsBytes) {
    for (int round = 0; round < 300; ++round) {
        device_.randomise(random_);
        const CopyArguments a{kBase + up_to(300U), kBase + 1024U + up_to(300U), 1U + up_to(700U)};
        std::vector<std::uint8_t> expected = device_.bytes();
        for (std::uint32_t i = 0U; i < a.size_bytes; ++i) {
            expected.at((a.destination - kBase) + i) = expected.at((a.source - kBase) + i);
        }
        ASSERT_EQ(device_.run(KernelId::kCopy, words_of(a)), Status::kOk);
        ASSERT_EQ(device_.bytes(), expected);
    }
}

TEST_F(Movement, CopyWorksBothWaysBetweenNeighbours) {
    device_.randomise(random_);
    const std::uint8_t first = device_.at(kBase);
    EXPECT_EQ(device_.run(KernelId::kCopy, words_of(CopyArguments{kBase, kBase + 64U, 64U})), Status::kOk);
    EXPECT_EQ(device_.at(kBase + 64U), first);
    EXPECT_EQ(device_.run(KernelId::kCopy, words_of(CopyArguments{kBase + 64U, kBase, 64U})), Status::kOk);
    EXPECT_EQ(device_.run(KernelId::kCopy, words_of(CopyArguments{kBase, kBase + 63U, 64U})), Status::kRefused);
    EXPECT_EQ(device_.run(KernelId::kCopy, words_of(CopyArguments{kBase, kBase, 64U})), Status::kRefused);
}

TEST_F(Movement, FillRepeatsItsPatternLittleEndian) {
    for (int round = 0; round < 300; ++round) {
        device_.randomise(random_);
        const FillArguments a{kBase + (4U * up_to(100U)), 4U + (4U * up_to(400U)),
                              static_cast<std::uint32_t>(random_())};
        std::vector<std::uint8_t> expected = device_.bytes();
        for (std::uint32_t i = 0U; i < a.size_bytes; ++i) {
            expected.at((a.destination - kBase) + i) =
                static_cast<std::uint8_t>((a.pattern >> (8U * (i % 4U))) & 0xFFU);
        }
        ASSERT_EQ(device_.run(KernelId::kFill, words_of(a)), Status::kOk);
        ASSERT_EQ(device_.bytes(), expected);
    }
}

TEST_F(Movement, GatherPutsRowsTogether) {
    constexpr std::uint32_t kDestination = kBase + 1200U;
    std::uint32_t wide = 0U;
    for (int round = 0; round < 500; ++round) {
        device_.randomise(random_);
        GatherArguments a{kDestination + up_to(3U), 1U + up_to(11U), 1U + up_to(3U), {}};
        std::vector<std::uint8_t> expected = device_.bytes();
        for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
            a.segments.at(i) = GatherSegment{kBase + (300U * i) + up_to(5U), up_to(24U), 1U + up_to(15U)};
        }
        std::uint32_t at = a.destination - kBase;
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            for (std::uint32_t i = 0U; i < a.segment_count; ++i) {
                for (std::uint32_t byte = 0U; byte < a.segments.at(i).bytes; ++byte) {
                    const std::uint32_t source =
                        a.segments.at(i).address + (row * a.segments.at(i).stride_bytes) + byte;
                    expected.at(at) = expected.at(source - kBase);
                    at += 1U;
                }
            }
        }
        ASSERT_EQ(device_.run(KernelId::kGather, words_of(a)), Status::kOk);
        ASSERT_EQ(device_.bytes(), expected);
        wide += (a.segment_count == kMaxGatherSegments) ? 1U : 0U;
    }
    EXPECT_GT(wide, 50U);
}

// [4][6] bytes split by columns over two memories, as a reshard sees it: joined, then split again.
TEST_F(Movement, GatherJoinsAndSlices) {
    for (std::uint32_t i = 0U; i < 24U; ++i) {
        device_.at(kBase + (((i % 6U) < 2U) ? (((i / 6U) * 2U) + (i % 6U))
                                            : (100U + ((i / 6U) * 4U) + (i % 6U) - 2U))) = static_cast<std::uint8_t>(i);
    }
    const GatherArguments join{kBase + 200U, 4U, 2U, {{{kBase, 2U, 2U}, {kBase + 100U, 4U, 4U}, {}, {}}}};
    ASSERT_EQ(device_.run(KernelId::kGather, words_of(join)), Status::kOk);
    for (std::uint32_t i = 0U; i < 24U; ++i) {
        EXPECT_EQ(device_.at(kBase + 200U + i), i);
    }
    const GatherArguments slice{kBase + 300U, 4U, 1U, {{{kBase + 203U, 6U, 3U}, {}, {}, {}}}};
    ASSERT_EQ(device_.run(KernelId::kGather, words_of(slice)), Status::kOk);
    for (std::uint32_t i = 0U; i < 12U; ++i) {
        EXPECT_EQ(device_.at(kBase + 300U + i), ((i / 3U) * 6U) + 3U + (i % 3U));
    }
}

TEST_F(Movement, GatherPublishesTheHullOfEachSegment) {
    ExtentList extents;
    ArgumentError error;
    const GatherArguments a{
        kBase + 1024U, 10U, 3U, {{{kBase, 16U, 4U}, {kBase + 512U, 0U, 7U}, {kBase + 700U, 3U, 5U}, {}}}};
    ASSERT_EQ(kernel(KernelId::kGather).describe(span_of(words_of(a)), extents, error), Status::kOk);
    const Span<const Extent> touched = extents.view();
    ASSERT_EQ(touched.size(), 4U);
    EXPECT_EQ(touched[0].size_bytes, (9U * 16U) + 4U);
    EXPECT_EQ(touched[1].size_bytes, 7U);
    EXPECT_EQ(touched[2].size_bytes, (9U * 3U) + 5U);
    EXPECT_EQ(touched[3].address, kBase + 1024U);
    EXPECT_EQ(touched[3].size_bytes, 160U);
    EXPECT_EQ(touched[3].access, Access::kWrite);
    // 64 to start, 30 pieces and 347 bytes.
    EXPECT_EQ(launch_cost(kVirtualCosts, kernel(KernelId::kGather), span_of(words_of(a)), extents), 64U + 2U + 44U);
    // Inside a hull, though between its rows.
    GatherArguments between = a;
    between.destination = kBase + 4U;
    between.rows = 1U;
    EXPECT_EQ(kernel(KernelId::kGather).describe(span_of(words_of(between)), extents, error), Status::kOk);
    between.rows = 2U;
    EXPECT_EQ(kernel(KernelId::kGather).describe(span_of(words_of(between)), extents, error), Status::kRefused);
    EXPECT_STREQ(error.field, "destination");
}

// More operations than an operand could have bytes.
TEST_F(Movement, RecurrentLayersCostEveryOperation) {
    constexpr std::int32_t kHalfway = std::int32_t{1} << 30U;
    ExtentList extents;
    ArgumentError error;
    LstmArguments lstm{};
    lstm.input = 0U;
    lstm.weights = 0x1000'0000U;
    lstm.parameters = 0x1100'0000U;
    lstm.state = 0x1200'0000U;
    lstm.output = 0x4000'0000U;
    lstm.batches = 1U;
    lstm.steps = 1'000'000U;
    lstm.input_depth = 1U;
    lstm.units = 1024U;
    lstm.gates.fill(LstmGateScales{kHalfway, -1, kHalfway, 0});
    lstm.forget_multiplier = kHalfway;
    lstm.admit_multiplier = kHalfway;
    lstm.emit_multiplier = kHalfway;
    lstm.cell_multiplier = 3;
    lstm.type = kTypeInt8;
    ASSERT_EQ(kernel(KernelId::kLstm).describe(span_of(words_of(lstm)), extents, error), Status::kOk) << error.field;
    EXPECT_GT(launch_cost(kVirtualCosts, kernel(KernelId::kLstm), span_of(words_of(lstm)), extents),
              1'000'000ULL * 4U * 1024U * 1025U / 16U);
    SvdfFeatureArguments svdf{};
    svdf.input = 0U;
    svdf.features = 0x1000'0000U;
    svdf.memory = 0x4000'0000U;
    svdf.batches = 15'000U;
    svdf.input_depth = 15'000U;
    svdf.filters = 15'000U;
    svdf.length = 1U;
    svdf.type = kTypeInt8;
    svdf.multiplier = kHalfway;
    ASSERT_EQ(kernel(KernelId::kSvdfFeature).describe(span_of(words_of(svdf)), extents, error), Status::kOk)
        << error.field;
    EXPECT_GT(launch_cost(kVirtualCosts, kernel(KernelId::kSvdfFeature), span_of(words_of(svdf)), extents),
              15'000ULL * 15'000U * 15'000U / 16U);
}

// Numbers of 16 bits have no zero points, and are aligned; no other types are there.
TEST_F(Movement, AnLstmOfInt16HasNoOffsets) {
    const std::vector<Sample> samples = plain_launches();
    const auto wide = std::find_if(samples.begin(), samples.end(), [](const Sample& sample) {
        return (sample.id == KernelId::kLstm) && (std::string{sample.variant} == "_int16");
    });
    ASSERT_NE(wide, samples.end());
    const auto refused_field = [&wide](std::size_t member, std::uint32_t value) {
        Words words = wide->words;
        words.at(word_of(member)) = value;
        ExtentList extents;
        ArgumentError error;
        const Status status = kernel(KernelId::kLstm).describe(span_of(words), extents, error);
        return std::string{is_ok(status) ? "accepted" : error.field};
    };
    EXPECT_EQ(refused_field(offsetof(LstmArguments, type), kTypeInt16), "accepted");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, type), kTypeUint8), "type");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, type), kTypeInt32), "type");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, input_offset), 1U), "input_offset");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, hidden_offset), 1U), "hidden_offset");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, input), kBase + 1U), "input");
    EXPECT_EQ(refused_field(offsetof(LstmArguments, output), kBase + 193U), "output");
}

// By the definition: the output's index, taken apart, times the strides.
TEST_F(Movement, ViewReadsAtItsStrides) {
    constexpr std::uint32_t kDestination = kBase + 1024U;
    std::uint32_t backwards = 0U;
    for (int round = 0; round < 2000; ++round) {
        device_.randomise(random_);
        ViewArguments a{kBase + up_to(40U), kDestination + up_to(3U), 1U + up_to(8U), {}, {}};
        std::int64_t origin = a.input;
        std::uint32_t elements = 1U;
        for (std::size_t axis = 0U; axis < kViewRank; ++axis) {
            a.dims.at(axis) = 1U + up_to(2U);
            a.strides.at(axis) = static_cast<std::int32_t>(up_to(120U)) - 60;
            origin += (a.strides.at(axis) < 0) ? (std::int64_t{a.dims.at(axis) - 1U} * -a.strides.at(axis)) : 0;
            elements *= a.dims.at(axis);
            backwards += (a.strides.at(axis) < 0) ? 1U : 0U;
        }
        a.element_bytes = std::min(a.element_bytes, 1000U / elements);
        std::vector<std::uint8_t> expected = device_.bytes();
        for (std::uint32_t i = 0U; i < elements; ++i) {
            std::int64_t from = origin;
            std::uint32_t rest = i;
            for (std::size_t axis = kViewRank; axis-- > 0U;) {
                from += std::int64_t{rest % a.dims.at(axis)} * a.strides.at(axis);
                rest /= a.dims.at(axis);
            }
            for (std::uint32_t byte = 0U; byte < a.element_bytes; ++byte) {
                expected.at((a.output - kBase) + (i * a.element_bytes) + byte) =
                    expected.at((static_cast<std::uint32_t>(from) - kBase) + byte);
            }
        }
        ASSERT_EQ(device_.run(KernelId::kView, words_of(a)), Status::kOk);
        ASSERT_EQ(device_.bytes(), expected);
    }
    EXPECT_GT(backwards, 2000U);
}

TEST_F(Movement, ViewPublishesTheHullOfItsElements) {
    ExtentList extents;
    ArgumentError error;
    const ViewArguments a{kBase + 5U, kBase + 1024U, 3U, {2U, 1U, 4U, 1U, 3U, 2U}, {100, 999, -7, -1, 0, 3}};
    ASSERT_EQ(kernel(KernelId::kView).describe(span_of(words_of(a)), extents, error), Status::kOk);
    const Span<const Extent> touched = extents.view();
    ASSERT_EQ(touched.size(), 2U);
    EXPECT_EQ(touched[0].address, kBase + 5U);
    EXPECT_EQ(touched[0].size_bytes, 100U + 21U + 3U + 3U);
    EXPECT_EQ(touched[0].access, Access::kRead);
    EXPECT_EQ(touched[1].address, kBase + 1024U);
    EXPECT_EQ(touched[1].size_bytes, 48U * 3U);
    EXPECT_EQ(touched[1].access, Access::kWrite);
}

TEST_F(Movement, TakeChoosesEntriesAndClampsIndices) {
    std::uint32_t outside = 0U;
    for (int round = 0; round < 1000; ++round) {
        device_.randomise(random_);
        const TakeArguments a{kBase + up_to(9U), kBase + 512U,   kBase + 1024U + up_to(3U),
                              1U + up_to(1U),    1U + up_to(2U), 1U + up_to(6U),
                              1U + up_to(9U),    1U + up_to(6U)};
        for (std::uint32_t i = 0U; i < (a.batches * a.count); ++i) {
            constexpr std::array<std::int32_t, 4> kOutside{-1, INT32_MIN, INT32_MAX, 7};
            const bool is_inside = up_to(9U) != 0U;
            device_.store_word(a.indices + (4U * i),
                               is_inside ? static_cast<std::int32_t>(up_to(a.entries - 1U)) : kOutside.at(up_to(3U)));
            outside += is_inside ? 0U : 1U;
        }
        std::vector<std::uint8_t> expected = device_.bytes();
        for (std::uint32_t i = 0U; i < (a.batches * a.outer * a.count); ++i) {
            const std::uint32_t table = i / a.count;
            const std::uint32_t position = ((table / a.outer) * a.count) + (i % a.count);
            const std::int64_t wanted = device_.word(a.indices + (4U * position));
            const auto entry = static_cast<std::uint32_t>(std::clamp<std::int64_t>(wanted, 0, a.entries - 1));
            for (std::uint32_t byte = 0U; byte < a.entry_bytes; ++byte) {
                expected.at((a.output - kBase) + (i * a.entry_bytes) + byte) =
                    expected.at((a.input - kBase) + (((table * a.entries) + entry) * a.entry_bytes) + byte);
            }
        }
        ASSERT_EQ(device_.run(KernelId::kTake, words_of(a)), Status::kOk);
        ASSERT_EQ(device_.bytes(), expected);
    }
    EXPECT_GT(outside, 500U);
}

TEST_F(Movement, SemaphoreSetsCountsUpAndWaits) {
    const std::uint32_t address = kBase + 8U;
    const auto run = [&](SemaphoreOp op, std::uint32_t value) {
        return device_.run(KernelId::kSemaphore, words_of(SemaphoreArguments{address, op, value}));
    };
    const auto word = [&] { return static_cast<std::uint32_t>(device_.word(address)); };
    device_.randomise(random_);
    const std::vector<std::uint8_t> start = device_.bytes();
    EXPECT_EQ(run(SemaphoreOp::kSet, 0xFFFF'FFFEU), Status::kOk);
    EXPECT_EQ(word(), 0xFFFF'FFFEU);
    EXPECT_EQ(run(SemaphoreOp::kWait, 0xFFFF'FFFFU), Status::kRefused);
    EXPECT_EQ(run(SemaphoreOp::kWait, 0xFFFF'FFFEU), Status::kOk);
    EXPECT_EQ(run(SemaphoreOp::kWait, 1U), Status::kOk);
    EXPECT_EQ(word(), 0xFFFF'FFFEU);
    EXPECT_EQ(run(SemaphoreOp::kIncrement, 5U), Status::kOk);
    EXPECT_EQ(word(), 3U);
    EXPECT_EQ(run(SemaphoreOp::kWait, 4U), Status::kRefused);
    EXPECT_EQ(run(SemaphoreOp::kWait, 0x8000'0000U), Status::kRefused);
    EXPECT_EQ(run(SemaphoreOp::kWait, 0U), Status::kOk);
    EXPECT_EQ(word(), 3U);
    std::vector<std::uint8_t> expected = start;
    expected.at(8U) = 3U;
    expected.at(9U) = 0U;
    expected.at(10U) = 0U;
    expected.at(11U) = 0U;
    EXPECT_EQ(device_.bytes(), expected);
}

TEST_F(Movement, SemaphorePublishesWhatItsOperationTouches) {
    ExtentList extents;
    ArgumentError error;
    for (const auto& [op, accesses] : std::vector<std::pair<SemaphoreOp, std::vector<Access>>>{
             {SemaphoreOp::kSet, {Access::kWrite}},
             {SemaphoreOp::kIncrement, {Access::kRead, Access::kWrite}},
             {SemaphoreOp::kWait, {Access::kRead}}}) {
        const Words words = words_of(SemaphoreArguments{kBase, op, 9U});
        ASSERT_EQ(kernel(KernelId::kSemaphore).describe(span_of(words), extents, error), Status::kOk);
        std::vector<Access> published;
        for (const Extent& extent : extents.view()) {
            EXPECT_EQ(extent.address, kBase);
            EXPECT_EQ(extent.size_bytes, 4U);
            published.push_back(extent.access);
        }
        EXPECT_EQ(published, accesses);
    }
}

}  // namespace
}  // namespace pianola::refdev
