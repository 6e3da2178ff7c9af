"""The integer arithmetic of 8-bit quantised networks, after TensorFlow Lite's quantisation specification and gemmlowp's
fixed point, with double rounding.

Values are held in 64-bit integers, so that nothing wraps that is not said to. All functions take numbers or arrays.
"""
import math

import numpy

INT32_MIN, INT32_MAX = -2**31, 2**31 - 1


def quantize_multiplier(real):
    """A real number as a mantissa of 31 bits and a power of two: real = mantissa * 2^(shift - 31)."""
    if real == 0:
        return 0, 0
    fraction, shift = math.frexp(real)
    mantissa = round_away(fraction * 2**31)
    if mantissa == 2**31:
        mantissa, shift = 2**30, shift + 1
    return (0, 0) if shift < -31 else (mantissa, shift)


def round_away(value):
    """To the nearest integer, halves away from zero."""
    value = numpy.asarray(value, numpy.float64)
    result = numpy.trunc(value)
    result = numpy.where(numpy.abs(value - result) >= 0.5, result + numpy.sign(value), result).astype(numpy.int64)
    return int(result) if result.ndim == 0 else result


def wrap(value):
    """Modulo 2^32, as 32-bit registers do."""
    return (numpy.asarray(value, numpy.int64) + 2**31) % 2**32 - 2**31


