// What holds for every kernel: launches touch what they publish, refuse what they must, and bear anything.
#include "tests/kernels/launch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kMemoryBytes = 3200U;
constexpr std::uint32_t kHostileRounds = PIANOLA_HOSTILE_ROUNDS;

bool is_touched(const ExtentList& extents, std::uint32_t address, Access access) {
    const Span<const Extent> touched = extents.view();
    return std::any_of(touched.begin(), touched.end(), [&](const Extent& extent) {
        return (extent.access == access) && ((address - extent.address) < extent.size_bytes);
    });
}

bool is_written(const ExtentList& extents, std::uint32_t address) {
    return is_touched(extents, address, Access::kWrite);
}

bool is_read(const ExtentList& extents, std::uint32_t address) {
    return is_touched(extents, address, Access::kRead);
}

class EveryKernel : public testing::TestWithParam<Sample> {
  protected:
    const Kernel& kernel_ = kernel(GetParam().id);
    ExtentList extents_;
    ArgumentError error_;
    SmallDevice device_{kMemoryBytes};
    std::mt19937 random_{7U};

    Status describe(const Words& words) { return kernel_.describe(span_of(words), extents_, error_); }
};

TEST_P(EveryKernel, SampleIsAcceptedAndRuns) {
    ASSERT_EQ(describe(GetParam().words), Status::kOk) << error_.field << " " << error_.word;
    EXPECT_GT(launch_cost(kVirtualCosts, kernel_, span_of(GetParam().words), extents_), 0U);
    EXPECT_EQ(device_.run(GetParam().id, GetParam().words), Status::kOk);
}

