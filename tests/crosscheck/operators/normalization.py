"""Rows brought to a common sum or length."""
import functools
import math

import numpy

import arithmetic
from operators.node import operator, rounded_function

_DIFFERENCE_BITS = 5
_SUM_BITS = 12


def _rows(data):
    return data.reshape(-1, data.shape[-1])


def difference_scaling(values, beta):
    """The multiplier of differences to the greatest element, and the least difference that still counts."""
    real = min(float(beta) * float(values.scale) * 2**(31 - _DIFFERENCE_BITS), 2.0**31 - 1)
    mantissa, shift = arithmetic.quantize_multiplier(real)
    radius = math.floor((2**_DIFFERENCE_BITS - 1) * 2.0**(31 - _DIFFERENCE_BITS) / 2.0**shift)
    return mantissa, shift, -radius


def _exponentials(row, scaling):
    """Differences to the greatest element, which of them count, and exp() of them."""
    mantissa, shift, least = scaling
    differences = row.astype(numpy.int64) - int(row.max())
    counts = differences >= least
    in_fixed = arithmetic.multiply(numpy.where(counts, differences, 0), mantissa, shift)
    return differences, counts, in_fixed, arithmetic.exp_of_negative(in_fixed, _DIFFERENCE_BITS)


def _sum_of(exponentials, counts):
    return int(numpy.where(counts, arithmetic.shift_right(exponentials, _SUM_BITS), 0).sum())


def softmax_row(row, scaling, dtype):
    """exp() of each element over the sum of all."""
    _, counts, _, exponentials = _exponentials(row, scaling)
    inverse, above_one = arithmetic.reciprocal(_sum_of(exponentials, counts), _SUM_BITS)
    bits = numpy.iinfo(dtype).bits
    shares = arithmetic.shift_right(arithmetic.high_multiply(inverse, exponentials), above_one + 31 - bits)
    low = arithmetic.limits(dtype)[0]
    return numpy.where(counts, arithmetic.saturate(shares + low, dtype), low).astype(dtype)


@functools.cache
def _table16(function, low, high):
    """513 entries of a function in 15 bits over an interval; each leans half way to the curve's middle."""
    single = numpy.float32
    low, high = single(low), single(high)
    step = (high - low) / single(512)
    inverse = single(65536) / (single(2 / 65535) * single(32767) - single(2 / 65535) * single(-32768))
    entries = []
    for index in range(512):
        here = low + single(index) * step
        value, middle = function(here), function(here + step / single(2))
        following = function(low + single(index + 1) * step)
        sample = single(arithmetic.round_away(value * inverse))
        interpolated = single(arithmetic.round_away((following * inverse + sample) / single(2)))
        error = interpolated - single(arithmetic.round_away(middle * inverse))
        entries.append(sample - arithmetic.round_away(error / single(2)))
    entries.append(arithmetic.round_away(function(high) * inverse))
    return arithmetic.saturate(numpy.array(entries, numpy.float64), numpy.int16).astype(numpy.int64)


def _exp32(value):
    return numpy.float32(math.exp(value))


def _inverse_of_one_plus(value):
    return numpy.float32(1) / (numpy.float32(1) + value)


def _look_up(table, index):
    """Between two entries, 128 steps apart."""
    base = table[256 + (index >> 7)]
    return base + (((table[257 + (index >> 7)] - base) * (index & 127) + 64) >> 7)


def _softmax16_row(row, multiplier):
    """16 bits in and out: exp() and the reciprocal by tables."""
    unit = numpy.float32(10) / numpy.float32(65535)
    exponent = _table16(_exp32, unit * numpy.float32(-65535), unit * numpy.float32(0))
    unit = numpy.float32(1) / numpy.float32(65535)
    inverse = _table16(_inverse_of_one_plus, unit * numpy.float32(0), unit * numpy.float32(65535))
    differences = row.astype(numpy.int64) - int(row.max())
    index = numpy.clip(arithmetic.multiply(differences, *multiplier) + 32767, -32768, 32767)
    exponentials = _look_up(exponent, index)
    total = int(exponentials.sum())
    zeros = arithmetic.leading_zeros(total)
    centred = (((total << (zeros - 1)) + (1 << 13)) >> 14) - (1 << 15) - (1 << 16)
    scale = int(_look_up(inverse, numpy.clip(centred, -32768, 32767)))
    shift = 31 - zeros
    return numpy.clip((exponentials * scale + (1 << (shift - 1))) >> shift, 0, 32767).astype(numpy.int16)


def _float_softmax_row(row, beta):
    total = numpy.float32(0)
    raised = rounded_function(math.exp, (row - row.max()) * numpy.float32(beta))
    for entry in raised:
        total = total + entry
    return raised / total


@operator("SOFTMAX")
def softmax(node):
    """Over the last axis."""
    values, dtype, beta = node.input(0), node.output.dtype, numpy.float32(node.options["beta"])
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32":
        made = [_float_softmax_row(row, beta) for row in _rows(values.data)]
    elif values.type == "INT16":
        multiplier = arithmetic.quantize_multiplier(float(values.scale) * float(beta) / (10.0 / 65535.0))
        made = [_softmax16_row(row, multiplier) for row in _rows(values.data)]
    else:
        made = [softmax_row(row, difference_scaling(values, beta), dtype) for row in _rows(values.data)]
    return numpy.array(made, dtype).reshape(values.data.shape)


def _log_softmax_row(row, scaling):
    mantissa, shift, least = scaling
    differences, counts, in_fixed, exponentials = _exponentials(row, scaling)
    log_sum = arithmetic.logarithm(_sum_of(exponentials, counts), _SUM_BITS, _DIFFERENCE_BITS)
    back = arithmetic.quantize_multiplier(2.0**(31 - shift) / mantissa)
    bound = max(least - 1, int(arithmetic.multiply(log_sum + arithmetic.INT32_MIN, *back)))
    result = arithmetic.shift_right(in_fixed - log_sum, 31 - _DIFFERENCE_BITS - 4) + 127
    return numpy.where(differences > bound, numpy.clip(result, -128, 127), -128).astype(numpy.int8)


def _float_log_softmax_row(row):
    total = numpy.float32(0)
    for entry in rounded_function(math.exp, row - row.max()):
        total = total + entry
    return row - row.max() - numpy.float32(math.log(total))


@operator("LOG_SOFTMAX")
def log_softmax(node):
    """The logarithm of softmax over the last axis."""
    values = node.input(0)
    node.need(values, "INT8", "FLOAT32")
    if values.type == "FLOAT32":
        made = [_float_log_softmax_row(row) for row in _rows(values.data)]
    else:
        made = [_log_softmax_row(row, difference_scaling(values, 1)) for row in _rows(values.data)]
    return numpy.array(made).reshape(values.data.shape)


@operator("L2_NORMALIZATION")
def l2_normalization(node):
    """Rows of length one."""
    values = node.input(0)
    node.need(values, "INT8", "FLOAT32")
    made = []
    if values.type == "FLOAT32":
        for row in _rows(values.data):
            total = numpy.float32(0)
            for entry in row:
                total = total + entry * entry
            made.append(row / max(numpy.sqrt(total), numpy.float32(1e-6)))
        return numpy.array(made, numpy.float32).reshape(values.data.shape)
    for row in _rows(values.wide()):
        mantissa, shift = arithmetic.inverse_square_root(int((row * row).sum()))
        made.append(arithmetic.saturate(arithmetic.multiply(row, mantissa, shift + 7), numpy.int8))
    return numpy.array(made).reshape(values.data.shape)
