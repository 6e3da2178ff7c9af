#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 36u
#define PIECE_WORDS 2
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
WRITE8(1, output)

#include "exponential.glsl"

// Leading zero bits of a positive number.
int leading_zeros(int value) {
    return max(31 - findMSB(uint(value) & 0x7FFFFFFFu), 1);
}

// log(value), in Q5.26, of a value of 1 and above in Q12.19: hal/devices/refdev/kernels/softmax.cpp.
int logarithm(int value) {
    const int half_sqrt2 = 1518500250;
    const int one = 1 << 25;
    const int quarter = 1 << 23;
    const int zeros = leading_zeros(value);
    const int whole = value << uint(zeros - 1);
    const int by_root = saturating_shift_left(rounding_doubling_high_multiply(whole, half_sqrt2), 1u);
    const int power_by_root = ((12 - zeros) * one) + quarter;
    const int other_zeros = leading_zeros(rounding_doubling_high_multiply(value, half_sqrt2)) - 1;
    const int other = (other_zeros > 0) ? saturating_shift_left(value, uint(other_zeros)) : value;
    const int other_power = ((12 - other_zeros) * one) - quarter;
    const int mantissa = min(by_root, other);
    const int power = max(power_by_root, other_power);
    const int centre = 1805811301;
    const int p = int((int64_t(mantissa) + int64_t(centre) + 1L) / 2L);
    const int q = (mantissa - centre) << 1u;
    const int q2 = rounding_doubling_high_multiply(q, q);
    const int numerator = rounding_doubling_high_multiply(q, mantissa) +
                          rounding_doubling_high_multiply(rounding_doubling_high_multiply(q, q2), 117049297);
    const int series = (1057819769 + q) + rounding_doubling_high_multiply(127690142, q2);
    const int denominator =
        rounding_doubling_high_multiply(p, series) + rounding_doubling_high_multiply(638450708, q);
    const int quotient =
        rounding_doubling_high_multiply(rounding_shift_right(numerator, 6u), one_over_one_plus(denominator));
    return saturating_shift_left(rounding_doubling_high_multiply(power, 1488522236) + quotient, 1u);
}

void main() {
    leave_mark();
    const uint rows = argument(2u);
    const uint depth = argument(3u);
    const DifferenceScale scale = DifferenceScale(signed_argument(4u), argument(5u), signed_argument(6u));
    const int reverse_multiplier = signed_argument(7u);
    const int reverse_shift = signed_argument(8u);
    FOR_EACH(row, rows) {
        const uint first = row * depth;
        const RowSum total = row_sum(scale, first, depth);
        const int log_sum = logarithm(max(total.sum, 1 << 19));
        const int lowest = scaled(log_sum + kLowest32, reverse_multiplier, reverse_shift);
        const int limit = max(scale.least - 1, lowest);
        for (uint i = 0u; i < depth; ++i) {
            const int difference = input8(first + i) - total.largest;
            int result = kLowest8;
            if (difference > limit) {
                const int share = scaled_difference(scale, difference) - log_sum;
                result = min(max(rounding_shift_right(share, 22u) + kHighest8, kLowest8), kHighest8);
            }
            output8(first + i, result);
        }
    }
}
