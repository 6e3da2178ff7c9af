"""The int8 operations in NumPy, with windows, bounds and zero points given one by one as the package takes them. The
arithmetic is that of tests/crosscheck, which is written from TensorFlow Lite's quantisation specification.

A value q stands for scale * (q - zero_point). Scales are single precision; ratios of them are double.
"""
import math
import pathlib
import sys
import types

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))
import arithmetic  # noqa: E402
from operators import normalization, pooling  # noqa: E402


def ratio(*scales):
    """The first scales multiplied, divided by the last one, from single precision in double."""
    *factors, divisor = (float(numpy.float32(scale)) for scale in scales)
    return math.prod(factors) / divisor


def rescale(value, real):
    """value times a real number, in integers."""
    return arithmetic.multiply(value, *arithmetic.quantize_multiplier(real))


def clamped(value, zero_point, low=-128, high=127):
    """int8 after the zero point is added."""
    return numpy.clip(value + zero_point, low, high).astype(numpy.int8)


def requantize(array, in_scale, in_zero_point, out_scale, out_zero_point):
    """From one scale and zero point to another."""
    difference = array.astype(numpy.int64) - in_zero_point
    multiplier, shift = arithmetic.quantize_multiplier(ratio(in_scale, out_scale))
    if shift > 0:
        # What the shift to the left would take out of 32 bits is far out of int8, and saturates.
        most = 2**(31 - shift) - 1
        difference = numpy.clip(difference, -most, most)
    return clamped(arithmetic.multiply(difference, multiplier, shift), out_zero_point)


