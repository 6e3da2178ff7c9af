#!/usr/bin/env python3
"""Quantised functions of two operands, selection, tables and both ways of quantising, against NumPy code."""
import operator
import unittest

import numpy

import pianola
import tflite_reference as tflite
from operation_support import OperationTest, any_place, any_shape, array_of, scale_of, zero_point_of
from python_support import main

ROUNDS = 60
FUNCTIONS = {
    pianola.subtract: tflite.subtract,
    pianola.multiply: tflite.multiply,
    pianola.squared_difference: tflite.squared_difference,
    pianola.prelu: tflite.prelu,
}
COMPARISONS = {
    pianola.eq: operator.eq,
    pianola.ne: operator.ne,
    pianola.gt: operator.gt,
    pianola.ge: operator.ge,
    pianola.lt: operator.lt,
    pianola.le: operator.le,
}


def options_of(quantizations):
    """Keyword arguments of two operands, or of them and their result."""
    ends = ("input_scale_a", "input_scale_b", "output_scale")
    points = ("input_zero_point_a", "input_zero_point_b", "output_zero_point")
    scales, zero_points = zip(*quantizations)
    return {**dict(zip(ends, scales)), **dict(zip(points, zero_points))}


def shapes(rng, count):
    """Shapes that broadcast."""
    shape = any_shape(rng)
    return [tuple(1 if rng.integers(3) == 0 else size for size in shape) for _ in range(count)]


