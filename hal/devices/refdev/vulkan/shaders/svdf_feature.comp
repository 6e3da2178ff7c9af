#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 27u
#define PIECE_WORDS 3, 5
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ8(1, features)
STATE8(2, memory)
STATE16(2, memory)
READ_OF_TYPES_8_16(memory)
WRITE_OF_TYPES_8_16(memory)

void main() {
    leave_mark();
    const uint batches = argument(3u);
    const uint depth = argument(4u);
    const uint filters = argument(5u);
    const uint length = argument(6u);
    const uint type = argument(7u);
    const int input_offset = signed_argument(8u);
    FOR_EACH(at, batches * filters) {
        const uint row = (at / filters) * depth;
        const uint weights = (at % filters) * depth;
        int sum = 0;
        for (uint i = 0u; i < depth; ++i) {
            sum += (input8(row + i) + input_offset) * features8(weights + i);
        }
        const uint oldest = at * length;
        for (uint i = 1u; i < length; ++i) {
            memory_of(type, oldest + (i - 1u), memory_of(type, oldest + i));
        }
        const int value = scaled(sum, signed_argument(9u), signed_argument(10u));
        const int fresh = min(max(value, lowest_of(type)), highest_of(type));
        memory_of(type, oldest + (length - 1u), fresh + signed_argument(11u));
    }
}
