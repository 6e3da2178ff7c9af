"""Sums of products: convolutions, fully connected layers, matrix products."""
import numpy

import arithmetic
import schema
from operators.node import Contradiction, operator, product_of_scales


def exact_product(left, right):
    """A matrix product of integers. Sums stay below 2^53, so double precision holds them exactly."""
    return (left.astype(numpy.float64) @ right.astype(numpy.float64)).astype(numpy.int64)


def same_padding(size, taps, stride, dilation=1):
    """Elements of padding at the start of an axis in the SAME scheme, where there is one more behind than in front."""
    count = -(-size // stride)
    return max(0, (count - 1) * stride + (taps - 1) * dilation + 1 - size) // 2


class Windows:
    """How many windows one axis has, where they begin, and which part of the padded input each tap reads."""

    def __init__(self, size, taps, stride, dilation, padding):
        self.taps, self.stride, self.dilation = taps, stride, dilation
        reach = (taps - 1) * dilation + 1
        self.count = count = -(-size // stride) if padding == schema.SAME else (size - reach) // stride + 1
        if padding not in (schema.SAME, schema.VALID) or count < 1:
            raise Contradiction("windows")
        self.before = same_padding(size, taps, stride, dilation) if padding == schema.SAME else 0
        self.after = max(0, (count - 1) * stride + (taps - 1) * dilation + 1 - size - self.before)

    def tap(self, index):
        """What one tap reads, as a slice of the padded axis."""
        first = index * self.dilation
        return slice(first, first + (self.count - 1) * self.stride + 1, self.stride)


def windows(node, data, filter_height, filter_width):
    """The windows of the rows, and of the columns."""
    options = node.options
    return (Windows(data.shape[1], filter_height, options["stride_h"], options.get("dilation_h", 1),
                    options["padding"]),
            Windows(data.shape[2], filter_width, options["stride_w"], options.get("dilation_w", 1),
                    options["padding"]))


def padded(data, rows, columns, value=0):
    """An image with its padding."""
    return numpy.pad(data, ((0, 0), (rows.before, rows.after), (columns.before, columns.after), (0, 0)),
                     constant_values=value)


def channel_multipliers(values, weights, output):
    """Mantissas and shifts, one for each output channel or one for all."""
    pairs = [arithmetic.quantize_multiplier(product_of_scales(values.scale, scale, output.scale))
             for scale in weights.tensor.scales]
    return numpy.array([pair[0] for pair in pairs]), numpy.array([pair[1] for pair in pairs])


def check_bias(bias, values, weights, channels):
    """A bias has an element for each channel, no zero point, and the scales of the products."""
    if bias is None:
        return
    exact = numpy.float64(values.scale) * weights.tensor.scales.astype(numpy.float64)
    scales = bias.tensor.scales.astype(numpy.float64)
    if (bias.data.shape != (channels,) or bias.tensor.zero_points.any()
            or (len(scales) and not (abs(scales - exact) < 0.01 * exact).all())):
        raise Contradiction("bias")


def has_narrow_bias(node, bias):
    """Whether sums have 32 bits: as the bias says, or the option where there is none. Both may not differ."""
    named = node.options["bias_type"]
    if named and bias and schema.TYPE_NUMBERS[bias.type] != named:
        raise Contradiction("bias_type")
    return bias.type == "INT32" if bias else named == schema.TYPE_NUMBERS["INT32"]


def finish(node, total, bias, multipliers, is_wide):
    """Sums to the output's numbers: bias, rescaling, zero point, activation."""
    if bias is not None:
        total = total + bias.data.astype(numpy.int64)
    scaled = (arithmetic.multiply_wide(total, *multipliers) if is_wide
              else arithmetic.multiply(arithmetic.wrap(total), *multipliers))
    low, high = arithmetic.activation_range(node.activation, node.output)
    return numpy.clip(scaled + node.output.zero_point, low, high).astype(node.output.dtype)


@operator("CONV_2D")
def conv_2d(node):
    """Weights are [output channel, row, column, input channel of the group]."""
    values, weights, bias = node.input(0), node.input(1), node.input(2)
    node.need(values, "INT8", "INT16")
    filters, height, width, depth = weights.data.shape
    rows, columns = windows(node, values.data, height, width)
    check_bias(bias, values, weights, filters)
    image = padded(values.wide(), rows, columns)
    if image.shape[3] % depth or filters % (image.shape[3] // depth) or weights.tensor.zero_points.any():
        raise Contradiction("groups or zero points")
    groups = image.shape[3] // depth
    each = filters // groups
    total = numpy.zeros((image.shape[0], rows.count, columns.count, filters), numpy.int64)
    for group in range(groups):
        channels = slice(group * depth, (group + 1) * depth)
        outputs = slice(group * each, (group + 1) * each)
        for row in range(height):
            for column in range(width):
                read = image[:, rows.tap(row), columns.tap(column), channels]
                total[..., outputs] += exact_product(read, weights.data[outputs, row, column].T)
    return finish(node, total, bias, channel_multipliers(values, weights, node.output),
                  values.type == "INT16" and not has_narrow_bias(node, bias))


@operator("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(node):
    """Weights are [1, row, column, output channel]; each input channel makes as many outputs as the multiplier says."""
    values, weights, bias = node.input(0), node.input(1), node.input(2)
    node.need(values, "INT8", "INT16")
    batches, height, width, filters = weights.data.shape
    check_bias(bias, values, weights, filters)
    depth = values.data.shape[3]
    if batches != 1 or filters != depth * node.options["depth_multiplier"] or weights.tensor.zero_points.any():
        raise Contradiction("depth_multiplier or zero points")
    rows, columns = windows(node, values.data, height, width)
    image = numpy.repeat(padded(values.wide(), rows, columns), filters // values.data.shape[3], axis=3)
    total = numpy.zeros((image.shape[0], rows.count, columns.count, filters), numpy.int64)
    for row in range(height):
        for column in range(width):
            total += image[:, rows.tap(row), columns.tap(column)] * weights.data[0, row, column].astype(numpy.int64)
    return finish(node, total, bias, channel_multipliers(values, weights, node.output), values.type == "INT16")


@operator("TRANSPOSE_CONV")
def transpose_conv(node):
    """Each input adds a window to the output; weights are [output channel, row, column, input channel]."""
    weights, values, bias = node.input(1), node.input(2), node.input(3)
    node.need(values, "INT8", "INT16")
    options, shape = node.options, [int(extent) for extent in node.input(0).data]
    filters, height, width, depth = weights.data.shape
    check_bias(bias, values, weights, filters)
    for axis, taps, stride in ((1, height, options["stride_h"]), (2, width, options["stride_w"])):
        if Windows(shape[axis], taps, stride, 1, options["padding"]).count != values.data.shape[axis]:
            raise Contradiction("windows")
    if (shape[0], shape[3], depth) != (values.data.shape[0], filters, values.data.shape[3]) or options["bias_type"] \
            or weights.tensor.zero_points.any():
        raise Contradiction("shapes, bias_type or zero points")
    before = [same_padding(shape[axis], taps, stride) if options["padding"] == schema.SAME else 0
              for axis, taps, stride in ((1, height, options["stride_h"]), (2, width, options["stride_w"]))]
    image = values.wide()
    total = numpy.zeros(shape, numpy.int64)
    for in_row in range(image.shape[1]):
        for in_column in range(image.shape[2]):
            for row in range(height):
                for column in range(width):
                    out_row = in_row * options["stride_h"] - before[0] + row
                    out_column = in_column * options["stride_w"] - before[1] + column
                    if 0 <= out_row < shape[1] and 0 <= out_column < shape[2]:
                        total[:, out_row, out_column] += exact_product(image[:, in_row, in_column],
                                                                       weights.data[:, row, column].T)
    return finish(node, total, bias, channel_multipliers(values, weights, node.output), values.type == "INT16")


def whole_multiplier(left, right, output_scale):
    """Where there is one scale, the product of the two is single precision."""
    return arithmetic.quantize_multiplier(float(left * right) / float(output_scale))


@operator("FULLY_CONNECTED")
def fully_connected(node):
    """Weights are [output, input]."""
    values, weights, bias = node.input(0), node.input(1), node.input(2)
    node.need(values, "INT8", "INT16")
    units, depth = weights.data.shape
    check_bias(bias, values, weights, units)
    keeps = node.options["keep_num_dims"]
    if keeps and values.data.shape[-1] != depth:
        raise Contradiction("keep_num_dims")
    is_per_channel = len(weights.tensor.scales) > 1
    if weights.tensor.zero_points.any() and (is_per_channel or values.type == "INT16"):
        raise Contradiction("zero points")
    matrix = weights.data.astype(numpy.int64) if is_per_channel else weights.wide()
    matrix = matrix.reshape(-1, matrix.shape[-1])
    total = exact_product(values.wide().reshape(-1, matrix.shape[1]), matrix.T)
    multipliers = (channel_multipliers(values, weights, node.output) if is_per_channel
                   else whole_multiplier(values.scale, weights.scale, node.output.scale))
    is_wide = values.type == "INT16" and not has_narrow_bias(node, bias)
    return finish(node, total, bias, multipliers, is_wide).reshape(
        (*values.data.shape[:-1], units) if keeps else (-1, units))


@operator("BATCH_MATMUL")
def batch_matmul(node):
    """Matrix products with broadcast of the leading axes."""
    left, right = node.input(0), node.input(1)
    node.need(left, "INT8", "INT16")
    first, second = left.wide(), right.wide()
    if node.options["adj_x"]:
        first = numpy.swapaxes(first, -1, -2)
    if node.options["adj_y"]:
        second = numpy.swapaxes(second, -1, -2)
    total = exact_product(first, second)
    return finish(node, total, None, whole_multiplier(left.scale, right.scale, node.output.scale), left.type == "INT16")