TEST_P(EveryKernel, WritesEveryByteOfItsWriteExtentAndNoOther) {
    ASSERT_EQ(describe(GetParam().words), Status::kOk);
    device_.randomise(random_);
    const std::vector<std::uint8_t> start = device_.bytes();
    std::vector<std::vector<std::uint8_t>> results;
    for (const std::uint8_t fill : {std::uint8_t{0x00U}, std::uint8_t{0xFFU}}) {
        device_.bytes() = start;
        for (std::uint32_t i = 0U; i < kMemoryBytes; ++i) {
            if (is_written(extents_, kBase + i) && !is_read(extents_, kBase + i)) {
                device_.bytes()[i] = fill;
            }
        }
        ASSERT_EQ(device_.run(GetParam().id, GetParam().words), Status::kOk);
        for (std::uint32_t i = 0U; i < kMemoryBytes; ++i) {
            if (!is_written(extents_, kBase + i)) {
                ASSERT_EQ(device_.bytes()[i], start[i]) << i;
            }
        }
        results.push_back(device_.bytes());
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST_P(EveryKernel, DependsOnNothingOutsideItsExtents) {
    ASSERT_EQ(describe(GetParam().words), Status::kOk);
    device_.randomise(random_);
    const std::vector<std::uint8_t> start = device_.bytes();
    ASSERT_EQ(device_.run(GetParam().id, GetParam().words), Status::kOk);
    const std::vector<std::uint8_t> result = device_.bytes();
    device_.bytes() = start;
    for (std::uint32_t i = 0U; i < kMemoryBytes; ++i) {
        if (!is_read(extents_, kBase + i)) {
            device_.bytes()[i] ^= 0x5AU;
        }
    }
    ASSERT_EQ(device_.run(GetParam().id, GetParam().words), Status::kOk);
    for (std::uint32_t i = 0U; i < kMemoryBytes; ++i) {
        if (is_written(extents_, kBase + i)) {
            ASSERT_EQ(device_.bytes()[i], result[i]) << i;
        }
    }
}

TEST_P(EveryKernel, FaultsWithoutATouchWhereARegionForbids) {
    device_.randomise(random_);
    const std::vector<std::uint8_t> start = device_.bytes();
    ASSERT_EQ(describe(GetParam().words), Status::kOk);
    const Span<const Extent> extents = extents_.view();
    for (const Access forbidden : {Access::kRead, Access::kWrite}) {
        if (std::any_of(extents.begin(), extents.end(),
                        [&](const Extent& extent) { return extent.access == forbidden; })) {
            device_.program(forbidden != Access::kRead, forbidden != Access::kWrite);
            EXPECT_EQ(device_.run(GetParam().id, GetParam().words), Status::kDeviceFault);
            EXPECT_EQ(device_.bytes(), start);
        }
    }
}

TEST_P(EveryKernel, RefusesAnyOtherNumberOfWords) {
    for (std::size_t count = 0U; count < 40U; ++count) {
        Words words = GetParam().words;
        words.resize(count);
        const Status expected = (count == GetParam().words.size()) ? Status::kOk : Status::kRefused;
        EXPECT_EQ(describe(words), expected) << count;
        EXPECT_EQ(device_.run(GetParam().id, words), expected) << count;
    }
}

// Kernels that work in the order of memory accept one that lies below their first operand (overlap_test.cpp), and name
// it as well.
TEST_P(EveryKernel, RefusesAnOutputOnTopOfPartOfAnInput) {
    constexpr std::array<KernelId, 7> kInOrder{
        KernelId::kConv2d, KernelId::kDepthwiseConv2d, KernelId::kAveragePool2d,       KernelId::kMaxPool2d,
        KernelId::kPad,    KernelId::kConv2dInt16,     KernelId::kDepthwiseConv2dInt16};
    const bool in_order = std::find(kInOrder.begin(), kInOrder.end(), GetParam().id) != kInOrder.end();
    ASSERT_EQ(describe(GetParam().words), Status::kOk);
    const ExtentList published = extents_;
    for (const Extent& input : published.view()) {
        for (const Extent& output : published.view()) {
            if ((input.access != Access::kRead) || (output.access != Access::kWrite) ||
                (input.address == output.address)) {
                continue;
            }
            const auto word = std::find(GetParam().words.begin(), GetParam().words.end(), output.address);
            ASSERT_NE(word, GetParam().words.end());
            const auto index = static_cast<std::size_t>(word - GetParam().words.begin());
            for (const std::uint32_t address :
                 {input.address + 4U, input.address - 4U, input.address + ((input.size_bytes - 1U) & ~3U)}) {
                Words words = GetParam().words;
                words[index] = address;
                const bool is_below = in_order && (&input == published.view().data()) && (address < input.address);
                EXPECT_TRUE((describe(words) == Status::kRefused) || is_below) << input.field;
                EXPECT_STREQ(error_.field, output.field);
                EXPECT_EQ(error_.word, index);
            }
        }
    }
}

TEST_P(EveryKernel, RefusesAnOperandThatWrapsRoundTheAddressSpace) {
    ASSERT_EQ(describe(GetParam().words), Status::kOk);
    const ExtentList published = extents_;
    for (const Extent& extent : published.view()) {
        const auto word = std::find(GetParam().words.begin(), GetParam().words.end(), extent.address);
        ASSERT_NE(word, GetParam().words.end());
        const auto index = static_cast<std::size_t>(word - GetParam().words.begin());
        Words words = GetParam().words;
        words[index] = (UINT32_MAX - extent.size_bytes + 1U) & ~3U;  // the last aligned place that may hold it
        EXPECT_EQ(describe(words), Status::kOk) << extent.field;
        words[index] += 4U;
        if (words[index] == 0U) {
            continue;  // a single word cannot wrap
        }
        EXPECT_EQ(describe(words), Status::kRefused) << extent.field;
        EXPECT_EQ(error_.word, index);
    }
}

std::uint32_t odd_value(std::mt19937& random, std::uint32_t value) {
    constexpr std::array<std::uint32_t, 14> kEdges{
        0U, 1U, 2U, 127U, 128U, 255U, 32767U, 32768U, 65535U, 65536U, 65537U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU};
    switch (random() % 6U) {
        case 0U:
            return static_cast<std::uint32_t>(random());
        case 1U:
            return kEdges.at(random() % kEdges.size());
        case 2U:
            return value + 1U;
        case 3U:
            return value - 1U;
        case 4U:
            return value ^ (1U << (random() % 32U));
        default:
            return static_cast<std::uint32_t>(random() % 9U);
    }
}

TEST_P(EveryKernel, BearsHostileArgumentsAndMemory) {
    std::uint32_t accepted = 0U;
    for (std::uint32_t round = 0U; round < kHostileRounds; ++round) {
        if ((round % 16U) == 0U) {
            device_.randomise(random_);
        }
        Words words = GetParam().words;
        const std::uint32_t changes = 1U + static_cast<std::uint32_t>(random_() % 3U);
        for (std::uint32_t i = 0U; i < changes; ++i) {
            std::uint32_t& word = words.at(random_() % words.size());
            word = odd_value(random_, word);
        }
        const std::vector<std::uint8_t> start = device_.bytes();
        const Status described = describe(words);
        const Status status = device_.run(GetParam().id, words);
        if (is_ok(described)) {
            const bool may_wait = GetParam().id == KernelId::kSemaphore;  // for a value that is not there
            ASSERT_TRUE((status == Status::kOk) || (status == Status::kDeviceFault) ||
                        (may_wait && (status == Status::kRefused)));
        } else {
            ASSERT_EQ(described, Status::kRefused);
            ASSERT_EQ(status, Status::kRefused);
            ASSERT_LT(error_.word, kernel_.argument_words);
            ASSERT_STRNE(error_.field, "");
        }
        if (status != Status::kOk) {
            ASSERT_EQ(device_.bytes(), start);
            continue;
        }
        accepted += 1U;
        for (std::uint32_t i = 0U; i < kMemoryBytes; ++i) {
            if (device_.bytes()[i] != start[i]) {
                ASSERT_TRUE(is_written(extents_, kBase + i)) << i;
            }
        }
    }
    EXPECT_GT(accepted, kHostileRounds / 100U);
}

INSTANTIATE_TEST_SUITE_P(Rom, EveryKernel, testing::ValuesIn(sample_launches()),
                         [](const testing::TestParamInfo<Sample>& sample) { return sample_name(sample.param); });

}  // namespace
}  // namespace pianola::refdev
