#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 9u
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
WRITE8(1, output)

void main() {
    leave_mark();
    FOR_EACH(at, argument(2u)) {
        const int value = scaled(input8(at) - signed_argument(3u), signed_argument(4u), signed_argument(5u));
        output8(at, placed(value, signed_argument(6u), kLowest8, kHighest8));
    }
}
