#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 35u
#define PIECE_WORDS 2
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
WRITE8(1, output)

struct RootScale {
    int multiplier;
    int shift;
};

// 1 / sqrt(value); 1 for numbers of 1 and below: hal/devices/refdev/kernels/inverse_square_root.h.
RootScale inverse_square_root(int value) {
    const int one = 1 << 28;
    const int lowest = 1 << 27;
    if (value <= 1) {
        return RootScale(kHighest32, 0);
    }
    int shift = 11;
    int number = value;
    while (number >= (4 * lowest)) {
        number >>= 2;
        shift += 1;
    }
    while (number < lowest) {
        number <<= 2;
        shift -= 1;
    }
    const int half_of_it = rounding_shift_right(number >> 1, 1u);
    int x = one;
    for (uint i = 0u; i < 5u; ++i) {
        const int square = rounding_doubling_high_multiply(x, x);
        const int cube = saturating_shift_left(rounding_doubling_high_multiply(square, x), 6u);
        x = saturating_shift_left(rounding_doubling_high_multiply(one + (one / 2), x) -
                                      rounding_doubling_high_multiply(half_of_it, cube),
                                  3u);
    }
    x = rounding_doubling_high_multiply(x, 1518500250);
    if (shift < 0) {
        return RootScale(x << uint(-shift), 0);
    }
    return RootScale(x, -shift);
}

void main() {
    leave_mark();
    const uint rows = argument(2u);
    const uint depth = argument(3u);
    const int zero_point = signed_argument(4u);
    FOR_EACH(row, rows) {
        const uint first = row * depth;
        int sum = 0;
        for (uint i = 0u; i < depth; ++i) {
            const int number = input8(first + i) - zero_point;
            sum += number * number;
        }
        const RootScale root = inverse_square_root(sum);
        for (uint i = 0u; i < depth; ++i) {
            const int value = scaled(input8(first + i) - zero_point, root.multiplier, root.shift + 7);
            output8(first + i, min(max(value, kLowest8), kHighest8));
        }
    }
}
