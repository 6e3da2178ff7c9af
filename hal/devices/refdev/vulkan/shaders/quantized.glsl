// Operands quantised to int8, uint8 or int16, for the kernels that convert from and to single precision.
//
// hal/devices/refdev/kernels/quantize.cpp says why there is no floating-point arithmetic.
const uint kMantissaBits = 23u;
const uint kHiddenBit = 0x00800000u;
const uint kMantissaMask = kHiddenBit - 1u;
const int kSpecialExponent = 255;
const uint kInfinity = 0x7F800000u;
const uint kSignBit = 0x80000000u;

int exponent_of(uint bits) {
    return int((bits & kInfinity) >> kMantissaBits);
}

// value / 2^drop, rounded to nearest, halves to even; drop 1 to 31. `sticky` where value stands for slightly more.
uint rounded_to_even(uint value, uint drop, bool sticky) {
    const uint midway = 1u << (drop - 1u);
    const uint rest = value & ((midway << 1u) - 1u);
    const uint kept = value >> drop;
    const bool up = (rest > midway) || ((rest == midway) && (sticky || ((kept & 1u) != 0u)));
    return kept + (up ? 1u : 0u);
}
