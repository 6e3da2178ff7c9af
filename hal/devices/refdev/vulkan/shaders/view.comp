#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 19u
#include "launch.glsl"

READ8(0, input)
WRITE8(1, output)

const uint kRank = 6u;
const uint kDims = 3u;  // argument words
const uint kStrides = 9u;

void main() {
    leave_mark();
    const uint element_bytes = argument(2u);
    uint elements = 1u;
    uint first = 0u;  // offset of the element of index 0 in the operand
    for (uint axis = 0u; axis < kRank; ++axis) {
        const int stride = signed_argument(kStrides + axis);
        elements *= argument(kDims + axis);
        first += (stride < 0) ? ((argument(kDims + axis) - 1u) * (0u - uint(stride))) : 0u;
    }
    FOR_EACH(at, elements * element_bytes) {
        uint rest = at / element_bytes;
        uint from = first + (at % element_bytes);
        for (uint i = kRank; i > 0u; --i) {
            const uint size = argument(kDims + (i - 1u));
            from += (rest % size) * argument(kStrides + (i - 1u));
            rest /= size;
        }
        output8(at, input8(from));
    }
}
