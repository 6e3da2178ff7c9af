// Pooling, means, softmax and the sigmoid functions of int16 against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/kernels/element_cases.h"
#include "tests/kernels/refusals.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kTables = kBase + 0x2000U;

class Int16Elements : public testing::Test {
  protected:
    SmallDevice device_{0x4000U};
    std::mt19937 random_{17U};

    std::int32_t element(std::uint32_t tensor, std::size_t index) {
        return device_.typed(kTypeInt16, tensor, static_cast<std::uint32_t>(index));
    }
    void store(std::uint32_t tensor, std::size_t index, double value) {
        const auto bits = static_cast<std::uint16_t>(static_cast<std::int32_t>(std::round(value)));
        std::memcpy(&device_.at(tensor + (2U * static_cast<std::uint32_t>(index))), &bits, sizeof(bits));
    }
};

TEST_F(Int16Elements, MaxPoolTakesTheLargest) {
    expect_largest(device_, random_, sample_arguments<Pool2dArguments>(KernelId::kMaxPool2d, int16_launches()));
}

TEST_F(Int16Elements, AveragePoolRoundsHalvesAwayFromZero) {
    std::uint32_t halves = 0U;
    for (int round = 0; round < 100; ++round) {
        ASSERT_NO_FATAL_FAILURE(expect_averages(
            device_, random_, sample_arguments<Pool2dArguments>(KernelId::kAveragePool2d, int16_launches()), halves));
    }
    EXPECT_GT(halves, 10U);
}

TEST_F(Int16Elements, MeanOverEverySubsetOfAxes) {
    expect_means(device_, random_, sample_arguments<MeanArguments>(KernelId::kMean, int16_launches()), -32768, 32767);
}

TEST_F(Int16Elements, SoftmaxOfInt8IsCloseToTheRealOne) {
    const auto a = sample_arguments<SoftmaxArguments>(KernelId::kSoftmax, int16_launches());
    for (int round = 0; round < 50; ++round) {
        device_.randomise(random_);
        ASSERT_EQ(device_.run(KernelId::kSoftmax, words_of(a)), Status::kOk);
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            const double sum = sum_of_exponentials(device_, a.input + (row * a.depth), a.depth);
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                const std::uint32_t at = (row * a.depth) + i;
                const double real = 65536.0 * std::exp(device_.element(a.input + at) / 16.0) / sum;
                ASSERT_NEAR(element(a.output, at), std::min(real - 32768.0, 32767.0), 1.01);
            }
        }
    }
}

// Tables of the plain functions here: the kernel interpolates between whatever entries it is given.
TEST_F(Int16Elements, SoftmaxIsCloseToTheRealOneAlsoInPlace) {
    auto a = sample_arguments<SoftmaxInt16Arguments>(KernelId::kSoftmaxInt16, int16_launches());
    a.tables = kTables;
    for (int round = 0; round < 50; ++round) {
        device_.randomise(random_);
        for (std::uint32_t i = 0U; i < kSoftmaxTableEntries; ++i) {
            store(kTables, i, std::min(32767.0, 32768.0 * std::exp((10.0 * (i - 512.0)) / 512.0)));
            store(kTables, kSoftmaxTableEntries + i, std::min(32767.0, 32768.0 / (1.0 + (i / 512.0))));
        }
        const double unit = std::ldexp(a.multiplier, a.shift - 31) * (10.0 / 65535.0);
        std::vector<double> expected;
        for (std::uint32_t row = 0U; row < a.rows; ++row) {
            double sum = 0.0;
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                sum += std::exp(unit * element(a.input, (row * a.depth) + i));
            }
            for (std::uint32_t i = 0U; i < a.depth; ++i) {
                expected.push_back(32768.0 * std::exp(unit * element(a.input, (row * a.depth) + i)) / sum);
            }
        }
        a.output = (round % 2 == 0)
                       ? a.input
                       : sample_arguments<SoftmaxInt16Arguments>(KernelId::kSoftmaxInt16, int16_launches()).output;
        ASSERT_EQ(device_.run(KernelId::kSoftmaxInt16, words_of(a)), Status::kOk);
        for (std::size_t i = 0U; i < expected.size(); ++i) {
            ASSERT_NEAR(element(a.output, i), std::min(expected[i], 32767.0), 12.0);
        }
    }
}

