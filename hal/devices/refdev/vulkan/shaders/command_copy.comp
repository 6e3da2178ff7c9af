#version 460
#extension GL_GOOGLE_include_directive : require
// The trace command COPY, which is no kernel.
#define MARK 0x1000u
#include "launch.glsl"

WRITE8(0, destination)
READ8(1, source)

void main() {
    leave_mark();
    FOR_EACH(at, argument(2u)) {
        destination8(at, source8(at));
    }
}
