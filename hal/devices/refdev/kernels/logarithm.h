// Natural logarithms in fixed point.
//
// Source of the algorithm: gemmlowp's logarithm of numbers from 1, a rational function around the fourth root of 1/2,
// of the number scaled near it by a power of two and possibly the square root of 1/2. Constants are the named real
// numbers, rounded. Qm.n below is a 32-bit number with m integer and n fractional bits.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/exponential.h"
#include "hal/devices/refdev/kernels/fixed_point.h"

namespace pianola::refdev {

// Leading zero bits of a positive number.
[[nodiscard]] constexpr std::int32_t leading_zeros(std::int32_t value) noexcept {
    std::int32_t zeros = 1;
    std::uint32_t rest = static_cast<std::uint32_t>(value) << 1U;
    while ((rest < (std::uint32_t{1} << 31U)) && (zeros < 31)) {
        rest <<= 1U;
        zeros += 1;
    }
    return zeros;
}

// Argument of the rational function: a number from the square root of 1/2 to 1 in Q0.31, and the extracted power of two
// in Q6.25.
struct ReducedNumber {
    std::int32_t mantissa;
    std::int32_t power;
};

// `value` is 1 and above, in Q12.19.
[[nodiscard]] constexpr ReducedNumber reduced(std::int32_t value) noexcept {
    constexpr std::int32_t kIntegerBits = 12;
    constexpr std::int32_t kHalfSqrt2 = 1518500250;  // Q0.31
    constexpr std::int32_t kQuarter = 1 << 23;       // Q6.25
    constexpr std::int32_t kOne = 1 << 25;           // Q6.25
    const std::int32_t zeros = leading_zeros(value);
    const std::int32_t whole = wrapping_shift_left(value, static_cast<std::uint32_t>(zeros - 1));
    const std::int32_t reduced_by_root = saturating_shift_left(rounding_doubling_high_multiply(whole, kHalfSqrt2), 1U);
    const std::int32_t power_by_root = ((kIntegerBits - zeros) * kOne) + kQuarter;
    const std::int32_t other_zeros = leading_zeros(rounding_doubling_high_multiply(value, kHalfSqrt2)) - 1;
    const std::int32_t other =
        (other_zeros > 0) ? saturating_shift_left(value, static_cast<std::uint32_t>(other_zeros)) : value;
    const std::int32_t other_power = ((kIntegerBits - other_zeros) * kOne) - kQuarter;
    return ReducedNumber{smaller_of(reduced_by_root, other), larger_of(power_by_root, other_power)};
}

// log(value), in Q5.26, of a value of 1 and above in Q12.19.
[[nodiscard]] constexpr std::int32_t logarithm(std::int32_t value) noexcept {
    constexpr std::int32_t kLog2 = 1488522236;      // Q0.31, as all of these
    constexpr std::int32_t kCentre = 1805811301;    // 2^(-1/4)
    constexpr std::int32_t kCube = 117049297;       // 11/240 * 2^(1/4)
    constexpr std::int32_t kConstant = 1057819769;  // 2 / 2^(1/4) - 2^(1/4)
    constexpr std::int32_t kTwentieth = 127690142;  // 2^(1/4) / 20
    constexpr std::int32_t kQuarter = 638450708;    // 2^(1/4) / 4
    constexpr std::uint32_t kNumeratorBits = 6U;
    const ReducedNumber number = reduced(value);
    const std::int64_t sum = static_cast<std::int64_t>(number.mantissa) + kCentre;
    const std::int32_t p = static_cast<std::int32_t>((sum + 1) / 2);
    const std::int32_t q = wrapping_shift_left(wrapping_subtract(number.mantissa, kCentre), 1U);
    const std::int32_t q2 = rounding_doubling_high_multiply(q, q);
    const std::int32_t numerator =
        wrapping_add(rounding_doubling_high_multiply(q, number.mantissa),
                     rounding_doubling_high_multiply(rounding_doubling_high_multiply(q, q2), kCube));
    const std::int32_t series =
        wrapping_add(wrapping_add(kConstant, q), rounding_doubling_high_multiply(kTwentieth, q2));
    const std::int32_t denominator =
        wrapping_add(rounding_doubling_high_multiply(p, series), rounding_doubling_high_multiply(kQuarter, q));
    const std::int32_t quotient = rounding_doubling_high_multiply(rounding_shift_right(numerator, kNumeratorBits),
                                                                  one_over_one_plus(denominator));
    return saturating_shift_left(wrapping_add(rounding_doubling_high_multiply(number.power, kLog2), quotient), 1U);
}

}  // namespace pianola::refdev
