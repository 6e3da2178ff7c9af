#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 12u
#define PIECE_BYTES 4
#include "launch.glsl"

WRITE32(0, destination)

void main() {
    leave_mark();
    FOR_EACH(at, argument(1u) / 4u) {
        destination32(at, signed_argument(2u));
    }
}
