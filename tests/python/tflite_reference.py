"""The int8 operations in NumPy, written from TensorFlow Lite's quantisation specification and the published gemmlowp
arithmetic with double rounding. Numbers are Python's or 64-bit integers, so that nothing wraps unless it is said to.

A value q stands for scale * (q - zero_point). Scales are single precision; ratios of them are double.
"""
import math

import numpy


def multiplier_of(real):
    """A positive real number as a Q31 mantissa in [2^30, 2^31) and a power of two."""
    if real == 0:
        return 0, 0
    mantissa, exponent = math.frexp(real)
    rounded = math.floor(mantissa * 2**31 + 0.5)
    if rounded == 2**31:
        rounded, exponent = 2**30, exponent + 1
    return (0, 0) if exponent < -31 else (rounded, exponent)


def ratio(*scales):
    """The first scales multiplied, divided by the last one, from single precision in double."""
    *factors, divisor = (float(numpy.float32(scale)) for scale in scales)
    return math.prod(factors) / divisor


def high_multiply(left, right):
    """left * right / 2^31, rounded to nearest; the published nudge and division towards zero."""
    product = left.astype(object) * int(right)
    nudged = product + numpy.where(product >= 0, 2**30, 1 - 2**30)
    return numpy.where(nudged >= 0, nudged // 2**31, -(-nudged // 2**31))


def shift_right(value, bits):
    """value / 2^bits, rounded to nearest, halves away from zero."""
    if bits == 0:
        return value
    magnitude = (numpy.abs(value) + 2**(bits - 1)) // 2**bits
    return numpy.where(value < 0, -magnitude, magnitude)


def rescale(value, multiplier, shift):
    """value times a real number, in integers."""
    value = numpy.asarray(value).astype(object)
    if shift > 0:
        return high_multiply(value * 2**shift, multiplier)
    return shift_right(high_multiply(value, multiplier), -shift)


def clamped(value, zero_point, low=-128, high=127):
    """int8 after the zero point is added."""
    return numpy.clip(value + zero_point, low, high).astype(numpy.int8)


def requantize(array, in_scale, in_zero_point, out_scale, out_zero_point):
    """From one scale and zero point to another."""
    difference = array.astype(object) - in_zero_point
    return clamped(rescale(difference, *multiplier_of(ratio(in_scale, out_scale))), out_zero_point)
