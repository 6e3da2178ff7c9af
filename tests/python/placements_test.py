#!/usr/bin/env python3
"""Every ordinary placement of a tensor is captured for the default device: sharded by height, width or block, or
interleaved, over grids of all sizes, and moved from each to each. What comes out is what NumPy computes."""
import random
import unittest

import numpy

import pianola
from python_support import main

GRIDS = ((2, 2), (2, 4), (4, 4), (4, 8), (8, 8))
SHAPES = ((16, 32), (64, 33), (64, 64), (128, 128))
STRATEGIES = ("HEIGHT", "WIDTH", "BLOCK")
PLACES = ("L1", "DRAM") + STRATEGIES + tuple(f"DRAM {name}" for name in STRATEGIES)
TYPES = {numpy.int8: pianola.int8, numpy.int16: pianola.int16, numpy.int32: pianola.int32}


def memory_of(device, shape, place):
    """The memory configuration that a place names."""
    if place in ("L1", "DRAM"):
        return pianola.L1_MEMORY_CONFIG if place == "L1" else pianola.DRAM_MEMORY_CONFIG
    kind = pianola.BufferType.DRAM if place.startswith("DRAM") else pianola.BufferType.L1
    return pianola.create_sharded_memory_config(
        shape, device.core_grid, getattr(pianola.ShardStrategy, place.split()[-1]), buffer_type=kind)


class Program:
    """One tensor through places, with layers in each."""

    def __init__(self, device, shape, places, layers=1, dtype=numpy.int8):
        self.device, self.shape, self.places, self.dtype = device, shape, places, dtype
        self.layers = 0 if dtype is numpy.int16 else layers  # which add() does not take
        self.input, self.output = (pianola.zeros(shape, TYPES[dtype], device=device) for _ in range(2))
        self.events = None

    def use_two_queues(self):
        """Queue 1 writes the input, queue 0 does everything else."""
        self.events = [pianola.create_event(self.device) for _ in range(2)]
        pianola.record_event(0, self.events[0])
        pianola.wait_for_event(1, self.events[0])

    def compute(self):
        tensor = self.input
        for place in self.places:
            tensor = pianola.to_memory_config(tensor, memory_of(self.device, self.shape, place))
            for _ in range(self.layers):
                tensor = pianola.relu(pianola.add(tensor, tensor))
        pianola.reshard(tensor, pianola.DRAM_MEMORY_CONFIG, self.output)

    def step(self, array):
        host = pianola.from_numpy(array)
        if self.events is None:
            pianola.copy_host_to_device_tensor(host, self.input)
            self.compute()
        else:
            pianola.copy_host_to_device_tensor(host, self.input, cq_id=1)
            pianola.record_event(1, self.events[1])
            pianola.wait_for_event(0, self.events[1])
            self.compute()
            pianola.record_event(0, self.events[0])
            pianola.wait_for_event(1, self.events[0])
        return self.output.cpu().to_numpy()

    def expected(self, array):
        for _ in range(self.layers * len(self.places)):
            doubled = array.astype(numpy.int64) * 2
            if self.dtype is numpy.int8:
                doubled = numpy.clip(doubled, -128, 127)
            array = numpy.maximum(doubled, 0).astype(self.dtype)
        return array

    def captured(self, test, declared=True):
        """The binary of two steps, each compared with NumPy. The first one runs eagerly."""
        rng = numpy.random.default_rng(1)
        arrays = [rng.integers(-100, 100, self.shape).astype(self.dtype) for _ in range(3)]
        numpy.testing.assert_array_equal(self.step(arrays[0]), self.expected(arrays[0]))
        capture = pianola.capture(self.device)
        if declared:
            capture.declare_input(self.input, "x")
            capture.declare_output(self.output, "y")
        for array in arrays[1:]:
            if declared:
                capture.begin_step()
            numpy.testing.assert_array_equal(self.step(array), self.expected(array))
        workload = capture.end()  # which also replays the binary, and compares
        test.assertEqual(workload.steps, 2)
        return workload


def grid_of(size, **options):
    return pianola.manage_device(core_grid=pianola.CoreGrid(y=size[0], x=size[1]),
                                 **{"trace_region_size": 1 << 18, **options})


