#!/usr/bin/env python3
"""Tensors and operations of the Python package against NumPy, over element types, shapes and places."""
import gc
import itertools
import unittest

import numpy

import pianola
from python_support import int8_array, main, saturated

GRID = pianola.CoreGrid(y=2, x=2)
# Whole, uneven and single rows; more columns than cores, and fewer.
SHAPES = ((8, 16), (7, 13), (1, 40), (5, 3), (2, 3, 10), (33,))
NUMPY_TYPES = {
    pianola.int8: numpy.int8,
    pianola.uint8: numpy.uint8,
    pianola.int32: numpy.int32,
    pianola.float32: numpy.float32,
}


def places(shape):
    """Every kind of place for a tensor of a shape."""
    yield pianola.DRAM_MEMORY_CONFIG
    yield pianola.L1_MEMORY_CONFIG
    strategies = (pianola.ShardStrategy.HEIGHT, pianola.ShardStrategy.WIDTH, pianola.ShardStrategy.BLOCK)
    for strategy, memory in itertools.product(strategies, (pianola.BufferType.L1, pianola.BufferType.DRAM)):
        yield pianola.create_sharded_memory_config(shape, GRID, strategy, buffer_type=memory)


def data_of(dtype, shape, seed=0):
    """Random data of a type, with the values at which arithmetic overflows."""
    rng = numpy.random.default_rng([seed, *shape])
    if dtype == pianola.int8:
        return int8_array(rng, shape)
    if dtype == pianola.float32:
        return rng.standard_normal(shape, dtype=numpy.float32)
    info = numpy.iinfo(NUMPY_TYPES[dtype])
    return rng.integers(info.min, info.max, size=shape, dtype=NUMPY_TYPES[dtype], endpoint=True)


def in_type(dtype, wide):
    """What the device makes of exact results: int8 saturates, int32 wraps."""
    return saturated(wide) if dtype == pianola.int8 else (wide & 0xFFFFFFFF).astype(numpy.uint32).view(numpy.int32)


class DeviceTest(unittest.TestCase):
    """Has a device of four cores with two queues."""

    def setUp(self):
        self.device = pianola.open_device(core_grid=GRID, num_command_queues=2, trace_region_size=32 * 1024)
        self.addCleanup(pianola.close_device, self.device)

    def on_device(self, array, place=pianola.DRAM_MEMORY_CONFIG):
        """A device tensor with an array's data."""
        return pianola.from_numpy(array, device=self.device, memory_config=place)

    def refused(self, rule, call, *arguments, **options):
        """The call raises the rule's error, and its text begins with the rule."""
        with self.assertRaises(pianola.Error) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.rule, rule)
        self.assertTrue(str(raised.exception).startswith(rule + ": "), str(raised.exception))
        return str(raised.exception)


