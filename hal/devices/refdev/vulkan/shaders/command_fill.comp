#version 460
#extension GL_GOOGLE_include_directive : require
// The trace command FILL, which is no kernel.
#define MARK 0x1001u
#include "launch.glsl"

WRITE8(0, destination)

void main() {
    leave_mark();
    FOR_EACH(at, argument(1u)) {
        destination8(at, signed_argument(2u));
    }
}
