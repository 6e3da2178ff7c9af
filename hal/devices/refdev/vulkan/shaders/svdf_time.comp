#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 28u
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, memory)
READ16(0, memory)
READ_OF_TYPES_8_16(memory)
READ8(1, weights)
READ16(1, weights)
READ_OF_TYPES_8_16(weights)
READ32(2, bias)
WRITE8(3, output)

void main() {
    leave_mark();
    const uint batches = argument(4u);
    const uint units = argument(5u);
    const uint taps = argument(6u) * argument(7u);
    const uint type = argument(8u);
    const int memory_offset = signed_argument(9u);
    FOR_EACH(at, batches * units) {
        const uint unit = at % units;
        int sum = bias32(unit);
        for (uint i = 0u; i < taps; ++i) {
            sum += (memory_of(type, (at * taps) + i) + memory_offset) * weights_of(type, (unit * taps) + i);
        }
        const int value = scaled(sum, signed_argument(10u), signed_argument(11u));
        output8(at, placed(value, signed_argument(12u), kLowest8, kHighest8));
    }
}