class Transfers(DeviceTest):
    """What goes to a device comes back."""

    def test_every_type_place_and_shape(self):
        for dtype, shape in itertools.product(NUMPY_TYPES, SHAPES):
            for place in places(shape):
                with self.subTest(dtype=dtype, shape=shape, place=place):
                    array = data_of(dtype, shape)
                    tensor = self.on_device(array, place)
                    self.assertEqual((tensor.shape, tensor.dtype, tensor.memory_config()), (shape, dtype, place))
                    back = pianola.to_numpy(tensor.cpu())
                    self.assertEqual((back.dtype, back.shape), (array.dtype, shape))
                    numpy.testing.assert_array_equal(back, array)

    def test_arrays_that_are_not_contiguous(self):
        array = data_of(pianola.int8, (12, 10))
        for view in (array[::2, ::3], array.T, array[::-1]):
            numpy.testing.assert_array_equal(pianola.to_numpy(self.on_device(view).cpu()), view)

    def test_what_no_dense_array_can_be_made_of_is_an_error(self):
        """Of a view of one byte, which would take a terabyte: NumPy's own error, and no end of the process."""
        endless = numpy.broadcast_to(numpy.int8(1), (1 << 20, 1 << 20))
        for call in (pianola.from_numpy, pianola.to_tiles, lambda array: pianola.from_tiles(array, (4, 4))):
            with self.assertRaises(MemoryError):
                call(endless)

    def test_numbers_of_another_type_are_type_errors(self):
        tensor = self.on_device(data_of(pianola.int8, (4, 4)))
        for call in (lambda: pianola.reshape(tensor, 16), lambda: pianola.reshape(tensor, ("x", 1)),
                     lambda: pianola.zeros((1.5, 2), pianola.int8), lambda: pianola.CoreRangeSet(["x"])):
            with self.assertRaises(TypeError) as raised:
                call()
            self.assertNotIn("pybind11", str(raised.exception).lower())

    def test_a_read_that_does_not_block_keeps_what_it_read(self):
        tensor = pianola.allocate_tensor_on_device((4, 64), pianola.int8, pianola.ROW_MAJOR_LAYOUT, self.device)
        arrays = [data_of(pianola.int8, (4, 64), seed) for seed in range(20)]
        results = []
        for array in arrays:
            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
            results.append(tensor.cpu(blocking=False))
        tensor.deallocate()
        for array, result in zip(arrays, results):
            numpy.testing.assert_array_equal(result.to_numpy(), array)
            self.assertTrue(result.is_ready())

    def test_a_read_outlives_its_device(self):
        array = data_of(pianola.int8, (4, 64))
        result = self.on_device(array).cpu(blocking=False)
        pianola.close_device(self.device)
        numpy.testing.assert_array_equal(result.to_numpy(), array)

    def test_an_array_is_a_copy(self):
        array = data_of(pianola.int8, (4, 4))
        host = pianola.from_numpy(array)
        before = array.copy()
        array += 1
        host.to_numpy()[:] = 0
        numpy.testing.assert_array_equal(host.to_numpy(), before)

    def test_specification_and_both_ways_to_allocate(self):
        place = pianola.create_sharded_memory_config((8, 16), GRID, pianola.ShardStrategy.HEIGHT)
        spec = pianola.TensorSpec((8, 16), pianola.int8, pianola.ROW_MAJOR_LAYOUT, place)
        first = pianola.allocate_tensor_on_device(spec, self.device)
        self.assertEqual(first.spec, spec)
        second = pianola.allocate_tensor_on_device(spec, self.device, memory_config=pianola.DRAM_MEMORY_CONFIG)
        self.assertEqual(second.memory_config(), pianola.DRAM_MEMORY_CONFIG)
        third = pianola.allocate_tensor_on_device((8, 16), pianola.int8, pianola.ROW_MAJOR_LAYOUT, self.device, place)
        self.assertEqual(third.spec, spec)
        self.assertEqual(len({first.buffer_address(), third.buffer_address()}), 2)

    def test_refusals(self):
        array = data_of(pianola.int8, (8, 16))
        host, tensor = pianola.from_numpy(array), self.on_device(array)
        self.refused("TENSOR-TYPE", pianola.from_numpy, array.astype(numpy.int64))
        self.refused("TENSOR-TYPE", pianola.from_numpy, array.astype(">i4"))
        self.refused("TENSOR-TYPE", pianola.from_numpy, array, dtype=pianola.int32)
        self.refused("TENSOR-SHAPE", pianola.from_numpy, numpy.array(1, numpy.int8))
        self.refused("TENSOR-SHAPE", pianola.from_numpy, numpy.zeros((3, 0), numpy.int8))
        self.refused("TENSOR-SHAPE", pianola.TensorSpec, (1,) * 9, pianola.int8)
        self.refused("TENSOR-SHAPE", pianola.TensorSpec, (65536, 65536), pianola.int8)
        self.refused("TENSOR-SHAPE", pianola.TensorSpec, (-1, 4), pianola.int8)
        place = pianola.create_sharded_memory_config((4, 4), GRID, pianola.ShardStrategy.HEIGHT)
        shards = pianola.MemoryConfig(shard_spec=place.shard_spec)
        self.refused("TENSOR-MEMORY", pianola.TensorSpec, (4, 4), pianola.int8, memory_config=shards)
        self.refused("TENSOR-HOST", tensor.to_numpy)
        self.refused("TENSOR-HOST", tensor.to, self.device)
        self.refused("TENSOR-DEVICE", host.buffer_address)
        self.refused("TENSOR-DEVICE", pianola.copy_host_to_device_tensor, host, host)
        self.refused("TENSOR-HOST", pianola.copy_host_to_device_tensor, tensor, tensor)
        for other in (array.T, array.astype(numpy.int32)):
            self.refused("TENSOR-SHAPE", pianola.copy_host_to_device_tensor, pianola.from_numpy(other), tensor)
        self.refused("API-QUEUE", tensor.cpu, cq_id=2)
        tensor.deallocate()
        self.assertFalse(tensor.is_allocated())
        self.refused("TENSOR-FREED", tensor.cpu)
        self.refused("TENSOR-FREED", tensor.buffer_address)
        host.deallocate()
        self.refused("TENSOR-FREED", host.to_numpy)


