#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 17u
#define PIECE_BYTES 4
#include "launch.glsl"

READ8(0, input)
READ32(0, input)
READ_OF_TYPES_8_32(input)
WRITE32(1, output)

const uint kSum = 1u;
const uint kMaximum = 2u;
const uint kArgMaximum = 4u;
const uint kArgMinimum = 5u;

void main() {
    leave_mark();
    const uint rows = argument(2u);
    const uint columns = argument(3u);
    const uint type = argument(4u);
    const uint op = argument(5u);
    const bool takes_rows = argument(6u) == 0u;
    const uint terms = takes_rows ? rows : columns;
    const uint result_step = takes_rows ? 1u : columns;
    const uint term_step = takes_rows ? columns : 1u;
    const bool wants_largest = (op == kMaximum) || (op == kArgMaximum);
    FOR_EACH(at, takes_rows ? columns : rows) {
        uint from = at * result_step;
        int value = input_of(type, from);
        uint place = 0u;
        for (uint term = 1u; term < terms; ++term) {
            from += term_step;
            const int element = input_of(type, from);
            if (op == kSum) {
                value += element;
            } else if (wants_largest ? (element > value) : (element < value)) {
                value = element;
                place = term;
            }
        }
        output32(at, ((op == kArgMaximum) || (op == kArgMinimum)) ? int(place) : value);
    }
}
