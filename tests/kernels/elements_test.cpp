// Kernels that are not layers: pooling, mean, sum, softmax, requantisation and padding.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/kernels/element_cases.h"

namespace pianola::refdev {
namespace {

class Elements : public testing::Test {
  protected:
    SmallDevice device_{1024U};
    std::mt19937 random_{13U};
};

TEST_F(Elements, MaxPoolTakesTheLargest) {
    expect_largest(device_, random_, sample_arguments<Pool2dArguments>(KernelId::kMaxPool2d));
}

TEST_F(Elements, AveragePoolRoundsHalvesAwayFromZero) {
    std::uint32_t halves = 0U;
    for (int round = 0; round < 50; ++round) {
        ASSERT_NO_FATAL_FAILURE(
            expect_averages(device_, random_, sample_arguments<Pool2dArguments>(KernelId::kAveragePool2d), halves));
    }
    EXPECT_GT(halves, 10U);
}

TEST_F(Elements, PoolingRefusesAWindowWithoutATap) {
    ExtentList extents;
    ArgumentError error;
    for (const auto& [word, value, field] : std::vector<std::tuple<std::uint32_t, std::uint32_t, const char*>>{
             {12U, 3U, "pad_top"}, {13U, 3U, "pad_left"}, {6U, 4U, "output_height"}, {7U, 3U, "output_width"}}) {
        Words words = words_of(sample_arguments<Pool2dArguments>(KernelId::kMaxPool2d));
        words.at(word) = value;
        EXPECT_EQ(kernel(KernelId::kMaxPool2d).describe(span_of(words), extents, error), Status::kRefused);
        EXPECT_STREQ(error.field, field);
        EXPECT_EQ(error.word, word);
    }
}

TEST_F(Elements, MeanOverEverySubsetOfAxes) {
    expect_means(device_, random_, sample_arguments<MeanArguments>(KernelId::kMean), -128, 127);
}

TEST_F(Elements, AddBroadcastsAndRunsInPlace) {
    auto a = sample_arguments<AddArguments>(KernelId::kAdd);
    device_.randomise(random_);
    std::vector<std::int8_t> expected;
    for (std::uint32_t i = 0U; i < 120U; ++i) {
        const std::int32_t term1 = (device_.element(a.input1 + i) + a.input1_offset) * (1 << 20);
        const std::int32_t term2 = (device_.element(a.input2 + (i % 5U)) + a.input2_offset) * (1 << 20);
        const std::int64_t sum = published_rescale(term1, a.input1_multiplier, a.input1_shift) +
                                 published_rescale(term2, a.input2_multiplier, a.input2_shift);
        const std::int64_t output =
            published_rescale(static_cast<std::int32_t>(sum), a.output_multiplier, a.output_shift) + a.output_offset;
        expected.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(output, -128, 127)));
    }
    ASSERT_EQ(device_.run(KernelId::kAdd, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < 120U; ++i) {
        ASSERT_EQ(device_.element(a.output + i), expected[i]) << i;
    }
    a.output = a.input1;
    ASSERT_EQ(device_.run(KernelId::kAdd, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < 120U; ++i) {
        ASSERT_EQ(device_.element(a.output + i), expected[i]) << i;
    }
    a.output = a.input2;  // broadcast: its elements are needed again
    EXPECT_EQ(device_.run(KernelId::kAdd, words_of(a)), Status::kRefused);
}

// Operands of many vectors and some elements more. Every other launch has scales that make sums of exact halves.
TEST_F(Elements, AddOfLongOperands) {
    constexpr std::uint32_t kMost = 100U;
    auto a = sample_arguments<AddArguments>(KernelId::kAdd);
    std::uniform_int_distribution<std::int32_t> multiplier{0, INT32_MAX};
    const auto pick = [this](std::int32_t lowest, std::int32_t highest) {
        return std::uniform_int_distribution<std::int32_t>{lowest, highest}(random_);
    };
    std::uint32_t ties = 0U;
    for (int round = 0; round < 2000; ++round) {
        const auto count = static_cast<std::uint32_t>(pick(1, kMost));
        const bool has_halves = (round % 2) == 0;
        device_.randomise(random_);
        a.dims = {1U, 1U, 1U, count};
        a.strides1 = {count, count, count, 1U};
        a.strides2 = a.strides1;
        a.input2 = a.input1 + kMost;
        a.output = a.input2 + kMost;
        a.input1_offset = pick(-127, 128);
        a.input2_offset = pick(-127, 128);
        a.left_shift = has_halves ? 20U : static_cast<std::uint32_t>(pick(0, 20));
        a.input1_multiplier = has_halves ? (1 << 30) : multiplier(random_);
        a.input2_multiplier = has_halves ? (1 << 30) : multiplier(random_);
        a.input1_shift = has_halves ? 0 : -pick(0, 3);
        a.input2_shift = has_halves ? 0 : -pick(0, 31);
        a.output_multiplier = has_halves ? (1 << 30) : multiplier(random_);
        a.output_shift = has_halves ? -19 : -pick(0, 20);
        a.output_offset = pick(-128, 127);
        a.activation_min = pick(-128, 0);
        a.activation_max = pick(0, 127);
        ASSERT_EQ(device_.run(KernelId::kAdd, words_of(a)), Status::kOk);
        for (std::uint32_t i = 0U; i < count; ++i) {
            const std::int32_t term1 = (device_.element(a.input1 + i) + a.input1_offset) * (1 << a.left_shift);
            const std::int32_t term2 = (device_.element(a.input2 + i) + a.input2_offset) * (1 << a.left_shift);
            const auto sum = static_cast<std::int32_t>(published_rescale(term1, a.input1_multiplier, a.input1_shift) +
                                                       published_rescale(term2, a.input2_multiplier, a.input2_shift));
            const std::int64_t output = published_rescale(sum, a.output_multiplier, a.output_shift) + a.output_offset;
            const std::int64_t clamped = std::clamp<std::int64_t>(output, a.activation_min, a.activation_max);
            ASSERT_EQ(device_.element(a.output + i), clamped) << round << " " << i;
            const bool is_tie =
                has_halves && (sum < 0) && (output == clamped) &&
                (output != (halves_upwards(sum, a.output_multiplier, a.output_shift) + a.output_offset));
            ties += is_tie ? 1U : 0U;
        }
    }
    EXPECT_GT(ties, 2000U);
}

TEST_F(Elements, AddRefusesStridesOfNoDenseOperand) {
    ExtentList extents;
    ArgumentError error;
    auto a = sample_arguments<AddArguments>(KernelId::kAdd);
    a.strides2 = {0U, 0U, 4U, 1U};
    EXPECT_EQ(kernel(KernelId::kAdd).describe(span_of(words_of(a)), extents, error), Status::kRefused);
    EXPECT_STREQ(error.field, "strides2");
    EXPECT_EQ(error.word, word_of(offsetof(AddArguments, strides2)) + 2U);
    a.strides2 = {0U, 5U, 0U, 1U};
    EXPECT_EQ(kernel(KernelId::kAdd).describe(span_of(words_of(a)), extents, error), Status::kOk);
    EXPECT_EQ(extents.view()[1].size_bytes, 15U);
}

TEST_F(Elements, SoftmaxIsCloseToTheRealOne) {
    auto a = sample_arguments<SoftmaxArguments>(KernelId::kSoftmax);
    for (int round = 0; round < 50; ++round) {
        device_.randomise(random_);
        ASSERT_EQ(device_.run(KernelId::kSoftmax, words_of(a)), Status::kOk);
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            const double sum = sum_of_exponentials(device_, a.input + (row * a.depth), a.depth);
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                const std::uint32_t at = (row * a.depth) + i;
                const double real =
                    std::min((256.0 * std::exp(device_.element(a.input + at) / 16.0) / sum) - 128.0, 127.0);
                ASSERT_NEAR(device_.element(a.output + at), real, 0.51);
            }
        }
    }
}

