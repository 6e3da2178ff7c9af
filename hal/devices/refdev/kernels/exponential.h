// Exponential and reciprocal in fixed point.
//
// Source of the algorithms: gemmlowp's fixed-point exponential (a Taylor polynomial on [-1/4, 0) and one multiplication
// per bit of the rest) and its division by Newton's method; constants are the named real numbers, rounded. Qm.n below
// is a 32-bit number with m integer and n fractional bits.
#pragma once

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31.
[[nodiscard]] constexpr std::int32_t exp_of_small(std::int32_t a) noexcept {
    constexpr std::int32_t kExpOfMinusEighth = 1895147668;
    constexpr std::int32_t kOneThird = 715827883;
    constexpr std::int32_t kOneEighth = 0x1000'0000;
    const std::int32_t x = a + kOneEighth;  // the polynomial is expanded around -1/8
    const std::int32_t x2 = rounding_doubling_high_multiply(x, x);
    const std::int32_t x3 = rounding_doubling_high_multiply(x2, x);
    const std::int32_t x4 = rounding_doubling_high_multiply(x2, x2);
    const std::int32_t cubic = rounding_doubling_high_multiply(rounding_shift_right(x4, 2U) + x3, kOneThird);
    const std::int32_t beyond_linear = rounding_shift_right(cubic + x2, 1U);
    return kExpOfMinusEighth + rounding_doubling_high_multiply(kExpOfMinusEighth, x + beyond_linear);
}

// exp(a) for a <= 0 with 4 or 5 integer bits, Q4.27 or Q5.26 to Q0.31. The result for any other a is unspecified.
template <std::uint32_t kIntegerBits>
[[nodiscard]] constexpr std::int32_t exp_of_negative(std::int32_t a) noexcept {
    static_assert((kIntegerBits == 4U) || (kIntegerBits == 5U), "there are constants for these");
    constexpr std::uint32_t kQuarterBits = 29U - kIntegerBits;
    constexpr std::int32_t kToQ0 = 1 << kIntegerBits;
    constexpr std::int32_t kQuarter = 1 << kQuarterBits;
    // exp(-1/4), exp(-1/2), exp(-1), ... exp(-16)
    constexpr std::array<std::int32_t, 7> kExpOfPowers{1672461947, 1302514674, 790015084, 290630308,
                                                       39332535,   720401,     242};
    const std::uint32_t above_quarter = static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(kQuarter);
    const std::int32_t small = static_cast<std::int32_t>(above_quarter) - kQuarter;  // in [-1/4, 0)
    const std::uint32_t rest = static_cast<std::uint32_t>(wrapping_subtract(small, a));
    std::int32_t result = exp_of_small(small * kToQ0);
    for (std::uint32_t i = 0U; i < (kIntegerBits + 2U); ++i) {
        if (((rest >> (kQuarterBits + i)) & 1U) != 0U) {
            result = rounding_doubling_high_multiply(result, kExpOfPowers[i]);
        }
    }
    return (a == 0) ? INT32_MAX : result;
}

// 1 / (1/2 + a/2) for a in [0, 1), Q0.31 to Q2.29.
[[nodiscard]] constexpr std::int32_t two_over_one_plus(std::int32_t a) noexcept {
    constexpr std::int32_t k48Over17 = 1515870810;        // Q2.29
    constexpr std::int32_t kMinus32Over17 = -1010580540;  // Q2.29
    constexpr std::int32_t kOne = 0x2000'0000;
    constexpr std::uint32_t kSteps = 3U;
    const std::int64_t twice_half = static_cast<std::int64_t>(a) + INT32_MAX;
    const std::int32_t half_denominator = static_cast<std::int32_t>((twice_half + 1) / 2);
    std::int32_t x = k48Over17 + rounding_doubling_high_multiply(half_denominator, kMinus32Over17);
    for (std::uint32_t i = 0U; i < kSteps; ++i) {
        const std::int32_t missing = kOne - rounding_doubling_high_multiply(half_denominator, x);
        x = wrapping_add(x, saturating_shift_left(rounding_doubling_high_multiply(x, missing), 2U));
    }
    return x;
}

// 1 / (1 + a) for a in [0, 1), Q0.31 to Q0.31.
[[nodiscard]] constexpr std::int32_t one_over_one_plus(std::int32_t a) noexcept {
    return saturating_shift_left(two_over_one_plus(a), 1U);
}

// (1 - a) / (1 + a) for a in [0, 1), Q0.31 to Q0.31.
[[nodiscard]] constexpr std::int32_t one_minus_over_one_plus(std::int32_t a) noexcept {
    constexpr std::int32_t kOne = 0x2000'0000;
    return saturating_shift_left(wrapping_subtract(two_over_one_plus(a), kOne), 2U);
}

}  // namespace pianola::refdev