class Memory(DeviceTest):
    """Who owns what."""

    def test_tensors_go_with_their_last_owner(self):
        before = self.device.memory_report()["DRAM"]["used_bytes"]
        for _ in range(100):
            self.on_device(data_of(pianola.int8, (64, 64)))
        gc.collect()
        self.assertEqual(self.device.memory_report()["DRAM"]["used_bytes"], before)

    def test_deallocate_gives_the_place_to_the_next(self):
        first = self.on_device(data_of(pianola.int8, (64, 64)))
        address = first.buffer_address()
        first.deallocate()
        first.deallocate()
        self.assertEqual(self.on_device(data_of(pianola.int8, (64, 64))).buffer_address(), address)

    def test_a_full_memory_is_named(self):
        spec = pianola.TensorSpec((3 << 20,), pianola.int8)  # of 4 MiB
        first = pianola.allocate_tensor_on_device(spec, self.device)
        text = self.refused("API-MEMORY-FULL", pianola.allocate_tensor_on_device, spec, self.device)
        self.assertIn(str(3 << 20), text)
        self.assertTrue(first.is_allocated())


class Arithmetic(DeviceTest):
    """Element by element, wherever operands and result lie."""

    BINARY = ((pianola.add, numpy.add), (pianola.subtract, numpy.subtract), (pianola.multiply, numpy.multiply))
    UNARY = ((pianola.relu, lambda a: numpy.maximum(a, 0)), (pianola.neg, numpy.negative), (pianola.abs, numpy.abs))

    def test_binary_in_every_place(self):
        for dtype, shape in itertools.product((pianola.int8, pianola.int32), SHAPES):
            left, right = data_of(dtype, shape, 1), data_of(dtype, shape, 2)
            for place, (call, reference) in itertools.product(places(shape), self.BINARY):
                with self.subTest(dtype=dtype, shape=shape, place=place, call=call.__name__):
                    result = call(self.on_device(left, place), self.on_device(right, place))
                    self.assertEqual(result.memory_config(), place)
                    expected = in_type(dtype, reference(left.astype(numpy.int64), right.astype(numpy.int64)))
                    numpy.testing.assert_array_equal(result.cpu().to_numpy(), expected)

    def test_binary_of_different_places(self):
        for shape in ((8, 16), (7, 13)):
            left, right = data_of(pianola.int8, shape, 1), data_of(pianola.int8, shape, 2)
            expected = saturated(left.astype(numpy.int64) - right)
            for first, second, third in itertools.product(places(shape), repeat=3):
                with self.subTest(shape=shape, first=first, second=second, third=third):
                    operands = self.on_device(left, first), self.on_device(right, second)
                    result = pianola.subtract(*operands, memory_config=third)
                    self.assertEqual(result.memory_config(), third)
                    numpy.testing.assert_array_equal(result.cpu().to_numpy(), expected)

    def test_unary(self):
        for dtype, shape in itertools.product((pianola.int8, pianola.int32), SHAPES):
            array = data_of(dtype, shape)
            array.flat[0] = numpy.iinfo(array.dtype).min
            for place, (call, reference) in itertools.product(places(shape), self.UNARY):
                with self.subTest(dtype=dtype, shape=shape, place=place, call=call.__name__):
                    result = call(self.on_device(array, place))
                    numpy.testing.assert_array_equal(result.cpu().to_numpy(),
                                                     in_type(dtype, reference(array.astype(numpy.int64))))

    def test_in_place_and_into_an_output(self):
        array = data_of(pianola.int8, (8, 16))
        tensor = self.on_device(array, pianola.L1_MEMORY_CONFIG)
        address = tensor.buffer_address()
        same = pianola.add(tensor, tensor, output_tensor=tensor)
        self.assertEqual(same.buffer_address(), address)
        numpy.testing.assert_array_equal(tensor.cpu().to_numpy(), saturated(array.astype(numpy.int32) * 2))

    def test_operators(self):
        left, right = data_of(pianola.int8, (4, 4), 1), data_of(pianola.int8, (4, 4), 2)
        a, b = self.on_device(left), self.on_device(right)
        wide = left.astype(numpy.int64), right.astype(numpy.int64)
        results = (a + b, a - b, a * b, -a)
        for result, expected in zip(results, (wide[0] + wide[1], wide[0] - wide[1], wide[0] * wide[1], -wide[0])):
            numpy.testing.assert_array_equal(result.cpu().to_numpy(), saturated(expected))
        numpy.testing.assert_array_equal((a @ b).cpu().to_numpy(), wide[0] @ wide[1])

    def test_refusals(self):
        a = self.on_device(data_of(pianola.int8, (4, 4)))
        self.refused("TENSOR-SHAPE", pianola.add, a, self.on_device(data_of(pianola.int8, (4, 3))))
        self.refused("TENSOR-TYPE", pianola.add, a, self.on_device(data_of(pianola.int32, (4, 4))))
        for dtype in (pianola.uint8, pianola.float32):
            other = self.on_device(data_of(dtype, (4, 4)))
            self.refused("TENSOR-TYPE", pianola.add, other, other)
            self.refused("TENSOR-TYPE", pianola.relu, other)
        self.refused("TENSOR-DEVICE", pianola.add, a, pianola.from_numpy(data_of(pianola.int8, (4, 4))))
        self.refused("TENSOR-SHAPE", pianola.relu, a, output_tensor=self.on_device(data_of(pianola.int8, (4, 5))))
        self.refused("TENSOR-TYPE", pianola.relu, a, output_tensor=self.on_device(data_of(pianola.int32, (4, 4))))
        self.refused("TENSOR-MEMORY", pianola.relu, a, output_tensor=a, memory_config=pianola.L1_MEMORY_CONFIG)
        with pianola.manage_device() as other_device:
            other = pianola.from_numpy(data_of(pianola.int8, (4, 4)), device=other_device)
            self.refused("TENSOR-DEVICE", pianola.add, a, other)
            self.refused("TENSOR-DEVICE", pianola.relu, a, output_tensor=other)


