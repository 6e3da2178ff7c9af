#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 3u
#include "layer.glsl"
#include "depthwise.glsl"

void main() {
    leave_mark();
    const Depthwise layer = depthwise();
    const Convolution c = layer.as_convolution;
    const int input_offset = signed_argument(19u);
    const int output_offset = signed_argument(20u);
    const int lowest = signed_argument(21u);
    const int highest = signed_argument(22u);
    FOR_EACH(at, c.batches * c.output_height * c.output_width * c.output_channels) {
        const Place place = place_of(c, at);
        const uint channel = place.channel / layer.multiplier;
        int sum = parameters32(place.channel * 3u);
        for (uint row = place.rows.first; row < place.rows.end; ++row) {
            for (uint column = place.columns.first; column < place.columns.end; ++column) {
                const int value = input8(pixel_of(c, place, row, column) + channel) + input_offset;
                sum += value * filter8((((row * c.filter_width) + column) * c.output_channels) + place.channel);
            }
        }
        output8(at, element_of(kPlain, place.channel, sum, output_offset, lowest, highest));
    }
}
