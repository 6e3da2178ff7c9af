#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 2u
#include "layer.glsl"
#include "convolution.glsl"

int plain_sum(Convolution c, Place place, int input_offset) {
    const uint group_channels = c.output_channels / (c.input_channels / c.filter_channels);
    const uint first = (place.channel / group_channels) * c.filter_channels;
    const uint first_weight = place.channel * c.filter_height * c.filter_width * c.filter_channels;
    int sum = parameters32(place.channel * 3u);
    for (uint row = place.rows.first; row < place.rows.end; ++row) {
        for (uint column = place.columns.first; column < place.columns.end; ++column) {
            const uint taps = pixel_of(c, place, row, column) + first;
            const uint weights = first_weight + (((row * c.filter_width) + column) * c.filter_channels);
            for (uint i = 0u; i < c.filter_channels; ++i) {
                sum += (input8(taps + i) + input_offset) * filter8(weights + i);
            }
        }
    }
    return sum;
}

// There is one group. If the offset is part of the bias, a tap outside the input is minus the offset.
int packed_sum(Convolution c, Place place, int input_offset, uint layout_of_weights) {
    const uint taps = c.filter_height * c.filter_width * c.filter_channels;
    const int offset = (layout_of_weights == kDsp) ? input_offset : 0;
    int sum = parameter_of(layout_of_weights, place.channel, kBias);
    for (uint row = 0u; row < c.filter_height; ++row) {
        for (uint column = 0u; column < c.filter_width; ++column) {
            const bool is_inside = (row >= place.rows.first) && (row < place.rows.end) &&
                                   (column >= place.columns.first) && (column < place.columns.end);
            const uint from = is_inside ? pixel_of(c, place, row, column) : 0u;
            const uint tap = ((row * c.filter_width) + column) * c.filter_channels;
            for (uint i = 0u; i < c.filter_channels; ++i) {
                int value = -input_offset;
                if (is_inside) {
                    value = input8(from + i);
                }
                sum += (value + offset) * packed_weight(layout_of_weights, taps, place.channel, tap + i);
            }
        }
    }
    return sum;
}

void main() {
    leave_mark();
    const Convolution c = convolution();
    const int input_offset = signed_argument(20u);
    const int output_offset = signed_argument(21u);
    const int lowest = signed_argument(22u);
    const int highest = signed_argument(23u);
    const uint layout_of_weights = argument(24u);
    FOR_EACH(at, c.batches * c.output_height * c.output_width * c.output_channels) {
        const Place place = place_of(c, at);
        const int sum = (layout_of_weights == kPlain) ? plain_sum(c, place, input_offset)
                                                      : packed_sum(c, place, input_offset, layout_of_weights);
        output8(at, element_of(layout_of_weights, place.channel, sum, output_offset, lowest, highest));
    }
}
