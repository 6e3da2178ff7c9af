#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 15u
#include "launch.glsl"
#include "fixed_point.glsl"
#include "arithmetic.glsl"

READ8(0, input_a)
READ32(0, input_a)
READ_OF_TYPES_8_32(input_a)
READ8(1, input_b)
READ32(1, input_b)
READ_OF_TYPES_8_32(input_b)
WRITE8(2, output)
WRITE32(2, output)
WRITE_OF_TYPES_8_32(output)

int result_of(uint op, uint type, int left, int right) {
    switch (op) {
        case 2u:
            return fitting(type, left - right);
        case 3u:
            return fitting(type, left * right);
        case 4u:
            return min(left, right);
        case 5u:
            return max(left, right);
        case 6u:
            return (left == right) ? 1 : 0;
        default:
            return fitting(type, left + right);
    }
}

void main() {
    leave_mark();
    const uint type = argument(4u);
    FOR_EACH(at, argument(3u)) {
        output_of(type, at, result_of(argument(5u), type, input_a_of(type, at), input_b_of(type, at)));
    }
}
