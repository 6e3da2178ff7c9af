// Fixed-point arithmetic with double rounding: hal/devices/refdev/kernels/fixed_point.h, whose functions these are, bit
// by bit.
const int kLowest8 = -128;
const int kHighest8 = 127;
const int kLowest16 = -32768;
const int kHighest16 = 32767;
const int kLowest32 = int(0x80000000u);
const int kHighest32 = 0x7FFFFFFF;
const int kMinShift = -31;
const int kMaxShift = 30;

int lowest_of(uint type) {
    return (type == kTypeInt8) ? kLowest8 : kLowest16;
}
int highest_of(uint type) {
    return (type == kTypeInt8) ? kHighest8 : kHighest16;
}

// left * right / 2^31, rounded to nearest, halves upwards; the one product that does not fit saturates.
int rounding_doubling_high_multiply(int left, int right) {
    const int64_t high = ((int64_t(left) * int64_t(right)) + 0x40000000L) >> 31;
    return int(min(high, int64_t(kHighest32)));
}

// value / 2^bits, rounded to nearest, halves away from zero; bits 0 to 31.
int rounding_shift_right(int value, uint bits) {
    const uint sign = (value < 0) ? 0xFFFFFFFFu : 0u;
    const uint magnitude = (uint(value) ^ sign) - sign;
    const uint rounded = (magnitude + ((1u << bits) >> 1u)) >> bits;
    return int((rounded ^ sign) - sign);
}

// value * 2^bits, saturated; bits 1 to 30.
int saturating_shift_left(int value, uint bits) {
    const int threshold = kHighest32 >> bits;
    if (value > threshold) {
        return kHighest32;
    }
    return (value < -threshold) ? kLowest32 : (value << bits);
}

// Multiplication by multiplier / 2^31 * 2^shift.
int scaled(int value, int multiplier, int shift) {
    const int bits = clamp(shift, kMinShift, kMaxShift);
    if (bits < 0) {
        return rounding_shift_right(rounding_doubling_high_multiply(value, multiplier), uint(-bits));
    }
    return rounding_doubling_high_multiply(value << uint(bits), multiplier);
}

// Rescales sums of up to 48 bits, with a multiplier of 16 bits and one rounding.
int scaled_wide(int64_t value, int multiplier, int shift) {
    const uint rounded = (uint(max(multiplier, 0)) + 0x8000u) >> 16u;
    const uint64_t factor = uint64_t(min(rounded, 0x7FFFu));
    const uint bits = uint(15 - clamp(shift, kMinShift, 7));
    const uint64_t product = (uint64_t(value) * factor) + (uint64_t(1u) << (bits - 1u));
    return int(int64_t(product) >> bits);
}

// clamp(value + offset, lowest, highest), exact also where value + offset would not fit.
int placed(int value, int offset, int lowest, int highest) {
    return min(max(value, lowest - offset), highest - offset) + offset;
}
