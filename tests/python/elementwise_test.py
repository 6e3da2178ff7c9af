#!/usr/bin/env python3
"""Elementwise operations of the Python package: operands of different shapes, numbers, and quantised addition."""
import operator
import unittest

import numpy

import pianola
import tflite_reference as tflite
from operation_support import OperationTest, any_place, array_of, places, scale_of, zero_point_of
from python_support import main, saturated

ROUNDS = 200
BINARY = {
    pianola.add: numpy.add,
    pianola.subtract: numpy.subtract,
    pianola.multiply: numpy.multiply,
    pianola.minimum: numpy.minimum,
    pianola.maximum: numpy.maximum,
    pianola.eq: numpy.equal,
}


def in_type(array, exact):
    """What the device makes of exact results: int8 saturates, int32 wraps."""
    exact = exact.astype(numpy.int64)
    return saturated(exact) if array.dtype == numpy.int8 else exact.astype(numpy.int32)


def expected_of(reference, left, right):
    """Exact integers, then the type's."""
    return in_type(left, reference(left.astype(numpy.int64), numpy.asarray(right).astype(numpy.int64)))


def broadcast_shapes(rng):
    """Two shapes that NumPy takes, and often needs to broadcast."""
    shape = [int(size) for size in rng.integers(1, 7, size=rng.integers(1, 6))]
    pair = []
    for _ in range(2):
        ones = [1 if rng.integers(3) == 0 else size for size in shape]
        pair.append(tuple(ones[int(rng.integers(len(shape))) if rng.integers(3) == 0 else 0:]))
    return pair


class Broadcast(OperationTest):
    """Operands of different shapes."""

    def test_random_shapes_and_places(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([40, number])
            shapes = broadcast_shapes(rng)
            left, right = (array_of(rng, (numpy.int8, numpy.int32)[number % 2], shape) for shape in shapes)
            if number % 3 == 0:  # so that some are equal
                left, right = left % 3, right % 3
            for call, reference in BINARY.items():
                with self.subTest(number=number, shapes=shapes, call=call.__name__):
                    expected = expected_of(reference, left, right)
                    place = any_place(rng, expected.shape)
                    queue = int(rng.integers(2))
                    result = call(self.on_device(left, any_place(rng, left.shape)),
                                  self.on_device(right, any_place(rng, right.shape)), memory_config=place, cq_id=queue)
                    self.assertEqual((result.shape, result.memory_config()), (expected.shape, place))
                    numpy.testing.assert_array_equal(result.cpu(cq_id=queue).to_numpy(), expected)
                    pianola.synchronize_device(self.device)

    def test_large_ones(self):
        rng = numpy.random.default_rng(41)
        for first, second in (((1,), (70, 90)), ((90,), (70, 90)), ((70, 1), (70, 90)), ((70, 1), (1, 90)),
                              ((1, 1, 33), (17, 5, 1)), ((3, 1, 5, 1, 7), (1, 4, 1, 6, 7))):
            left, right = array_of(rng, numpy.int8, first), array_of(rng, numpy.int8, second)
            with self.subTest(first=first, second=second):
                result = pianola.subtract(self.on_device(left), self.on_device(right))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected_of(numpy.subtract, left, right))

    def test_where_the_result_goes(self):
        rng = numpy.random.default_rng(42)
        matrix, row = array_of(rng, numpy.int8, (8, 16)), array_of(rng, numpy.int8, (16,))
        for place in places((8, 16)):
            left, right = self.on_device(matrix, place), self.on_device(row)
            self.assertEqual(pianola.add(left, right).memory_config(), place)
            self.assertFalse(pianola.add(right, left).memory_config().is_sharded())
            pianola.add(right, left, output_tensor=left)
            numpy.testing.assert_array_equal(numpy.asarray(left), expected_of(numpy.add, matrix, row))

    def test_refusals(self):
        a = self.on_device(numpy.zeros((4, 6), numpy.int8))
        shapes = (4,), (3, 6), (6, 4), (2, 4, 5), (2, 6, 6)
        others = [self.on_device(numpy.zeros(shape, numpy.int8)) for shape in shapes]
        row, wide = self.on_device(numpy.zeros(6, numpy.int8)), self.on_device(numpy.zeros(6, numpy.int32))
        before = self.commands()
        for call in BINARY:
            for other in others:
                self.refused("TENSOR-SHAPE", call, a, other)
            self.refused("TENSOR-TYPE", call, a, wide)
            self.refused("TENSOR-SHAPE", call, a, row, output_tensor=row)
        self.assertEqual(self.commands(), before)


