// Exponential and reciprocal in fixed point, and rows of exponentials: hal/devices/refdev/kernels/exponential.h,
// softmax.cpp. Numbers have five integer bits.
const uint kQuarterBits = 24u;
const int kQuarter = 1 << 24;
const uint kExponentialBits = 7u;
const int kExpOfPowers[7] = int[7](1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242);
const uint kRowSumIntegerBits = 12u;

// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31.
int exp_of_small(int a) {
    const int exp_of_minus_eighth = 1895147668;
    const int x = a + 0x10000000;
    const int x2 = rounding_doubling_high_multiply(x, x);
    const int x3 = rounding_doubling_high_multiply(x2, x);
    const int x4 = rounding_doubling_high_multiply(x2, x2);
    const int cubic = rounding_doubling_high_multiply(rounding_shift_right(x4, 2u) + x3, 715827883);
    const int beyond_linear = rounding_shift_right(cubic + x2, 1u);
    return exp_of_minus_eighth + rounding_doubling_high_multiply(exp_of_minus_eighth, x + beyond_linear);
}

// exp(a) for a <= 0, Q5.26 to Q0.31.
int exp_of_negative(int a) {
    if (a == 0) {
        return kHighest32;
    }
    const int small = int(uint(a) & uint(kQuarter - 1)) - kQuarter;
    const uint rest = uint(small - a);
    int result = exp_of_small(small * 32);
    for (uint i = 0u; i < kExponentialBits; ++i) {
        if (((rest >> (kQuarterBits + i)) & 1u) != 0u) {
            result = rounding_doubling_high_multiply(result, kExpOfPowers[i]);
        }
    }
    return result;
}

// 1 / (1 + a) for a in [0, 1), Q0.31 to Q0.31.
int one_over_one_plus(int a) {
    const int64_t twice_half = int64_t(a) + int64_t(kHighest32) + 1L;
    const int half_denominator = int(twice_half / 2L);
    int x = 1515870810 + rounding_doubling_high_multiply(half_denominator, -1010580540);
    for (uint i = 0u; i < 3u; ++i) {
        const int missing = 0x20000000 - rounding_doubling_high_multiply(half_denominator, x);
        x += saturating_shift_left(rounding_doubling_high_multiply(x, missing), 2u);
    }
    return saturating_shift_left(x, 1u);
}

struct DifferenceScale {
    int multiplier;
    uint left_shift;
    int least;
};

int scaled_difference(DifferenceScale scale, int difference) {
    return rounding_doubling_high_multiply(difference << scale.left_shift, scale.multiplier);
}

int exponential(DifferenceScale scale, int difference) {
    return exp_of_negative(scaled_difference(scale, difference));
}

struct RowSum {
    int largest;
    int sum;
};

RowSum row_sum(DifferenceScale scale, uint first, uint depth) {
    RowSum row = RowSum(kLowest8, 0);
    for (uint i = 0u; i < depth; ++i) {
        row.largest = max(row.largest, input8(first + i));
    }
    for (uint i = 0u; i < depth; ++i) {
        const int difference = input8(first + i) - row.largest;
        if (difference >= scale.least) {
            row.sum += rounding_shift_right(exponential(scale, difference), kRowSumIntegerBits);
        }
    }
    return row;
}