class Pairs(OperationTest):
    """Two operands with scales."""

    def operands(self, rng):
        """Data, and tensors of them."""
        arrays = [array_of(rng, numpy.int8, shape) for shape in shapes(rng, 2)]
        return arrays, [self.on_device(array, any_place(rng, array.shape)) for array in arrays]

    def test_functions(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([61, number])
            call, reference = list(FUNCTIONS.items())[number % len(FUNCTIONS)]
            arrays, tensors = self.operands(rng)
            # Near enough to each other that results are not saturated only.
            quantizations = [(scale_of(rng) / 16, zero_point_of(rng)) for _ in range(2)]
            quantizations.append((scale_of(rng) / 4, zero_point_of(rng)))
            low, high = sorted(int(value) for value in rng.integers(-128, 128, size=2))
            with self.subTest(number=number, call=call.__name__, quantizations=quantizations):
                expected = reference(*arrays, quantizations, low, high)
                result = call(*tensors, activation_min=low, activation_max=high,
                              memory_config=any_place(rng, expected.shape), **options_of(quantizations))
                self.assertEqual(result.dtype, pianola.int8)
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_comparisons(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([67, number])
            call, reference = list(COMPARISONS.items())[number % len(COMPARISONS)]
            arrays, tensors = self.operands(rng)
            scale = scale_of(rng) / 8
            quantizations = [(scale, zero_point_of(rng)), (scale * float(rng.choice([1, 0.5])), zero_point_of(rng))]
            with self.subTest(number=number, call=call.__name__, quantizations=quantizations):
                result = call(*tensors, **options_of(quantizations))
                numpy.testing.assert_array_equal(numpy.asarray(result),
                                                 tflite.compare(reference, *arrays, quantizations))

    def test_refusals(self):
        a, wide = (self.on_device(numpy.zeros((4, 6), dtype)) for dtype in (numpy.int8, numpy.int32))
        right = options_of([(0.5, 0), (0.25, 1), (0.75, -2)])
        before = self.commands()
        for call in FUNCTIONS:
            for name in right:
                for value in (-129, 128) if "zero" in name else (0.0, -1.0, float("nan"), float("inf")):
                    self.assertIn(name, self.refused("TENSOR-QUANTIZATION", call, a, a, **{**right, name: value}))
            self.refused("TENSOR-QUANTIZATION", call, a, a, activation_min=5, activation_max=4, **right)
            self.refused("TENSOR-QUANTIZATION", call, a, a, **{**right, "output_scale": 1e-35})
            self.refused("TENSOR-TYPE", call, wide, wide, **right)
        for call in COMPARISONS:
            self.refused("TENSOR-QUANTIZATION", call, a, a, input_scale_a=1.0, input_scale_b=0.5)
        self.assertEqual(self.commands(), before)


class Where(OperationTest):
    """Elements of one operand or another."""

    def test_random(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([71, number])
            dtype = rng.choice([numpy.int8, numpy.uint8, numpy.int32, numpy.uint16])
            first, second, third = shapes(rng, 3)
            condition = rng.integers(-1, 2, size=first, dtype=numpy.int8)
            arrays = [array_of(rng, dtype, second), array_of(rng, dtype, third)]
            with self.subTest(number=number, dtype=dtype, shapes=(first, second, third)):
                tensors = [self.on_device(each, any_place(rng, each.shape)) for each in (condition, *arrays)]
                expected = numpy.where(condition != 0, *arrays)
                result = pianola.where(*tensors, memory_config=any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_refusals(self):
        a, wide = (self.on_device(numpy.zeros((4, 6), dtype)) for dtype in (numpy.int8, numpy.int32))
        short = self.on_device(numpy.zeros((5, ), numpy.int8))
        self.refused("TENSOR-TYPE", pianola.where, wide, a, a)
        self.refused("TENSOR-TYPE", pianola.where, a, a, wide)
        self.refused("TENSOR-SHAPE", pianola.where, a, a, short)


class Lookup(OperationTest):
    """A function of one byte."""

    def test_random(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([73, number])
            array = array_of(rng, rng.choice([numpy.int8, numpy.uint8]), any_shape(rng))
            table = array_of(rng, rng.choice([numpy.int8, numpy.uint8]), (256, ))
            with self.subTest(number=number, shape=array.shape):
                result = pianola.lookup(self.on_device(array, any_place(rng, array.shape)), self.on_device(table))
                numpy.testing.assert_array_equal(numpy.asarray(result), table[array.view(numpy.uint8)])

    def test_refusals(self):
        a, wide = (self.on_device(numpy.zeros(256, dtype)) for dtype in (numpy.int8, numpy.int32))
        short = self.on_device(numpy.zeros(255, numpy.int8))
        self.refused("TENSOR-TYPE", pianola.lookup, wide, a)
        self.refused("TENSOR-TYPE", pianola.lookup, a, wide)
        self.refused("TENSOR-SHAPE", pianola.lookup, a, short)
        self.refused("TENSOR-OVERLAP", pianola.lookup, a, a, output_tensor=a)


class Quantize(OperationTest):
    """float32 to bytes, and back."""

    def test_random(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([79, number])
            dtype, name = ((numpy.int8, pianola.int8), (numpy.uint8, pianola.uint8))[number % 2]
            scale, info = scale_of(rng), numpy.iinfo(dtype)
            zero_point = int(rng.integers(info.min, info.max + 1))
            steps = rng.integers(-300, 300, size=any_shape(rng)) + rng.choice([0.0, 0.5, 0.25])
            array = (steps * scale).astype(numpy.float32)
            with self.subTest(number=number, scale=scale, zero_point=zero_point):
                tensor = self.on_device(array, any_place(rng, array.shape))
                result = pianola.quantize(tensor, scale, zero_point, dtype=name)
                expected = tflite.quantize(array, scale, zero_point, dtype)
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)
                back = numpy.asarray(pianola.dequantize(result, scale, zero_point))
                numbers = float(numpy.float32(scale)) * (expected.astype(numpy.float64) - zero_point)
                numpy.testing.assert_array_equal(back.view(numpy.uint32),
                                                 numbers.astype(numpy.float32).view(numpy.uint32))

    def test_refusals(self):
        real, whole = (self.on_device(numpy.zeros((4, 6), dtype)) for dtype in (numpy.float32, numpy.int8))
        self.refused("TENSOR-TYPE", pianola.quantize, whole, 0.5, 0)
        self.refused("TENSOR-TYPE", pianola.quantize, real, 0.5, 0, dtype=pianola.int32)
        self.refused("TENSOR-TYPE", pianola.dequantize, real, 0.5, 0)
        for scale, zero_point in ((0.0, 0), (float("nan"), 0), (2.0**-125, 0), (0.5, 128), (0.5, -129)):
            self.refused("TENSOR-QUANTIZATION", pianola.quantize, real, scale, zero_point)
            self.refused("TENSOR-QUANTIZATION", pianola.dequantize, whole, scale, zero_point)
        self.refused("TENSOR-QUANTIZATION", pianola.quantize, real, 0.5, -1, dtype=pianola.uint8)


if __name__ == "__main__":
    main()