class Numbers(OperationTest):
    """A tensor and a number."""

    def test_every_operation_and_place(self):
        for dtype in (numpy.int8, numpy.int32):
            info = numpy.iinfo(dtype)
            for number, value in enumerate((info.min, info.min + 1, -7, -1, 0, 1, 3, info.max)):
                rng = numpy.random.default_rng([43, number])
                array = array_of(rng, dtype, (7, 13))
                array.flat[5] = value
                for call, reference in BINARY.items():
                    for place in places((7, 13)):
                        with self.subTest(dtype=dtype, value=value, call=call.__name__, place=place):
                            result = call(self.on_device(array, place), int(value))
                            self.assertEqual(result.memory_config(), place)
                            numpy.testing.assert_array_equal(numpy.asarray(result),
                                                             expected_of(reference, array, value))

    def test_operators(self):
        array = array_of(numpy.random.default_rng(44), numpy.int8, (5, 6))
        row = array[1]
        for call, reference in ((operator.add, numpy.add), (operator.sub, numpy.subtract), (operator.mul,
                                                                                             numpy.multiply)):
            numpy.testing.assert_array_equal(call(self.on_device(array), -128), expected_of(reference, array, -128))
            numpy.testing.assert_array_equal(call(self.on_device(array), self.on_device(row)),
                                             expected_of(reference, array, row))

    def test_in_place(self):
        array = array_of(numpy.random.default_rng(45), numpy.int8, (5, 6))
        for call, reference in BINARY.items():
            tensor = self.on_device(array, pianola.L1_MEMORY_CONFIG)
            call(tensor, 5, output_tensor=tensor)
            numpy.testing.assert_array_equal(numpy.asarray(tensor), expected_of(reference, array, 5))

    def test_refusals(self):
        narrow, wide = (self.on_device(numpy.zeros((4, 6), dtype)) for dtype in (numpy.int8, numpy.int32))
        other = self.on_device(numpy.zeros((4, 6), numpy.uint8))
        before = self.commands()
        for call in BINARY:
            for value in (-129, 128, 2**40):
                self.refused("TENSOR-VALUE", call, narrow, value)
            for value in (-2**31 - 1, 2**31):
                self.refused("TENSOR-VALUE", call, wide, value)
            if call is not pianola.eq:  # which compares bits
                self.refused("TENSOR-TYPE", call, other, 1)
            for value in (1.5, "1", None, 2**70):
                with self.assertRaises(TypeError):
                    call(narrow, value)
        self.assertEqual(self.commands(), before)


class Others(OperationTest):
    """square and min."""

    def test_square_and_min(self):
        for dtype in (numpy.int8, numpy.int32):
            for shape in ((7, 13), (5,), (2, 3, 4)):
                array = array_of(numpy.random.default_rng(46), dtype, shape)
                for place in places(shape):
                    tensor = self.on_device(array, place)
                    wide = array.astype(numpy.int64)
                    numpy.testing.assert_array_equal(pianola.square(tensor), in_type(array, wide * wide))
                    numpy.testing.assert_array_equal(pianola.min(tensor), wide.min(axis=-1, keepdims=True))
        for dim in (2, -3, 2**40):
            self.refused("TENSOR-SHAPE", pianola.min, self.on_device(numpy.zeros((4, 4), numpy.int8)), dim)

    def test_reductions_over_every_dimension(self):
        calls = {pianola.sum: numpy.sum, pianola.max: numpy.max, pianola.min: numpy.min, pianola.argmax: numpy.argmax,
                 pianola.argmin: numpy.argmin}
        for number, shape in enumerate(((7, 13), (5, 1, 4), (2, 3, 4, 5), (300, 2, 3), (6,))):
            for dtype in (numpy.int8, numpy.int32):
                rng = numpy.random.default_rng([48, number])
                array = array_of(rng, dtype, shape)
                for dim in range(-len(shape), len(shape)):
                    for call, reference in calls.items():
                        with self.subTest(shape=shape, dtype=dtype, dim=dim, call=call.__name__):
                            expected = reference(array.astype(numpy.int64), axis=dim, keepdims=True).astype(numpy.int32)
                            place = any_place(rng, expected.shape)
                            result = call(self.on_device(array, any_place(rng, shape)), dim, memory_config=place)
                            self.assertEqual((result.dtype, result.memory_config()), (pianola.int32, place))
                            numpy.testing.assert_array_equal(result, expected)


class QuantizedAdd(OperationTest):
    """add with scales."""

    @staticmethod
    def options_of(quantizations):
        """Keyword arguments."""
        names = ("input_scale_a", "input_scale_b", "output_scale")
        zero_points = ("input_zero_point_a", "input_zero_point_b", "output_zero_point")
        scales, points = zip(*quantizations)
        return {**dict(zip(names, scales)), **dict(zip(zero_points, points))}

    def test_random(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([47, number])
            left, right = (array_of(rng, numpy.int8, shape) for shape in broadcast_shapes(rng))
            quantizations = [(scale_of(rng), zero_point_of(rng)) for _ in range(3)]
            low, high = sorted(int(value) for value in rng.integers(-128, 128, size=2))
            with self.subTest(number=number, quantizations=quantizations):
                expected = tflite.add(left, right, quantizations, low, high)
                result = pianola.add(
                    self.on_device(left, any_place(rng, left.shape)),
                    self.on_device(right, any_place(rng, right.shape)),
                    activation_min=low, activation_max=high, memory_config=any_place(rng, expected.shape),
                    **self.options_of(quantizations))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_refusals(self):
        a, wide = (self.on_device(numpy.zeros((4, 6), dtype)) for dtype in (numpy.int8, numpy.int32))
        right = self.options_of([(0.5, 0), (0.25, 1), (0.75, -2)])
        before = self.commands()
        for name, value in right.items():
            wrong = (-129, 128) if "zero" in name else (0.0, -1.0, float("nan"), float("inf"))
            for value in wrong:
                self.assertIn(name, self.refused("TENSOR-QUANTIZATION", pianola.add, a, a, **{**right, name: value}))
        self.refused("TENSOR-QUANTIZATION", pianola.add, a, a, **{**right, "input_scale_a": 1e6})
        self.refused("TENSOR-QUANTIZATION", pianola.add, a, a, activation_min=5, activation_max=4, **right)
        self.refused("TENSOR-TYPE", pianola.add, wide, wide, **right)
        self.refused("TENSOR-TYPE", pianola.add, a, wide, **right)
        self.assertEqual(self.commands(), before)


if __name__ == "__main__":
    main()
