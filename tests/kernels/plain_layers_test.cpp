// The host's variant of the inner loops against the plain formulas, requantisation of exact halves on purpose.
#include "tests/kernels/plain_layers.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr int kRounds = 2000;

class PlainLayersTest : public testing::Test {
  protected:
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kPlainLayersBytes);
    PlainLayers layers_{memory_.data(), 2463534242U};

    // An output may overlap the input at the distance that the kernel accepts, and often at no smaller one.
    void expect_over(std::uint32_t rounds) const {
        EXPECT_EQ(layers_.result().over_differences, 0U);
        EXPECT_GT(layers_.result().over, rounds);
        EXPECT_GT(10U * layers_.result().nearer_differences, layers_.result().over);
    }
};

TEST_F(PlainLayersTest, EveryShapeAndParameter) {
    for (int round = 0; round < kRounds; ++round) {
        layers_.fully_connected();
        layers_.conv2d();
        layers_.depthwise_conv2d();
        ASSERT_EQ(layers_.result().differences, 0U) << round;
    }
    EXPECT_GT(layers_.result().elements, 1'000'000U);
    expect_over(kRounds);
}

// Rounding halves upwards, as cores do, gives another element for each that counts in `ties`: without the sign's part
// in the short form as many comparisons would fail.
TEST_F(PlainLayersTest, ExactHalves) {
    for (int round = 0; round < kRounds; ++round) {
        layers_.ties();
        ASSERT_EQ(layers_.result().differences, 0U) << round;
    }
    EXPECT_GT(4U * layers_.result().ties, layers_.result().elements);
}

// Every packed layout gives what the plain formulas give, halves included, and unpacks to what was packed.
TEST_F(PlainLayersTest, PackedWeights) {
    constexpr int kPackedRounds = 400;
    for (int round = 0; round < kPackedRounds; ++round) {
        layers_.packed_fully_connected();
        layers_.packed_conv2d();
        ASSERT_EQ(layers_.result().differences, 0U) << round;
    }
    EXPECT_GT(layers_.result().packed, 7U * kPackedRounds);  // of 8 launches a round
    EXPECT_GT(layers_.result().ties, 10U * kPackedRounds);
    expect_over(kPackedRounds);
}

// 65536 products of the largest magnitude: the sum is exactly -2^31.
TEST(Layers, DeepestSumIsExact) {
    constexpr std::uint32_t kDepth = 65536U;
    SmallDevice device{(2U * kDepth) + 64U};
    std::fill_n(device.bytes().begin(), kDepth, std::uint8_t{0x7FU});           // 127 + 128 = 255 below
    std::fill_n(device.bytes().begin() + kDepth, kDepth, std::uint8_t{0x80U});  // -128
    FullyConnectedArguments a{};
    a.input = kBase;
    a.filter = kBase + kDepth;
    a.channel_parameters = kBase + (2U * kDepth);
    a.output = kBase + (2U * kDepth) + 32U;
    a.batches = 1U;
    a.input_depth = kDepth;
    a.output_depth = 1U;
    a.input_offset = 128;
    a.activation_min = -128;
    a.activation_max = 127;
    device.store_channel(a.channel_parameters, ChannelParameters{0, INT32_MAX, -25});
    ASSERT_EQ(device.run(KernelId::kFullyConnected, words_of(a)), Status::kOk);
    EXPECT_EQ(device.element(a.output), -64);  // -255 * 2^23 / 2^25, rounded
    a.input_depth = kDepth + 1U;
    ExtentList extents;
    ArgumentError error;
    EXPECT_EQ(kernel(KernelId::kFullyConnected).describe(span_of(words_of(a)), extents, error), Status::kRefused);
    EXPECT_STREQ(error.field, "input_depth");
}

}  // namespace
}  // namespace pianola::refdev
