#!/usr/bin/env python3
"""Tiles, parts of tensors, and memory configurations by name, against NumPy."""
import unittest

import numpy

import pianola
from operation_support import GRID, OperationTest, any_place, any_shape, array_of
from python_support import main

ROUNDS = 60
TILE, ROWS = pianola.TILE_LAYOUT, pianola.ROW_MAJOR_LAYOUT
SHAPES = ((32, 32), (1,), (33,), (64, 96), (5, 7), (40, 70), (3, 17, 33), (2, 3, 1, 100))
NAMED = {
    (memory, layout): getattr(pianola, f"{memory}_{layout}_SHARDED_MEMORY_CONFIG")
    for memory in ("DRAM", "L1") for layout in ("HEIGHT", "WIDTH", "BLOCK")
}


def tiles_of(array):
    """What a tensor in tiles has in memory, element by element as the format is described."""
    rows, columns = (1, *array.shape)[-2:]
    matrices = array.reshape(-1, rows, columns)
    tiles = []
    for matrix in matrices:
        for top in range(0, rows, 32):
            line = []
            for left in range(0, columns, 32):
                for face_top, face_left in ((0, 0), (0, 16), (16, 0), (16, 16)):
                    for row in range(top + face_top, top + face_top + 16):
                        for column in range(left + face_left, left + face_left + 16):
                            inside = row < rows and column < columns
                            line.append(matrix[row, column] if inside else array.dtype.type(0))
            tiles.append(line)
    return numpy.array(tiles, array.dtype)