TEST_F(Elements, LogSoftmaxIsCloseToTheRealOne) {
    const auto a = sample_arguments<LogSoftmaxArguments>(KernelId::kLogSoftmax);
    for (int round = 0; round < 50; ++round) {
        device_.randomise(random_);
        ASSERT_EQ(device_.run(KernelId::kLogSoftmax, words_of(a)), Status::kOk);
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            const double sum = sum_of_exponentials(device_, a.input + (row * a.depth), a.depth);
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                const std::uint32_t at = (row * a.depth) + i;
                const double share = (device_.element(a.input + at) / 16.0) - std::log(sum);
                const double real = (16.0 * share) + 127.0;
                if (real > -121.0) {  // what is less may be below diff_min
                    ASSERT_NEAR(device_.element(a.output + at), real, 0.51);
                } else {
                    ASSERT_LE(device_.element(a.output + at), -120);
                }
            }
        }
    }
}

TEST_F(Elements, NormalisedRowsAreCloseToLengthOneAlsoInPlace) {
    auto a = sample_arguments<L2NormalizationArguments>(KernelId::kL2Normalization);
    a.output = a.input;
    for (int round = 0; round < 50; ++round) {
        device_.randomise(random_);
        std::vector<double> expected;
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            double sum = 0.0;
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                sum += std::pow(device_.element(a.input + (row * a.depth) + i) - a.input_zero_point, 2.0);
            }
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                const double number = device_.element(a.input + (row * a.depth) + i) - a.input_zero_point;
                expected.push_back(std::min(128.0 * number / std::sqrt(sum), 127.0));
            }
        }
        ASSERT_EQ(device_.run(KernelId::kL2Normalization, words_of(a)), Status::kOk);
        for (std::uint32_t i = 0U; i < expected.size(); ++i) {
            ASSERT_NEAR(device_.element(a.output + i), expected[i], 0.51);
        }
    }
}

