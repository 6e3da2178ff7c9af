#!/usr/bin/env python3
"""Every collected trace loads where its buffers fit: random programs, on the device that captured them and on others.

A program is a random list of operations over random layouts, whose intermediate results go at random moments, so that a
trace uses memory behind the ends of its tensors and memory that is nobody's. What is right is what NumPy computes.
"""
import os
import unittest

import numpy

import pianola
from python_support import int8_array, main, saturated

PROGRAMS = int(os.environ.get("PIANOLA_TRACE_PROGRAMS", "200"))
SHAPES = [(4, 16), (8, 32), (5, 24), (12, 8)]
UNARY = {"relu": lambda a: numpy.maximum(a, 0), "neg": lambda a: -a, "abs": abs}
BINARY = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b}


def layouts(shape, device):
    """Where a tensor may lie."""
    configs = [pianola.DRAM_MEMORY_CONFIG, pianola.L1_MEMORY_CONFIG]
    for strategy in (pianola.ShardStrategy.HEIGHT, pianola.ShardStrategy.WIDTH, pianola.ShardStrategy.BLOCK):
        for memory in (pianola.BufferType.L1, pianola.BufferType.DRAM):
            configs.append(pianola.create_sharded_memory_config(shape, device.core_grid, strategy, buffer_type=memory))
    return configs


def open_device(queues=1):
    """All devices of this test are alike."""
    return pianola.open_device(trace_region_size=512 * 1024, num_command_queues=queues)


class Program:
    """Operations by the numbers of their operands; tensors 0 and 1 are the inputs."""

    def __init__(self, rng):
        self.shape = SHAPES[rng.integers(len(SHAPES))]
        self.places = [int(rng.integers(8)), int(rng.integers(8))]
        self.steps = [("add", [0, 1], int(rng.integers(8)), [])]
        live = [2]
        for number in range(3, 3 + int(rng.integers(1, 7))):
            name = str(rng.choice([*UNARY, *BINARY]))
            operands = [int(rng.choice([0, 1, *live])) for _ in range(1 if name in UNARY else 2)]
            live.append(number)
            freed = [each for each in live[:-1] if rng.random() < 0.4]
            live = [each for each in live if each not in freed]
            self.steps.append((name, operands, int(rng.integers(8)), freed))
        if rng.random() < 0.5:  # a smaller result, which lands where something larger was
            self.steps.append(("sum", [live[-1]], int(rng.integers(2)), live))

    def run(self, device, inputs):
        """The tensors that are left, by number."""
        configs = layouts(self.shape, device)
        tensors = dict(enumerate(inputs))
        for number, (name, operands, place, freed) in enumerate(self.steps, start=2):
            tensors[number] = getattr(pianola, name)(*(tensors[each] for each in operands),
                                                     memory_config=configs[place])
            for each in freed:
                tensors.pop(each).deallocate()
        return {number: tensor for number, tensor in tensors.items() if number > 1}

    def expected(self, arrays):
        """The same in NumPy."""
        values = dict(enumerate(arrays))
        for number, (name, operands, _, _) in enumerate(self.steps, start=2):
            wide = [values[each].astype(int) for each in operands]
            if name == "sum":
                values[number] = wide[0].sum(axis=1, keepdims=True).astype(numpy.int32)
            else:
                values[number] = saturated({**UNARY, **BINARY}[name](*wide))
        return values


class Loading(unittest.TestCase):
    """Collected here, loaded there."""

    def check(self, rng, program, device, trace, inputs, outputs):
        """Executes a trace on data that it has not seen."""
        arrays = [int8_array(rng, program.shape) for _ in inputs]
        for array, tensor in zip(arrays, inputs):
            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
        pianola.execute_trace(device, trace)
        expected = program.expected(arrays)
        for number, tensor in outputs.items():
            numpy.testing.assert_array_equal(tensor.cpu().to_numpy(), expected[number])

    def test_random_programs(self):
        """On the same device beside the first trace; on an empty one; on one where the caller has made the inputs."""
        for seed in range(PROGRAMS):
            with self.subTest(seed=seed):
                self.one(numpy.random.default_rng(seed))

    def one(self, rng):
        """One random program."""
        program = Program(rng)
        device = open_device()
        place = lambda on: [  # noqa: E731
            pianola.from_numpy(int8_array(rng, program.shape), device=on, memory_config=layouts(program.shape, on)[each]
                               ) for each in program.places
        ]
        inputs = place(device)
        program.run(device, inputs)
        trace = pianola.begin_trace_capture(device)
        outputs = program.run(device, inputs)
        pianola.end_trace_capture(device, trace)
        names = {
            "first": inputs[0], "second": inputs[1], **{f"output {number}": each
                                                        for number, each in outputs.items()}
        }
        blob = pianola.collect_trace(device, trace, names)
        self.check(rng, program, device, trace, inputs, outputs)
        again = pianola.load_trace(device, blob, 0, list(names.values()))
        self.assertEqual(pianola.trace_tensors(device, again), {})
        self.check(rng, program, device, again, inputs, outputs)

        empty = open_device()
        loaded = pianola.load_trace(empty, blob)
        there = pianola.trace_tensors(empty, loaded)
        self.assertEqual({name: each.buffer_address() for name, each in there.items()},
                         {name: each.buffer_address() for name, each in names.items()})
        self.assertEqual([there[name].spec for name in names], [each.spec for each in names.values()])
        outputs_there = {number: there[f"output {number}"] for number in outputs}
        self.check(rng, program, empty, loaded, [there["first"], there["second"]], outputs_there)
        self.assertEqual(pianola.collect_trace(empty, loaded), blob)
        pianola.release_trace(empty, loaded)
        del there, outputs_there
        self.assertEqual([use["used_bytes"] for use in empty.memory_report().values()], [0, 0, 0])

        other = open_device()
        own = place(other)
        loaded = pianola.load_trace(other, blob, 0, own)
        there = pianola.trace_tensors(other, loaded)
        self.check(rng, program, other, loaded, own, {number: there[f"output {number}"] for number in outputs})

    def test_what_does_not_fit_is_refused(self):
        """Memory of a stranger, below a tensor or behind its end; and the device is left as it was."""
        device = open_device()
        tensor = pianola.zeros((4, 16), pianola.int8, device=device)
        pianola.relu(tensor).deallocate()
        trace = pianola.begin_trace_capture(device)
        result = pianola.relu(tensor)
        pianola.end_trace_capture(device, trace)
        blob = pianola.collect_trace(device, trace, {"result": result})
        for count in (1, 2):
            other = open_device()
            strangers = [pianola.zeros((4, 16), pianola.int8, device=other) for _ in range(count)]
            before = other.memory_report()
            with self.assertRaises(pianola.Error) as caught:
                pianola.load_trace(other, blob, 0, strangers[1:])
            self.assertEqual(caught.exception.rule, "API-BLOB-MEMORY")
            self.assertEqual(other.memory_report(), before)
        with self.assertRaisesRegex(pianola.Error, "name the trace's inputs"):
            pianola.collect_trace(device, trace, {"stranger": pianola.zeros((4, 16), pianola.int8, device=device)})


if __name__ == "__main__":
    main()
