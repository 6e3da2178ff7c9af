#include "hal/devices/refdev/kernels/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hal/devices/refdev/kernels/exponential.h"
#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

TEST(FixedPoint, HighMultiplyRoundsLikeThePublishedFormula) {
    std::mt19937 random(1U);
    for (int i = 0; i < 200000; ++i) {
        const auto left = static_cast<std::int32_t>(random());
        const auto right = static_cast<std::int32_t>(random());
        ASSERT_EQ(rounding_doubling_high_multiply(left, right), published_rescale(left, right, 0))
            << left << " " << right;
    }
}

TEST(FixedPoint, HighMultiplyAtExactHalves) {
    EXPECT_EQ(rounding_doubling_high_multiply(1 << 30, 1), 1);
    EXPECT_EQ(rounding_doubling_high_multiply(-(1 << 30), 1), 0);
    EXPECT_EQ(rounding_doubling_high_multiply(-(1 << 30), 3), -1);
    EXPECT_EQ(rounding_doubling_high_multiply(INT32_MIN, INT32_MIN), INT32_MAX);
}

TEST(FixedPoint, ShiftRightRoundsHalvesAwayFromZero) {
    EXPECT_EQ(rounding_shift_right(5, 1U), 3);
    EXPECT_EQ(rounding_shift_right(-5, 1U), -3);
    EXPECT_EQ(rounding_shift_right(-4, 3U), -1);
    EXPECT_EQ(rounding_shift_right(-3, 3U), 0);
    EXPECT_EQ(rounding_shift_right(INT32_MIN, 31U), -1);
    EXPECT_EQ(rounding_shift_right(INT32_MAX, 31U), 1);
    EXPECT_EQ(rounding_shift_right(-123, 0U), -123);
}

TEST(FixedPoint, ScaleFollowsThePublishedFormula) {
    std::mt19937 random(2U);
    for (int i = 0; i < 200000; ++i) {
        const auto value = static_cast<std::int32_t>(random());
        const auto multiplier = static_cast<std::int32_t>(random());
        const std::int32_t shift = static_cast<std::int32_t>(random() % 62U) - 31;
        ASSERT_EQ((Scale{multiplier, shift}.apply(value)), published_rescale(value, multiplier, shift))
            << value << " " << multiplier << " " << shift;
    }
}

TEST(FixedPoint, ScaleClampsImpossibleShifts) {
    EXPECT_EQ((Scale{1 << 30, INT32_MIN}.apply(12345)), (Scale{1 << 30, -31}.apply(12345)));
    EXPECT_EQ((Scale{1 << 30, INT32_MAX}.apply(1)), (Scale{1 << 30, 30}.apply(1)));
}

TEST(FixedPoint, OutputRangeIsExactAtTheEndsOfInt32) {
    EXPECT_EQ((OutputRange{127, -128, 127}.place(INT32_MAX)), 127);
    EXPECT_EQ((OutputRange{-128, -128, 127}.place(INT32_MIN)), -128);
    EXPECT_EQ((OutputRange{10, -128, 127}.place(-20)), -10);
    EXPECT_EQ((OutputRange{10, 0, 5}.place(-20)), 0);
}

TEST(FixedPoint, ExponentialIsCloseToTheRealOne) {
    for (std::int32_t i = 0; i < (1 << 15); ++i) {
        const std::int32_t argument = -i * (1 << 16);  // 0 to -32 in Q5.26
        const double expected = std::exp(std::ldexp(argument, -26));
        ASSERT_NEAR(std::ldexp(exp_of_negative<5U>(argument), -31), expected, 1e-6) << argument;
    }
}

TEST(FixedPoint, ReciprocalIsCloseToTheRealOne) {
    for (std::int32_t i = 0; i < (1 << 15); ++i) {
        const std::int32_t argument = i * (1 << 16);
        ASSERT_NEAR(std::ldexp(one_over_one_plus(argument), -31), 1.0 / (1.0 + std::ldexp(argument, -31)), 1e-6);
    }
}

}  // namespace
}  // namespace pianola::refdev