TEST_F(Elements, ARowOfNothingButZerosStaysOne) {
    auto a = sample_arguments<L2NormalizationArguments>(KernelId::kL2Normalization);
    a.input_zero_point = 5;
    device_.bytes().assign(device_.bytes().size(), 5U);
    ASSERT_EQ(device_.run(KernelId::kL2Normalization, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < (a.rows * a.depth); ++i) {
        ASSERT_EQ(device_.element(a.output + i), 0);
    }
}

TEST_F(Elements, SoftmaxOfTheLongestEvenRowIsAllSmallest) {
    SmallDevice device{8192U};
    auto a = sample_arguments<SoftmaxArguments>(KernelId::kSoftmax);
    a.rows = 1U;
    a.depth = 4095U;
    a.output = kBase + 4096U;
    device.bytes().assign(device.bytes().size(), 5U);
    ASSERT_EQ(device.run(KernelId::kSoftmax, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < a.depth; ++i) {
        ASSERT_EQ(device.element(a.output + i), -128);
    }
}

TEST_F(Elements, RequantizeFollowsThePublishedFormulaAlsoInPlace) {
    auto a = sample_arguments<RequantizeArguments>(KernelId::kRequantize);
    a.output = a.input;
    device_.randomise(random_);
    std::vector<std::int64_t> expected;
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        const std::int64_t value =
            published_rescale(device_.element(a.input + i) - a.input_zero_point, a.multiplier, a.shift) +
            a.output_zero_point;
        expected.push_back(std::clamp<std::int64_t>(value, -128, 127));
    }
    ASSERT_EQ(device_.run(KernelId::kRequantize, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < a.count; ++i) {
        ASSERT_EQ(device_.element(a.output + i), expected[i]) << i;
    }
}

TEST_F(Elements, PadRepeatsTheLowBytesOfItsValue) {
    for (std::uint32_t size = 1U; size <= 4U; ++size) {
        PadArguments a{};
        a.input = kBase;
        a.output = kBase + 256U;
        a.dims = {1U, 1U, 1U, 2U};
        a.before = {0U, 0U, 0U, 1U};
        a.after = {0U, 0U, 1U, 2U};
        a.element_bytes = size;
        a.value = 0x4433'2211;
        device_.randomise(random_);
        std::vector<std::uint8_t> expected;
        for (std::uint32_t element = 0U; element < 10U; ++element) {
            const bool is_inside = (element == 1U) || (element == 2U);
            for (std::uint32_t byte = 0U; byte < size; ++byte) {
                expected.push_back(is_inside ? device_.at(kBase + ((element - 1U) * size) + byte)
                                             : static_cast<std::uint8_t>(0x11U * (byte + 1U)));
            }
        }
        ASSERT_EQ(device_.run(KernelId::kPad, words_of(a)), Status::kOk);
        for (std::uint32_t i = 0U; i < expected.size(); ++i) {
            ASSERT_EQ(device_.at(a.output + i), expected.at(i)) << size << ' ' << i;
        }
    }
}

TEST_F(Elements, PadSurroundsTheInput) {
    const auto a = sample_arguments<PadArguments>(KernelId::kPad);
    device_.randomise(random_);
    ASSERT_EQ(device_.run(KernelId::kPad, words_of(a)), Status::kOk);
    std::array<std::uint32_t, 4> size{};
    for (std::size_t i = 0U; i < 4U; ++i) {
        size.at(i) = a.before.at(i) + a.dims.at(i) + a.after.at(i);
    }
    for (std::uint32_t output = 0U; output < (size[0] * size[1] * size[2] * size[3]); ++output) {
        std::uint32_t rest = output;
        std::uint32_t input = 0U;
        std::uint32_t step = 1U;
        bool inside = true;
        for (std::size_t axis = 4U; axis-- > 0U;) {
            const std::uint32_t coordinate = (rest % size.at(axis)) - a.before.at(axis);
            rest /= size.at(axis);
            inside = inside && (coordinate < a.dims.at(axis));
            input += coordinate * step;
            step *= a.dims.at(axis);
        }
        ASSERT_EQ(device_.element(a.output + output), inside ? device_.element(a.input + input) : a.value) << output;
    }
}

}  // namespace
}  // namespace pianola::refdev
