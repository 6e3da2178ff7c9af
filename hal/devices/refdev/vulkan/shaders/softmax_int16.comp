#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 33u
#define PIECE_WORDS 3
#include "launch.glsl"
#include "fixed_point.glsl"

READ16(0, input)
READ16(1, tables)
STATE16(2, output)

const uint kEntries = 513u;
const uint kExponentials = 0u;
const uint kReciprocals = kEntries;

// `table` is where the table begins; `value` is in the range of int16.
int interpolated(uint table, int value) {
    const uint from_lowest = uint(value - kLowest16);
    const uint index = table + (from_lowest >> 7u);
    const int base = tables16(index);
    const int slope = tables16(index + 1u) - base;
    return base + (((slope * int(from_lowest & 127u)) + 64) >> 7u);
}

void main() {
    leave_mark();
    const uint rows = argument(3u);
    const uint depth = argument(4u);
    const int multiplier = signed_argument(5u);
    const int shift = signed_argument(6u);
    FOR_EACH(row, rows) {
        const uint first = row * depth;
        int largest = kLowest16;
        for (uint i = 0u; i < depth; ++i) {
            largest = max(largest, input16(first + i));
        }
        int sum = 0;
        for (uint i = 0u; i < depth; ++i) {
            const int difference = scaled(input16(first + i) - largest, multiplier, shift);
            const int exponential =
                interpolated(kExponentials, min(max(difference, kLowest16 - kHighest16), 0) + kHighest16);
            output16(first + i, exponential);
            sum += exponential;
        }
        uint mantissa = uint(max(sum, 2));
        uint right_shift = 30u;
        while ((mantissa < (1u << 30u)) && (right_shift > 1u)) {
            mantissa <<= 1u;
            right_shift -= 1u;
        }
        const int shifted = int((mantissa + (1u << 13u)) >> 14u) - ((1 << 15) + (1 << 16));
        const int factor = interpolated(kReciprocals, min(max(shifted, kLowest16), kHighest16));
        const int64_t halfway = int64_t(1) << (right_shift - 1u);
        for (uint i = 0u; i < depth; ++i) {
            const int product = output16(first + i) * factor;
            const int rounded = int((int64_t(product) + halfway) >> right_shift);
            output16(first + i, min(max(rounded, 0), kHighest16));
        }
    }
}