class Windows:
    """Where windows lie along one axis."""

    def __init__(self, size, taps, stride, before, after, dilation=1):
        self.size, self.taps, self.stride, self.before, self.dilation = size, taps, stride, before, dilation
        self.count = (size + before + after - (taps - 1) * dilation - 1) // stride + 1

    @staticmethod
    def same(size, taps, stride, dilation=1):
        """Those of the SAME scheme."""
        total = max(0, (-(-size // stride) - 1) * stride + (taps - 1) * dilation + 1 - size)
        return Windows(size, taps, stride, total // 2, total - total // 2, dilation)

    def inside(self, window):
        """Pairs of tap and position of those taps that are inside."""
        positions = [(tap, window * self.stride - self.before + tap * self.dilation) for tap in range(self.taps)]
        return [(tap, at) for tap, at in positions if 0 <= at < self.size]


def each_window(rows, columns):
    """Output row and column, and the taps of both axes."""
    for row in range(rows.count):
        for column in range(columns.count):
            yield row, column, rows.inside(row), columns.inside(column)


def pool2d(array, rows, columns, averages, low=-128, high=127):
    """Average or maximum of the taps inside."""
    result = numpy.zeros((array.shape[0], rows.count, columns.count, array.shape[3]), numpy.int8)
    for row, column, down, across in each_window(rows, columns):
        taps = numpy.stack([array[:, y, x, :] for _, y in down for _, x in across], 1).astype(numpy.int64)
        values = pooling.rounded_mean(taps) if averages else taps.max(axis=1)
        result[:, row, column, :] = numpy.clip(values, low, high)
    return result


def channel_rescale(sums, ratios, zero_point, low, high):
    """int8 of sums, whose last dimension has a ratio of scales for each channel."""
    parts = [clamped(rescale(sums[..., i], real), zero_point, low, high) for i, real in enumerate(ratios)]
    return numpy.stack(parts, axis=-1)


def conv2d(array, weights, bias, rows, columns, ratios, zero_points, groups=1, low=-128, high=127):
    """Weights [output channels, height, width, channels / groups]."""
    sums = numpy.zeros((array.shape[0], rows.count, columns.count, weights.shape[0]), numpy.int64) + bias
    depth, outputs = weights.shape[3], weights.shape[0] // groups
    wide = array.astype(numpy.int64) - zero_points[0]
    for row, column, down, across in each_window(rows, columns):
        for (i, y), (j, x) in ((a, b) for a in down for b in across):
            for group in range(groups):
                here = slice(group * outputs, (group + 1) * outputs)
                taps = wide[:, y, x, group * depth:(group + 1) * depth]
                sums[:, row, column, here] += taps @ weights[here, i, j, :].T.astype(numpy.int64)
    return channel_rescale(sums, ratios, zero_points[1], low, high)


def depthwise_conv2d(array, weights, bias, rows, columns, ratios, zero_points, low=-128, high=127):
    """Weights [1, height, width, output channels]."""
    sums = numpy.zeros((array.shape[0], rows.count, columns.count, weights.shape[3]), numpy.int64) + bias
    wide = numpy.repeat(array.astype(numpy.int64) - zero_points[0], weights.shape[3] // array.shape[3], axis=3)
    for row, column, down, across in each_window(rows, columns):
        for (i, y), (j, x) in ((a, b) for a in down for b in across):
            sums[:, row, column, :] += wide[:, y, x, :] * weights[0, i, j, :]
    return channel_rescale(sums, ratios, zero_points[1], low, high)


def common_ratio(input_scale, weight_scale, output_scale):
    """That of a fully connected layer with one scale of weights: the product is rounded to single precision."""
    product = numpy.float32(input_scale) * numpy.float32(weight_scale)
    return float(product) / float(numpy.float32(output_scale))


def linear(array, weights, bias, ratios, zero_points, low=-128, high=127):
    """Weights [k, n]; zero points of input, weights and output."""
    wide = array.astype(numpy.int64) - zero_points[0]
    sums = wide @ (weights.astype(numpy.int64) - zero_points[1]) + bias
    return channel_rescale(sums, ratios, zero_points[2], low, high)


def mean(array, axes, keep, from_, to):
    """Means; 1 / count is folded into the multiplier, truncated."""
    count = math.prod(array.shape[axis] for axis in axes)
    sums = array.astype(numpy.int64).sum(axis=axes, keepdims=keep) - count * from_[1]
    multiplier, shift = arithmetic.quantize_multiplier(ratio(from_[0], to[0]))
    fold = min(count.bit_length() - 1, 32, 31 + shift)
    return clamped(arithmetic.multiply(sums, (multiplier << fold) // count, shift - fold), to[1])


def softmax(array, beta, scale):
    """Over the last dimension: int8 probabilities, with scale 1/256 and zero point -128."""
    scaling = normalization.difference_scaling(types.SimpleNamespace(scale=numpy.float32(scale)), numpy.float32(beta))
    rows = [normalization.softmax_row(row, scaling, numpy.int8) for row in array.reshape(-1, array.shape[-1])]
    return numpy.array(rows).reshape(array.shape)


def add(left, right, quantizations, low=-128, high=127):
    """Sum of two operands, shifted to the left by 20 bits first; quantisations of both and of the result."""
    scales = [float(numpy.float32(scale)) for scale, _ in quantizations]
    largest = 2.0 * max(scales[:2])
    terms = [rescale((each.astype(numpy.int64) - zero_point) * 2**20, scale / largest)
             for each, scale, (_, zero_point) in zip((left, right), scales, quantizations)]
    total = rescale(terms[0] + terms[1], largest / (2**20 * scales[2]))
    return clamped(total, quantizations[2][1], low, high)


def single(value):
    """In single precision."""
    return numpy.float32(value)


def numbers_of(left, right, quantizations):
    """Both operands without their zero points, broadcast."""
    pairs = zip((left, right), quantizations)
    return numpy.broadcast_arrays(*(each.astype(numpy.int64) - zero_point for each, (_, zero_point) in pairs))


def subtract(left, right, quantizations, low=-128, high=127):
    """Difference of two operands; the ratios of scales are divided in single precision."""
    scales = [single(scale) for scale, _ in quantizations]
    largest = single(2) * max(scales[:2])
    terms = [rescale(number * 2**20, float(scale / largest))
             for number, scale in zip(numbers_of(left, right, quantizations), scales)]
    total = rescale(terms[0] - terms[1], float(largest / (single(2**20) * scales[2])))
    return clamped(total, quantizations[2][1], low, high)


def multiply(left, right, quantizations, low=-128, high=127):
    """Product of two operands."""
    first, second = numbers_of(left, right, quantizations)
    real = ratio(*(scale for scale, _ in quantizations))
    return clamped(rescale(first * second, real), quantizations[2][1], low, high)


def squared_difference(left, right, quantizations, low=-128, high=127):
    """Square of the difference of two operands, shifted to the left by 7 bits first."""
    scales = [float(single(scale)) for scale, _ in quantizations]
    largest = 2.0 * max(scales[:2])
    terms = [rescale(number * 2**7, scale / largest)
             for number, scale in zip(numbers_of(left, right, quantizations), scales)]
    real = largest * largest / float(single(2**14) * single(quantizations[2][0]))
    total = rescale((terms[0] - terms[1])**2, real)
    return clamped(total, quantizations[2][1], low, high)


def prelu(left, right, quantizations, low=-128, high=127):
    """The first operand where it is not below 0, else the product."""
    first, second = numbers_of(left, right, quantizations)
    identity = rescale(first, ratio(quantizations[0][0], quantizations[2][0]))
    product = rescale(first * second, ratio(*(scale for scale, _ in quantizations)))
    return clamped(numpy.where(first >= 0, identity, product), quantizations[2][1], low, high)


def compare(operation, left, right, quantizations):
    """1 and 0: terms are shifted to the left by 8 bits, and scaled."""
    terms = [rescale(number * 2**8, float(single(scale)))
             for number, (scale, _) in zip(numbers_of(left, right, quantizations), quantizations)]
    return operation(*terms).astype(numpy.int8)


def quantize(array, scale, zero_point, dtype):
    """Single precision to a byte: halves away from 0."""
    info = numpy.iinfo(dtype)
    with numpy.errstate(over="ignore"):
        quotient = (array / single(scale)).astype(numpy.float64)
    steps = numpy.copysign(numpy.floor(numpy.abs(quotient) + 0.5), quotient)
    return numpy.clip(steps + zero_point, info.min, info.max).astype(dtype)
