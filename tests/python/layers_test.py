#!/usr/bin/env python3
"""Layers of the Python package - convolutions, fully connected, pooling - against NumPy code that knows the
specification only, over random shapes, scales and places."""
import unittest

import numpy

import pianola
import tflite_reference as tflite
from operation_support import OperationTest, any_place, any_shape, array_of, scale_of, zero_point_of
from python_support import main

ROUNDS = 120


def pair_of(rng, least, most):
    """Two numbers."""
    return tuple(int(number) for number in rng.integers(least, most + 1, size=2))


def clamp_of(rng):
    """An activation's range; often the whole."""
    low, high = sorted(int(value) for value in rng.integers(-128, 128, size=2))
    return (low, high) if rng.integers(2) else (-128, 127)


class WindowCase:
    """Random windows: an image's shape, a filter's, and the keyword arguments."""

    def __init__(self, rng, dilated):
        self.filter = pair_of(rng, 1, 4)
        self.stride = pair_of(rng, 1, 3)
        dilation = pair_of(rng, 1, 2) if dilated else (1, 1)
        reach = [(taps - 1) * step + 1 for taps, step in zip(self.filter, dilation)]
        kind = rng.integers(4)
        sides = [tuple(int(side) for side in rng.integers(0, each, size=2)) for each in reach]
        if kind == 1:
            sides = [(side[0], side[0]) for side in sides]
        if kind in (2, 3):
            sides = [(0, 0)] * 2
        self.size = [int(rng.integers(max(1, each - sum(side)), each + 8)) for each, side in zip(reach, sides)]
        self.padding = (*sides[0], *sides[1]) if kind == 0 else (sides[0][0], sides[1][0])
        axes = zip(self.size, self.filter, self.stride, dilation, sides)
        if kind == 2:
            self.padding = "same"
            self.axes = [tflite.Windows.same(size, taps, step, wide) for size, taps, step, wide, _ in axes]
        else:
            self.padding = "valid" if kind == 3 else self.padding
            self.axes = [tflite.Windows(size, taps, step, *side, wide) for size, taps, step, wide, side in axes]
        self.options = {"stride": self.stride, "padding": self.padding}
        if dilated:
            self.options["dilation"] = dilation

    def image(self, rng, channels):
        """Random data."""
        return array_of(rng, numpy.int8, (int(rng.integers(1, 4)), *self.size, channels))


class Layers(OperationTest):
    """Has what random layers need."""

    def bias_of(self, rng, channels, scales):
        """A bias as an array, or none; and keyword arguments: one scale of weights, or one for each channel."""
        bias = None if rng.integers(3) == 0 else rng.integers(-2000, 2000, size=channels, dtype=numpy.int32)
        if rng.integers(2):
            weights = [scale_of(rng) for _ in range(channels)]
            array = numpy.zeros(channels, numpy.int32) if bias is None else bias
            prepared = pianola.prepare_conv_bias(
                pianola.from_numpy(array), input_scale=scales[0], weight_scale=weights, output_scale=scales[1])
            tensor = prepared.to(self.device, pianola.L1_MEMORY_CONFIG)
            return array, weights, {"bias": tensor}
        weight = scale_of(rng)
        options = {"input_scale": scales[0], "weight_scale": weight, "output_scale": scales[1]}
        if bias is not None:
            options["bias"] = self.on_device(bias)
        return numpy.int32(0) if bias is None else bias, [weight] * channels, options

    def scales_for(self, rng, taps):
        """Scales of an input and a result with which sums of so many products spread over int8."""
        return scale_of(rng), float(numpy.float32(scale_of(rng) * 40 * taps**0.5))


