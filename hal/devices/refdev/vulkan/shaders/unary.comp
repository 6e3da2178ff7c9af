#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 14u
#include "launch.glsl"
#include "fixed_point.glsl"
#include "arithmetic.glsl"

READ8(0, input)
READ32(0, input)
READ_OF_TYPES_8_32(input)
WRITE8(1, output)
WRITE32(1, output)
WRITE_OF_TYPES_8_32(output)

int result_of(uint op, uint type, int value, int scalar) {
    switch (op) {
        case 2u:
            return fitting(type, 0 - value);
        case 3u:
            return (value < 0) ? fitting(type, 0 - value) : value;
        case 4u:
            return max(value, 0);
        case 5u:
            return fitting(type, value + scalar);
        case 6u:
            return fitting(type, value * scalar);
        case 7u:
            return fitting(type, value * value);
        default:
            return value;
    }
}

void main() {
    leave_mark();
    const uint type = argument(3u);
    FOR_EACH(at, argument(2u)) {
        output_of(type, at, result_of(argument(4u), type, input_of(type, at), signed_argument(5u)));
    }
}
