#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 1u
#include "layer.glsl"

int sum_of(uint layout_of_weights, uint row, uint depth, uint channel, int input_offset, int filter_offset) {
    int sum = parameter_of(layout_of_weights, channel, kBias);
    if (layout_of_weights == kPlain) {
        const uint weights = channel * depth;
        for (uint i = 0u; i < depth; ++i) {
            sum += (input8(row + i) + input_offset) * (filter8(weights + i) + filter_offset);
        }
        return sum;
    }
    const int offset = (layout_of_weights == kDsp) ? input_offset : 0;
    for (uint i = 0u; i < depth; ++i) {
        sum += (input8(row + i) + offset) * packed_weight(layout_of_weights, depth, channel, i);
    }
    return sum;
}

void main() {
    leave_mark();
    const uint batches = argument(4u);
    const uint depth = argument(5u);
    const uint channels = argument(6u);
    const int input_offset = signed_argument(7u);
    const int filter_offset = signed_argument(8u);
    const int output_offset = signed_argument(9u);
    const int lowest = signed_argument(10u);
    const int highest = signed_argument(11u);
    const uint layout_of_weights = argument(12u);
    FOR_EACH(at, batches * channels) {
        const uint channel = at % channels;
        const int sum =
            sum_of(layout_of_weights, (at / channels) * depth, depth, channel, input_offset, filter_offset);
        output8(at, element_of(layout_of_weights, channel, sum, output_offset, lowest, highest));
    }
}
