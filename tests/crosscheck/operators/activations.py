"""Functions of one operand that bound or bend it."""
import functools
import math

import numpy

import arithmetic
from operators.node import operator, rounded_function

_INTEGER_BITS = 4  # of the operand of logistic and tanh


def _rescaled(values, output, multiplier):
    return arithmetic.multiply(values.wide(), *multiplier) + output.zero_point


@operator("RELU", "RELU_N1_TO_1")
def relu(node):
    """Rescaled, then bounded."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32":
        return numpy.clip(values.data, *((0, numpy.inf) if node.name == "RELU" else (-1, 1))).astype(numpy.float32)
    result = _rescaled(values, output, arithmetic.quantize_multiplier(float(values.scale / output.scale)))
    return numpy.clip(result, *arithmetic.activation_range(node.name, output)).astype(output.dtype)


@operator("RELU6")
def relu6(node):
    """Bounded in the operand's own numbers: TensorFlow Lite Micro does not rescale here."""
    values = node.input(0)
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32":
        return numpy.clip(values.data, numpy.float32(0), numpy.float32(6))
    six = int(arithmetic.saturate(arithmetic.quantized(6, values.tensor), values.data.dtype))
    return numpy.clip(values.data, values.zero_point, six)


@operator("LEAKY_RELU")
def leaky_relu(node):
    """Below zero times a constant; both ratios are single precision."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "INT16", "FLOAT32")
    alpha = numpy.float32(node.options["alpha"])
    if values.type == "FLOAT32":
        return numpy.where(values.data > 0, values.data, values.data * alpha)
    slope, shift = arithmetic.quantize_multiplier(float(values.scale * alpha / output.scale))
    below = numpy.sign(slope) * arithmetic.multiply(values.wide(), abs(slope), shift)
    above = arithmetic.multiply(values.wide(), *arithmetic.quantize_multiplier(float(values.scale / output.scale)))
    return arithmetic.saturate(numpy.where(values.wide() >= 0, above, below) + output.zero_point, output.dtype)


@operator("PRELU")
def prelu(node):
    """Below zero times a second operand."""
    values, slopes, output = node.input(0), node.input(1), node.output
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32":
        return numpy.where(values.data >= 0, values.data, values.data * slopes.data)
    ratio = float(values.scale) / float(output.scale)
    above = arithmetic.multiply(values.wide(), *arithmetic.quantize_multiplier(ratio))
    slope = float(values.scale) * float(slopes.scale) / float(output.scale)
    below = arithmetic.multiply(values.wide() * slopes.wide(), *arithmetic.quantize_multiplier(slope))
    return arithmetic.saturate(numpy.where(values.wide() >= 0, above, below) + output.zero_point, output.dtype)


@operator("ELU")
def elu(node):
    """exp(x) - 1 below zero. Of 8 bits by a table that is made in single precision."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "FLOAT32")
    if values.type == "FLOAT32":
        bent = rounded_function(math.exp, numpy.minimum(values.data, 0)) - numpy.float32(1)
        return numpy.where(values.data < 0, bent, values.data)
    inverse = numpy.float32(1) / output.scale
    real = values.scale * numpy.arange(-128 - values.zero_point, 128 - values.zero_point).astype(numpy.float32)
    bent = rounded_function(math.exp, numpy.minimum(real, 0)) - numpy.float32(1)
    rounded = arithmetic.round_away(numpy.where(real < 0, bent, real) * inverse)
    table = arithmetic.saturate(rounded + output.zero_point, numpy.int8)
    return table[values.data.astype(numpy.int64) + 128]


def _high_product16(left, right):
    """The doubled high half of a product of 16-bit numbers, rounded as high_multiply() does."""
    product = numpy.asarray(left, numpy.int64) * right
    result = arithmetic.divide_to_zero(product + numpy.where(product >= 0, 2**14, 1 - 2**14), 2**15)
    return numpy.minimum(result, 2**15 - 1)


def _mantissa16(real):
    """A mantissa of 15 bits and a shift."""
    mantissa, shift = arithmetic.quantize_multiplier(real)
    return (2**15 - 1 if mantissa >= 2**31 - 1 - 2**15 else (mantissa + 2**15) >> 16), shift


