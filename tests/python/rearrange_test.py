#!/usr/bin/env python3
"""Elements in another order, several times, or chosen by indices, against NumPy; operands and results anywhere."""
import numpy

import pianola
from operation_support import GRID, OperationTest, any_place, any_shape, array_of
from python_support import main

ROUNDS = 12
TYPES = (numpy.int8, numpy.uint16, numpy.int32, numpy.float32)


class Rearranged(OperationTest):
    """permute, transpose, flip, repeat, take and embedding."""

    def place(self, rng, array):
        return self.on_device(array, any_place(rng, array.shape))

    def rounds(self, seed, count=ROUNDS):
        for number in range(count):
            rng = numpy.random.default_rng([seed, number])
            array = array_of(rng, numpy.int32, any_shape(rng)).astype(TYPES[number % len(TYPES)])
            with self.subTest(number=number, shape=array.shape, dtype=array.dtype):
                yield rng, array

    def check(self, rng, call, array, expected):
        result = call(self.place(rng, array), memory_config=any_place(rng, expected.shape))
        self.assertEqual((result.shape, numpy.asarray(result).dtype), (expected.shape, expected.dtype))
        numpy.testing.assert_array_equal(result, expected)
        output = self.on_device(numpy.zeros_like(expected))
        call(self.on_device(array), output_tensor=output)
        numpy.testing.assert_array_equal(output, expected)

    def test_permutations(self):
        for rng, array in self.rounds(71, 3 * ROUNDS):
            order = [int(each) for each in rng.permutation(array.ndim)]
            given = [each - array.ndim if rng.integers(2) else each for each in order]
            self.check(rng, lambda t, **where: pianola.permute(t, given, **where), array, array.transpose(order))

    def test_transpositions(self):
        for rng, array in self.rounds(72):
            first, second = (int(each) for each in rng.integers(-array.ndim, array.ndim, size=2))
            self.check(rng, lambda t, **where: pianola.transpose(t, first, second, **where), array,
                       array.swapaxes(first, second))

    def test_reversals(self):
        for rng, array in self.rounds(73):
            axes = [axis for axis in range(array.ndim) if rng.integers(2)]
            self.check(rng, lambda t, **where: pianola.flip(t, axes, **where), array, numpy.flip(array, axes))

    def test_repetitions(self):
        for rng, array in self.rounds(74):
            times = [int(each) for each in rng.integers(1, 4, size=array.ndim)]
            self.check(rng, lambda t, **where: pianola.repeat(t, times, **where), array, numpy.tile(array, times))

    def test_choices(self):
        for rng, array in self.rounds(75, 2 * ROUNDS):
            axis = int(rng.integers(array.ndim))
            size = array.shape[axis]
            indices = rng.integers(-2, size + 2, size=rng.integers(1, 6, size=rng.integers(1, 3))).astype(numpy.int32)
            places = self.place(rng, indices)
            expected = numpy.take(array, numpy.clip(indices, 0, size - 1), axis)
            given = axis - array.ndim if rng.integers(2) else axis
            self.check(rng, lambda t, **where: pianola.take(t, places, given, **where), array, expected)

    def test_embeddings(self):
        rng = numpy.random.default_rng(76)
        weight = array_of(rng, numpy.int8, (50, 24))
        words = rng.integers(50, size=(3, 7)).astype(numpy.int32)
        result = pianola.embedding(self.place(rng, words), self.place(rng, weight))
        numpy.testing.assert_array_equal(result, weight[words])

    def test_tiles_give_the_same(self):
        rng = numpy.random.default_rng(77)
        array = array_of(rng, numpy.int8, (2, 33, 40))
        indices = self.on_device(rng.integers(33, size=5).astype(numpy.int32))
        for call in (lambda t: pianola.permute(t, (2, 0, 1)), lambda t: pianola.flip(t, (1,)),
                     lambda t: pianola.repeat(t, (1, 2, 3)), lambda t: pianola.take(t, indices, 1)):
            tiles = pianola.from_numpy(array, layout=pianola.TILE_LAYOUT, device=self.device)
            result = call(tiles)
            self.assertEqual(result.layout, pianola.TILE_LAYOUT)
            numpy.testing.assert_array_equal(result, numpy.asarray(call(self.on_device(array))))

    def test_a_trace_reads_indices_anew(self):
        with pianola.manage_device(core_grid=GRID, trace_region_size=65536) as device:
            table = pianola.from_numpy(numpy.arange(40, dtype=numpy.int8).reshape(8, 5), device=device)
            words = pianola.from_numpy(numpy.zeros(3, numpy.int32), device=device)
            pianola.take(table, words)
            trace = pianola.begin_trace_capture(device)
            output = pianola.take(table, words)
            pianola.end_trace_capture(device, trace)
            pianola.copy_host_to_device_tensor(pianola.from_numpy(numpy.array([7, -9, 2], numpy.int32)), words)
            pianola.execute_trace(device, trace)
            numpy.testing.assert_array_equal(output, numpy.arange(40).reshape(8, 5)[[7, 0, 2]])

    def test_refusals(self):
        tensor = self.on_device(numpy.zeros((4, 6), numpy.int8))
        indices = self.on_device(numpy.zeros(2, numpy.int32))
        host = pianola.from_numpy(numpy.zeros((4, 6), numpy.int8))
        before = self.commands()
        for dims in ((0,), (0, 0), (0, 2), (0, 1, 1), (-3, 0)):
            self.refused("TENSOR-ARGUMENT", pianola.permute, tensor, dims)
        self.refused("TENSOR-ARGUMENT", pianola.transpose, tensor, 0, 2)
        for dims in ((2,), (0, 0), (0, -2)):
            self.refused("TENSOR-ARGUMENT", pianola.flip, tensor, dims)
        for times in ((1,), (1, 0), (2**31, 1), (1, 1, 1)):
            self.refused("TENSOR-ARGUMENT", pianola.repeat, tensor, times)
        self.refused("TENSOR-ARGUMENT", pianola.take, tensor, indices, 2)
        self.refused("TENSOR-TYPE", pianola.take, tensor, tensor)
        self.refused("TENSOR-TYPE", pianola.embedding, tensor, tensor)
        self.refused("TENSOR-OVERLAP", pianola.permute, tensor, (0, 1), output_tensor=tensor)
        self.refused("TENSOR-SHAPE", pianola.permute, tensor, (1, 0), output_tensor=tensor)
        for call in (lambda: pianola.permute(host, (1, 0)), lambda: pianola.flip(host, (0,)),
                     lambda: pianola.repeat(host, (1, 2)), lambda: pianola.take(host, indices)):
            self.refused("TENSOR-DEVICE", call)
        self.assertEqual(self.commands(), before)


if __name__ == "__main__":
    main()
