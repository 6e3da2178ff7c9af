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
                    self.expect(capture.result, lambda array: saturated(numpy.maximum(array, 0).astype(int) + array))
                    pipeline.cleanup()

    def test_programs_without_a_loop(self):
        """Two inputs of one tensor, an intermediate that is read, an output that is an input too."""
        tensor = pianola.zeros(SHAPE, pianola.int8, device=self.device)
        host = pianola.from_numpy(numpy.zeros(SHAPE, numpy.int8))  # the data show nothing
        with pianola.capture(self.device) as capture:
            for operation in (pianola.relu, pianola.neg):
                pianola.copy_host_to_device_tensor(host, tensor)
                middle = operation(tensor)
                middle.cpu()
                pianola.add(middle, tensor, output_tensor=tensor)
                tensor.cpu()
        one, other = int8_array(self.rng, SHAPE), int8_array(self.rng, SHAPE)
        output = pianola.replay(capture.result.file, [{"input 0": one, "input 1": other}])[0]
        first, second = numpy.maximum(one, 0), saturated(-other.astype(int))
        pianola.compare_to_golden([output], [{
            "output 0": first, "output 1": saturated(first.astype(int) + one), "output 2": second,
            "output 3": saturated(second.astype(int) + other)
        }])

    def test_state_that_the_host_initialises(self):
        with pianola.capture(self.device) as capture:
            state = pianola.from_numpy(numpy.full(SHAPE, 3, numpy.int8), device=self.device)
            for _ in range(4):
                x = pianola.from_numpy(numpy.zeros(SHAPE, numpy.int8), device=self.device)
                pianola.add(state, x, output_tensor=state)
                state.cpu()
        self.assertIn("depend on earlier steps", capture.result.warnings[0])
        ones = [{"input 0": numpy.ones(SHAPE, numpy.int8)}] * 3
        self.assertEqual([output["output 0"].max() for output in pianola.replay(capture.result.file, ones)], [4, 5, 6])

    def test_what_was_captured_is_compared(self):
        with pianola.capture(self.device) as capture:
            for _ in range(3):
                pianola.neg(pianola.from_numpy(int8_array(self.rng, SHAPE), device=self.device)).cpu()
        result = capture.result
        result.compare_to_capture()
        outputs = pianola.replay(result.file, result.inputs)
        pianola.compare_to_golden(outputs, result.outputs)
        wrong = [dict(output) for output in result.outputs]
        wrong[1]["output 0"] = wrong[1]["output 0"] ^ 1
        with self.assertRaisesRegex(pianola.Error, "API-COMPARE: output 0 of inference 1 differs at byte 0"):
            pianola.compare_to_golden(outputs, wrong)
        for left, right in ((outputs[:2], result.outputs), ([{}] * 3, result.outputs)):
            with self.assertRaisesRegex(pianola.Error, "API-COMPARE"):
                pianola.compare_to_golden(left, right)
        self.assertTrue(pianola.recording_enabled())

    def test_a_single_record_of_a_pipeline_with_state(self):
        """It is the first inference: the state has seen its inputs once."""
        zero = pianola.zeros(SHAPE, pianola.int8, device=self.device)
        state, here, middle, there = (pianola.zeros(SHAPE, pianola.int8, device=self.device) for _ in range(4))
        host = pianola.from_numpy(numpy.zeros(SHAPE, numpy.int8))

        def take():
            pianola.copy_host_to_device_tensor(host, here)
            pianola.add(state, here, output_tensor=state)
            pianola.copy(state, middle)

        with pianola.capture(self.device) as capture:
            pianola.copy_host_to_device_tensor(host, zero)
            pianola.copy(zero, state)
            take()
            for _ in range(4):
                pianola.copy(middle, there)
                take()
                there.cpu()
            pianola.copy(middle, there)
            there.cpu()
        session = pianola.Session(capture.result.file)
        ones = {"input 0": numpy.ones(SHAPE, numpy.int8)}
        for count in (1, 2, 1, 3):
            outputs = session.run([ones] * count)
            self.assertEqual([output["output 0"].max() for output in outputs], list(range(1, count + 1)))


if __name__ == "__main__":
    main()
