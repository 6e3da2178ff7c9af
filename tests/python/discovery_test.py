#!/usr/bin/env python3
"""Captures without declarations and marks: programs as people write them, and pipelines."""
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, int8_array, main, saturated

SHAPE = (4, 16)
EXECUTORS = ((False, 1), (True, 1), (False, 2), (True, 2), (True, 2, True))


class Discovery(unittest.TestCase):
    """What is captured computes the same of other inputs."""

    def setUp(self):
        self.rng = numpy.random.default_rng(11)
        self.device = pianola.open_device(trace_region_size=TRACE_REGION, num_command_queues=2)
        self.addCleanup(pianola.close_device, self.device)

    def expect(self, result, right, steps=None):
        """Replays new inputs of SHAPE; `right` is what they should give."""
        arrays = [int8_array(self.rng, SHAPE) for _ in range(5)]
        outputs = pianola.replay(result.file, [{"input 0": array} for array in arrays])
        for array, output in zip(arrays, outputs, strict=True):
            numpy.testing.assert_array_equal(output["output 0"], right(array))
        if steps is not None:
            self.assertEqual(result.steps, steps)

    def test_the_natural_loop(self):
        matrix = int8_array(self.rng, (16, 8))
        with pianola.capture(self.device) as capture:
            weight = pianola.from_numpy(matrix, device=self.device)
            for _ in range(4):
                x = pianola.from_numpy(int8_array(self.rng, SHAPE), device=self.device)
                y = pianola.matmul(pianola.relu(x), weight)
                y.cpu()
        self.expect(capture.result, lambda array: numpy.maximum(array, 0).astype(int) @ matrix.astype(int), 4)
        self.assertEqual(capture.result.warnings, [])

    def test_results_that_are_kept(self):
        kept = []
        with pianola.capture(self.device) as capture:
            for _ in range(3):
                x = pianola.from_numpy(int8_array(self.rng, SHAPE), device=self.device)
                kept.append(pianola.neg(x))
                kept[-1].cpu()
        self.expect(capture.result, lambda array: saturated(-array.astype(int)), 3)

    def test_pipelines(self):
        sharded = pianola.create_sharded_memory_config(SHAPE, self.device.core_grid, pianola.ShardStrategy.HEIGHT)
        for executor in EXECUTORS:
            for count in (3, 8) if executor == EXECUTORS[4] else (2, 8):
                with self.subTest(executor=executor, count=count):
                    hosts = [pianola.from_numpy(int8_array(self.rng, SHAPE)) for _ in range(count)]
                    pipeline = pianola.create_pipeline_from_config(
                        config=pianola.PipelineConfig(*executor), model=lambda x: pianola.add(pianola.relu(x), x),
                        device=self.device, dram_input_memory_config=pianola.DRAM_MEMORY_CONFIG,
                        l1_input_memory_config=sharded, dram_output_memory_config=pianola.DRAM_MEMORY_CONFIG)
                    pipeline.compile(hosts[0])
                    with pianola.capture(self.device) as capture:
                        pipeline.enqueue(hosts).pop_all()
                    self.expect(capture.result,
                                lambda array: saturated(numpy.maximum(array, 0).astype(int) + array))
                    pipeline.cleanup()

    def test_a_loop_that_is_too_short_is_refused_with_a_remedy(self):
        tensor = pianola.zeros(SHAPE, pianola.int8, device=self.device)
        with self.assertRaisesRegex(pianola.Error, "written 2 times in a step.*let the program's loop take more turns"):
            with pianola.capture(self.device):
                for operation in (pianola.relu, pianola.neg):
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(int8_array(self.rng, SHAPE)), tensor)
                    operation(tensor).cpu()


if __name__ == "__main__":
    main()
