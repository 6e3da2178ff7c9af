#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 6u
#include "launch.glsl"
#include "fixed_point.glsl"

READ8(0, input)
READ16(0, input)
READ_OF_TYPES_8_16(input)
WRITE8(1, output)
WRITE16(1, output)
WRITE_OF_TYPES_8_16(output)

// The input as two nests of loops: over the dimensions that are kept, and within, over those that are averaged. A
// dimension has one of its two sizes equal to 1.
struct Nests {
    uint kept[4];
    uint reduced[4];
    uint strides[4];
    uint outputs;
    uint count;
};

Nests nests() {
    Nests n;
    n.outputs = 1u;
    n.count = 1u;
    const uint axes = argument(6u);
    uint stride = 1u;
    for (uint i = 4u; i > 0u; --i) {
        const uint axis = i - 1u;
        const uint size = argument(2u + axis);
        const bool is_reduced = ((axes >> axis) & 1u) != 0u;
        n.kept[axis] = is_reduced ? 1u : size;
        n.reduced[axis] = is_reduced ? size : 1u;
        n.strides[axis] = stride;
        stride *= size;
        n.outputs *= n.kept[axis];
        n.count *= n.reduced[axis];
    }
    return n;
}

int sum_of(Nests n, uint type, uint first) {
    int sum = 0;
    for (uint i = 0u; i < n.reduced[0]; ++i) {
        for (uint j = 0u; j < n.reduced[1]; ++j) {
            for (uint k = 0u; k < n.reduced[2]; ++k) {
                const uint at = first + (i * n.strides[0]) + (j * n.strides[1]) + (k * n.strides[2]);
                for (uint l = 0u; l < n.reduced[3]; ++l) {
                    sum += input_of(type, at + l);
                }
            }
        }
    }
    return sum;
}

void main() {
    leave_mark();
    const Nests n = nests();
    const int zero_point_sum = int(n.count) * signed_argument(7u);
    const int output_zero_point = signed_argument(8u);
    const int multiplier = signed_argument(9u);
    const int shift = signed_argument(10u);
    const uint type = argument(11u);
    FOR_EACH(at, n.outputs) {
        uint rest = at;
        uint first = 0u;
        for (uint i = 4u; i > 0u; --i) {
            const uint axis = i - 1u;
            first += (rest % n.kept[axis]) * n.strides[axis];
            rest /= n.kept[axis];
        }
        const int value = scaled(sum_of(n, type, first) - zero_point_sum, multiplier, shift);
        output_of(type, at, placed(value, output_zero_point, lowest_of(type), highest_of(type)));
    }
}
