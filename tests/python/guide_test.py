#!/usr/bin/env python3
"""Every code block of the public guides runs on this package, unchanged, and computes what NumPy computes.

A block's names come from its namespace: the device, shapes, memory configurations, the model. Each look-up of the host
tensor gives the next input, so that an output of another iteration is a wrong one. Names under which the guides mean
something else are given the meaning there, never in the text: `op_event` is `first_op_event`, where only that was
created, and `input_sharded_l1_mem_config` is `sharded_l1_mem_config`.
"""
import re
import types
import unittest

import numpy

import guide
import pianola as ttnn
import pianola.compat
from python_support import TRACE_REGION, int8_array, main, saturated

SHAPE = (8, 64)
BATCHES = 3


def run_model(input_tensor):
    """relu(-2x) in saturating int8. The input goes as soon as it has been read; intermediates leave its place free."""
    doubled = ttnn.add(input_tensor, input_tensor)
    ttnn.deallocate(input_tensor)
    shifted = ttnn.neg(doubled)
    ttnn.deallocate(doubled)
    output = ttnn.relu(shifted)
    ttnn.deallocate(shifted)
    return output


def reference(array):
    """What the model computes, in NumPy."""
    doubled = saturated(array.astype(numpy.int32) * 2)
    return numpy.maximum(saturated(-doubled.astype(numpy.int32)), 0).astype(numpy.int8)


class Names(dict):
    """A block's names. Looking up the host tensor gives the next input."""

    MEANT = {"op_event": "first_op_event", "input_sharded_l1_mem_config": "sharded_l1_mem_config"}

    def __init__(self, **names):
        super().__init__(**names)
        self.rng = numpy.random.default_rng(7)
        self.inputs = []
        self.results = []

    def next_input(self):
        """The next input, as a host tensor."""
        self.inputs.append(int8_array(self.rng, SHAPE))
        return ttnn.from_numpy(self.inputs[-1])

    def batches(self):
        """A data loader that also keeps what the loop's body has made of the batch before."""
        for _ in range(BATCHES):
            yield self.next_input()
            self.results.append(self["result"])

    def __missing__(self, name):
        if name in ("host_tensor", "host_data"):
            return self.next_input()
        if name in self.MEANT and self.MEANT[name] in self:
            return self[self.MEANT[name]]
        raise KeyError(name)


class Case(unittest.TestCase):
    """Opens a device for a block and runs it."""

    THREADED = False

    @classmethod
    def setUpClass(cls):
        if guide.seeds() is None:
            raise unittest.SkipTest("no guides; set PIANOLA_SHARED")
        cls.blocks, cls.calls, cls.decorators = guide.page_blocks(guide.read(guide.TRACE_AND_QUEUES))
        cls.fenced = guide.fenced_blocks(guide.read(guide.STEP_FOUR))

    def setUp(self):
        self.device = None

    def tearDown(self):
        if self.device is not None:
            self.assertEqual(self.device.warnings(), [])  # the guides do nothing that has consequences
            ttnn.close_device(self.device)

    def names(self, **options):
        """The names of a block on a device of its own."""
        self.device = ttnn.open_device(device_id=0, threaded=self.THREADED,
                                       **{"trace_region_size": TRACE_REGION, **options})
        l1 = ttnn.create_sharded_memory_config(SHAPE, self.device.core_grid, ttnn.TensorMemoryLayout.HEIGHT_SHARDED)
        dram = ttnn.create_sharded_memory_config(
            SHAPE, self.device.core_grid, ttnn.TensorMemoryLayout.HEIGHT_SHARDED, buffer_type=ttnn.BufferType.DRAM
        )
        names = Names(ttnn=ttnn, device=self.device, run_model=run_model, model=run_model, my_model=run_model)
        for prefix in ("", "input_", "output_"):
            names.update(
                {prefix + "shape": SHAPE, prefix + "dtype": ttnn.int8, prefix + "layout": ttnn.ROW_MAJOR_LAYOUT})
            names[prefix + "sharded_dram_mem_config"] = dram
        names.update(sharded_l1_mem_config=l1, l1_config=l1, sharded_dram_config=dram, dram_config=dram,
                     input_mem_config=dram)
        names["spec"] = names["tensor_spec"] = ttnn.TensorSpec(SHAPE, ttnn.int8, ttnn.ROW_MAJOR_LAYOUT, dram)
        names["data_loader"] = names.batches()
        return names

    def run_block(self, source, names, name):
        """Executes one block. Names are looked up one by one, as at the top level of a module."""
        exec(compile(source, name, "exec"), {"__builtins__": __builtins__}, names)  # the guides are what is tested

    def assert_outputs(self, outputs, inputs):
        """Each output is the model's of its own input."""
        self.assertEqual(len(outputs), len(inputs))
        for output, data in zip(outputs, inputs):
            numpy.testing.assert_array_equal(ttnn.to_numpy(output), reference(data))


