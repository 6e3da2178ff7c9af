#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 31u
#define PIECE_BYTES 2
#include "int16_layer.glsl"
#include "convolution.glsl"

int64_t sum_of(Convolution c, Place place) {
    const uint group_channels = c.output_channels / (c.input_channels / c.filter_channels);
    const uint first = (place.channel / group_channels) * c.filter_channels;
    const uint first_weight = place.channel * c.filter_height * c.filter_width * c.filter_channels;
    int64_t sum = 0L;
    for (uint row = place.rows.first; row < place.rows.end; ++row) {
        for (uint column = place.columns.first; column < place.columns.end; ++column) {
            const uint taps = pixel_of(c, place, row, column) + first;
            const uint weights = first_weight + (((row * c.filter_width) + column) * c.filter_channels);
            for (uint i = 0u; i < c.filter_channels; ++i) {
                sum += int64_t(input16(taps + i) * filter8(weights + i));
            }
        }
    }
    return sum;
}

void main() {
    leave_mark();
    const Convolution c = convolution();
    const int lowest = signed_argument(22u);
    const int highest = signed_argument(23u);
    const uint sum_bytes = argument(25u);
    FOR_EACH(at, c.batches * c.output_height * c.output_width * c.output_channels) {
        const Place place = place_of(c, at);
        output16(at, element_of(sum_bytes, place.channel, sum_of(c, place), lowest, highest));
    }
}
