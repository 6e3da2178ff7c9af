#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 4u
#include "pool.glsl"

// sum / count, rounded to nearest, halves away from zero.
int mean_of(int sum, uint count) {
    const uint magnitude = (uint(abs(sum)) + (count / 2u)) / count;
    return (sum < 0) ? -int(magnitude) : int(magnitude);
}

void main() {
    leave_mark();
    const Pool p = pool();
    FOR_EACH(at, p.batches * p.output_height * p.output_width * p.channels) {
        const PoolWindow window = window_of(p, at);
        int sum = 0;
        for (uint row = 0u; row < window.rows; ++row) {
            const uint taps = window.first + (row * p.input_width * p.channels);
            for (uint column = 0u; column < window.columns; ++column) {
                sum += input_of(p.type, taps + (column * p.channels));
            }
        }
        const int mean = mean_of(sum, max(window.rows * window.columns, 1u));
        output_of(p.type, at, min(max(mean, p.lowest), p.highest));
    }
}