class TraceAndQueues(Case):
    """The page on traces and two queues."""

    def test_the_page_has_the_blocks_that_are_expected(self):
        self.assertEqual((len(self.blocks), len(self.calls), len(self.decorators)), (6, 10, 2))

    def test_trace_with_input_in_dram(self):
        names = self.names()
        self.run_block(self.blocks[0], names, "block 1")
        self.assertEqual(len(names.inputs), 3)
        self.assert_outputs([names["host_output_tensor"]], names.inputs[-1:])

    def test_trace_with_input_in_l1(self):
        names = self.names()
        self.run_block(self.blocks[1], names, "block 2")
        self.assertEqual(len(names.inputs), 3)
        self.assert_outputs([names["host_output_tensor"]], names.inputs[-1:])

    def test_two_queues_writes_apart(self):
        names = self.names(num_command_queues=2)
        self.run_block(self.blocks[2], names, "block 3")
        self.assertEqual(len(names.inputs), 2)
        self.assert_outputs(names["outputs"], names.inputs)

    def test_two_queues_transfers_apart(self):
        names = self.names(num_command_queues=2)
        self.run_block(self.blocks[3], names, "block 4")
        self.assertEqual(len(names.inputs), 3)
        self.assert_outputs(names["outputs"], names.inputs)

    def test_trace_and_two_queues_writes_apart(self):
        names = self.names(num_command_queues=2)
        self.run_block(self.blocks[4], names, "block 5")
        self.assertEqual(len(names.inputs), 4)
        self.assert_outputs(names["outputs"], names.inputs[2:])

    def test_trace_and_two_queues_transfers_apart(self):
        names = self.names(num_command_queues=2)
        self.run_block(self.blocks[5], names, "block 6")
        self.assertEqual(len(names.inputs), 5)
        self.assert_outputs(names["outputs"], names.inputs[2:])

    def test_calls_that_the_page_explains(self):
        names = self.names(num_command_queues=2)
        traced = ttnn.from_numpy(int8_array(names.rng, SHAPE)).to(self.device)
        ttnn.relu(traced)  # compiled, so that the trace finds it
        for call in self.calls:
            self.run_block(call, names, call)
            if "begin_trace_capture" in call:
                ttnn.relu(traced)  # a trace needs something in it
        numpy.testing.assert_array_equal(ttnn.to_numpy(names["device_tensor"].cpu()), names.inputs[-1])

    def test_device_parameters_open_a_device(self):
        for source in self.decorators:
            self.open_as_parametrized(source)

    def open_as_parametrized(self, source):
        """Opens a device with what a pytest decorator says, through a stand-in that keeps it."""
        seen = []

        def parametrize(_names, values, indirect):
            self.assertTrue(indirect)
            seen.extend(values)
            return lambda function: function

        mark = types.SimpleNamespace(parametrize=parametrize)
        self.run_block(source + "\ndef test(device): pass\n", {"pytest": types.SimpleNamespace(mark=mark)}, "decorator")
        self.assertEqual(len(seen), 1)
        with ttnn.manage_device(device_id=0, **seen[0]) as device:
            self.assertEqual(device.num_command_queues, seen[0].get("num_command_queues", 1))

    def test_an_undersized_region_is_refused_with_both_numbers(self):
        names = self.names(trace_region_size=64)
        with self.assertRaises(ttnn.Error) as raised:
            self.run_block(self.blocks[0], names, "block 1")
        self.assertEqual(raised.exception.rule, "API-TRACE-REGION")
        need, given = map(int, re.findall(r"(\d+) bytes", str(raised.exception))[:2])
        self.assertGreater(need, given)
        self.assertEqual(given, 64)
        ttnn.close_device(self.device)
        names = self.names(trace_region_size=(need + 63) // 64 * 64)
        self.run_block(self.blocks[0], names, "block 1")
        self.assert_outputs([names["host_output_tensor"]], names.inputs[-1:])


class StepFour(Case):
    """The step on traces, in Markdown."""

    def test_the_step_has_the_blocks_that_are_expected(self):
        self.assertEqual(len(self.fenced), 7)

    def test_device_parameters_open_a_device(self):
        TraceAndQueues.open_as_parametrized(self, self.fenced[0])

    def test_calls_in_order(self):
        names = self.names()
        self.run_block(self.fenced[3], names, "block 4")
        # Where the step says "operations to trace", there must be one.
        self.assertEqual(self.fenced[1].count("# ..."), 1)
        names["run"] = lambda: ttnn.relu(names["input_tensor"])
        names["run"]()
        self.run_block(self.fenced[1].replace("# ...", "run() # ..."), names, "block 2")
        self.run_block(self.fenced[2], names, "block 3")
        numpy.testing.assert_array_equal(ttnn.to_numpy(names["input_tensor"].cpu()), names.inputs[-1])

    def test_basic_pattern(self):
        names = self.names()
        self.run_block(self.fenced[4], names, "block 5")
        self.assert_outputs(names.results, names.inputs[2:])

    def test_input_in_l1(self):
        names = self.names()
        self.run_block(self.fenced[5], names, "block 6")
        self.assertEqual(len(names.inputs), 3)
        self.assert_outputs([names["output"].cpu()], names.inputs[-1:])

    def test_pipeline(self):
        names = self.names()
        batches = [names.next_input() for _ in range(32)]
        names.update(sample_input=names.next_input(), inputs=batches)
        pianola.compat.enable()  # the guide imports its pipeline from a package of models
        self.run_block(self.fenced[6], names, "block 7")
        self.assert_outputs(names["outputs"], names.inputs[:32])


class ThreadedTraceAndQueues(TraceAndQueues):
    """The same on a device whose queues run side by side."""

    THREADED = True


class ThreadedStepFour(StepFour):
    """The same on a device whose queues run side by side."""

    THREADED = True


if __name__ == "__main__":
    main()