class Moves(DeviceTest):
    """Any place to any other, and values to all of them."""

    def test_any_place_to_any_other(self):
        for dtype, shape in itertools.product((pianola.int8, pianola.float32), SHAPES):
            array = data_of(dtype, shape)
            for source, destination in itertools.product(places(shape), repeat=2):
                with self.subTest(dtype=dtype, shape=shape, source=source, destination=destination):
                    moved = pianola.to_memory_config(self.on_device(array, source), destination)
                    self.assertEqual(moved.memory_config(), destination)
                    numpy.testing.assert_array_equal(moved.cpu().to_numpy(), array)

    def test_more_column_shards_than_one_gather_takes(self):
        with pianola.manage_device(core_grid=pianola.CoreGrid(y=1, x=8)) as device:
            array = data_of(pianola.int8, (6, 50))
            place = pianola.create_sharded_memory_config((6, 50), device.core_grid, pianola.ShardStrategy.WIDTH)
            tensor = pianola.from_numpy(array, device=device, memory_config=place)
            moved = pianola.to_memory_config(tensor, pianola.DRAM_MEMORY_CONFIG)
            numpy.testing.assert_array_equal(moved.cpu().to_numpy(), array)

    def test_reshard_in_place_keeps_the_address(self):
        place = pianola.create_sharded_memory_config((8, 16), GRID, pianola.ShardStrategy.HEIGHT)
        output = pianola.zeros((8, 16), pianola.int8, device=self.device, memory_config=place)
        address = output.buffer_address()
        array = data_of(pianola.int8, (8, 16))
        result = pianola.reshard(self.on_device(array), place, output)
        self.assertEqual(result.buffer_address(), address)
        numpy.testing.assert_array_equal(output.cpu().to_numpy(), array)
        self.refused("TENSOR-MEMORY", pianola.reshard, self.on_device(array), pianola.L1_MEMORY_CONFIG, output)

    def test_copy(self):
        array = data_of(pianola.int32, (7, 5))
        destination = pianola.zeros((7, 5), pianola.int32, device=self.device, memory_config=pianola.L1_MEMORY_CONFIG)
        pianola.copy(self.on_device(array), destination)
        numpy.testing.assert_array_equal(destination.cpu().to_numpy(), array)
        other = pianola.zeros((5, 7), pianola.int32, device=self.device)
        self.refused("TENSOR-SHAPE", pianola.copy, self.on_device(array), other)

    def test_full_and_zeros(self):
        for shape in (*SHAPES, (1,), (3,)):
            for place in places(shape):
                for dtype, value in ((pianola.int8, -7), (pianola.uint8, 200), (pianola.int32, -123456789)):
                    with self.subTest(shape=shape, place=place, dtype=dtype):
                        tensor = pianola.full(shape, value, dtype, device=self.device, memory_config=place)
                        expected = numpy.full(shape, value, NUMPY_TYPES[dtype])
                        numpy.testing.assert_array_equal(tensor.cpu().to_numpy(), expected)
        zeros = pianola.zeros((3, 3), pianola.float32, device=self.device)
        numpy.testing.assert_array_equal(zeros.cpu().to_numpy(), numpy.zeros((3, 3)))
        for dtype, value in ((pianola.int8, 128), (pianola.uint8, -1), (pianola.int32, 1 << 31)):
            self.refused("TENSOR-VALUE", pianola.full, (4,), value, dtype, device=self.device)


