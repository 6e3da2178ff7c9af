// Fixed-point numbers against values worked out by hand.
#include "capture_host/operators/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace pianola::operators {
namespace {

void expect_fixed(double real, std::int32_t multiplier, std::int32_t shift) {
    const std::optional<FixedPoint> result = quantize_multiplier(real);
    ASSERT_TRUE(result.has_value()) << real;
    EXPECT_EQ(result->multiplier, multiplier) << real;
    EXPECT_EQ(result->shift, shift) << real;
}

TEST(QuantizeMultiplier, PowersOfTwo) {
    expect_fixed(1.0, 1 << 30, 1);
    expect_fixed(0.5, 1 << 30, 0);
    expect_fixed(0.25, 1 << 30, -1);
    expect_fixed(2.0, 1 << 30, 2);
    expect_fixed(0.0, 0, 0);
}

TEST(QuantizeMultiplier, MantissaIsRounded) {
    expect_fixed(0.75, 1610612736, 0);        // 0.75 * 2^31
    expect_fixed(1.0 / 3.0, 1431655765, -1);  // 2/3 * 2^31 = 1431655765.33
    expect_fixed(0.1, 1717986918, -3);        // 0.8 * 2^31 = 1717986918.4
    expect_fixed(1.0 / 6.0, 1431655765, -2);
    expect_fixed(5.0 / 12.0, 1789569707, -1);  // 5/6 * 2^31 = 1789569706.67
}

TEST(QuantizeMultiplier, MantissaThatRoundsToOneCarries) {
    expect_fixed(1.0 - std::ldexp(1.0, -40), 1 << 30, 1);
    expect_fixed(std::ldexp(1.0 - std::ldexp(1.0, -40), -7), 1 << 30, -6);
}

TEST(QuantizeMultiplier, SmallNumbersBecomeZero) {
    expect_fixed(std::ldexp(0.5, -31), 1 << 30, -31);
    expect_fixed(std::ldexp(0.5, -32), 0, 0);
    expect_fixed(std::numeric_limits<double>::denorm_min(), 0, 0);
}

TEST(QuantizeMultiplier, RefusesWhatKernelsCannotShift) {
    expect_fixed(std::ldexp(0.5, 30), 1 << 30, 30);
    EXPECT_FALSE(quantize_multiplier(std::ldexp(0.5, 31)).has_value());
    EXPECT_FALSE(quantize_multiplier(std::ldexp(1.0 - std::ldexp(1.0, -40), 30)).has_value());
    EXPECT_FALSE(quantize_multiplier(-1.0).has_value());
    EXPECT_FALSE(quantize_multiplier(std::numeric_limits<double>::infinity()).has_value());
    EXPECT_FALSE(quantize_multiplier(std::numeric_limits<double>::quiet_NaN()).has_value());
}

TEST(FoldCount, DividesAndTruncates) {
    // 1 / 3: 2^30 * 2^1 / 3 = 715827882.67, and the shift makes up for the doubling.
    const FixedPoint third = fold_count(FixedPoint{1 << 30, 1}, 3U);
    EXPECT_EQ(third.multiplier, 715827882);
    EXPECT_EQ(third.shift, 0);
    const FixedPoint one = fold_count(FixedPoint{1234567890, -3}, 1U);
    EXPECT_EQ(one.multiplier, 1234567890);
    EXPECT_EQ(one.shift, -3);
    const FixedPoint power = fold_count(FixedPoint{1 << 30, 0}, 64U);
    EXPECT_EQ(power.multiplier, 1 << 30);
    EXPECT_EQ(power.shift, -6);
}

TEST(FoldCount, ShiftStaysInRange) {
    const FixedPoint result = fold_count(FixedPoint{1 << 30, -30}, 16U);
    EXPECT_EQ(result.shift, -31);
    EXPECT_EQ(result.multiplier, 1 << 27);  // one doubling fits, three bits are lost
}

void expect_range(std::int8_t activation, float scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
    const std::optional<ActivationRange> range = activation_range(activation, scale, zero_point);
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->min, min);
    EXPECT_EQ(range->max, max);
}

TEST(ActivationRange, ClampsToTheActivationsBounds) {
    expect_range(0, 0.5F, 3, -128, 127);
    expect_range(1, 0.5F, 3, 3, 127);
    expect_range(2, 0.5F, 3, 1, 5);
    expect_range(3, 0.5F, 3, 3, 15);
    expect_range(3, 0.0235294122F, -128, -128, 127);  // 6 / 255
    expect_range(3, 0.01F, -128, -128, 127);          // 6 is beyond int8
    expect_range(2, 0.001F, 0, -128, 127);
}

TEST(ActivationRange, HalvesRoundAwayFromZero) {
    expect_range(2, 0.4F, 0, -3, 3);  // 1 / 0.4 = 2.5
}

TEST(ActivationRange, RefusesOtherActivations) {
    EXPECT_FALSE(activation_range(4, 0.5F, 0).has_value());
    EXPECT_FALSE(activation_range(5, 0.5F, 0).has_value());
    EXPECT_FALSE(activation_range(-1, 0.5F, 0).has_value());
}

TEST(ActivationRange, RefusesBoundsOutsideInt32) {
    EXPECT_FALSE(activation_range(3, 1.0e-9F, 0).has_value());
    EXPECT_FALSE(activation_range(3, std::numeric_limits<float>::denorm_min(), 0).has_value());
}

TEST(SoftmaxScaling, ScaleOfOneSixteenth) {
    // 1/16 * 2^26 = 2^22: mantissa 0.5, shift 23. Radius 31 * 2^26 / 2^23 = 248.
    const std::optional<SoftmaxScaling> scaling = softmax_scaling(1.0F, 0.0625F);
    ASSERT_TRUE(scaling.has_value());
    EXPECT_EQ(scaling->multiplier, 1 << 30);
    EXPECT_EQ(scaling->left_shift, 23);
    EXPECT_EQ(scaling->diff_min, -248);
}

TEST(SoftmaxScaling, LargeScalesSaturate) {
    const std::optional<SoftmaxScaling> scaling = softmax_scaling(1.0F, 1000.0F);
    ASSERT_TRUE(scaling.has_value());
    EXPECT_EQ(scaling->multiplier, INT32_MAX);
    EXPECT_EQ(scaling->left_shift, 30);  // 31, which kernels do not shift by: only differences of 0 count
    EXPECT_EQ(scaling->diff_min, 0);
    EXPECT_FALSE(log_softmax_scaling(16.0F).has_value());
    EXPECT_TRUE(log_softmax_scaling(15.9F).has_value());
}

TEST(SoftmaxScaling, RefusesScalesThatVanish) {
    EXPECT_FALSE(softmax_scaling(1.0F, std::ldexp(1.0F, -26)).has_value());
    EXPECT_TRUE(softmax_scaling(1.0F, std::ldexp(1.5F, -26)).has_value());
    EXPECT_FALSE(softmax_scaling(0.0F, 1.0F).has_value());
    EXPECT_FALSE(softmax_scaling(-1.0F, 1.0F).has_value());
    EXPECT_FALSE(softmax_scaling(std::numeric_limits<float>::quiet_NaN(), 1.0F).has_value());
    EXPECT_FALSE(softmax_scaling(std::numeric_limits<float>::infinity(), 1.0F).has_value());
}

}  // namespace
}  // namespace pianola::operators
