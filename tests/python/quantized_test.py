#!/usr/bin/env python3
"""Requantisation, types and shapes of the Python package against NumPy code that knows the specification only."""
import itertools
import unittest

import numpy

import pianola
import tflite_reference as tflite
from operation_support import OperationTest, any_shape, array_of, places, scale_of, zero_point_of
from python_support import main

ROUNDS = 150


class Requantize(OperationTest):
    """int8 and int32 become int8."""

    def check(self, array, place, quantization, **options):
        """One call against the reference."""
        result = pianola.requantize(self.on_device(array, place), *quantization, **options)
        self.assertEqual(result.dtype, pianola.int8)
        numpy.testing.assert_array_equal(numpy.asarray(result), tflite.requantize(array, *quantization))

    def test_random_shapes_places_and_scales(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([1, number])
            shape = any_shape(rng)
            array = array_of(rng, rng.choice([numpy.int8, numpy.int32]), shape)
            zero_point = zero_point_of(rng) if array.dtype == numpy.int8 else 0
            # Of int32, so that results are spread over int8 and not saturated only.
            in_scale = scale_of(rng) if array.dtype == numpy.int8 else scale_of(rng) * 10.0**-rng.integers(0, 9)
            quantization = in_scale, zero_point, scale_of(rng), zero_point_of(rng)
            place = places(shape)[rng.integers(len(places(shape)))]
            with self.subTest(number=number, shape=shape, type=array.dtype, place=place, quantization=quantization):
                self.check(array, place, quantization, cq_id=int(rng.integers(2)))
                pianola.synchronize_device(self.device)

    def test_extreme_values_and_ratios(self):
        ends = [-2**31, -2**31 + 1, -2**30 - 1, -2**30, -2**24, -129, -128, -1, 0, 1, 127, 128, 2**30, 2**31 - 1]
        ratios = [4194303.0, 3.7e6, 1000.3, 2.0, 1.9999999, 1.0, 0.9999999, 0.5, 1e-3, 2.0**-23, 1e-8, 2.0**-31, 1e-30]
        for real, zero_point in itertools.product(ratios, (-128, 0, 127)):
            with self.subTest(real=real, zero_point=zero_point):
                self.check(numpy.array(ends, numpy.int32), pianola.DRAM_MEMORY_CONFIG, (real, 0, 1.0, zero_point))
                self.check(numpy.arange(-128, 128, dtype=numpy.int8), pianola.L1_MEMORY_CONFIG,
                           (real, zero_point, 1.0, -1 - zero_point))

    def test_halves(self):
        array = numpy.arange(-3000, 3000, dtype=numpy.int32)
        for real in (0.5, 0.25, 2.0**-5, 0.75):
            self.check(array, pianola.DRAM_MEMORY_CONFIG, (real, 0, 1.0, 0))

    def test_more_elements_than_parameters_lie_in_memory_at_a_time(self):
        array = array_of(numpy.random.default_rng(2), numpy.int32, (5, 9001))
        self.check(array, pianola.DRAM_MEMORY_CONFIG, (1e-7, 0, 1.0, 3))

    def test_a_chain_in_int8(self):
        rng = numpy.random.default_rng(3)
        left, right = array_of(rng, numpy.int8, (9, 17)), array_of(rng, numpy.int8, (17, 6))
        product = pianola.matmul(self.on_device(left), self.on_device(right))
        result = pianola.relu(pianola.requantize(product, 0.5 * 0.02, 0, 4.0, 0))
        expected = tflite.requantize(left.astype(numpy.int32) @ right.astype(numpy.int32), 0.5 * 0.02, 0, 4.0, 0)
        self.assertGreater(len(numpy.unique(expected)), 20)
        numpy.testing.assert_array_equal(numpy.asarray(result), numpy.maximum(expected, 0))

    def test_in_place(self):
        array = array_of(numpy.random.default_rng(4), numpy.int8, (8, 16))
        tensor = self.on_device(array, pianola.L1_MEMORY_CONFIG)
        pianola.requantize(tensor, 0.5, 3, 0.7, -4, output_tensor=tensor)
        numpy.testing.assert_array_equal(numpy.asarray(tensor), tflite.requantize(array, 0.5, 3, 0.7, -4))

    def test_refusals(self):
        tensor = self.on_device(numpy.zeros((4, 4), numpy.int8))
        wide = self.on_device(numpy.zeros((4, 4), numpy.int32))
        other = self.on_device(numpy.zeros(4, numpy.uint8))
        before = self.commands()
        for scale in (0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e-50, 1e40):
            text = self.refused("TENSOR-QUANTIZATION", pianola.requantize, tensor, scale, 0, 1.0, 0)
            self.assertIn("in_scale", text)
            text = self.refused("TENSOR-QUANTIZATION", pianola.requantize, tensor, 1.0, 0, scale, 0)
            self.assertIn("out_scale", text)
        for zero_point in (-129, 128, 2**31 - 1):
            text = self.refused("TENSOR-QUANTIZATION", pianola.requantize, tensor, 1.0, zero_point, 1.0, 0)
            self.assertIn("in_zero_point", text)
            text = self.refused("TENSOR-QUANTIZATION", pianola.requantize, tensor, 1.0, 0, 1.0, zero_point)
            self.assertIn("out_zero_point", text)
        self.refused("TENSOR-QUANTIZATION", pianola.requantize, wide, 1.0, 1, 1.0, 0)
        self.refused("TENSOR-QUANTIZATION", pianola.requantize, tensor, 2.0**22, 0, 1.0, 0)
        self.refused("TENSOR-TYPE", pianola.requantize, other, 1.0, 0, 1.0, 0)
        self.refused("TENSOR-DEVICE", pianola.requantize, pianola.from_numpy(numpy.zeros(4, numpy.int8)), 1., 0, 1., 0)
        self.refused("TENSOR-TYPE", pianola.requantize, wide, 1.0, 0, 1.0, 0, output_tensor=wide)
        self.refused("API-QUEUE", pianola.requantize, tensor, 1.0, 0, 1.0, 0, cq_id=2)
        self.assertEqual(self.commands(), before)


class Typecast(OperationTest):
    """The same numbers in another type."""

    def test_both_ways_in_every_place(self):
        for number in range(60):
            rng = numpy.random.default_rng([5, number])
            shape = any_shape(rng)
            narrow, wide = array_of(rng, numpy.int8, shape), array_of(rng, numpy.int32, shape)
            wide //= 10**int(rng.integers(0, 9))
            for place in places(shape):
                with self.subTest(shape=shape, place=place):
                    result = pianola.typecast(self.on_device(narrow, place), pianola.int32)
                    self.assertEqual((result.dtype, result.shape), (pianola.int32, shape))
                    numpy.testing.assert_array_equal(numpy.asarray(result), narrow)
                    result = pianola.typecast(self.on_device(wide, place), pianola.int8)
                    self.assertEqual((result.dtype, result.shape), (pianola.int8, shape))
                    numpy.testing.assert_array_equal(numpy.asarray(result), numpy.clip(wide, -128, 127))

    def test_every_value_near_the_ends(self):
        around = numpy.arange(-300, 300, dtype=numpy.int64)
        ends = numpy.concatenate([around, -2**31 + numpy.arange(9), 2**31 - 1 - numpy.arange(9), 2**30 + around])
        array = numpy.concatenate([ends, -2**30 + around]).astype(numpy.int32)
        result = pianola.typecast(self.on_device(array), pianola.int8)
        numpy.testing.assert_array_equal(numpy.asarray(result), numpy.clip(array, -128, 127))

    def test_the_same_type_is_a_copy(self):
        array = array_of(numpy.random.default_rng(6), numpy.int32, (3, 5))
        tensor = self.on_device(array)
        result = pianola.typecast(tensor, pianola.int32)
        self.assertNotEqual(result.buffer_address(), tensor.buffer_address())
        numpy.testing.assert_array_equal(numpy.asarray(result), array)

    def test_refusals(self):
        tensor = self.on_device(numpy.zeros((4, 4), numpy.int8))
        self.refused("TENSOR-TYPE", pianola.typecast, tensor, pianola.float32)
        self.refused("TENSOR-TYPE", pianola.typecast, self.on_device(numpy.zeros(4, numpy.float32)), pianola.int8)


class Reshape(OperationTest):
    """Views and copies."""

    def test_random_shapes_in_every_place(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([7, number])
            factors = [int(factor) for factor in rng.integers(1, 6, size=4)]
            shape = tuple(factors)
            other = tuple(int(each) for each in rng.permutation([factors[0] * factors[2], factors[1], factors[3]]))
            array = array_of(rng, rng.choice([numpy.int8, numpy.int32, numpy.uint8]), shape)
            for place in places(shape):
                with self.subTest(shape=shape, other=other, place=place):
                    result = pianola.reshape(self.on_device(array, place), other)
                    self.assertEqual((result.shape, result.dtype), (other, self.on_device(array).dtype))
                    numpy.testing.assert_array_equal(numpy.asarray(result), array.reshape(other))

    def test_a_view_shares_its_memory(self):
        array = array_of(numpy.random.default_rng(8), numpy.int8, (2, 6, 8))
        for place in places((2, 6, 8)):
            with self.subTest(place=place):
                tensor = self.on_device(array, place)
                view = tensor.reshape((4, 3, -1))
                self.assertEqual((view.shape, view.memory_config()), ((4, 3, 8), place))
                self.assertEqual(view.buffer_address(), tensor.buffer_address())
                pianola.fill(tensor, 5)
                self.assertTrue((numpy.asarray(view) == 5).all())
                added = pianola.add(view, self.on_device(array.reshape(4, 3, 8)))
                self.assertEqual(added.shape, (4, 3, 8))
                tensor.deallocate(force=False)
                self.assertTrue(view.is_allocated())
                view.deallocate(force=False)
                self.assertTrue(tensor.is_allocated())
                view.deallocate()
                self.assertFalse(tensor.is_allocated())

    def test_a_view_keeps_the_memory(self):
        array = array_of(numpy.random.default_rng(9), numpy.int8, (4, 8))
        view = self.on_device(array).reshape([2, 2, 8])
        pianola.zeros((4, 8), pianola.int8, device=self.device)
        numpy.testing.assert_array_equal(numpy.asarray(view), array.reshape(2, 2, 8))

    def test_into_an_output_and_elsewhere(self):
        array = array_of(numpy.random.default_rng(10), numpy.int8, (4, 9))
        for shape in ((9, 4), (2, 2, 9), (36,)):
            for place in places(shape):
                with self.subTest(shape=shape, place=place):
                    output = pianola.zeros(shape, pianola.int8, device=self.device, memory_config=place)
                    pianola.reshape(self.on_device(array), shape, output_tensor=output)
                    numpy.testing.assert_array_equal(numpy.asarray(output), array.reshape(shape))
                    moved = pianola.reshape(self.on_device(array), shape, memory_config=place)
                    self.assertEqual(moved.memory_config(), place)
                    numpy.testing.assert_array_equal(numpy.asarray(moved), array.reshape(shape))

    def test_on_the_host(self):
        array = array_of(numpy.random.default_rng(11), numpy.int8, (4, 9))
        numpy.testing.assert_array_equal(pianola.from_numpy(array).reshape((-1,)).to_numpy(), array.reshape(-1))

    def test_refusals(self):
        tensor = self.on_device(numpy.zeros((4, 6), numpy.int8))
        for shape in ((5, 5), (4, 6, 2), (-1, 5), (-1, -1), (0, 24), (-1, 0), (), (1,) * 9, (2**31, 2**31),
                      (-1, 2**40), (-2, -12)):
            with self.subTest(shape=shape):
                self.refused("TENSOR-SHAPE", pianola.reshape, tensor, shape)
                self.refused("TENSOR-SHAPE", tensor.reshape, shape)
        self.refused("TENSOR-OVERLAP", pianola.reshape, tensor, (4, 6), output_tensor=tensor)
        tensor.deallocate()
        self.refused("TENSOR-FREED", pianola.reshape, tensor, (6, 4))
        self.refused("TENSOR-FREED", pianola.reshape, tensor, (2, 2, 6))


class Arrays(OperationTest):
    """NumPy takes tensors."""

    def test_every_type_and_place(self):
        for dtype in (numpy.int8, numpy.uint8, numpy.int32, numpy.float32):
            array = numpy.arange(48).reshape(6, 8).astype(dtype)
            for place in places((6, 8)):
                tensor = self.on_device(array, place)
                self.assertEqual(numpy.asarray(tensor).dtype, dtype)
                numpy.testing.assert_array_equal(tensor, array)
            numpy.testing.assert_array_equal(pianola.from_numpy(array), array)
            self.assertEqual(numpy.asarray(tensor, numpy.float64).dtype, numpy.float64)
            numpy.testing.assert_array_equal(numpy.maximum(tensor, 3), numpy.maximum(array, 3))

    def test_it_is_a_copy(self):
        tensor = self.on_device(numpy.zeros((2, 2), numpy.int8))
        numpy.asarray(tensor)[:] = 1
        self.assertFalse(numpy.asarray(tensor).any())
        with self.assertRaises(ValueError):
            tensor.__array__(copy=False)
        self.assertEqual(tensor.__array__(copy=True).shape, (2, 2))
        tensor.deallocate()
        self.refused("TENSOR-FREED", tensor.__array__)


if __name__ == "__main__":
    main()