// Of the longest row, and of tables that make sums of nothing, of less than nothing, and of the largest numbers.
TEST_F(Int16Elements, SoftmaxIsDefinedForEveryTable) {
    SmallDevice device{0x4'2000U};
    auto a = sample_arguments<SoftmaxInt16Arguments>(KernelId::kSoftmaxInt16, int16_launches());
    a.rows = 1U;
    a.depth = 65535U;
    a.tables = kBase + 0x4'0000U;
    a.output = kBase + 0x2'0000U;
    for (const std::uint32_t byte : {0x00U, 0x7FU, 0x80U, 0xFFU}) {
        device.bytes().assign(device.bytes().size(), static_cast<std::uint8_t>(byte));
        ASSERT_EQ(device.run(KernelId::kSoftmaxInt16, words_of(a)), Status::kOk);
        EXPECT_GE(device.element(a.output + 1U), 0) << byte;  // the high byte: no result is below 0
    }
    a.depth = 65536U;
    EXPECT_EQ(device.run(KernelId::kSoftmaxInt16, words_of(a)), Status::kRefused);
}

class Sigmoids : public Int16Elements {
  protected:
    // 4,096 numbers over the range of int16, and a table of the plain function.
    std::vector<std::int32_t> results(SigmoidOp op, std::int32_t multiplier, std::int32_t shift) {
        for (std::uint32_t i = 0U; i < 256U; ++i) {
            store(kTables, i, std::min(65535.0, 65536.0 / (1.0 + std::exp(-(i / 24.0)))));
        }
        const SigmoidInt16Arguments a{kBase, kTables, kBase, 4096U, op, multiplier, shift};
        inputs_.clear();
        for (std::uint32_t i = 0U; i < a.count; ++i) {
            inputs_.push_back((static_cast<std::int32_t>(i) * 16) - 32768 + static_cast<std::int32_t>(i % 16U));
            store(kBase, i, inputs_.back());
        }
        EXPECT_EQ(device_.run(KernelId::kSigmoidInt16, words_of(a)), Status::kOk);
        std::vector<std::int32_t> made;
        for (std::uint32_t i = 0U; i < a.count; ++i) {
            made.push_back(element(kBase, i));
        }
        return made;
    }
    std::vector<std::int32_t> inputs_;
};

TEST_F(Sigmoids, AreCloseToTheRealOnes) {
    for (const auto& [multiplier, shift] :
         std::vector<std::pair<std::int32_t, std::int32_t>>{{3, 0}, {6, 0}, {24576, 13}, {20000, 14}, {32767, 31}}) {
        const double unit = std::ldexp(multiplier, -shift) / 12288.0;
        const std::vector<std::int32_t> logistic = results(SigmoidOp::kLogistic, multiplier, shift);
        for (std::size_t i = 0U; i < logistic.size(); ++i) {
            ASSERT_NEAR(logistic[i], 32768.0 / (1.0 + std::exp(-(unit * inputs_[i]))), 4.0) << inputs_[i];
        }
        const std::vector<std::int32_t> tanh = results(SigmoidOp::kTanh, multiplier, shift);
        for (std::size_t i = 0U; i < tanh.size(); ++i) {
            ASSERT_NEAR(tanh[i], 32768.0 * std::tanh(unit * inputs_[i]), 8.0) << inputs_[i];
        }
    }
}

// Half way between two steps of the table's argument goes upwards on both sides of zero.
TEST_F(Sigmoids, RoundHalvesOfTheirOperandUpwards) {
    const std::vector<std::int32_t> halved = results(SigmoidOp::kTanh, 5, 1);
    for (std::size_t i = 0U; i < halved.size(); ++i) {
        const std::int32_t input = inputs_[i];
        if ((std::abs(input) > 1000) || (input % 2 == 0)) {
            continue;
        }
        // (5 * input + 1) / 2, rounded down, by a launch that has nothing to round.
        const std::int32_t operand = ((5 * input) + 1 - (((5 * input) + 1) & 1)) / 2;
        store(kBase, 0U, operand);
        const SigmoidInt16Arguments one{kBase, kTables, kBase, 1U, SigmoidOp::kTanh, 1, 0};
        ASSERT_EQ(device_.run(KernelId::kSigmoidInt16, words_of(one)), Status::kOk);
        EXPECT_EQ(halved[i], element(kBase, 0U)) << input;
    }
}

TEST(Int16ElementsContract, EveryWordOutOfItIsRefusedByName) {
    const std::vector<std::uint32_t> no_type{0U, 2U, 4U, 5U, UINT32_MAX};
    const std::vector<Refusal> refusals{
        {KernelId::kMaxPool2d, "_int16", 0U, "input", {kBase + 1U}},
        {KernelId::kMaxPool2d, "_int16", 1U, "output", {kBase + 769U}},
        {KernelId::kAveragePool2d, "_int16", 14U, "activation_min", {32768U, 0xFFFF'7FFFU}},
        {KernelId::kAveragePool2d, "_int16", 16U, "type", no_type},
        {KernelId::kMean, "_int16", 0U, "input", {kBase + 1U}},
        {KernelId::kMean, "_int16", 1U, "output", {kBase + 769U}},
        {KernelId::kMean, "_int16", 7U, "input_zero_point", {1U, UINT32_MAX}},
        {KernelId::kMean, "_int16", 8U, "output_zero_point", {1U, UINT32_MAX}},
        {KernelId::kMean, "_int16", 11U, "type", no_type},
        {KernelId::kSoftmax, "_to_int16", 1U, "output", {kBase + 769U}},
        {KernelId::kSoftmax, "_to_int16", 7U, "output_type", no_type},
        {KernelId::kSoftmaxInt16, "", 0U, "input", {kBase + 1U}},
        {KernelId::kSoftmaxInt16, "", 1U, "tables", {kBase + 0x1001U}},
        {KernelId::kSoftmaxInt16, "", 2U, "output", {kBase + 769U}},
        {KernelId::kSoftmaxInt16, "", 4U, "depth", {0U, 65536U, UINT32_MAX}},
        {KernelId::kSoftmaxInt16, "", 6U, "shift", {31U, 0xFFFF'FFE0U}},
        {KernelId::kSigmoidInt16, "", 0U, "input", {kBase + 1U}},
        {KernelId::kSigmoidInt16, "", 1U, "table", {kBase + 257U}},
        {KernelId::kSigmoidInt16, "", 2U, "output", {kBase + 769U, kBase + 256U}},
        {KernelId::kSigmoidInt16, "", 4U, "op", {0U, 3U, UINT32_MAX}},
        {KernelId::kSigmoidInt16, "", 5U, "multiplier", {32768U, UINT32_MAX}},
        {KernelId::kSigmoidInt16, "", 6U, "shift", {32U, UINT32_MAX}},
    };
    expect_refused(refusals, int16_launches());
}

}  // namespace
}  // namespace pianola::refdev
