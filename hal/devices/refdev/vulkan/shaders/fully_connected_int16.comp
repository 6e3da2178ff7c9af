#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 30u
#define PIECE_BYTES 2
#include "int16_layer.glsl"

void main() {
    leave_mark();
    const uint batches = argument(4u);
    const uint depth = argument(5u);
    const uint channels = argument(6u);
    const int lowest = signed_argument(10u);
    const int highest = signed_argument(11u);
    const uint sum_bytes = argument(13u);
    FOR_EACH(at, batches * channels) {
        const uint channel = at % channels;
        const uint row = (at / channels) * depth;
        const uint weights = channel * depth;
        int64_t sum = 0L;
        for (uint i = 0u; i < depth; ++i) {
            sum += int64_t(input16(row + i) * filter8(weights + i));
        }
        output16(at, element_of(sum_bytes, channel, sum, lowest, highest));
    }
}
