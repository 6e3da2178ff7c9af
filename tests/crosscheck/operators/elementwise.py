"""Two operands element by element, with broadcast, and functions of one."""
import math

import numpy

import arithmetic
from operators.node import Unsupported, activate_float, operator, product_of_scales, rounded_function

_MULTIPLY = arithmetic.quantize_multiplier


def _sum(node, left, right, sign, scales):
    """Both operands are brought to twice the larger scale with `bits` more bits, summed, then brought to the output's
    scale."""
    bits = 15 if node.output.type == "INT16" else 20
    ratio_left, ratio_right, ratio_output = scales(left.scale, right.scale, node.output.scale, bits)
    total = arithmetic.multiply(left.wide() << bits, *_MULTIPLY(ratio_left))
    total = total + sign * arithmetic.multiply(right.wide() << bits, *_MULTIPLY(ratio_right))
    result = arithmetic.multiply(total, *_MULTIPLY(ratio_output)) + node.output.zero_point
    return numpy.clip(result, *arithmetic.activation_range(node.activation, node.output)).astype(node.output.dtype)


def _double_scales(left, right, output, bits):
    """Ratios in double precision."""
    twice = 2 * float(max(left, right))
    return float(left) / twice, float(right) / twice, twice / (2**bits * float(output))


def _single_scales(left, right, output, bits):
    """Ratios in single precision."""
    twice = numpy.float32(2) * max(left, right)
    return float(left / twice), float(right / twice), float(twice / (numpy.float32(2**bits) * output))


def _plain(node, function):
    """Operands that are not quantised."""
    left, right = node.input(0), node.input(1)
    if left.type == "FLOAT32":
        return activate_float(function(left.data, right.data), node.activation)
    if left.type != "INT32":
        raise Unsupported(f"{node.name} of {left.type}")
    result = arithmetic.wrap(function(left.data.astype(numpy.int64), right.data.astype(numpy.int64)))
    bounds = {"NONE": (None, None), "RELU": (0, None), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}[node.activation]
    return (result if bounds == (None, None) else numpy.clip(result, *bounds)).astype(numpy.int32)


@operator("ADD")
def add(node):
    """The sum."""
    if node.output.type in ("INT8", "INT16"):
        return _sum(node, node.input(0), node.input(1), 1, _double_scales)
    return _plain(node, lambda left, right: left + right)


@operator("SUB")
def sub(node):
    """The difference; its ratios of scales are single precision."""
    if node.output.type in ("INT8", "INT16"):
        return _sum(node, node.input(0), node.input(1), -1, _single_scales)
    return _plain(node, lambda left, right: left - right)


@operator("MUL")
def mul(node):
    """The product."""
    left, right = node.input(0), node.input(1)
    if node.output.type not in ("INT8", "INT16"):
        return _plain(node, lambda first, second: first * second)
    multiplier = _MULTIPLY(product_of_scales(left.scale, right.scale, node.output.scale))
    result = arithmetic.multiply(left.wide() * right.wide(), *multiplier) + node.output.zero_point
    return numpy.clip(result, *arithmetic.activation_range(node.activation, node.output)).astype(node.output.dtype)


@operator("SQUARED_DIFFERENCE")
def squared_difference(node):
    """The square of the difference."""
    left, right = node.input(0), node.input(1)
    if node.output.type not in ("INT8", "INT16"):
        return _plain(node, lambda first, second: (first - second) * (first - second))
    bits = 0 if left.type == "INT16" else 7
    twice = 2 * float(max(left.scale, right.scale))
    difference = (arithmetic.multiply(left.wide() << bits, *_MULTIPLY(float(left.scale) / twice))
                  - arithmetic.multiply(right.wide() << bits, *_MULTIPLY(float(right.scale) / twice)))
    divisor = float(numpy.float32(1 << (2 * bits)) * node.output.scale)
    result = arithmetic.multiply(arithmetic.wrap(difference * difference), *_MULTIPLY(twice * twice / divisor))
    return arithmetic.saturate(result + node.output.zero_point, node.output.dtype)


