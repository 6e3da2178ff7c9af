#include "docs/examples/road_signs/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pianola::sample {
namespace {

constexpr double kTolerance = 4.0 * std::numeric_limits<double>::epsilon();

TEST(ExactMath, ExpAgreesWithLibm) {
    for (int i = -7000; i <= 7000; ++i) {
        const double x = static_cast<double>(i) * 0.0997;
        EXPECT_NEAR(exp_of(x) / std::exp(x), 1.0, kTolerance) << x;
    }
}

TEST(ExactMath, ExpSaturatesInPlaceOfOverflow) {
    EXPECT_EQ(exp_of(1e6), exp_of(700.0));
    EXPECT_EQ(exp_of(-1e6), exp_of(-700.0));
    EXPECT_GT(exp_of(-1e6), 0.0);
}

TEST(ExactMath, LogAgreesWithLibm) {
    for (int i = -200; i <= 200; ++i) {
        for (const double factor : {1.0, 1.1, 1.4142, 1.4143, 1.9999}) {
            const double x = std::ldexp(factor, i);
            const double expected = std::log(x);
            EXPECT_NEAR(log_of(x), expected, kTolerance * std::fmax(std::fabs(expected), 1.0)) << x;
        }
    }
    EXPECT_EQ(log_of(1.0), 0.0);
}

TEST(ExactMath, LogOfTheSmallestNormalNumber) {
    const double smallest = std::numeric_limits<double>::min();
    EXPECT_NEAR(log_of(smallest) / std::log(smallest), 1.0, kTolerance);
}

TEST(ExactMath, SinAndCosAgreeWithLibm) {
    for (int i = -20000; i <= 20000; ++i) {
        const double x = static_cast<double>(i) * 0.0123;
        EXPECT_NEAR(sin_of(x), std::sin(x), 1e-14) << x;
        EXPECT_NEAR(cos_of(x), std::cos(x), 1e-14) << x;
    }
}

TEST(ExactMath, RoundsHalvesAwayFromZero) {
    EXPECT_EQ(round_half_away(0.5), 1);
    EXPECT_EQ(round_half_away(-0.5), -1);
    EXPECT_EQ(round_half_away(2.5), 3);
    EXPECT_EQ(round_half_away(-2.5), -3);
    EXPECT_EQ(round_half_away(2.4999), 2);
    EXPECT_EQ(round_half_away(0.49999999999999994), 0);
}

}  // namespace
}  // namespace pianola::sample
