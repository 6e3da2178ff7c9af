#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 16u
#define PIECE_BYTES 4
#include "launch.glsl"

READ8(0, left)
READ32(0, left)
READ_OF_TYPES_8_32(left)
READ8(1, right)
READ32(1, right)
READ_OF_TYPES_8_32(right)
STATE32(2, product)

void main() {
    leave_mark();
    const uint m = argument(3u);
    const uint k = argument(4u);
    const uint n = argument(5u);
    const uint type = argument(6u);
    const bool accumulates = argument(7u) != 0u;
    FOR_EACH(at, m * n) {
        const uint row = (at / n) * k;
        const uint column = at % n;
        int sum = 0;
        if (accumulates) {
            sum = product32(at);
        }
        for (uint i = 0u; i < k; ++i) {
            sum += left_of(type, row + i) * right_of(type, (i * n) + column);
        }
        product32(at, sum);
    }
}
