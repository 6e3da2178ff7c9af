"""Axes reduced to one element, and sums along an axis."""
import numpy

import arithmetic
import schema
from operators.node import Contradiction, operator


def _axes(node):
    rank = node.input(0).data.ndim
    return tuple(sorted({int(axis) % rank for axis in node.input(1).data.ravel()})) if rank else ()


def _shape(node):
    """What is left of the input's shape."""
    axes = _axes(node)
    return [1 if axis in axes else extent for axis, extent in enumerate(node.input(0).data.shape)
            if node.options["keep_dims"] or axis not in axes]


def _rows(data, axes):
    """What is reduced as the last axis, in the order of the input's elements."""
    kept = [axis for axis in range(data.ndim) if axis not in axes]
    count = int(numpy.prod([data.shape[axis] for axis in axes], dtype=numpy.int64))
    return data.transpose([*kept, *axes]).reshape(-1, count)


def _float_sum(rows):
    total = numpy.zeros(len(rows), numpy.float32)
    for index in range(rows.shape[1]):
        total = total + rows[:, index]
    return total


@operator("MEAN", "SUM")
def mean_or_sum(node):
    """Of quantised numbers the mean's division is part of the multiplier."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "INT16", "FLOAT32")
    rows = _rows(values.data, _axes(node))
    count = rows.shape[1]
    if values.type == "FLOAT32":
        total = _float_sum(rows)
        return (total / numpy.float32(count) if node.name == "MEAN" else total).reshape(_shape(node))
    mantissa, shift = arithmetic.quantize_multiplier(float(values.scale) / float(output.scale))
    if node.name == "MEAN":
        bits = min(count.bit_length() - 1, 32, 31 + shift)
        mantissa, shift = (mantissa << bits) // count, shift - bits
    total = arithmetic.wrap(rows.astype(numpy.int64).sum(1) - values.zero_point * count)
    result = arithmetic.multiply(total, mantissa, shift) + output.zero_point
    return arithmetic.saturate(result, output.dtype).reshape(_shape(node))


@operator("REDUCE_MAX", "REDUCE_MIN")
def extreme(node):
    """Input and output share scale and zero point."""
    node.need(node.input(0), "INT8", "FLOAT32")
    rows = _rows(node.input(0).data, _axes(node))
    return (rows.max(1) if node.name == "REDUCE_MAX" else rows.min(1)).reshape(_shape(node))


@operator("REDUCE_ALL")
def reduce_all(node):
    """Whether all are true."""
    node.need(node.input(0), "BOOL")
    return _rows(node.input(0).data, _axes(node)).all(1).reshape(_shape(node))


@operator("ARG_MAX", "ARG_MIN")
def arg_extreme(node):
    """Where the extreme lies; the first of equal ones."""
    node.need(node.input(0), "INT8", "FLOAT32")
    axis = int(node.input(1).data.ravel()[0])
    if node.options["output_type"] not in (0, schema.TYPE_NUMBERS[node.output.type]):
        raise Contradiction("output_type")
    function = numpy.argmax if node.name == "ARG_MAX" else numpy.argmin
    return function(node.input(0).data, axis).astype(node.output.dtype)


@operator("CUMSUM")
def cumsum(node):
    """Running sums. Of quantised numbers they start at minus the zero point, as TensorFlow Lite's do."""
    values, output = node.input(0), node.output
    node.need(values, "INT8", "FLOAT32")
    axis = int(node.input(1).data.ravel()[0]) % values.data.ndim
    data = values.data if values.type == "FLOAT32" else values.wide()
    if node.options["reverse"]:
        data = numpy.flip(data, axis)
    data = numpy.moveaxis(data, axis, 0)
    start = data[0] * 0
    bits = 20
    if values.type != "FLOAT32":
        twice = 2 * float(values.scale)
        into = arithmetic.quantize_multiplier(float(values.scale) / twice)
        data = arithmetic.multiply(data << bits, *into)
        start = start + arithmetic.multiply(-values.zero_point << bits, *into)
    sums, total = [], start
    for row in data:
        following = total + row
        sums.append(total if node.options["exclusive"] else following)
        total = following
    result = numpy.stack(sums)
    if values.type != "FLOAT32":
        out_of = arithmetic.quantize_multiplier(twice / (2**bits * float(output.scale)))
        result = arithmetic.multiply(arithmetic.wrap(result), *out_of)
        result = arithmetic.saturate(result + output.zero_point, output.dtype)
    result = numpy.moveaxis(result, 0, axis)
    return numpy.flip(result, axis) if node.options["reverse"] else result