class Convolutions(Layers):
    """conv2d and depthwise_conv2d."""

    def check(self, rng, call, reference, case, array, weights, channels, **extra):
        """One random layer."""
        scales = self.scales_for(rng, numpy.prod(weights.shape[1:]))
        zero_points = zero_point_of(rng), zero_point_of(rng)
        low, high = clamp_of(rng)
        bias, weight_scales, options = self.bias_of(rng, channels, scales)
        if "bias" in options:
            options["bias_tensor"] = options.pop("bias")
        expected = reference(array, weights, bias, *case.axes,
                             [tflite.ratio(scales[0], each, scales[1]) for each in weight_scales], zero_points,
                             low=low, high=high, **extra)
        queue = int(rng.integers(2))
        result = call(
            self.on_device(array, any_place(rng, array.shape)), self.on_device(weights, any_place(rng, weights.shape)),
            input_zero_point=zero_points[0], output_zero_point=zero_points[1], activation_min=low, activation_max=high,
            memory_config=any_place(rng, expected.shape), cq_id=queue, **case.options, **options, **extra)
        numpy.testing.assert_array_equal(result.cpu(cq_id=queue).to_numpy(), expected)
        pianola.synchronize_device(self.device)

    def test_conv2d(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([31, number])
            with self.subTest(number=number):
                case = WindowCase(rng, True)
                groups, depth, outputs = (int(each) for each in rng.integers(1, 4, size=3))
                array = case.image(rng, groups * depth)
                weights = array_of(rng, numpy.int8, (groups * outputs, *case.filter, depth))
                self.check(rng, pianola.conv2d, tflite.conv2d, case, array, weights, groups * outputs, groups=groups)

    def test_depthwise_conv2d(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([32, number])
            with self.subTest(number=number):
                case = WindowCase(rng, True)
                channels, times = (int(each) for each in rng.integers(1, 7, size=2))
                array = case.image(rng, channels)
                weights = array_of(rng, numpy.int8, (1, *case.filter, channels * times))
                self.check(rng, pianola.depthwise_conv2d, tflite.depthwise_conv2d, case, array, weights,
                           channels * times)

    def layer(self):
        """Tensors of a layer, and its scales."""
        image = self.on_device(numpy.zeros((1, 6, 6, 4), numpy.int8))
        weights = self.on_device(numpy.zeros((8, 3, 3, 4), numpy.int8))
        return image, weights, {"input_scale": 0.5, "weight_scale": 0.1, "output_scale": 2.0}

    def test_quantisation_refused(self):
        image, weights, scales = self.layer()
        prepared = self.on_device(numpy.zeros((8, 3), numpy.int32))
        wrong = [self.on_device(numpy.zeros(shape, dtype)) for shape, dtype in
                 (((7,), numpy.int32), ((8,), numpy.int8), ((8, 2), numpy.int32), ((1, 8), numpy.int32))]
        before = self.commands()
        for name in scales:
            for value in (0.0, -0.5, float("nan"), float("inf"), -float("inf")):
                text = self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, **{**scales, name: value})
                self.assertIn(name, text)
            missing = {other: value for other, value in scales.items() if other != name}
            self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, **missing)
            self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, bias_tensor=prepared, **missing)
        self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights)
        self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, **{**scales, "input_scale": 1e9})
        for name in ("input_zero_point", "output_zero_point", "activation_min", "activation_max"):
            for value in (-129, 128):
                text = self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, **scales, **{name: value})
                self.assertIn(name, text)
        empty = {"activation_min": 1, "activation_max": 0}
        self.refused("TENSOR-QUANTIZATION", pianola.conv2d, image, weights, **empty, **scales)
        for bias in wrong:
            with self.assertRaises(pianola.Error) as raised:
                pianola.conv2d(image, weights, bias_tensor=bias, **scales)
            self.assertIn(raised.exception.rule, ("TENSOR-SHAPE", "TENSOR-TYPE"))
        self.assertEqual(self.commands(), before)

    def test_windows_refused(self):
        image, weights, scales = self.layer()
        before = self.commands()
        for name, value in (("stride", (0, 1)), ("stride", (1, 32768)), ("dilation", (1, 0)), ("dilation", (32768, 1)),
                            ("dilation", (3, 1)), ("padding", (3, 0)), ("padding", (0, 2**31)),
                            ("padding", (0, 2**32 - 1, 0, 0)), ("padding", (0, 3, 0, 0)), ("padding", "full"),
                            ("groups", 0), ("groups", 3), ("groups", 2**32 - 1)):
            with self.subTest(name=name, value=value):
                text = self.refused("TENSOR-ARGUMENT", pianola.conv2d, image, weights, **scales, **{name: value})
                self.assertIn(name if value != (3, 1) else "filter", text)
        for value in ((-1, 0), (0, 2**32)):
            with self.assertRaises(ValueError):
                pianola.conv2d(image, weights, padding=value, **scales)
        self.refused("TENSOR-SHAPE", pianola.conv2d, image, weights, groups=2, **scales)
        self.assertEqual(self.commands(), before)

    def test_operands_refused(self):
        image, weights, scales = self.layer()
        flat = self.on_device(numpy.zeros((6, 6, 4), numpy.int8))
        wide = self.on_device(numpy.zeros((1, 6, 6, 4), numpy.int32))
        deep = self.on_device(numpy.zeros((1, 1, 1, 70000), numpy.int8))
        host = pianola.from_numpy(numpy.zeros((1, 6, 6, 4), numpy.int8))
        before = self.commands()
        self.refused("TENSOR-SHAPE", pianola.conv2d, flat, weights, **scales)
        self.refused("TENSOR-SHAPE", pianola.conv2d, image, flat, **scales)
        self.refused("TENSOR-TYPE", pianola.conv2d, wide, weights, **scales)
        self.refused("TENSOR-TYPE", pianola.conv2d, image, wide, **scales)
        self.refused("TENSOR-DEVICE", pianola.conv2d, host, weights, **scales)
        self.refused("TENSOR-DEVICE", pianola.conv2d, image, host, **scales)
        self.refused("TENSOR-ARGUMENT", pianola.conv2d, deep, deep, **scales)
        self.refused("TENSOR-SHAPE", pianola.depthwise_conv2d, image, weights, **scales)
        self.refused("TENSOR-OVERLAP", pianola.conv2d, image, self.same_size(), output_tensor=image, **scales)
        self.refused("TENSOR-SHAPE", pianola.conv2d, image, weights, output_tensor=image, **scales)
        self.refused("API-QUEUE", pianola.conv2d, image, weights, cq_id=2, **scales)
        self.assertEqual(self.commands()[1], before[1])

    def same_size(self):
        """Weights that keep an image's shape."""
        return self.on_device(numpy.zeros((4, 1, 1, 4), numpy.int8))

    def test_prepared_bias_refused(self):
        scales = {"input_scale": 0.5, "output_scale": 2.0}
        bias = pianola.from_numpy(numpy.zeros(3, numpy.int32))
        for weights in ([], [0.1], [0.1] * 4, [0.1, 0.0, 0.1], [0.1, float("nan"), 0.1], [0.1, 3e7, 0.1]):
            self.refused("TENSOR-QUANTIZATION", pianola.prepare_conv_bias, bias, weight_scale=weights, **scales)
        for array, rule in ((numpy.zeros((1, 3), numpy.int32), "SHAPE"), (numpy.zeros(3, numpy.int8), "TYPE")):
            self.refused("TENSOR-" + rule, pianola.prepare_conv_bias, pianola.from_numpy(array),
                         weight_scale=[0.1] * 3, **scales)
        self.refused("TENSOR-HOST", pianola.prepare_conv_bias, bias.to(self.device), weight_scale=[0.1] * 3, **scales)


