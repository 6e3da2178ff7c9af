#!/usr/bin/env python3
"""softmax, mean and pad of the Python package against NumPy code that knows the specification only, over random shapes,
scales and places."""
import numpy

import pianola
import tflite_reference as tflite
from operation_support import OperationTest, any_place, any_shape, array_of, scale_of, zero_point_of
from python_support import main

ROUNDS = 120


class Rows(OperationTest):
    """softmax, mean and pad."""

    def test_softmax(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([36, number])
            with self.subTest(number=number):
                array = array_of(rng, numpy.int8, any_shape(rng, 3))
                scale, beta = scale_of(rng), float(rng.choice([1.0, 0.5, 2.0]))
                tensor = self.on_device(array, any_place(rng, array.shape))
                place = any_place(rng, array.shape)
                result = pianola.softmax(tensor, input_scale=scale, beta=beta, memory_config=place)
                numpy.testing.assert_array_equal(numpy.asarray(result), tflite.softmax(array, beta, scale))

    def test_softmax_of_long_and_equal_rows(self):
        for array in (numpy.full((2, 4095), 5, numpy.int8), array_of(numpy.random.default_rng(1), numpy.int8, (1, 500)),
                      numpy.zeros((3, 1), numpy.int8)):
            result = pianola.softmax(self.on_device(array), -1, input_scale=0.05)
            numpy.testing.assert_array_equal(numpy.asarray(result), tflite.softmax(array, 1.0, 0.05))

    def test_softmax_of_which_the_largest_takes_all(self):
        array = numpy.array([[3, 3, 2, -128], [127, 126, 125, -5], [0, 0, 0, 0]], numpy.int8)
        for scale, beta in ((15.99, 1.0), (16.0, 1.0), (17.0, 1.0), (4.0, 100.0), (1e30, 1.0)):
            result = pianola.softmax(self.on_device(array), input_scale=scale, beta=beta)
            numpy.testing.assert_array_equal(numpy.asarray(result), tflite.softmax(array, beta, scale))
            self.assertEqual(numpy.asarray(result)[1].tolist(), [127, -128, -128, -128])

    def test_softmax_refused(self):
        tensor = self.on_device(numpy.zeros((2, 4), numpy.int8))
        long = self.on_device(numpy.zeros((1, 4096), numpy.int8))
        before = self.commands()
        for value in (0.0, -1.0, float("nan"), float("inf"), 1e-9):
            self.refused("TENSOR-QUANTIZATION", pianola.softmax, tensor, input_scale=value)
            self.refused("TENSOR-QUANTIZATION", pianola.softmax, tensor, input_scale=1.0, beta=value)
        self.refused("TENSOR-SHAPE", pianola.softmax, long, input_scale=1.0)
        for dim in (0, -2, 2):
            self.refused("TENSOR-ARGUMENT", pianola.softmax, tensor, dim, input_scale=1.0)
        self.assertEqual(self.commands(), before)

    def test_mean(self):
        for number in range(2 * ROUNDS):
            rng = numpy.random.default_rng([37, number])
            with self.subTest(number=number):
                array = array_of(rng, numpy.int8, any_shape(rng))
                rank = array.ndim
                axes = tuple(int(axis) for axis in rng.permutation(rank)[:rng.integers(1, rank + 1)])
                keep = bool(rng.integers(2))
                from_, to = (scale_of(rng), zero_point_of(rng)), (scale_of(rng), zero_point_of(rng))
                expected = tflite.mean(array, axes, keep, from_, to)
                expected = expected.reshape(expected.shape or (1,))
                dim = axes[0] if len(axes) == 1 else [axis - rank * int(rng.integers(2)) for axis in axes]
                result = pianola.mean(
                    self.on_device(array, any_place(rng, array.shape)), dim, keep, input_scale=from_[0],
                    input_zero_point=from_[1], output_scale=to[0], output_zero_point=to[1],
                    memory_config=any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_mean_over_everything_in_the_same_scale(self):
        array = array_of(numpy.random.default_rng(2), numpy.int8, (5, 7))
        result = numpy.asarray(pianola.mean(self.on_device(array)))
        self.assertEqual(result.shape, (1,))
        self.assertLess(abs(int(result[0]) - array.mean()), 0.51)

    def test_mean_refused(self):
        tensor = self.on_device(numpy.zeros((2, 4), numpy.int8))
        five = self.on_device(numpy.zeros((1, 1, 1, 2, 4), numpy.int8))
        long = self.on_device(numpy.zeros((2, 65537), numpy.int8))
        before = self.commands()
        for dim in (2, -3, [0, 0], [0, -2], [], 2**40):
            self.refused("TENSOR-ARGUMENT", pianola.mean, tensor, dim)
        self.refused("TENSOR-ARGUMENT", pianola.mean, long, 1)
        self.refused("TENSOR-SHAPE", pianola.mean, five, 0)
        for name in ("input_scale", "output_scale"):
            for value in (0.0, -1.0, float("nan"), float("inf")):
                self.assertIn(name, self.refused("TENSOR-QUANTIZATION", pianola.mean, tensor, 0, **{name: value}))
        for name in ("input_zero_point", "output_zero_point"):
            self.assertIn(name, self.refused("TENSOR-QUANTIZATION", pianola.mean, tensor, 0, **{name: -129}))
        self.assertEqual(self.commands(), before)

    def test_pad(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([38, number])
            with self.subTest(number=number):
                dtype = rng.choice([numpy.int8, numpy.uint8, numpy.uint16, numpy.int32])
                array = array_of(rng, dtype, any_shape(rng))
                widths = [tuple(int(width) for width in rng.integers(0, 4, size=2)) for _ in array.shape]
                value = int(array.flat[number % array.size])
                expected = numpy.pad(array, widths, constant_values=value)
                result = pianola.pad(self.on_device(array, any_place(rng, array.shape)), widths, value,
                                     memory_config=any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_pad_refused(self):
        tensor, wide = (self.on_device(numpy.zeros((2, 4), dtype)) for dtype in (numpy.int8, numpy.int32))
        five = self.on_device(numpy.zeros((1, 1, 1, 2, 4), numpy.int8))
        before = self.commands()
        for widths in ([], [(1, 1)], [(1, 1)] * 3, [(2**30, 0), (0, 0)], [(0, 0), (0, 2**32 - 1)]):
            self.refused("TENSOR-ARGUMENT", pianola.pad, tensor, widths)
        self.refused("TENSOR-SHAPE", pianola.pad, tensor, [(2**28, 0), (2**28, 0)])
        self.refused("TENSOR-SHAPE", pianola.pad, five, [(0, 0)] * 5)
        for value in (-129, 128):
            self.refused("TENSOR-VALUE", pianola.pad, tensor, [(1, 1)] * 2, value)
        for value in (-2**31 - 1, 2**31):
            self.refused("TENSOR-VALUE", pianola.pad, wide, [(1, 1)] * 2, value)
        with self.assertRaises(ValueError):
            pianola.pad(tensor, [(-1, 0), (0, 0)])
        self.assertEqual(self.commands(), before)


if __name__ == "__main__":
    main()
