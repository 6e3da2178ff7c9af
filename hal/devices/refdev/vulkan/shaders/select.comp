#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 23u
#include "launch.glsl"
#include "broadcast.glsl"

READ8(0, condition)
READ8(1, input_a)
READ16(1, input_a)
READ32(1, input_a)
READ8(2, input_b)
READ16(2, input_b)
READ32(2, input_b)
WRITE8(3, output)
WRITE16(3, output)
WRITE32(3, output)

void main() {
    leave_mark();
    const uint element_bytes = argument(20u);
    FOR_EACH(at, elements_of(4u)) {
        const Index index = index_of(at, 4u);
        const uint at1 = element_at(index, 12u);
        const uint at2 = element_at(index, 16u);
        const bool is_first = condition8(element_at(index, 8u)) != 0;
        if (element_bytes == 1u) {
            output8(at, is_first ? input_a8(at1) : input_b8(at2));
        } else if (element_bytes == 2u) {
            output16(at, is_first ? input_a16(at1) : input_b16(at2));
        } else {
            output32(at, is_first ? input_a32(at1) : input_b32(at2));
        }
    }
}
