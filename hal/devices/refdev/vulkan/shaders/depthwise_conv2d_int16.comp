#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 32u
#define PIECE_BYTES 2
#include "int16_layer.glsl"
#include "depthwise.glsl"

void main() {
    leave_mark();
    const Depthwise layer = depthwise();
    const Convolution c = layer.as_convolution;
    const int lowest = signed_argument(21u);
    const int highest = signed_argument(22u);
    const uint sum_bytes = argument(23u);
    FOR_EACH(at, c.batches * c.output_height * c.output_width * c.output_channels) {
        const Place place = place_of(c, at);
        const uint channel = place.channel / layer.multiplier;
        int64_t sum = 0L;
        for (uint row = place.rows.first; row < place.rows.end; ++row) {
            for (uint column = place.columns.first; column < place.columns.end; ++column) {
                const int value = input16(pixel_of(c, place, row, column) + channel);
                const uint tap = (row * c.filter_width) + column;
                sum += int64_t(value * filter8((tap * c.output_channels) + place.channel));
            }
        }
        output16(at, element_of(sum_bytes, place.channel, sum, lowest, highest));
    }
}
