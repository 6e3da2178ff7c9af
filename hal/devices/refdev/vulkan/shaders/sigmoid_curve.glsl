// Logistic function and hyperbolic tangent of 16 bits, from a table of the logistic one:
// hal/devices/refdev/kernels/sigmoid_curve.h.
//
// A shader that includes it must define int table_entry(uint index).
const uint kSigmoidTableEntries = 256u;

struct SigmoidCurve {
    uint step_bits;
    int beyond;
    int start;
    int negative_start;
    uint dropped_bits;
};
const SigmoidCurve kLogistic = SigmoidCurve(9u, 0x7FFF << 10, 1 << 9, (1 << 25) + (1 << 9) - 1, 10u);
const SigmoidCurve kTanh = SigmoidCurve(8u, 0xFFFF << 8, (1 << 7) - (1 << 23), (1 << 23) + (1 << 7) - 1, 8u);

int curve_magnitude(SigmoidCurve curve, uint operand) {
    const uint index = operand >> curve.step_bits;
    if (index >= (kSigmoidTableEntries - 1u)) {
        return curve.beyond;
    }
    const int base = table_entry(index);
    const int slope = table_entry(index + 1u) - base;
    const int steps = 1 << curve.step_bits;
    return (base * steps) + (slope * int(operand & (uint(steps) - 1u)));
}

int curve_at(SigmoidCurve curve, int number) {
    const int result = (number >= 0) ? (curve.start + curve_magnitude(curve, uint(number)))
                                     : (curve.negative_start - curve_magnitude(curve, 0u - uint(number)));
    return result >> curve.dropped_bits;
}
