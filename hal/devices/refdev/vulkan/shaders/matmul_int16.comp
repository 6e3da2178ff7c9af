#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 37u
#define PIECE_BYTES 2
#include "launch.glsl"
#include "fixed_point.glsl"

READ16(0, left)
READ16(1, right)
WRITE16(2, output)

void main() {
    leave_mark();
    const uint rows = argument(3u);
    const uint depth = argument(4u);
    const uint columns = argument(5u);
    const int multiplier = signed_argument(6u);
    const int shift = signed_argument(7u);
    FOR_EACH(at, rows * columns) {
        const uint row = (at / columns) * depth;
        const uint column = (at % columns) * depth;  // its values are adjacent
        int64_t sum = 0L;
        for (uint i = 0u; i < depth; ++i) {
            sum += int64_t(left16(row + i) * right16(column + i));  // at most 2^30
        }
        output16(at, min(max(scaled_wide(sum, multiplier, shift), kLowest16), kHighest16));
    }
}