class Matrices(DeviceTest):
    """Products and reductions."""

    def test_matmul_and_linear_in_every_place(self):
        for rows, depth, columns in ((8, 16, 12), (7, 13, 5), (1, 3, 33)):
            for dtype in (pianola.int8, pianola.int32):
                left, right = data_of(dtype, (rows, depth), 1), data_of(dtype, (depth, columns), 2)
                bias = data_of(pianola.int32, (columns,), 3)
                product = left.astype(object) @ right.astype(object)
                weight_places = (pianola.DRAM_MEMORY_CONFIG, pianola.L1_MEMORY_CONFIG)
                for place, weight_place in itertools.product(places((rows, depth)), weight_places):
                    with self.subTest(shape=(rows, depth, columns), dtype=dtype, place=place):
                        a, b = self.on_device(left, place), self.on_device(right, weight_place)
                        numpy.testing.assert_array_equal(pianola.matmul(a, b).cpu().to_numpy(), self.wrapped(product))
                        result = pianola.linear(a, b, bias=self.on_device(bias))
                        numpy.testing.assert_array_equal(result.cpu().to_numpy(),
                                                         self.wrapped(product + bias.astype(object)))

    def test_result_in_every_place(self):
        left, right = data_of(pianola.int8, (7, 13), 1), data_of(pianola.int8, (13, 9), 2)
        for place in places((7, 9)):
            with self.subTest(place=place):
                result = pianola.matmul(self.on_device(left), self.on_device(right), memory_config=place)
                self.assertEqual(result.memory_config(), place)
                expected = left.astype(numpy.int32) @ right.astype(numpy.int32)
                numpy.testing.assert_array_equal(result.cpu().to_numpy(), expected)

    def test_reductions(self):
        for dtype, shape in itertools.product((pianola.int8, pianola.int32), SHAPES):
            array = data_of(dtype, shape)
            for place in places(shape):
                with self.subTest(dtype=dtype, shape=shape, place=place):
                    tensor = self.on_device(array, place)
                    total = numpy.sum(array.astype(object), axis=-1, keepdims=True)
                    numpy.testing.assert_array_equal(pianola.sum(tensor).cpu().to_numpy(), self.wrapped(total))
                    largest = pianola.max(tensor, dim=len(shape) - 1).cpu().to_numpy()
                    numpy.testing.assert_array_equal(largest, array.max(axis=-1, keepdims=True).astype(numpy.int32))

    @staticmethod
    def wrapped(exact):
        """int32 of exact integers, modulo 2^32."""
        values = [((int(value) + (1 << 31)) % (1 << 32)) - (1 << 31) for value in exact.flat]
        return numpy.array(values, numpy.int32).reshape(exact.shape)

    def test_refusals(self):
        a, b = self.on_device(data_of(pianola.int8, (4, 6))), self.on_device(data_of(pianola.int8, (5, 3)))
        self.refused("TENSOR-SHAPE", pianola.matmul, a, b)
        self.refused("TENSOR-SHAPE", pianola.linear, a, self.on_device(data_of(pianola.int8, (1, 6, 3))))
        right = self.on_device(data_of(pianola.int8, (6, 3)))
        self.refused("TENSOR-TYPE", pianola.matmul, a, self.on_device(data_of(pianola.int32, (6, 3))))
        self.refused("TENSOR-SHAPE", pianola.linear, a, right, bias=self.on_device(data_of(pianola.int32, (4,))))
        self.refused("TENSOR-SHAPE", pianola.linear, a, right, bias=self.on_device(data_of(pianola.int8, (3,))))
        self.refused("TENSOR-SHAPE", pianola.sum, a, dim=2)
        square = self.on_device(data_of(pianola.int32, (4, 4)))
        self.refused("TENSOR-OVERLAP", pianola.matmul, square, square, output_tensor=square)


if __name__ == "__main__":
    main()