class Placements(unittest.TestCase):
    """Captures that the default profile takes."""

    def test_every_placement_is_captured(self):
        types = list(TYPES)
        for number, (grid, shape, place) in enumerate(
                (grid, shape, place) for grid in GRIDS for shape in SHAPES for place in ("L1",) + STRATEGIES):
            for layers in (1, 3):
                dtype = types[(number + layers) % len(types)] if shape != SHAPES[-1] else numpy.int8
                with self.subTest(grid=grid, shape=shape, place=place, layers=layers, dtype=dtype.__name__):
                    with grid_of(grid) as device:
                        Program(device, shape, (place,), layers, dtype).captured(self)

    def test_any_place_to_any_other_is_captured(self):
        choose = random.Random(7)
        for _ in range(60):
            grid = choose.choice(GRIDS + ((1, 1), (1, 8), (3, 5)))
            shape = choose.choice(SHAPES + ((1030, 7), (33, 257), (512, 16), (7, 5)))
            places = [choose.choice(PLACES) for _ in range(choose.randint(1, 3))]
            dtype = choose.choice(list(TYPES)) if max(shape) < 100 else numpy.int8  # so that L1 holds it
            declared, queues = choose.random() < 0.7, choose.choice((1, 1, 2))
            with self.subTest(grid=grid, shape=shape, places=places, dtype=dtype.__name__, declared=declared,
                              queues=queues):
                with grid_of(grid, num_command_queues=queues) as device:
                    program = Program(device, shape, places, dtype=dtype)
                    if queues == 2:
                        program.use_two_queues()
                    program.captured(self, declared)

    def test_two_queues_leave_ranges_to_the_other_programs(self):
        with grid_of((8, 8), num_command_queues=2) as device:
            program = Program(device, (128, 128), ("BLOCK",))
            program.use_two_queues()
            program.captured(self)

    def test_many_rows_over_interleaved_cores_are_captured(self):
        for source, target in (("L1", "WIDTH"), ("HEIGHT", "L1"), ("L1", "DRAM"), ("DRAM", "L1"), ("WIDTH", "L1")):
            with self.subTest(source=source, target=target), grid_of((4, 4)) as device:
                Program(device, (1030, 17), (source, target), layers=0).captured(self)

    def test_moves_between_many_shards_take_few_commands(self):
        with grid_of((8, 8), trace_region_size=1 << 15) as device:  # row by row, one move would take 155 KB
            Program(device, (128, 128), ("WIDTH",)).captured(self)

    def test_the_same_program_gives_the_same_binary(self):
        files = []
        for _ in range(2):
            with grid_of((8, 8)) as device:
                files.append(Program(device, (64, 64), ("WIDTH", "L1")).captured(self).file)
        self.assertEqual(*files)

    def test_a_trace_of_such_moves_is_captured(self):
        with grid_of((4, 8)) as device:
            program = Program(device, (64, 64), ("WIDTH",))
            program.compute()
            trace = pianola.begin_trace_capture(device, cq_id=0)
            program.compute()
            pianola.end_trace_capture(device, trace, cq_id=0)
            program.compute = lambda: pianola.execute_trace(device, trace, cq_id=0)
            program.captured(self)


class Limits(unittest.TestCase):
    """What no order of commands makes fit: more separate pieces of L1 than the profile has ranges."""

    def kept(self, rows):
        """Eleven tensors of 64 columns, one on each of 64 cores, that all live at the same time."""
        with grid_of((8, 8)) as device:
            program = Program(device, (rows, 64), ("WIDTH",))

            def compute():
                columns = memory_of(device, program.shape, "WIDTH")
                tensors = [pianola.to_memory_config(program.input, columns)]
                for _ in range(10):
                    tensors.append(pianola.relu(tensors[-1]))
                pianola.reshard(tensors[-1], pianola.DRAM_MEMORY_CONFIG, program.output)

            program.compute = compute
            program.expected = lambda array: numpy.maximum(array, 0)
            return program.captured(self)

    def test_the_refusal_names_what_helps(self):
        with self.assertRaises(pianola.Error) as caught:
            self.kept(33)
        for part in ("CAP-INTERVALS", "found at least 513, limit 512", "profile host takes it",
                     "shards of a multiple of 64 bytes"):
            self.assertIn(part, str(caught.exception))

    def test_shards_of_a_multiple_of_64_bytes_lie_side_by_side(self):
        self.kept(64)


if __name__ == "__main__":
    main()
