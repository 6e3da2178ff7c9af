#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 5u
#include "pool.glsl"

void main() {
    leave_mark();
    const Pool p = pool();
    FOR_EACH(at, p.batches * p.output_height * p.output_width * p.channels) {
        const PoolWindow window = window_of(p, at);
        int largest = lowest_of(p.type);
        for (uint row = 0u; row < window.rows; ++row) {
            const uint taps = window.first + (row * p.input_width * p.channels);
            for (uint column = 0u; column < window.columns; ++column) {
                largest = max(largest, input_of(p.type, taps + (column * p.channels)));
            }
        }
        output_of(p.type, at, min(max(largest, p.lowest), p.highest));
    }
}
