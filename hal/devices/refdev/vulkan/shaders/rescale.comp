#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 26u
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ16(0, input)
READ32(0, input)
READ_OF_TYPES_8_16_32(input)
WRITE8(1, output)
WRITE16(1, output)
WRITE32(1, output)
WRITE_OF_TYPES_8_16_32(output)

// A number that the left shift would move out of 32 bits saturates.
int rescaled(int value, int multiplier, int shift) {
    if (shift > 0) {
        return rounding_doubling_high_multiply(saturating_shift_left(value, uint(shift)), multiplier);
    }
    return scaled(value, multiplier, shift);
}

void main() {
    leave_mark();
    const uint input_type = argument(3u);
    const uint output_type = argument(4u);
    const int input_zero_point = signed_argument(5u);
    const int output_zero_point = signed_argument(10u);
    const int lowest = signed_argument(11u);
    const int highest = signed_argument(12u);
    FOR_EACH(at, argument(2u)) {
        const int value = input_of(input_type, at) - input_zero_point;
        const uint first = (value < 0) ? 8u : 6u;  // argument word of the multiplier
        const int result = rescaled(value, signed_argument(first), signed_argument(first + 1u));
        output_of(output_type, at, placed(result, output_zero_point, lowest, highest));
    }
}
