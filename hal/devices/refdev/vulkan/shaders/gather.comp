#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 13u
#include "launch.glsl"

WRITE8(0, destination)
READ8(1, segment0)
READ8(2, segment1)
READ8(3, segment2)
READ8(4, segment3)

const uint kSegments = 3u;  // argument words: address, stride, bytes of each
const uint kMaxSegments = 4u;

int byte_of(uint segment, uint at) {
    if (segment < 2u) {
        return (segment == 0u) ? segment08(at) : segment18(at);
    }
    return (segment == 2u) ? segment28(at) : segment38(at);
}

uint bytes_of(uint segment) {
    return argument(kSegments + (segment * 3u) + 2u);
}

void main() {
    leave_mark();
    const uint rows = argument(1u);
    const uint row_bytes = bytes_of(0u) + bytes_of(1u) + bytes_of(2u) + bytes_of(3u);
    FOR_EACH(at, rows * row_bytes) {
        const uint row = at / row_bytes;
        uint column = at % row_bytes;
        uint segment = 0u;
        while ((segment < (kMaxSegments - 1u)) && (column >= bytes_of(segment))) {
            column -= bytes_of(segment);
            segment += 1u;
        }
        destination8(at, byte_of(segment, (row * argument(kSegments + (segment * 3u) + 1u)) + column));
    }
}
