#!/usr/bin/env python3
"""The pipeline: five executors, one result, and every refusal."""
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, int8_array, main, saturated

SHAPE = (8, 64)
GRID = pianola.CoreGrid(y=2, x=2)
L1 = pianola.create_sharded_memory_config(SHAPE, GRID, pianola.ShardStrategy.HEIGHT)
DRAM = pianola.create_sharded_memory_config(SHAPE, GRID, pianola.ShardStrategy.HEIGHT,
                                            buffer_type=pianola.BufferType.DRAM)
# (trace, queues, all transfers on a queue of their own)
EXECUTORS = ((False, 1, False), (True, 1, False), (False, 2, False), (True, 2, False), (True, 2, True))


def keeps_its_input(tensor):
    """relu(3x) in saturating int8, with everything kept until it goes by itself."""
    return pianola.relu(pianola.add(pianola.add(tensor, tensor), tensor))


def frees_its_input(tensor):
    """The same; memory is freed as early as it can be, so that the input's place is free at the end."""
    doubled = pianola.add(tensor, tensor)
    tripled = pianola.add(doubled, tensor)
    tensor.deallocate()
    doubled.deallocate()
    output = pianola.relu(tripled, memory_config=pianola.DRAM_MEMORY_CONFIG)
    tripled.deallocate()
    return output


def reference(array):
    """What both models compute, in NumPy."""
    return numpy.maximum(saturated(saturated(array.astype(int) * 2).astype(int) + array), 0)


class PipelineTest(unittest.TestCase):
    """Opens devices and makes pipelines."""

    def setUp(self):
        self.rng = numpy.random.default_rng(11)
        self.device = pianola.open_device(core_grid=GRID, trace_region_size=TRACE_REGION, num_command_queues=2)
        self.addCleanup(pianola.close_device, self.device)

    def batch(self, count):
        """Random inputs as arrays and as host tensors."""
        arrays = [int8_array(self.rng, SHAPE) for _ in range(count)]
        return arrays, [pianola.from_numpy(array) for array in arrays]

    def make(self, executor=(True, 2, True), model=keeps_its_input, device=None, **memory):
        """A pipeline with every memory configuration that an executor may need."""
        places = {"dram_input_memory_config": DRAM, "l1_input_memory_config": L1, "dram_output_memory_config": DRAM}
        return pianola.create_pipeline_from_config(
            config=pianola.PipelineConfig(*executor), model=model, device=device or self.device, **{**places, **memory}
        )

    def refused(self, rule, call, *arguments, **options):
        """The call raises the rule's error."""
        with self.assertRaises(pianola.Error) as raised:
            call(*arguments, **options)
        self.assertEqual(raised.exception.rule, rule)

    def assert_outputs(self, outputs, arrays):
        """Outputs are the model's, in order."""
        self.assertEqual(len(outputs), len(arrays))
        for output, array in zip(outputs, arrays):
            numpy.testing.assert_array_equal(output.to_numpy(), reference(array))


