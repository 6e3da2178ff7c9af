"""Windows reduced to one element; padding counts for nothing."""
import numpy

import arithmetic
from operators.linear import windows
from operators.node import activate_float, operator


def _each_window(node, data, reduce):
    """`reduce` of each window's elements, given as [batch, element, channel]."""
    rows, columns = windows(node, data, node.options["filter_h"], node.options["filter_w"])
    made = []
    for row in range(rows.count):
        top = row * rows.stride - rows.before
        for column in range(columns.count):
            left = column * columns.stride - columns.before
            window = data[:, max(top, 0):max(top + rows.taps, 0), max(left, 0):max(left + columns.taps, 0)]
            made.append(reduce(window.reshape(data.shape[0], -1, data.shape[3])))
    return numpy.stack(made, 1).reshape(data.shape[0], rows.count, columns.count, data.shape[3])


def rounded_mean(window):
    """Of the elements of each window, rounded to nearest, halves away from zero."""
    count = window.shape[1]
    total = window.sum(1)
    return arithmetic.divide_to_zero(total + numpy.where(total > 0, count // 2, -(count // 2)), count)


def _float_mean(window):
    """Summed one by one in single precision."""
    total = numpy.zeros((window.shape[0], window.shape[2]), numpy.float32)
    for index in range(window.shape[1]):
        total = total + window[:, index]
    return total / numpy.float32(window.shape[1])


def _finish(node, result):
    """The activation, in the output's own numbers."""
    if node.output.type == "FLOAT32":
        return activate_float(result, node.activation)
    return numpy.clip(result, *arithmetic.activation_range(node.activation, node.output)).astype(node.output.dtype)


@operator("AVERAGE_POOL_2D")
def average_pool(node):
    """The mean of what lies inside the image; input and output share scale and zero point."""
    values = node.input(0)
    node.need(values, "INT8", "INT16", "FLOAT32")
    if values.type == "FLOAT32":
        return _finish(node, _each_window(node, values.data, _float_mean))
    return _finish(node, _each_window(node, values.data.astype(numpy.int64), rounded_mean))


@operator("MAX_POOL_2D")
def max_pool(node):
    """The greatest element."""
    node.need(node.input(0), "INT8", "INT16", "FLOAT32")
    return _finish(node, _each_window(node, node.input(0).data, lambda window: window.max(1)))


@operator("L2_POOL_2D")
def l2_pool(node):
    """The root of the mean square."""
    node.need(node.input(0), "FLOAT32")
    return _finish(node, numpy.sqrt(_each_window(node, node.input(0).data**2, _float_mean)))