@operator("HARD_SWISH")
def hard_swish(node):
    """x * relu6(x + 3) / 6 in 16-bit fixed point."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "FLOAT32")
    if values.type == "FLOAT32":
        bounded = numpy.clip(values.data + numpy.float32(3), numpy.float32(0), numpy.float32(6))
        return values.data * bounded / numpy.float32(6)
    fine = numpy.float32(1 / 128) * values.scale
    out_mantissa, out_shift = _mantissa16(float(fine / output.scale))
    gate_mantissa, gate_shift = _mantissa16(float(fine / (numpy.float32(3) / numpy.float32(32768))))
    operand = values.wide() * 128
    scaled = _high_product16(operand, out_mantissa)
    gate = operand
    if gate_shift > 0:
        gate = arithmetic.saturate(gate << (gate_shift - 1), numpy.int16).astype(numpy.int64)
    gate = _high_product16(gate, gate_mantissa)
    if gate_shift > 0:
        gate = arithmetic.saturate(gate << 1, numpy.int16).astype(numpy.int64)
    if gate_shift < 0:
        gate = arithmetic.shift_right(gate, -gate_shift)
    gate = (gate + 2**15) >> 1  # from [-1, 1) to [0, 1)
    product = arithmetic.divide_to_zero(gate * scaled, 2**15)
    result = arithmetic.shift_right(product, max(-out_shift, 0))
    return arithmetic.saturate(result + output.zero_point, output.dtype)


def _fixed_operand(node):
    """An 8-bit operand in fixed point, and where the function is so near its bounds that it takes them."""
    values = node.input(0)
    mantissa, shift = arithmetic.quantize_multiplier(float(values.scale) * 2**(31 - _INTEGER_BITS))
    radius = math.floor((2**_INTEGER_BITS - 1) * 2.0**(31 - _INTEGER_BITS) / 2.0**shift)
    return values.wide(), arithmetic.multiply(values.wide(), mantissa, shift), radius


@functools.cache
def sigmoid_table():
    """sigmoid(i / 24) in 16 bits; each entry leans half way to the curve's middle between it and the next."""
    def curve(index):
        return 65536 / (1 + math.exp(-index / 24))

    def entry(index):
        lean = curve(index + 0.5) - (curve(index) + curve(index + 1)) / 2
        return arithmetic.round_away(curve(index) + lean / 2)

    return numpy.array([entry(index) for index in range(255)] + [65535], numpy.int64)


def _interpolated(data, multiplier, right_shift, bits):
    """The table between its entries; 2^bits steps from one to the next."""
    if multiplier == 0:
        multiplier, right_shift = 3 << right_shift, 0
    rounding = 1 << (right_shift - 1) if right_shift > 0 else 0
    operand = (data.astype(numpy.int64) * multiplier + rounding) >> right_shift
    magnitude = numpy.abs(operand)
    index = numpy.minimum(magnitude >> bits, 254)
    low, high = sigmoid_table()[index], sigmoid_table()[index + 1]
    return operand, magnitude >> bits >= 255, (low << bits) + (magnitude & ((1 << bits) - 1)) * (high - low)


def logistic16(data, multiplier, right_shift):
    """Of 16 bits, the operand in 3 integer bits after the multiplication."""
    operand, beyond, result = _interpolated(data, multiplier, right_shift, 9)
    result = numpy.where(beyond, 0x7FFF << 10, result)
    result = numpy.where(operand >= 0, result + 2**9, 2**25 - result + 2**9 - 1)
    return (result >> 10).astype(numpy.int16)


def tanh16(data, multiplier, right_shift):
    """Of 16 bits: 2 * sigmoid(2 * x) - 1."""
    operand, beyond, result = _interpolated(data, multiplier, right_shift, 8)
    result = numpy.where(beyond, 0xFFFF << 8, result) - 2**23
    result = numpy.where(operand >= 0, result + 2**7, -result + 2**7 - 1)
    return (result >> 8).astype(numpy.int16)


def nearest_power(scale):
    """The power of two nearest to a scale, and whether the scale is one."""
    power = numpy.float32(math.log(scale)) * (numpy.float32(1) / numpy.float32(math.log(2)))
    rounded = arithmetic.round_away(power)
    return rounded, abs(power - rounded) < 1e-3


def _multiplier16(scale, shifts):
    """For an operand whose scale is 2^-12 or so nothing is to be multiplied but the three of the table's steps."""
    power, is_power = nearest_power(scale)
    if is_power and 12 + power in shifts:
        return 0, 12 + power
    real, right_shift = float(scale) * 4096 * 3, 0
    while real <= 32767 / 2 and right_shift <= 30:
        real, right_shift = real * 2, right_shift + 1
    return int(real), right_shift


@operator("LOGISTIC")
def logistic(node):
    """1 / (1 + exp(-x)); the output's scale is fixed by the specification."""
    values = node.input(0)
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "INT16":
        return logistic16(values.data, *_multiplier16(values.scale, (0,)))
    if values.type == "FLOAT32":
        def one(entry):
            if entry > 16.619047164916992188:
                return 1
            raised = float(numpy.float32(math.exp(entry if entry < -9 else -entry)))
            return raised if entry < -9 else numpy.float32(1) / (numpy.float32(1) + numpy.float32(raised))
        return rounded_function(one, values.data)
    operand, in_fixed, radius = _fixed_operand(node)
    result = arithmetic.shift_right(arithmetic.logistic(in_fixed, _INTEGER_BITS), 23) - 128
    result = numpy.where(operand <= -radius, -128, numpy.where(operand >= radius, 127, result))
    return arithmetic.saturate(result, numpy.int8)


@operator("TANH")
def tanh(node):
    """The hyperbolic tangent; the output's scale is fixed by the specification."""
    values = node.input(0)
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "INT16":
        return tanh16(values.data, *_multiplier16(values.scale, (0, 1)))
    if values.type == "FLOAT32":
        return rounded_function(math.tanh, values.data)
    operand, in_fixed, radius = _fixed_operand(node)
    result = arithmetic.shift_right(arithmetic.tanh(in_fixed, _INTEGER_BITS), 24)
    result = numpy.where(operand <= -radius, -128, numpy.where(operand >= radius, 127, result))
    return arithmetic.saturate(result, numpy.int8)
