#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 25u
#define PIECE_BYTES 4
#include "launch.glsl"
#include "quantized.glsl"

READ8(0, input)
READ16(0, input)
WRITE32(1, output)

// value * scale rounded to single precision, halves to even.
uint scaled_integer(int value, uint scale) {
    const uint64_t one_bit_more = uint64_t(kHiddenBit) << 2;
    if (value == 0) {
        return 0u;
    }
    uint64_t product = uint64_t(uint(abs(value))) * uint64_t((scale & kMantissaMask) | kHiddenBit);
    uint dropped = 0u;
    bool sticky = false;
    for (uint i = 0u; (i < 17u) && (product >= one_bit_more); ++i) {
        sticky = sticky || ((uint(product) & 1u) != 0u);
        product >>= 1;
        dropped += 1u;
    }
    uint mantissa = uint(product);
    if (mantissa > (kHiddenBit | kMantissaMask)) {
        mantissa = rounded_to_even(mantissa, 1u, sticky);
        dropped += 1u;
    }
    const uint exponent = uint(exponent_of(scale)) + dropped - 1u;
    const uint bits = (exponent << kMantissaBits) + mantissa;
    return ((bits < kInfinity) ? bits : kInfinity) | ((value < 0) ? kSignBit : 0u);
}

void main() {
    leave_mark();
    const uint type = argument(3u);
    const uint scale = argument(4u);
    const int zero_point = signed_argument(5u);
    FOR_EACH(at, argument(2u)) {
        int element = 0;
        if (type == kTypeInt16) {
            element = input16(at);
        } else {
            element = input8(at);
            element = (type == kTypeUint8) ? (element & 0xFF) : element;
        }
        output32(at, int(scaled_integer(element - zero_point, scale)));
    }
}
