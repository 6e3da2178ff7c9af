#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 10u
#include "launch.glsl"

READ8(0, input)
WRITE8(1, output)

const uint kDims = 2u;  // argument words
const uint kBefore = 6u;
const uint kAfter = 10u;

uint padded_size(uint axis) {
    return argument(kBefore + axis) + argument(kDims + axis) + argument(kAfter + axis);
}

void main() {
    leave_mark();
    const uint element_bytes = argument(14u);
    const uint value = argument(15u);
    const uint elements = padded_size(0u) * padded_size(1u) * padded_size(2u) * padded_size(3u);
    FOR_EACH(at, elements * element_bytes) {
        const uint byte = at % element_bytes;
        uint rest = at / element_bytes;
        uint from = 0u;
        uint step = 1u;
        bool is_inside = true;
        for (uint i = 4u; i > 0u; --i) {
            const uint axis = i - 1u;
            const uint size = padded_size(axis);
            const uint position = (rest % size) - argument(kBefore + axis);  // huge before the input
            is_inside = is_inside && (position < argument(kDims + axis));
            from += position * step;
            step *= argument(kDims + axis);
            rest /= size;
        }
        int result = int((value >> (8u * byte)) & 0xFFu);
        if (is_inside) {
            result = input8((from * element_bytes) + byte);
        }
        output8(at, result);
    }
}