class Tiles(OperationTest):
    """The layout of tiles."""

    def tiled(self, array, place=pianola.DRAM_MEMORY_CONFIG):
        """A device tensor in tiles, which both queues may use."""
        tensor = pianola.from_numpy(array, layout=TILE, device=self.device, memory_config=place)
        pianola.synchronize_device(self.device)
        return tensor

    def test_arrays_become_tiles_and_come_back(self):
        for number, shape in enumerate(SHAPES):
            for dtype in (numpy.int8, numpy.uint16, numpy.int32):
                with self.subTest(shape=shape, dtype=dtype):
                    array = array_of(numpy.random.default_rng([50, number]), dtype, shape)
                    tiles = pianola.to_tiles(array)
                    numpy.testing.assert_array_equal(tiles, tiles_of(array))
                    numpy.testing.assert_array_equal(pianola.from_tiles(tiles, shape), array)
        self.refused("TENSOR-SHAPE", pianola.from_tiles, numpy.zeros((1, 2048), numpy.int8), (32, 32))
        self.refused("TENSOR-TYPE", pianola.to_tiles, numpy.zeros((4, 4)))

    def test_host_to_device_and_back(self):
        for number, shape in enumerate(SHAPES):
            for dtype in (numpy.int8, numpy.uint16, numpy.uint32):
                with self.subTest(shape=shape, dtype=dtype):
                    array = array_of(numpy.random.default_rng([51, number]), dtype, shape)
                    for tensor in (pianola.from_numpy(array, layout=TILE), self.tiled(array)):
                        self.assertEqual((tensor.layout, tensor.shape), (TILE, shape))
                        padded = tuple(-(-size // 32) * 32 for size in (1, *shape)[-2:])
                        self.assertEqual(tensor.padded_shape, (*shape[:-2], *padded))
                        numpy.testing.assert_array_equal(numpy.asarray(tensor), array)
                    # What lies on the device are tiles: a tensor of rows at their place shows them.
                    storage = tiles_of(array)
                    there = self.tiled(array)
                    there.deallocate()
                    seen = pianola.allocate_tensor_on_device(storage.shape, there.dtype, ROWS, self.device)
                    numpy.testing.assert_array_equal(numpy.asarray(seen), storage)

    def test_conversion_on_the_device(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([52, number])
            shape = (int(rng.integers(1, 4)), int(rng.integers(1, 70)), int(rng.integers(1, 100)))
            shape = shape[int(rng.integers(3)):]
            array = array_of(rng, rng.choice([numpy.int8, numpy.uint16, numpy.int32]), shape)
            with self.subTest(number=number, shape=shape):
                rows = self.on_device(array, any_place(rng, shape))
                queue = int(rng.integers(2))
                tiles = pianola.to_layout(rows, TILE, memory_config=pianola.DRAM_MEMORY_CONFIG, cq_id=queue)
                back = pianola.to_layout(tiles, ROWS, memory_config=any_place(rng, shape), cq_id=queue)
                self.assertEqual((rows.layout, tiles.layout, back.layout), (ROWS, TILE, ROWS))
                numpy.testing.assert_array_equal(tiles.cpu(cq_id=queue).to_numpy(), array)
                numpy.testing.assert_array_equal(back.cpu(cq_id=queue).to_numpy(), array)
                pianola.synchronize_device(self.device)
        same = self.tiled(numpy.zeros((4, 4), numpy.int8))
        self.assertEqual(pianola.to_layout(same, TILE).buffer_address(), same.buffer_address())

    def test_shards_hold_whole_tiles(self):
        array = array_of(numpy.random.default_rng(53), numpy.int8, (128, 192))
        for strategy in (pianola.ShardStrategy.HEIGHT, pianola.ShardStrategy.WIDTH, pianola.ShardStrategy.BLOCK):
            for memory in (pianola.BufferType.L1, pianola.BufferType.DRAM):
                shape = (128, 192 if strategy == pianola.ShardStrategy.HEIGHT else 256)  # shards of 64 columns
                place = pianola.create_sharded_memory_config(shape, GRID, strategy, buffer_type=memory)
                with self.subTest(place=place):
                    tensor = self.tiled(array, place)
                    self.assertEqual(tensor.memory_config(), place)
                    doubled = pianola.add(tensor, tensor)
                    self.assertEqual((doubled.memory_config(), doubled.layout), (place, TILE))
                    expected = numpy.clip(2 * array.astype(int), -128, 127)
                    numpy.testing.assert_array_equal(doubled, expected)
                    moved = pianola.to_memory_config(doubled, pianola.L1_MEMORY_CONFIG)
                    numpy.testing.assert_array_equal(moved, expected)
        cut = pianola.create_sharded_memory_config((64, 64), GRID, pianola.ShardStrategy.HEIGHT)
        self.refused("TENSOR-LAYOUT", self.tiled, numpy.zeros((64, 64), numpy.int8), cut)

    def test_every_mix_of_layouts(self):
        """Binary operations, with broadcasting: the first operand says what the result is, or the output."""
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([54, number])
            dtype = (numpy.int8, numpy.int32, numpy.uint32)[number % 3]
            shape = (int(rng.integers(1, 4)), int(rng.integers(1, 40)), int(rng.integers(1, 40)))
            arrays = [array_of(rng, dtype, tuple(1 if rng.integers(3) == 0 else size for size in shape))
                      for _ in range(2)]
            layouts = [(ROWS, TILE)[int(each)] for each in rng.integers(2, size=3)]
            wide = [array.astype(numpy.int64) for array in arrays]
            for call, exact in ((pianola.add, wide[0] + wide[1]), (pianola.subtract, wide[0] - wide[1]),
                                (pianola.eq, wide[0] == wide[1])):
                with self.subTest(number=number, call=call.__name__, layouts=layouts):
                    expected = numpy.clip(exact, -128, 127) if dtype == numpy.int8 else exact.astype(dtype)
                    left, right = (
                        pianola.from_numpy(array, layout=layout, device=self.device)
                        for array, layout in zip(arrays, layouts))
                    result = call(left, right)
                    self.assertEqual((result.layout, result.shape), (layouts[0], expected.shape))
                    numpy.testing.assert_array_equal(result, expected)
                    output = pianola.zeros(expected.shape, result.dtype, layouts[2], device=self.device)
                    self.assertEqual(call(left, right, output_tensor=output).layout, layouts[2])
                    numpy.testing.assert_array_equal(output, expected)

    def test_every_operation_takes_tiles(self):
        """The same result as of rows, in tiles."""
        rng = numpy.random.default_rng(55)
        wide = array_of(rng, numpy.int32, (3, 33, 40))
        bytes_, image, weights = (array_of(rng, numpy.int8, shape)
                                  for shape in ((2, 33, 40), (1, 9, 9, 4), (5, 3, 3, 4)))
        matrix = array_of(rng, numpy.int8, (40, 35))
        scales = {"input_scale": 0.5, "weight_scale": 0.25, "output_scale": 8.0}
        calls = (
            (lambda t: pianola.relu(t), wide), (lambda t: pianola.minimum(t, 7), wide),
            (lambda t: pianola.sum(t), wide), (lambda t: pianola.max(t, 0), wide), (lambda t: pianola.min(t, 1), wide),
            (lambda t: pianola.matmul(t, self.tiled(matrix)), bytes_),
            (lambda t: pianola.linear(t, self.tiled(matrix), bias=self.tiled(wide[0, 0, :35])), bytes_),
            (lambda t: pianola.linear(t, self.tiled(matrix), dtype=pianola.int8, **scales), bytes_),
            (lambda t: pianola.requantize(t, 1e-7, 0, 0.5, 3), wide),
            (lambda t: pianola.typecast(t, pianola.int8), wide),
            (lambda t: pianola.requantize(t, 0.5, 1, 0.25, 3), bytes_),
            (lambda t: pianola.reshape(t, (33, 2, 40)), bytes_),
            (lambda t: pianola.softmax(t, input_scale=0.1), bytes_), (lambda t: pianola.mean(t, [1, 2]), bytes_),
            (lambda t: pianola.pad(t, [(0, 0), (1, 2), (3, 4)], 5), bytes_),
            (lambda t: pianola.add(t, t, input_scale_a=0.5, input_scale_b=0.25, output_scale=1.0), bytes_),
            (lambda t: pianola.avg_pool2d(t, (2, 2), (2, 2)), image),
            (lambda t: pianola.max_pool2d(t, (3, 3), (1, 1)), image),
            (lambda t: pianola.conv2d(t, self.tiled(weights), padding="same", **scales), image),
            (lambda t: pianola.depthwise_conv2d(t, self.tiled(weights[:1]), **scales), image),
            (lambda t: pianola.slice(t, (0, 1, 2), (2, 30, 39), (1, 2, 3)), bytes_),
            (lambda t: pianola.concat([t, self.on_device(bytes_), t], 1), bytes_),
            (lambda t: pianola.to_memory_config(t, pianola.L1_MEMORY_CONFIG), wide),
        )
        for number, (call, array) in enumerate(calls):
            with self.subTest(number=number):
                rows, tiles = call(self.on_device(array)), call(self.tiled(array))
                self.assertEqual((rows.layout, tiles.layout), (ROWS, TILE))
                self.assertEqual((tiles.shape, tiles.dtype), (rows.shape, rows.dtype))
                numpy.testing.assert_array_equal(tiles, numpy.asarray(rows))

    def test_traces_and_full(self):
        tensor = pianola.full((40, 50), 3, pianola.int8, TILE, device=self.device)
        numpy.testing.assert_array_equal(tensor, numpy.full((40, 50), 3))

        def model():
            return pianola.to_layout(pianola.add(tensor, pianola.to_layout(row, TILE)), ROWS)

        row = self.on_device(numpy.arange(50, dtype=numpy.int8))
        model()
        trace = pianola.begin_trace_capture(self.device)
        output = model()
        pianola.end_trace_capture(self.device, trace)
        array = array_of(numpy.random.default_rng(56), numpy.int8, (40, 50))
        pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
        pianola.execute_trace(self.device, trace)
        numpy.testing.assert_array_equal(output, numpy.clip(array.astype(int) + numpy.arange(50), -128, 127))

    def test_a_captured_input_is_its_tiles(self):
        rng = numpy.random.default_rng(57)
        arrays = [array_of(rng, numpy.int16, (33, 40)).view(numpy.uint16) for _ in range(4)]
        with pianola.manage_device(trace_region_size=65536) as device:
            with pianola.capture(device) as capture:
                for array in arrays:
                    tiles = pianola.from_numpy(array, layout=TILE, device=device)
                    pianola.to_layout(tiles, ROWS).cpu()
        session = pianola.Session(capture.result.file)
        (entry,) = session.inputs
        self.assertEqual((entry["shape"], session.outputs[0]["shape"]), ((2, 2048), (33, 40)))
        results = session.run([{"input 0": pianola.to_tiles(array)} for array in arrays])
        for array, result in zip(arrays, results):
            numpy.testing.assert_array_equal(result["output 0"], array)


class Pipelines(unittest.TestCase):
    """Each executor with inputs in tiles, and memory configurations by name."""

    def test_every_executor(self):
        arrays = [array_of(numpy.random.default_rng([61, number]), numpy.int8, (64, 40)) for number in range(7)]
        for executor in ((False, 1, False), (True, 1, False), (False, 2, False), (True, 2, False), (True, 2, True)):
            with self.subTest(executor=executor), pianola.manage_device(
                    core_grid=GRID, trace_region_size=65536, num_command_queues=executor[1]) as device:
                pipeline = pianola.create_pipeline_from_config(
                    config=pianola.PipelineConfig(*executor), model=lambda x: pianola.relu(pianola.add(x, 3)),
                    device=device, dram_input_memory_config=NAMED["DRAM", "HEIGHT"],
                    l1_input_memory_config=NAMED["L1", "HEIGHT"], dram_output_memory_config=NAMED["DRAM", "WIDTH"])
                inputs = [pianola.from_numpy(array, layout=TILE) for array in arrays]
                pipeline.compile(inputs[0])
                pipeline.preallocate_output_tensors_on_host(len(inputs))
                outputs = pipeline.enqueue(inputs).pop_all()
                self.assertEqual(len(outputs), len(arrays))
                for array, output in zip(arrays, outputs):
                    self.assertEqual(output.layout, TILE)
                    numpy.testing.assert_array_equal(output, numpy.clip(array.astype(int) + 3, 0, 127))
                pipeline.cleanup()


class NamedMemory(OperationTest):
    """Sharded configurations without shards: those of the device's cores."""

    def test_every_name(self):
        for shape, layout in (((7, 13), ROWS), ((64, 64), TILE), ((2, 3, 40), TILE), ((1, 5), ROWS)):
            array = array_of(numpy.random.default_rng(58), numpy.int8, shape)
            for (memory, strategy), place in NAMED.items():
                with self.subTest(shape=shape, memory=memory, strategy=strategy):
                    self.assertTrue(place.is_sharded())
                    self.assertIsNone(place.shard_spec)
                    tensor = pianola.from_numpy(array, layout=layout, device=self.device, memory_config=place)
                    config = tensor.memory_config()
                    self.assertEqual(config.memory_layout, place.memory_layout)
                    self.assertEqual(config.buffer_type, place.buffer_type)
                    if layout == ROWS:
                        self.assertEqual(config, pianola.create_sharded_memory_config(
                            shape, GRID, place.memory_layout, buffer_type=place.buffer_type))
                    moved = pianola.relu(tensor, memory_config=NAMED["L1", "HEIGHT"])
                    self.assertEqual(moved.memory_config().memory_layout, pianola.TensorMemoryLayout.HEIGHT_SHARDED)
                    again = pianola.reshard(tensor, NAMED["L1", "HEIGHT"], moved)
                    numpy.testing.assert_array_equal(again, array)
        spec = pianola.TensorSpec((8, 8), pianola.int8, memory_config=NAMED["L1", "HEIGHT"])
        self.assertEqual(pianola.allocate_tensor_on_device(spec, self.device).memory_config().shard_spec.shape, (2, 8))


class Parts(OperationTest):
    """slice and concat."""

    def test_slices(self):
        for number in range(4 * ROUNDS):
            rng = numpy.random.default_rng([59, number])
            array = array_of(rng, rng.choice([numpy.int8, numpy.uint16, numpy.int32]), any_shape(rng))
            starts = [int(rng.integers(size)) for size in array.shape]
            ends = [int(rng.integers(start, size)) + 1 for start, size in zip(starts, array.shape)]
            steps = [int(rng.integers(1, 4)) for _ in array.shape]
            whole = rng.integers(2, size=len(steps))
            starts = [0 if each else start for each, start in zip(whole, starts)]
            ends = [size if each else end for each, size, end in zip(whole, array.shape, ends)]
            use_steps = number % 2 == 0
            index = tuple(slice(a, b, c if use_steps else 1) for a, b, c in zip(starts, ends, steps))
            with self.subTest(number=number, shape=array.shape, index=index):
                expected = array[index]
                back = [start - size for start, size in zip(starts, array.shape)] if number % 3 == 0 else starts
                result = pianola.slice(
                    self.on_device(array, any_place(rng, array.shape)), back, ends, steps if use_steps else None,
                    memory_config=any_place(rng, expected.shape))
                self.assertEqual(result.shape, expected.shape)
                numpy.testing.assert_array_equal(result, expected)

    def test_concatenations(self):
        for number in range(2 * ROUNDS):
            rng = numpy.random.default_rng([60, number])
            shape, dtype = any_shape(rng), rng.choice([numpy.int8, numpy.uint16, numpy.int32])
            axis = int(rng.integers(len(shape)))
            arrays = [
                array_of(rng, dtype, (*shape[:axis], int(rng.integers(1, 9)), *shape[axis + 1:]))
                for _ in range(int(rng.integers(1, 20)))
            ]
            expected = numpy.concatenate(arrays, axis)
            with self.subTest(number=number, shape=shape, axis=axis, count=len(arrays)):
                tensors = [self.on_device(array, any_place(rng, array.shape)) for array in arrays]
                result = pianola.concat(tensors, axis - len(shape) if number % 2 else axis,
                                        memory_config=any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(result, expected)

    def test_refusals(self):
        tensor = self.on_device(numpy.zeros((4, 6), numpy.int8))
        other = self.on_device(numpy.zeros((4, 6), numpy.uint8))
        narrow = self.on_device(numpy.zeros((3, 6), numpy.int8))
        before = self.commands()
        for starts, ends, steps in (((0,), (4,), None), ((0, 0), (5, 6), None), ((2, 0), (2, 6), None),
                                    ((3, 0), (1, 6), None), ((0, 0), (4, 6), (1, 0)), ((-5, 0), (4, 6), None),
                                    ((0, 0), (4, 6), (1,))):
            self.refused("TENSOR-ARGUMENT", pianola.slice, tensor, starts, ends, steps)
        self.refused("TENSOR-ARGUMENT", pianola.concat, [])
        for dim in (2, -3, 2**40):
            self.refused("TENSOR-ARGUMENT", pianola.concat, [tensor], dim)
        self.refused("TENSOR-TYPE", pianola.concat, [tensor, other])
        self.refused("TENSOR-SHAPE", pianola.concat, [tensor, narrow], 1)
        self.refused("TENSOR-OVERLAP", pianola.concat, [narrow], output_tensor=narrow)
        self.refused("TENSOR-OVERLAP", pianola.slice, tensor, (0, 0), (4, 6), output_tensor=tensor)
        host = pianola.from_numpy(numpy.zeros((4, 6), numpy.int8))
        self.refused("TENSOR-DEVICE", pianola.slice, host, (0, 0), (4, 6))
        self.refused("TENSOR-DEVICE", pianola.to_layout, host, TILE, pianola.DRAM_MEMORY_CONFIG)
        self.assertEqual(self.commands(), before)


if __name__ == "__main__":
    main()
