// What Kernel::address_words and Kernel::value_words promise, for every kernel of the ROM.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

bool has_bit(std::uint64_t words, std::size_t word) {
    return ((words >> word) & 1U) != 0U;
}

struct Described {
    bool accepted{false};
    ExtentList extents;
    std::vector<std::uint64_t> costs;  // by each cost model
};

class Roles : public testing::TestWithParam<Sample> {
  protected:
    const Kernel& kernel_ = kernel(GetParam().id);
    std::mt19937 random_{37U};

    [[nodiscard]] Described describe(const Words& words) const {
        Described described;
        ArgumentError error;
        described.accepted = is_ok(kernel_.describe(span_of(words), described.extents, error));
        for (const NamedCostModel& each : cost_models()) {
            if (described.accepted) {
                described.costs.push_back(launch_cost(*each.model, kernel_, span_of(words), described.extents));
            }
        }
        return described;
    }
    std::uint32_t random_word() { return static_cast<std::uint32_t>(random_()); }

    // Of all magnitudes, and near the bounds that words have.
    std::uint32_t random_value() {
        constexpr std::array<std::uint32_t, 9> kEdges{0U,           1U,           30U,          127U,        128U,
                                                      0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FF80U, 0xFFFF'FFE1U};
        switch (random_() % 4U) {
            case 0U:
                return random_word();
            case 1U:
                return kEdges.at(random_() % kEdges.size()) + (random_word() % 3U) - 1U;
            default: {
                const std::uint32_t magnitude = random_word() >> (random_() % 32U);
                return ((random_() % 2U) == 0U) ? magnitude : (0U - magnitude);
            }
        }
    }

    // The sample, with some words that are neither role changed, and all value words, until it is accepted.
    Words random_launch() {
        Words words = GetParam().words;
        for (std::uint32_t attempt = 0U; attempt < 20U; ++attempt) {
            Words changed = words;
            const std::size_t word = random_() % words.size();
            if (has_bit(kernel_.address_words, word)) {
                changed.at(word) += (random_word() % 64U) * 4U;
            } else {
                changed.at(word) = ((random_() % 2U) == 0U) ? random_value() : (random_word() % 9U);
            }
            if (describe(changed).accepted) {
                words = changed;
            }
        }
        return words;
    }
};

bool same_sign(std::uint32_t left, std::uint32_t right) {
    return ((left ^ right) >> 31U) == 0U;
}

void expect_equal(const Described& left, const Described& right) {
    EXPECT_EQ(left.costs, right.costs);
    ASSERT_EQ(left.extents.view().size(), right.extents.view().size());
    for (std::size_t i = 0U; i < left.extents.view().size(); ++i) {
        EXPECT_EQ(left.extents.view()[i].address, right.extents.view()[i].address);
        EXPECT_EQ(left.extents.view()[i].size_bytes, right.extents.view()[i].size_bytes);
        EXPECT_EQ(left.extents.view()[i].access, right.extents.view()[i].access);
    }
}

TEST_P(Roles, AWordHasOneRoleAndExists) {
    EXPECT_EQ(kernel_.address_words & kernel_.value_words, 0U);
    ASSERT_LE(kernel_.argument_words, 64U);
    if (kernel_.argument_words < 64U) {
        EXPECT_EQ((kernel_.address_words | kernel_.value_words) >> kernel_.argument_words, 0U);
    }
}

TEST_P(Roles, ValuesBetweenAcceptedOnesAreAcceptedAndChangeNothing) {
    for (std::size_t word = 0U; word < kernel_.argument_words; ++word) {
        if (!has_bit(kernel_.value_words, word)) {
            continue;
        }
        std::uint32_t pairs = 0U;
        for (std::uint32_t round = 0U; round < 200U; ++round) {
            const Words launch = random_launch();
            const Described base = describe(launch);
            ASSERT_TRUE(base.accepted);
            for (std::uint32_t attempt = 0U; attempt < 30U; ++attempt) {
                Words low = launch;
                Words high = launch;
                low.at(word) = random_value();
                high.at(word) = random_value();
                if (low.at(word) > high.at(word)) {
                    std::swap(low, high);
                }
                const Described described = describe(low);
                if ((low.at(word) == high.at(word)) || !same_sign(low.at(word), high.at(word)) || !described.accepted ||
                    !describe(high).accepted) {
                    continue;
                }
                pairs += 1U;
                Words between = launch;
                between.at(word) = low.at(word) + (random_word() % (high.at(word) - low.at(word)));
                const Described middle = describe(between);
                ASSERT_TRUE(middle.accepted) << word << ": " << between.at(word);
                expect_equal(middle, base);
                expect_equal(described, base);
            }
        }
        // A scalar is fixed where the operation has none, so that not every launch of every kernel gives pairs. Offsets
        // of an LSTM are 0 with int16: pairs come from those launches alone that are drawn with int8.
        const bool is_offset = (word == word_of(offsetof(LstmArguments, input_offset))) ||
                               (word == word_of(offsetof(LstmArguments, hidden_offset)));
        const bool is_fixed = (GetParam().id == KernelId::kLstm) && is_offset &&
                              (GetParam().words.at(word_of(offsetof(LstmArguments, type))) == kTypeInt16);
        EXPECT_GT(pairs, is_fixed ? 0U : 10U) << "word " << word;
    }
}

TEST_P(Roles, AnyNumberOfValuesTogetherStayAcceptedToo) {
    std::uint32_t boxes = 0U;
    for (std::uint32_t round = 0U; round < 300U; ++round) {
        Words low = random_launch();
        Words high = low;
        const Described base = describe(low);
        // Grow two opposite corners, each accepted as a whole.
        for (std::uint32_t attempt = 0U; attempt < 200U; ++attempt) {
            const std::size_t word = random_() % low.size();
            if (!has_bit(kernel_.value_words, word)) {
                continue;
            }
            Words& corner = ((random_() % 2U) == 0U) ? low : high;
            Words changed = corner;
            changed.at(word) = random_value();
            const Words& other = (&corner == &low) ? high : low;
            if (same_sign(changed.at(word), other.at(word)) && describe(changed).accepted) {
                corner = changed;
            }
        }
        boxes += (low != high) ? 1U : 0U;
        for (std::uint32_t sample = 0U; sample < 20U; ++sample) {
            Words inside = low;
            for (std::size_t word = 0U; word < low.size(); ++word) {
                const std::uint32_t first = std::min(low.at(word), high.at(word));
                const std::uint32_t range = std::max(low.at(word), high.at(word)) - first;
                inside.at(word) = (range == UINT32_MAX) ? random_word() : (first + (random_word() % (range + 1U)));
            }
            const Described described = describe(inside);
            ASSERT_TRUE(described.accepted);
            expect_equal(described, base);
        }
    }
    EXPECT_EQ(boxes > 10U, kernel_.value_words != 0U);
}

// Whether the last operand shares bytes with the first.
bool overlaps(const ExtentList& extents) {
    const Span<const Extent> view = extents.view();
    const Extent& first = view[0U];
    const Extent& last = view[view.size() - 1U];
    return (view.size() > 1U) &&
           (((first.address - last.address) < last.size_bytes) || ((last.address - first.address) < first.size_bytes));
}

TEST_P(Roles, ExtentsMoveWithTheirAddressWords) {
    for (std::size_t word = 0U; word < kernel_.argument_words; ++word) {
        if (!has_bit(kernel_.address_words, word)) {
            continue;
        }
        std::uint32_t moves = 0U;
        for (std::uint32_t round = 0U; round < 500U; ++round) {
            const Words launch = random_launch();
            Words moved = launch;
            moved.at(word) = ((random_() % 2U) == 0U) ? random_word() : (launch.at(word) + (random_word() % 4096U));
            moved.at(word) &= ((random_() % 2U) == 0U) ? ~3U : ~0U;
            const Described before = describe(launch);
            const Described after = describe(moved);
            const bool alone = std::count(launch.begin(), launch.end(), launch.at(word)) == 1;
            if (!after.accepted || !alone || (moved.at(word) == launch.at(word))) {
                continue;
            }
            moves += 1U;
            // The check of an output over an input costs a core more.
            if (overlaps(before.extents) == overlaps(after.extents)) {
                EXPECT_EQ(after.costs, before.costs);
            }
            const Span<const Extent> old_extents = before.extents.view();
            const Span<const Extent> new_extents = after.extents.view();
            ASSERT_EQ(new_extents.size(), old_extents.size());
            bool any = false;
            for (std::size_t i = 0U; i < old_extents.size(); ++i) {
                const bool of_word = old_extents[i].address == launch.at(word);
                any = any || of_word;
                ASSERT_EQ(new_extents[i].address - old_extents[i].address,
                          of_word ? (moved.at(word) - launch.at(word)) : 0U);
                ASSERT_EQ(new_extents[i].size_bytes, old_extents[i].size_bytes);
                ASSERT_EQ(new_extents[i].access, old_extents[i].access);
            }
            ASSERT_TRUE(any) << word;
        }
        // A segment of a gather that is not used cannot be moved.
        const bool used = GetParam().words.at(word) != 0U;
        EXPECT_EQ(moves > 10U, used) << word;
    }
}

TEST_P(Roles, EveryExtentHasAnAddressWord) {
    for (std::uint32_t round = 0U; round < 200U; ++round) {
        const Words launch = random_launch();
        const Described described = describe(launch);
        for (const Extent& extent : described.extents.view()) {
            bool found = false;
            for (std::size_t word = 0U; word < launch.size(); ++word) {
                found = found || (has_bit(kernel_.address_words, word) && (launch.at(word) == extent.address));
            }
            ASSERT_TRUE(found) << extent.field;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Rom, Roles, testing::ValuesIn(sample_launches()),
                         [](const testing::TestParamInfo<Sample>& sample) { return sample_name(sample.param); });

// Which words a caller may vary is part of the library's interface: a role that goes away breaks captured models.
TEST(RolesOfTheRom, AreThoseThatTheDocumentNames) {
    const std::map<KernelId, std::pair<std::uint64_t, std::uint64_t>> expected{
        {KernelId::kFullyConnected, {0xFU, 0b10'1000'0000U}},
        {KernelId::kConv2d, {0xFU, (1U << 20U) | (1U << 21U)}},
        {KernelId::kDepthwiseConv2d, {0xFU, (1U << 19U) | (1U << 20U)}},
        {KernelId::kAveragePool2d, {0b11U, 1U << 15U}},
        {KernelId::kMaxPool2d, {0b11U, 1U << 15U}},
        {KernelId::kMean, {0b11U, 0xFU << 7U}},
        {KernelId::kAdd, {0b111U, (0x3FFU << 15U) | (1U << 26U)}},
        {KernelId::kSoftmax, {0b11U, 0b111'0000U}},
        {KernelId::kRequantize, {0b11U, 0b111'1000U}},
        {KernelId::kPad, {0b11U, 1U << 15U}},
        {KernelId::kCopy, {0b11U, 0U}},
        {KernelId::kFill, {0b1U, 0b100U}},
        {KernelId::kGather, {0b1'0010'0100'1001U, 0U}},
        {KernelId::kUnary, {0b11U, 0b10'0000U}},
        {KernelId::kBinary, {0b111U, 0U}},
        {KernelId::kMatmul, {0b111U, 0U}},
        {KernelId::kReduce, {0b11U, 0U}},
        {KernelId::kSemaphore, {0b1U, 0b100U}},
        {KernelId::kView, {0b11U, 0U}},
        {KernelId::kTake, {0b111U, 0U}},
        {KernelId::kLookup, {0b111U, 0U}},
        {KernelId::kQuantizedBinary, {0b111U, (0x3FFU << 17U) | (1U << 28U)}},
        {KernelId::kSelect, {0b1111U, 0U}},
        {KernelId::kQuantize, {0b11U, 0b11'0000U}},
        {KernelId::kDequantize, {0b11U, 0b11'0000U}},
        {KernelId::kRescale, {0b11U, (0x3FU << 5U) | (1U << 12U)}},
        {KernelId::kSvdfFeature, {0b111U, 0xFU << 8U}},
        {KernelId::kSvdfTime, {0b1111U, 0xFU << 9U}},
        {KernelId::kLstm, {0b1'1111U, 0x1F'FFFF'FC00U}},
        {KernelId::kFullyConnectedInt16, {0xFU, 1U << 11U}},
        {KernelId::kConv2dInt16, {0xFU, 1U << 23U}},
        {KernelId::kDepthwiseConv2dInt16, {0xFU, 1U << 22U}},
        {KernelId::kSoftmaxInt16, {0b111U, 0b110'0000U}},
        {KernelId::kSigmoidInt16, {0b111U, 0b110'0000U}},
        {KernelId::kMatmulInt16, {0b111U, 0b1100'0000U}},
        {KernelId::kL2Normalization, {0b11U, 0b1'0000U}},
        {KernelId::kLogSoftmax, {0b11U, 0b1'1111'0000U}},
    };
    ASSERT_EQ(expected.size(), kernel_rom().size());
    for (const Kernel& entry : kernel_rom()) {
        EXPECT_EQ(entry.address_words, expected.at(entry.id).first) << entry.name;
        EXPECT_EQ(entry.value_words, expected.at(entry.id).second) << entry.name;
    }
}

}  // namespace
}  // namespace pianola::refdev
