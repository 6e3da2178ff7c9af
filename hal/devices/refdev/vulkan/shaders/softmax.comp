#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 8u
#define PIECE_WORDS 2
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
WRITE8(1, output)
WRITE16(1, output)
WRITE_OF_TYPES_8_16(output)

#include "exponential.glsl"

// The row's sum as a Q0.31 factor to divide by it, and the right shift that goes with the factor.
struct Reciprocal {
    int factor;
    uint shift;
};

Reciprocal reciprocal_of(int sum, uint fraction_bits) {
    uint mantissa = uint(sum);
    uint headroom = 0u;
    while ((mantissa < 0x80000000u) && (headroom < kRowSumIntegerBits)) {
        mantissa <<= 1u;
        headroom += 1u;
    }
    return Reciprocal(one_over_one_plus(int(mantissa & 0x7FFFFFFFu)),
                      (kRowSumIntegerBits - headroom) + (31u - fraction_bits));
}

void main() {
    leave_mark();
    const uint rows = argument(2u);
    const uint depth = argument(3u);
    const DifferenceScale scale = DifferenceScale(signed_argument(4u), argument(5u), signed_argument(6u));
    const uint type = argument(7u);
    const int zero = lowest_of(type);
    FOR_EACH(row, rows) {
        const uint first = row * depth;
        const RowSum total = row_sum(scale, first, depth);
        const Reciprocal reciprocal = reciprocal_of(total.sum, (type == kTypeInt8) ? 8u : 16u);
        for (uint i = 0u; i < depth; ++i) {
            const int difference = input8(first + i) - total.largest;
            int result = zero;
            if ((difference >= scale.least) && (reciprocal.shift < 32u)) {
                const int product = rounding_doubling_high_multiply(reciprocal.factor, exponential(scale, difference));
                const int quotient = rounding_shift_right(product, reciprocal.shift);
                result = min(max(quotient + zero, zero), highest_of(type));
            }
            output_of(type, first + i, result);
        }
    }
}
