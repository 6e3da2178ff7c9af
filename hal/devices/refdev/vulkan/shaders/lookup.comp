#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 21u
#include "launch.glsl"

READ8(0, input)
READ8(1, table)
READ16(1, table)
READ32(1, table)
WRITE8(2, output)
WRITE16(2, output)
WRITE32(2, output)

void main() {
    leave_mark();
    const uint element_bytes = argument(4u);
    FOR_EACH(at, argument(3u)) {
        const uint entry = uint(input8(at)) & 0xFFu;
        if (element_bytes == 1u) {
            output8(at, table8(entry));
        } else if (element_bytes == 2u) {
            output16(at, table16(entry));
        } else {
            output32(at, table32(entry));
        }
    }
}
