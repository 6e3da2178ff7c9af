// The geometry of a convolution, from the argument words that its int8 and int16 forms share.
#include "window.glsl"

struct Convolution {
    uint batches;
    uint input_height;
    uint input_width;
    uint input_channels;
    uint output_height;
    uint output_width;
    uint output_channels;
    uint filter_height;
    uint filter_width;
    uint filter_channels;
    uint stride_height;
    uint stride_width;
    uint dilation_height;
    uint dilation_width;
    int pad_top;
    int pad_left;
};

Convolution convolution() {
    return Convolution(argument(4u), argument(5u), argument(6u), argument(7u), argument(8u), argument(9u),
                       argument(10u), argument(11u), argument(12u), argument(13u), argument(14u), argument(15u),
                       argument(16u), argument(17u), signed_argument(18u), signed_argument(19u));
}

// Geometry of one output element.
struct Place {
    uint channel;
    uint batch;
    int row;     // input row and column of the window's first tap; may be outside
    int column;
    TapRange rows;
    TapRange columns;
};

Place place_of(Convolution c, uint at) {
    const uint channel = at % c.output_channels;
    const uint pixel = at / c.output_channels;
    const uint line = pixel / c.output_width;
    const int row = int((line % c.output_height) * c.stride_height) - c.pad_top;
    const int column = int((pixel % c.output_width) * c.stride_width) - c.pad_left;
    return Place(channel, line / c.output_height, row, column,
                 taps_inside(row, c.input_height, c.filter_height, c.dilation_height),
                 taps_inside(column, c.input_width, c.filter_width, c.dilation_width));
}

// Input element of channel 0 under a tap that is inside.
uint pixel_of(Convolution c, Place place, uint row, uint column) {
    const uint input_row = uint(place.row) + (row * c.dilation_height);
    const uint input_column = uint(place.column) + (column * c.dilation_width);
    return ((((place.batch * c.input_height) + input_row) * c.input_width) + input_column) * c.input_channels;
}
