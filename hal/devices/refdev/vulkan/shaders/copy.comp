#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 11u
#include "launch.glsl"

READ8(0, source)
WRITE8(1, destination)

void main() {
    leave_mark();
    FOR_EACH(at, argument(2u)) {
        destination8(at, source8(at));
    }
}
