// Shared by the layers with int16 activations and int8 weights: hal/devices/refdev/kernels/layers.h.
#include "launch.glsl"
#include "fixed_point.glsl"

READ16(0, input)
READ8(1, filter)
READ32(2, parameters)
WRITE16(3, output)

const uint kWideSumBytes = 8u;

int element_of(uint sum_bytes, uint channel, int64_t sum, int lowest, int highest) {
    int value = 0;
    if (sum_bytes == kWideSumBytes) {
        const uint first = channel * 4u;
        const uint64_t lower = uint64_t(uint(parameters32(first)));
        const uint64_t upper = uint64_t(uint(parameters32(first + 1u)));
        const int64_t total = int64_t(uint64_t(sum) + (lower | (upper << 32)));
        value = scaled_wide(total, parameters32(first + 2u), parameters32(first + 3u));
    } else {
        const uint first = channel * 3u;
        value = scaled(int(sum) + parameters32(first), parameters32(first + 1u), parameters32(first + 2u));
    }
    return min(max(value, lowest), highest);
}
