#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 20u
#include "launch.glsl"

READ8(0, input)
READ32(1, indices)
WRITE8(2, output)

void main() {
    leave_mark();
    const uint batches = argument(3u);
    const uint outer = argument(4u);
    const uint entries = argument(5u);
    const uint count = argument(6u);
    const uint entry_bytes = argument(7u);
    FOR_EACH(at, batches * outer * count * entry_bytes) {
        const uint piece = at / entry_bytes;
        const uint row = piece / count;  // of all batches
        const int index = indices32(((row / outer) * count) + (piece % count));
        const uint entry = min(uint(max(index, 0)), entries - 1u);
        output8(at, input8((((row * entries) + entry) * entry_bytes) + (at % entry_bytes)));
    }
}
