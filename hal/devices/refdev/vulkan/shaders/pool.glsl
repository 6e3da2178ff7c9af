// The geometry of a pooling window, and the taps of one output element.
#include "launch.glsl"
#include "fixed_point.glsl"
#include "window.glsl"

READ8(0, input)
READ16(0, input)
READ_OF_TYPES_8_16(input)
WRITE8(1, output)
WRITE16(1, output)
WRITE_OF_TYPES_8_16(output)

struct Pool {
    uint batches;
    uint input_height;
    uint input_width;
    uint channels;
    uint output_height;
    uint output_width;
    uint filter_height;
    uint filter_width;
    uint stride_height;
    uint stride_width;
    int pad_top;
    int pad_left;
    int lowest;
    int highest;
    uint type;
};

Pool pool() {
    return Pool(argument(2u), argument(3u), argument(4u), argument(5u), argument(6u), argument(7u), argument(8u),
                argument(9u), argument(10u), argument(11u), signed_argument(12u), signed_argument(13u),
                signed_argument(14u), signed_argument(15u), argument(16u));
}

struct PoolWindow {
    uint first;  // element under the first tap
    uint rows;
    uint columns;
};

PoolWindow window_of(Pool p, uint at) {
    const uint channel = at % p.channels;
    const uint pixel = at / p.channels;
    const uint line = pixel / p.output_width;
    const int row = int((line % p.output_height) * p.stride_height) - p.pad_top;
    const int column = int((pixel % p.output_width) * p.stride_width) - p.pad_left;
    const TapRange rows = taps_inside(row, p.input_height, p.filter_height, 1u);
    const TapRange columns = taps_inside(column, p.input_width, p.filter_width, 1u);
    const uint first_row = ((line / p.output_height) * p.input_height) + uint(row + int(rows.first));
    const uint first_column = uint(column + int(columns.first));
    return PoolWindow((((first_row * p.input_width) + first_column) * p.channels) + channel, rows.end - rows.first,
                      columns.end - columns.first);
}
