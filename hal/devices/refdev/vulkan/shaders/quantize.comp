#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 24u
#include "launch.glsl"
#include "fixed_point.glsl"
#include "quantized.glsl"

READ32(0, input)
WRITE8(1, output)
WRITE16(1, output)

// dividend / divisor rounded to single precision, halves to even, then to an integer, halves away from 0.
int rounded_quotient(uint dividend, uint divisor) {
    const int largest = 1 << 24;
    int exponent = exponent_of(dividend);
    uint rest = dividend & kMantissaMask;
    const bool is_negative = (dividend & kSignBit) != 0u;
    if (exponent == kSpecialExponent) {
        return (rest == 0u) ? (is_negative ? -largest : largest) : 0;
    }
    if (exponent == 0) {
        return 0;
    }
    rest |= kHiddenBit;
    const uint by = (divisor & kMantissaMask) | kHiddenBit;
    exponent -= exponent_of(divisor);
    uint quotient = 0u;
    for (uint i = 0u; i < 27u; ++i) {
        const bool fits = rest >= by;
        quotient = (quotient << 1u) | (fits ? 1u : 0u);
        rest = (rest - (fits ? by : 0u)) << 1u;
    }
    const uint drop = (quotient >> 26u) + 2u;
    const uint mantissa = rounded_to_even(quotient, drop, rest != 0u);
    const int to_right = 26 - exponent - int(drop);
    if (to_right > 26) {
        return 0;
    }
    if (to_right <= 0) {
        return is_negative ? -largest : largest;
    }
    const int magnitude = rounding_shift_right(int(mantissa), uint(to_right));
    return is_negative ? -magnitude : magnitude;
}

void main() {
    leave_mark();
    const uint type = argument(3u);
    const uint scale = argument(4u);
    const int zero_point = signed_argument(5u);
    FOR_EACH(at, argument(2u)) {
        const int value = rounded_quotient(uint(input32(at)), scale) + zero_point;
        if (type == kTypeInt16) {
            output16(at, min(max(value, kLowest16), kHighest16));
        } else if (type == kTypeInt8) {
            output8(at, min(max(value, kLowest8), kHighest8));
        } else {
            output8(at, min(max(value, 0), 255));
        }
    }
}
