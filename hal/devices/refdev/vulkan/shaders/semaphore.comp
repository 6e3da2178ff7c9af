#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 18u
#define PIECE_BYTES 4
#include "launch.glsl"

STATE32(0, semaphore)

const uint kSet = 1u;
const uint kIncrement = 2u;

void main() {
    if (gl_GlobalInvocationID.x != 0u) {
        return;
    }
    const uint op = argument(1u);
    const uint value = argument(2u);
    if (op == kSet) {
        semaphore32(0u, int(value));
    } else if (op == kIncrement) {
        semaphore32(0u, int(uint(semaphore32(0u)) + value));
    } else if (uint(semaphore32(0u)) < value) {
        return;  // an unsatisfied wait fails: without a mark
    }
    leave_mark();
}