class Executors(PipelineTest):
    """Each of the five, with models that keep and that free their input."""

    def each(self):
        """Every executor with every model, compiled."""
        for executor in EXECUTORS:
            for model in (keeps_its_input, frees_its_input):
                for threaded in (False, True):
                    with self.subTest(executor=executor, model=model.__name__, threaded=threaded):
                        options = {
                            "core_grid": GRID, "trace_region_size": TRACE_REGION, "num_command_queues": executor[1]
                        }
                        with pianola.manage_device(threaded=threaded, **options) as device:
                            pipeline = self.make(executor, model, device)
                            pipeline.compile(self.batch(1)[1][0])
                            yield pipeline, device
                            pipeline.cleanup()
                            self.assertEqual(device.warnings(), [])
                            self.assertEqual(device.trace_region_bytes_used(), 0)
                            self.assertEqual(device.memory_report()["DRAM"]["allocations"], 0)
                            self.assertEqual(device.memory_report()["L1"]["allocations"], 0)

    def test_32_inputs(self):
        for pipeline, _ in self.each():
            arrays, inputs = self.batch(32)
            self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)

    def test_the_host_time_that_was_set(self):
        def per_input(executor, **host):
            with pianola.manage_device(core_grid=GRID, trace_region_size=TRACE_REGION, **host) as device:
                pipeline = self.make(executor, device=device)
                _, inputs = self.batch(8)
                pipeline.compile(inputs[0])
                pianola.synchronize_device(device)
                before = device.host_time_ns()
                pipeline.enqueue(inputs).pop_all()
                return (device.host_time_ns() - before) / 8

        eager, traced = EXECUTORS[:2]
        # Three operations; or a write to four places, a replay, a read from four and its record.
        self.assertEqual(per_input(eager, host_dispatch_ns=10**6, host_replay_ns=0) // 10**6, 3)
        self.assertEqual(per_input(traced, host_dispatch_ns=0, host_replay_ns=10**6) // 10**6, 10)
        self.assertLess(per_input(traced), per_input(eager))

    def test_three_times_32_inputs(self):
        for pipeline, _ in self.each():
            for _ in range(3):
                arrays, inputs = self.batch(32)
                self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)
            self.assertEqual(pipeline.pop_all(), [])

    def test_several_enqueues_before_one_pop(self):
        for pipeline, _ in self.each():
            first, second = self.batch(5), self.batch(3)
            pipeline.enqueue(first[1]).enqueue(second[1])
            self.assert_outputs(pipeline.pop_all(), first[0] + second[0])

    def test_preallocated_outputs(self):
        for pipeline, _ in self.each():
            pipeline.preallocate_output_tensors_on_host(8)
            for count in (8, 8, 5):
                arrays, inputs = self.batch(count)
                self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)
            self.refused("PIPELINE-SLOTS", pipeline.enqueue, self.batch(9)[1])
            pipeline.enqueue(self.batch(5)[1])
            self.refused("PIPELINE-SLOTS", pipeline.enqueue, self.batch(4)[1])
            self.refused("PIPELINE-PENDING", pipeline.preallocate_output_tensors_on_host, 16)
            self.assertEqual(len(pipeline.pop_all()), 5)
            pipeline.preallocate_output_tensors_on_host(0)
            arrays, inputs = self.batch(9)
            self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)

    def test_an_array_taken_from_a_slot_stays(self):
        for pipeline, _ in self.each():
            pipeline.preallocate_output_tensors_on_host(2)
            arrays, inputs = self.batch(2)
            taken = [output.to_numpy() for output in pipeline.enqueue(inputs).pop_all()]
            pipeline.enqueue(self.batch(2)[1]).pop_all()
            for array, output in zip(arrays, taken):
                numpy.testing.assert_array_equal(output, reference(array))

    def test_compiled_again_for_another_shape(self):
        pipeline = self.make(l1_input_memory_config=pianola.L1_MEMORY_CONFIG,
                             dram_input_memory_config=pianola.DRAM_MEMORY_CONFIG,
                             dram_output_memory_config=pianola.DRAM_MEMORY_CONFIG)
        for shape in ((4, 8), (6, 10)):
            arrays = [int8_array(self.rng, shape) for _ in range(3)]
            inputs = [pianola.from_numpy(array) for array in arrays]
            pipeline.compile(inputs[0])
            self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)

    def test_several_outputs(self):
        def model(tensor):
            return pianola.relu(tensor), [pianola.neg(tensor)][0]

        for executor in EXECUTORS[:4]:
            with self.subTest(executor=executor):
                pipeline = self.make(executor, model)
                arrays, inputs = self.batch(6)
                pipeline.compile(inputs[0])
                outputs = pipeline.enqueue(inputs).pop_all()
                self.assertEqual([type(output) for output in outputs], [tuple] * 6)
                for (positive, negated), array in zip(outputs, arrays):
                    numpy.testing.assert_array_equal(positive.to_numpy(), numpy.maximum(array, 0))
                    numpy.testing.assert_array_equal(negated.to_numpy(), saturated(-array.astype(int)))
                pipeline.cleanup()

    def test_output_moved_inside_the_trace(self):
        pipeline = self.make(model=frees_its_input, l1_output_memory_config=L1)
        arrays, inputs = self.batch(4)
        pipeline.compile(inputs[0])
        self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)