@operator("MAXIMUM", "MINIMUM")
def extremum(node):
    """The greater or the lesser; operands and output share scale and zero point."""
    function = numpy.maximum if node.name == "MAXIMUM" else numpy.minimum
    return function(node.input(0).data, node.input(1).data)


@operator("ADD_N")
def add_n(node):
    """The sum of terms of one scale, which are brought to twice that scale with 20 more bits. It starts at minus the
    zero point, as TensorFlow Lite Micro's does."""
    node.need(node.input(0), "INT8")
    scale, output = float(node.input(0).scale), node.output
    half = _MULTIPLY(scale / (2 * scale))
    total = sum((arithmetic.multiply(value.wide() << 20, *half) for value in node.inputs),
                arithmetic.multiply(-node.input(0).zero_point << 20, *half))
    result = arithmetic.multiply(arithmetic.wrap(total), *_MULTIPLY(2 * scale / (2**20 * float(output.scale))))
    return arithmetic.saturate(result + output.zero_point, output.dtype)


@operator("ABS")
def absolute(node):
    """The magnitude."""
    values = node.input(0)
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32" or not len(values.tensor.scales):
        return numpy.abs(values.data)
    magnitude = numpy.abs(values.wide())
    if values.scale != node.output.scale:
        magnitude = arithmetic.multiply(magnitude, *_MULTIPLY(float(values.scale / node.output.scale)))
    return arithmetic.saturate(magnitude + node.output.zero_point, node.output.dtype)


@operator("RSQRT")
def inverse_square_root(node):
    """1 / sqrt(x); of zero the greatest value."""
    values = node.input(0)
    node.need(values, "INT8", "FLOAT32")
    if values.type == "FLOAT32":
        with numpy.errstate(divide="ignore"):
            return numpy.float32(1) / numpy.sqrt(values.data)
    extra = 20
    scale = 1 / float(numpy.sqrt(values.scale) * node.output.scale)
    mantissa, shift = _MULTIPLY(scale)
    table = {0: arithmetic.limits(node.output.dtype)[1]}
    for entry in set(values.wide().ravel().tolist()) - {0}:
        if entry < 0:
            raise Unsupported("RSQRT of a negative number")
        inverse, inverse_shift = arithmetic.inverse_square_root(entry)
        result = arithmetic.multiply(arithmetic.multiply(1, inverse, inverse_shift + extra), mantissa, shift - extra)
        table[entry] = int(arithmetic.saturate(result + node.output.zero_point, node.output.dtype))
    return numpy.array([table[entry] for entry in values.wide().ravel().tolist()],
                       node.output.dtype).reshape(values.data.shape)


@operator("EXP")
def exponential(node):
    """Of 8 bits by a table that is made in single precision, as TensorFlow Lite has it."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "FLOAT32")
    if values.type == "FLOAT32":
        return rounded_function(math.exp, values.data)
    real = values.scale * values.wide().astype(numpy.float32)
    with numpy.errstate(over="ignore"):
        steps = rounded_function(math.exp, numpy.minimum(real, 88)) * (numpy.float32(1) / output.scale)
    bounded = numpy.minimum(steps, numpy.float32(2**16))  # further ones are saturated in any case
    return arithmetic.saturate(arithmetic.round_away(bounded) + output.zero_point, numpy.int8)


@operator("SQRT", "NEG")
def function_of_float(node):
    """Functions that exist for single precision only."""
    node.need(node.input(0), "FLOAT32")
    return numpy.sqrt(node.input(0).data) if node.name == "SQRT" else -node.input(0).data


@operator("LOGICAL_AND", "LOGICAL_OR")
def logical(node):
    """Of two truth values."""
    node.need(node.input(0), "BOOL")
    function = numpy.logical_and if node.name == "LOGICAL_AND" else numpy.logical_or
    return function(node.input(0).data, node.input(1).data)


@operator("LOGICAL_NOT")
def logical_not(node):
    """Of one."""
    node.need(node.input(0), "BOOL")
    return numpy.logical_not(node.input(0).data)


@operator("SELECT_V2")
def select(node):
    """The second operand where the first holds, the third elsewhere."""
    return numpy.where(node.input(0).data, node.input(1).data, node.input(2).data)
