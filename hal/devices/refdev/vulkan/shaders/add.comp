#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 7u
#include "launch.glsl"
#include "broadcast.glsl"
#include "fixed_point.glsl"

READ8(0, input_a)
READ8(1, input_b)
WRITE8(2, output)

void main() {
    leave_mark();
    const uint left_shift = argument(21u);
    FOR_EACH(at, elements_of(3u)) {
        const Index index = index_of(at, 3u);
        const int number1 = input_a8(element_at(index, 7u)) + signed_argument(15u);
        const int number2 = input_b8(element_at(index, 11u)) + signed_argument(18u);
        const int term1 = scaled(number1 << left_shift, signed_argument(16u), signed_argument(17u));
        const int term2 = scaled(number2 << left_shift, signed_argument(19u), signed_argument(20u));
        const int sum = scaled(term1 + term2, signed_argument(23u), signed_argument(24u));
        output8(at, placed(sum, signed_argument(22u), signed_argument(25u), signed_argument(26u)));
    }
}