def divide_to_zero(value, divisor):
    """Integer division that truncates, as C has it."""
    value = numpy.asarray(value, numpy.int64)
    return numpy.where(value >= 0, value // divisor, -(-value // divisor))


def high_multiply(left, right):
    """left * right / 2^31, rounded to nearest, halves upwards in magnitude except below zero."""
    product = numpy.asarray(left, numpy.int64) * numpy.asarray(right, numpy.int64)
    result = divide_to_zero(product + numpy.where(product >= 0, 2**30, 1 - 2**30), 2**31)
    return numpy.minimum(result, INT32_MAX)


def shift_right(value, bits):
    """value / 2^bits, rounded to nearest, halves away from zero."""
    value, bits = numpy.asarray(value, numpy.int64), numpy.asarray(bits, numpy.int64)
    mask = (numpy.int64(1) << bits) - 1
    threshold = (mask >> 1) + (value < 0)
    return (value >> bits) + ((value & mask) > threshold)


def multiply(value, multiplier, shift):
    """A 32-bit value times mantissa * 2^(shift - 31): one rounding of the product, one of the shift."""
    shift = numpy.asarray(shift, numpy.int64)
    shifted = wrap(numpy.asarray(value, numpy.int64) << numpy.maximum(shift, 0))
    return shift_right(high_multiply(shifted, multiplier), numpy.maximum(-shift, 0))


def multiply_wide(value, multiplier, shift):
    """The same for sums of 48 bits: the mantissa is cut to 16 bits, and there is one rounding."""
    multiplier = numpy.asarray(multiplier, numpy.int64)
    reduced = numpy.where(multiplier < 0x7FFF0000, (multiplier + 2**15) >> 16, 0x7FFF)
    total = 15 - numpy.asarray(shift, numpy.int64)
    return wrap((numpy.asarray(value, numpy.int64) * reduced + (numpy.int64(1) << (total - 1))) >> total)


def exact_halves(value, multiplier, shift):
    """How many products value * mantissa * 2^(shift - 31) lie exactly between two integers."""
    value, bits = numpy.asarray(value, numpy.int64), 31 - numpy.asarray(shift, numpy.int64)
    value, multiplier, bits = numpy.broadcast_arrays(value, numpy.asarray(multiplier, numpy.int64), bits)
    fits = (bits >= 1) & (bits <= 62) & (numpy.abs(value) < 2**31)
    value, multiplier, bits = value[fits], multiplier[fits], bits[fits]
    return int(numpy.count_nonzero((value * multiplier) % (numpy.int64(1) << bits) == numpy.int64(1) << (bits - 1)))


def limits(dtype):
    """The least and the greatest value of an integer type."""
    information = numpy.iinfo(dtype)
    return information.min, information.max


def saturate(value, dtype):
    """The nearest value of an integer type."""
    return numpy.clip(value, *limits(dtype)).astype(dtype)


def quantized(real, tensor):
    """A real number in a tensor's scale; the quotient is single precision."""
    return tensor.zero_point + round_away(numpy.float32(real) / tensor.scale)


def activation_range(activation, tensor):
    """What a fused activation lets through, in the output's own numbers."""
    low, high = limits(tensor.dtype)
    if activation in ("RELU", "RELU6"):
        low = max(low, quantized(0, tensor))
    if activation == "RELU6":
        high = min(high, quantized(6, tensor))
    if activation == "RELU_N1_TO_1":
        low, high = max(low, quantized(-1, tensor)), min(high, quantized(1, tensor))
    return low, high


def leading_zeros(value):
    """Of a positive 32-bit number."""
    return 32 - int(value).bit_length()


# Fixed point: a 32-bit number with so many integer bits, the sign aside; "one" of no integer bits is the greatest.

def fixed(real, integer_bits):
    """A real constant."""
    return min(round_away(real * 2.0**(31 - integer_bits)), INT32_MAX)


def shift_left(value, bits):
    """value * 2^bits, saturated."""
    value = numpy.asarray(value, numpy.int64)
    return numpy.clip(value << bits, INT32_MIN, INT32_MAX)


def half_sum(left, right):
    """The mean of two numbers, halves away from zero."""
    total = numpy.asarray(left, numpy.int64) + right
    return divide_to_zero(total + numpy.where(total >= 0, 1, -1), 2)


def exp_of_negative(value, integer_bits):
    """exp() of a number that is not above zero; the result has no integer bits."""
    value = numpy.asarray(value, numpy.int64)
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    # The rest in [-1/4, 0): a Taylor expansion about -1/8.
    rest = (value & (quarter - 1)) - quarter
    constant = fixed(math.exp(-1 / 8), 0)
    x = shift_left(rest, integer_bits) + (1 << 28)
    x2 = high_multiply(x, x)
    x3, x4 = high_multiply(x2, x), high_multiply(x2, x2)
    tail = shift_right(high_multiply(shift_right(x4, 2) + x3, fixed(1 / 3, 0)) + x2, 1)
    result = constant + high_multiply(constant, x + tail)
    # What is left is a multiple of 1/4: one factor for each of its bits.
    multiple = rest - value
    for exponent in range(-2, min(integer_bits, 5)):
        bit = (multiple >> (fraction_bits + exponent)) & 1
        result = numpy.where(bit == 1, high_multiply(result, fixed(math.exp(-2.0**exponent), 0)), result)
    if integer_bits > 5:
        result = numpy.where(value < -(1 << (36 - integer_bits)), 0, result)
    return numpy.where(value == 0, INT32_MAX, result)


def _newton_reciprocal(value):
    """2 / (1 + x) for x in [0, 1], both ends of no integer bits; the result has two."""
    denominator = half_sum(value, INT32_MAX)
    x = fixed(48 / 17, 2) + high_multiply(denominator, fixed(-32 / 17, 2))
    for _ in range(3):
        error = (1 << 29) - high_multiply(denominator, x)
        x = x + shift_left(high_multiply(x, error), 2)
    return x


def reciprocal_of_one_plus(value):
    """1 / (1 + x) for x in [0, 1]."""
    return shift_left(_newton_reciprocal(value), 1)


def logistic(value, integer_bits):
    """1 / (1 + exp(-x)); the result has no integer bits."""
    value = numpy.asarray(value, numpy.int64)
    positive = reciprocal_of_one_plus(exp_of_negative(-numpy.abs(value), integer_bits))
    result = numpy.where(value > 0, positive, INT32_MAX - positive)
    return numpy.where(value == 0, 1 << 30, result)


def tanh(value, integer_bits):
    """tanh(x); the result has no integer bits."""
    value = numpy.asarray(value, numpy.int64)
    ratio = exp_of_negative(-numpy.abs(value), integer_bits + 1)
    magnitude = shift_left(_newton_reciprocal(ratio) - (1 << 29), 2)
    return numpy.where(value == 0, 0, numpy.where(value < 0, -magnitude, magnitude))


def reciprocal(value, integer_bits):
    """1 / x of one positive number: a number of no integer bits, and how many bits x is above one."""
    zeros = leading_zeros(value)
    return int(reciprocal_of_one_plus((int(value) << zeros) - 2**31)), integer_bits - zeros


def inverse_square_root(value):
    """1 / sqrt(n) of one integer, as a mantissa and a shift for multiply()."""
    if value <= 1:
        return INT32_MAX, 0
    shift = 11
    while value >= 1 << 29:
        value, shift = value // 4, shift + 1
    pairs = (leading_zeros(value) - 1) // 2 - 1
    shift -= pairs
    raw = (value << (2 * pairs)) >> 1
    half = shift_right(raw, 1)
    x = numpy.int64(1 << 28)
    for _ in range(5):
        cube = shift_left(high_multiply(high_multiply(x, x), x), 6)
        x = shift_left(high_multiply(fixed(1.5, 3), x) - high_multiply(half, cube), 3)
    x = int(high_multiply(x, fixed(math.sqrt(2) / 2, 0)))
    if shift < 0:
        x, shift = int(wrap(x << -shift)), 0
    return x, -shift


def logarithm(value, in_bits, out_bits):
    """log(x) of one number that is at least one."""
    value = int(value)
    more = out_bits + 1
    quarter_root = 2.0**0.25
    half_root = fixed(math.sqrt(0.5), 0)
    shifted_quarter = shift_right(1 << 29, more)
    # The number is brought into [1/2, 1), once as it is and once times sqrt(1/2); the better of the two is taken.
    zeros_a = leading_zeros(value)
    raw_a = shift_left(high_multiply(shift_left(value, zeros_a - 1), half_root), 1)
    power_a = numpy.clip(shift_left(in_bits - zeros_a, 31 - more) + shifted_quarter, INT32_MIN, INT32_MAX)
    zeros_b = leading_zeros(int(high_multiply(value, half_root))) - 1
    raw_b = shift_left(value, zeros_b)
    power_b = numpy.clip(shift_left(in_bits - zeros_b, 31 - more) - shifted_quarter, INT32_MIN, INT32_MAX)
    r, power = numpy.minimum(raw_a, raw_b), numpy.maximum(power_a, power_b)
    centre = fixed(math.sqrt(math.sqrt(0.5)), 0)
    p, q = half_sum(r, centre), (r - centre) * 2
    q2 = high_multiply(q, q)
    numerator = high_multiply(q, r) + high_multiply(high_multiply(q, q2), fixed(11 / 240 * quarter_root, 0))
    series = fixed(2 / quarter_root - quarter_root, 0) + q + high_multiply(fixed(quarter_root / 20, 0), q2)
    denominator = high_multiply(p, series) + high_multiply(fixed(quarter_root / 4, 0), q)
    quotient = high_multiply(shift_right(numerator, more), reciprocal_of_one_plus(denominator))
    return int(shift_left(high_multiply(power, fixed(math.log(2), 0)) + quotient, 1))
