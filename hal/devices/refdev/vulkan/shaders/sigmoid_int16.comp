#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 34u
#define PIECE_BYTES 2
#include "launch.glsl"
#include "fixed_point.glsl"

READ16(0, input)
READ16(1, table)
WRITE16(2, output)

int table_entry(uint index) {
    return table16(index) & 0xFFFF;
}

#include "sigmoid_curve.glsl"

const uint kTanhOp = 2u;

void main() {
    leave_mark();
    const bool is_tanh = argument(4u) == kTanhOp;
    const int multiplier = signed_argument(5u);
    const uint shift = argument(6u);
    const int halfway = (shift > 0u) ? (1 << (shift - 1u)) : 0;
    FOR_EACH(at, argument(3u)) {
        const int operand = ((input16(at) * multiplier) + halfway) >> shift;
        int result = 0;
        if (is_tanh) {
            result = curve_at(kTanh, operand);
        } else {
            result = curve_at(kLogistic, operand);
        }
        output16(at, result);
    }
}