class Refusals(PipelineTest):
    """What the pipeline refuses, and that it says which rule."""

    def test_configurations(self):
        for queues in (0, 3):
            self.refused("PIPELINE-QUEUES", self.make, (True, queues, False))
        with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
            self.refused("PIPELINE-QUEUES", self.make, (True, 2, False), device=device)
        self.refused("PIPELINE-SEPARATE-QUEUE", self.make, (True, 1, True))
        self.refused("PIPELINE-IO-WITHOUT-TRACE", self.make, (False, 2, True))
        for executor in EXECUTORS:
            self.refused("PIPELINE-MEMORY-CONFIG", self.make, executor, l1_input_memory_config=None)
            self.refused("PIPELINE-MEMORY-CONFIG", self.make, executor, l1_input_memory_config=DRAM)
        for executor in EXECUTORS[1:]:
            self.refused("PIPELINE-MEMORY-CONFIG", self.make, executor, dram_input_memory_config=None)
            self.refused("PIPELINE-MEMORY-CONFIG", self.make, executor, dram_input_memory_config=L1)
        self.refused("PIPELINE-MEMORY-CONFIG", self.make, EXECUTORS[4], dram_output_memory_config=None)
        self.refused("PIPELINE-MEMORY-CONFIG", self.make, EXECUTORS[4], l1_output_memory_config=DRAM)

    def test_order_of_calls(self):
        pipeline = self.make()
        _, inputs = self.batch(2)
        self.refused("PIPELINE-NOT-COMPILED", pipeline.enqueue, inputs)
        self.refused("PIPELINE-NOT-COMPILED", pipeline.pop_all)
        self.refused("PIPELINE-NOT-COMPILED", pipeline.preallocate_output_tensors_on_host, 2)
        pipeline.compile(inputs[0])
        pipeline.cleanup()
        pipeline.cleanup()
        self.refused("PIPELINE-NOT-COMPILED", pipeline.enqueue, inputs)

    def test_inputs(self):
        arrays, inputs = self.batch(3)
        for executor in EXECUTORS:
            with self.subTest(executor=executor):
                pipeline = self.make(executor)
                on_device = inputs[0].to(self.device, DRAM)
                self.refused("PIPELINE-INPUT-HOST", pipeline.compile, on_device)
                pipeline.compile(inputs[0])
                self.refused("PIPELINE-INPUT-HOST", pipeline.enqueue, [inputs[0], on_device])
                for other in (arrays[1].astype(numpy.int32), arrays[1].T):
                    self.refused("PIPELINE-INPUT-SPEC", pipeline.enqueue, [inputs[0], pianola.from_numpy(other)])
                self.assertEqual(pipeline.pop_all(), [])
                self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)
                pipeline.cleanup()

    def test_fewer_than_two_inputs(self):
        pipeline = self.make()
        arrays, inputs = self.batch(2)
        pipeline.compile(inputs[0])
        for count in (0, 1):
            self.refused("PIPELINE-TWO-INPUTS", pipeline.enqueue, inputs[:count])
        self.assert_outputs(pipeline.enqueue(inputs).pop_all(), arrays)
        for executor in EXECUTORS[:4]:
            single = self.make(executor)
            single.compile(inputs[0])
            self.assert_outputs(single.enqueue(inputs[:1]).pop_all(), arrays[:1])
            self.assertEqual(single.enqueue([]).pop_all(), [])
            single.cleanup()

    def test_models(self):
        _, inputs = self.batch(1)
        host = inputs[0]
        for wrong in (lambda _: None, lambda _:
                      (), lambda _: host, lambda tensor: [tensor, 3], lambda tensor: {"y": tensor}):
            for executor in EXECUTORS:
                self.refused("PIPELINE-OUTPUT", self.make(executor, wrong).compile, host)
        self.refused("PIPELINE-OUTPUT",
                     self.make(model=lambda tensor: (pianola.relu(tensor), pianola.neg(tensor))).compile, host)

    def test_an_exception_of_the_model_passes_through(self):
        calls = []

        def model(tensor):
            calls.append(tensor)
            if len(calls) == 2:
                raise ZeroDivisionError("from the model")
            return pianola.relu(tensor)

        pipeline = self.make((True, 1, False), model)
        _, inputs = self.batch(2)
        with self.assertRaisesRegex(ZeroDivisionError, "from the model"):
            pipeline.compile(inputs[0])
        calls.clear()
        self.refused("PIPELINE-NOT-COMPILED", pipeline.enqueue, inputs)
        # The capture has ended: the queue works again.
        again = self.make((True, 1, False))
        again.compile(inputs[0])

    def test_a_model_that_leaves_something_in_its_inputs_place(self):
        kept = []

        def model(tensor):
            first = pianola.add(tensor, tensor)
            tensor.deallocate()
            kept.append(pianola.relu(first))  # lies where the input was
            return first

        for executor in EXECUTORS[3:]:
            kept.clear()
            self.refused("PIPELINE-INPUT-ADDRESS", self.make(executor, model).compile, self.batch(1)[1][0])
            self.assertEqual(self.device.trace_region_bytes_used(), 0)


if __name__ == "__main__":
    main()