class FullyConnected(Layers):
    """linear with an int8 result."""

    def test_random(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([33, number])
            with self.subTest(number=number):
                shape = any_shape(rng)
                outputs = int(rng.integers(1, 12))
                array, weights = array_of(rng, numpy.int8, shape), array_of(rng, numpy.int8, (shape[-1], outputs))
                scales = self.scales_for(rng, shape[-1])
                bias, weight_scales, options = self.bias_of(rng, outputs, scales)
                one = "input_scale" in options
                zero_points = zero_point_of(rng), zero_point_of(rng) if one else 0, zero_point_of(rng)
                low, high = clamp_of(rng)
                ratio = tflite.common_ratio if one else tflite.ratio
                ratios = [ratio(scales[0], each, scales[1]) for each in weight_scales]
                expected = tflite.linear(array, weights, bias, ratios, zero_points, low, high)
                transposed = bool(rng.integers(2))
                given = numpy.ascontiguousarray(weights.T) if transposed else weights
                queue = int(rng.integers(2))
                result = pianola.linear(
                    self.on_device(array, any_place(rng, shape)), self.on_device(given, any_place(rng, given.shape)),
                    dtype=pianola.int8, transpose_b=transposed, input_zero_point=zero_points[0],
                    weight_zero_point=zero_points[1], output_zero_point=zero_points[2], activation_min=low,
                    activation_max=high, memory_config=any_place(rng, expected.shape), cq_id=queue, **options)
                numpy.testing.assert_array_equal(result.cpu(cq_id=queue).to_numpy(), expected)
                pianola.synchronize_device(self.device)

    def test_many_columns_are_transposed(self):
        rng = numpy.random.default_rng(34)
        array, weights = array_of(rng, numpy.int8, (3, 7)), array_of(rng, numpy.int8, (7, 600))
        result = pianola.linear(self.on_device(array), self.on_device(weights), dtype=pianola.int8, input_scale=0.5,
                                weight_scale=0.01, output_scale=1.5)
        expected = tflite.linear(array, weights, 0, [tflite.common_ratio(0.5, 0.01, 1.5)] * 600, (0, 0, 0))
        numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_refusals(self):
        scales = {"input_scale": 0.5, "weight_scale": 0.1, "output_scale": 2.0}
        a, b = self.on_device(numpy.zeros((4, 6), numpy.int8)), self.on_device(numpy.zeros((6, 3), numpy.int8))
        wide = self.on_device(numpy.zeros((6, 3), numpy.int32))
        long = self.on_device(numpy.zeros((1, 65537), numpy.int8)), self.on_device(numpy.zeros((2, 65537), numpy.int8))
        half = self.on_device(numpy.zeros((1, 32768), numpy.int8))
        before = self.commands()
        eight = {"dtype": pianola.int8, **scales}
        self.refused("TENSOR-TYPE", pianola.linear, a, b, dtype=pianola.int32, **scales)
        self.refused("TENSOR-SHAPE", pianola.linear, a, b, transpose_b=True, **eight)
        self.refused("TENSOR-SHAPE", pianola.linear, b, a, transpose_b=False, **eight)
        self.refused("TENSOR-TYPE", pianola.linear, a, wide, **eight)
        self.refused("TENSOR-TYPE", pianola.linear, wide, b, **eight)
        self.refused("TENSOR-SHAPE", pianola.linear, *long, transpose_b=True, **eight)
        self.refused("TENSOR-SHAPE", pianola.linear, half, half, transpose_b=True, weight_zero_point=1, **eight)
        self.refused("TENSOR-QUANTIZATION", pianola.linear, a, b, dtype=pianola.int8)
        for name in ("input_zero_point", "weight_zero_point", "output_zero_point"):
            self.assertIn(name, self.refused("TENSOR-QUANTIZATION", pianola.linear, a, b, **eight, **{name: 128}))
        self.refused("TENSOR-QUANTIZATION", pianola.linear, a, b, **{**eight, "weight_scale": 0.0})
        self.assertEqual(self.commands(), before)


class Pooling(Layers):
    """Averages and maxima."""

    def test_random(self):
        for number in range(2 * ROUNDS):
            rng = numpy.random.default_rng([35, number])
            with self.subTest(number=number):
                case = WindowCase(rng, False)
                array = case.image(rng, int(rng.integers(1, 20)))
                averages = bool(number % 2)
                low, high = clamp_of(rng)
                expected = tflite.pool2d(array, *case.axes, averages, low, high)
                call = pianola.avg_pool2d if averages else pianola.max_pool2d
                queue = int(rng.integers(2))
                result = call(
                    self.on_device(array, any_place(rng, array.shape)), case.filter, case.stride, case.padding,
                    activation_min=low, activation_max=high, memory_config=any_place(rng, expected.shape), cq_id=queue)
                numpy.testing.assert_array_equal(result.cpu(cq_id=queue).to_numpy(), expected)
                pianola.synchronize_device(self.device)

    def test_refusals(self):
        image = self.on_device(numpy.zeros((1, 6, 6, 4), numpy.int8))
        wide = self.on_device(numpy.zeros((1, 6, 6, 4), numpy.int32))
        before = self.commands()
        for call in (pianola.avg_pool2d, pianola.max_pool2d):
            for kernel, stride, padding in (((0, 1), (1, 1), (0, 0)), ((2, 2), (0, 1), (0, 0)),
                                            ((7, 1), (1, 1), (0, 0)),
                                            ((2, 2), (1, 1), (2, 0)), ((2, 2), (1, 1), (0, 0, 0, 2**31)),
                                            ((2, 2), (1, 1), "none"), ((40000, 1), (1, 1), (0, 0)),
                                            ((300, 300), (1, 1), (299, 299)), ((2**32 - 1, 1), (1, 1), (0, 0))):
                with self.subTest(kernel=kernel, stride=stride, padding=padding):
                    self.refused("TENSOR-ARGUMENT", call, image, kernel, stride, padding)
            self.refused("TENSOR-TYPE", call, wide, (2, 2), (1, 1))
            self.refused("TENSOR-QUANTIZATION", call, image, (2, 2), (1, 1), activation_min=128)
        self.assertEqual(self.commands(), before)


if __name__ == "__main__":
    main()
