// The host's variant of the inner loops against the plain formulas, requantisation of exact halves on purpose.
#include "tests/kernels/plain_layers.h"

#include <gtest/gtest.h>

#include <vector>

namespace pianola::refdev {
namespace {

constexpr int kRounds = 2000;

class PlainLayersTest : public testing::Test {
  protected:
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kPlainLayersBytes);
    PlainLayers layers_{memory_.data(), 2463534242U};
};

TEST_F(PlainLayersTest, EveryShapeAndParameter) {
    for (int round = 0; round < kRounds; ++round) {
        layers_.fully_connected();
        layers_.conv2d();
        layers_.depthwise_conv2d();
        ASSERT_EQ(layers_.result().differences, 0U) << round;
    }
    EXPECT_GT(layers_.result().elements, 1'000'000U);
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
}

}  // namespace
}  // namespace pianola::refdev
