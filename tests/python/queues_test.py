#!/usr/bin/env python3
"""Two queues with disjoint tensors need no events: whatever memory the library takes by itself, one queue's work never
meets the other's.

Random operations over random layouts, on both queues in a random order, with results that are kept and results that go
at once. Threads show a race in the data; a captured workload shows it in the runtime's proofs, or in addresses that
differ from step to step.
"""
import os
import unittest

import numpy

import pianola
from python_support import int8_array, main, saturated

ROUNDS = int(os.environ.get("PIANOLA_QUEUE_ROUNDS", "40"))
SHAPE = (32, 48)
STRATEGIES = (pianola.ShardStrategy.HEIGHT, pianola.ShardStrategy.WIDTH, pianola.ShardStrategy.BLOCK)
OPERATIONS = ("add", "subtract", "multiply", "relu", "neg", "chain", "sum", "matmul", "linear", "move", "full",
              "requantize", "narrow", "row", "layer")


def half_of(grid, queue):
    """Cores for one queue's shards: rows of the grid."""
    rows = grid.y // 2
    first = pianola.CoreCoord(0, queue * rows)
    return pianola.CoreRangeSet([pianola.CoreRange(first, pianola.CoreCoord(grid.x - 1, first.y + rows - 1))])


class Queue:
    """One queue's tensors, and what they must hold."""

    def __init__(self, rng, device, number):
        self.rng = rng
        self.device = device
        self.number = number
        self.kept = []
        self.operands = [self.tensor(SHAPE) for _ in range(4)]
        self.weight = self.tensor((SHAPE[1], 8))
        bias = rng.integers(-1000, 1000, size=8, dtype=numpy.int32)
        self.bias = (pianola.from_numpy(bias, device=device, cq_id=number), bias)

    def place(self, shape):
        """Anywhere; L1 shards on this queue's cores only."""
        memory = self.rng.choice([pianola.BufferType.L1, pianola.BufferType.DRAM])
        kind = self.rng.integers(5)
        if kind < 2:
            return pianola.DRAM_MEMORY_CONFIG if kind == 0 else pianola.L1_MEMORY_CONFIG
        return pianola.create_sharded_memory_config(
            shape, half_of(self.device.core_grid, self.number), STRATEGIES[kind - 2], buffer_type=memory)

    def tensor(self, shape):
        """A device tensor and its data."""
        array = int8_array(self.rng, shape)
        return pianola.from_numpy(array, device=self.device, memory_config=self.place(shape), cq_id=self.number), array

    def operate(self):
        """One random operation; its result is kept or goes at once."""
        name = self.rng.choice(OPERATIONS)
        options = {"cq_id": self.number}
        (a, x), (b, y) = (self.operands[i] for i in self.rng.integers(len(self.operands), size=2))
        wide, other = x.astype(int), y.astype(int)
        memory = self.place(SHAPE)
        if name in ("add", "subtract", "multiply"):
            result = getattr(pianola, name)(a, b, memory_config=memory, **options)
            right = saturated({"add": wide + other, "subtract": wide - other, "multiply": wide * other}[name])
        elif name in ("relu", "neg"):
            result = getattr(pianola, name)(a, memory_config=memory, **options)
            right = saturated(numpy.maximum(wide, 0) if name == "relu" else -wide)
        elif name == "chain":  # what lies between goes at once
            result = pianola.relu(pianola.neg(pianola.add(a, b, **options), memory_config=memory, **options), **options)
            right = numpy.maximum(saturated(-saturated(wide + other).astype(int)), 0).astype(numpy.int8)
        elif name == "sum":
            result = pianola.sum(a, memory_config=self.place((SHAPE[0], 1)), **options)
            right = wide.sum(axis=1, keepdims=True)
        elif name in ("matmul", "linear"):
            place = self.place((SHAPE[0], 8))
            right = wide @ self.weight[1].astype(int)
            if name == "matmul":
                result = pianola.matmul(a, self.weight[0], memory_config=place, **options)
            else:
                result = pianola.linear(a, self.weight[0], bias=self.bias[0], memory_config=place, **options)
                right = right + self.bias[1]
        elif name == "requantize":
            result = pianola.requantize(a, 0.5, 0, 0.5, -3, memory_config=memory, **options)
            right = saturated(wide - 3)
        elif name == "narrow":  # int32 to int8, through parameters in memory
            sums = pianola.typecast(a, pianola.int32, **options)
            product = pianola.multiply(sums, -3, **options)
            result = pianola.typecast(product, pianola.int8, memory_config=memory, **options)
            right = saturated(-3 * wide)
        elif name == "row":  # is broadcast
            row = pianola.reshape(pianola.sum(a, **options), (1, SHAPE[0]), **options)
            result = pianola.minimum(row, pianola.reshape(row, (SHAPE[0], 1), **options), **options)
            right = numpy.minimum.outer(wide.sum(axis=1), wide.sum(axis=1))
        elif name == "layer":
            result = pianola.linear(a, self.weight[0], dtype=pianola.int8, bias=self.bias[0], input_scale=1.0,
                                    weight_scale=1.0, output_scale=1.0, **options)
            right = saturated(wide @ self.weight[1].astype(int) + self.bias[1])
        elif name == "move":
            result, right = pianola.to_memory_config(a, memory, **options), x
        else:
            shape = (SHAPE[0], SHAPE[1] + 1)  # shards whose bytes are no multiple of what the kernel fills
            result = pianola.full(shape, 7, pianola.int8, device=self.device, memory_config=self.place(shape),
                                  **options)
            right = numpy.full(shape, 7)
        if self.rng.random() < 0.3:
            self.kept.append((result, right))

    def check(self, test):
        """All that was kept, and all operands."""
        for tensor, array in [*self.kept, *self.operands]:
            numpy.testing.assert_array_equal(tensor.cpu(cq_id=self.number).to_numpy(), array)
        test.assertTrue(self.kept or self.operands)
        self.kept.clear()


class Disjoint(unittest.TestCase):
    """No event anywhere."""

    def rounds(self, threaded):
        """Random operations in a random order."""
        for seed in range(ROUNDS):
            with self.subTest(seed=seed, threaded=threaded):
                rng = numpy.random.default_rng(seed)
                device = pianola.open_device(num_command_queues=2, threaded=threaded, dispatch_area_bytes=256 * 1024)
                queues = [Queue(rng, device, number) for number in (0, 1)]
                for _ in range(3):
                    for number in rng.integers(2, size=16):
                        queues[number].operate()
                    for queue in queues:
                        queue.check(self)
                pianola.synchronize_device(device)
                pianola.close_device(device)

    def test_in_turns(self):
        """Queues run inside calls."""
        self.rounds(threaded=False)

    def test_in_threads(self):
        """Queues run side by side."""
        self.rounds(threaded=True)

    def test_memory_that_is_short(self):
        """Where the other queue's memory is all that is left, the library waits for it."""
        shape = (256, 1024)  # 15 of these, and a temporary, fill the memory
        device = pianola.open_device(num_command_queues=2, threaded=True, dispatch_area_bytes=64 * 1024)
        rng = numpy.random.default_rng(5)
        width = pianola.create_sharded_memory_config(shape, device.core_grid, pianola.ShardStrategy.WIDTH,
                                                     buffer_type=pianola.BufferType.DRAM)
        arrays = [int8_array(rng, shape) for _ in range(2)]
        plain = pianola.from_numpy(arrays[0], device=device)
        wide = pianola.from_numpy(arrays[1], device=device, memory_config=width)
        outputs = [
            pianola.allocate_tensor_on_device(shape, pianola.int8, pianola.ROW_MAJOR_LAYOUT, device) for _ in (0, 1)
        ]
        fill = [
            pianola.allocate_tensor_on_device(shape, pianola.int8, pianola.ROW_MAJOR_LAYOUT, device) for _ in range(10)
        ]
        free = device.memory_report()["DRAM"]["largest_free_bytes"]
        self.assertLess(free, 2 * shape[0] * shape[1])  # no room for a temporary of each queue
        self.assertGreaterEqual(free, shape[0] * shape[1])
        for _ in range(3):
            pianola.add(plain, wide, output_tensor=outputs[0], cq_id=0)
            pianola.subtract(plain, wide, output_tensor=outputs[1], cq_id=1)
        for queue, right in enumerate((arrays[0].astype(int) + arrays[1], arrays[0].astype(int) - arrays[1])):
            numpy.testing.assert_array_equal(outputs[queue].cpu(cq_id=queue).to_numpy(), saturated(right))
        del fill

    def test_memory_of_a_tensor_that_is_freed(self):
        """A temporary does not take what the other queue may still read, nor does a new tensor take a temporary's
        place."""
        device = pianola.open_device(num_command_queues=2)
        width = pianola.create_sharded_memory_config(SHAPE, device.core_grid, pianola.ShardStrategy.WIDTH,
                                                     buffer_type=pianola.BufferType.DRAM)
        make = lambda memory: pianola.zeros(SHAPE, pianola.int8, device=device, memory_config=memory)  # noqa: E731
        plain, wide, output = make(pianola.DRAM_MEMORY_CONFIG), make(width), make(pianola.DRAM_MEMORY_CONFIG)
        before = device.memory_report()["DRAM"]["used_bytes"]
        pianola.synchronize_device(device)
        pianola.add(plain, wide, output_tensor=output, cq_id=0)
        self.assertEqual(device.memory_report()["DRAM"]["used_bytes"], before)
        lowest = make(pianola.DRAM_MEMORY_CONFIG)  # not where the temporary was, which its user does not know of
        pianola.synchronize_device(device)
        address = lowest.buffer_address()
        lowest.deallocate()
        self.assertLess(make(pianola.DRAM_MEMORY_CONFIG).buffer_address(), address)


class Captured(unittest.TestCase):
    """Captures in the default mode: accepted, and every step with the same addresses, whatever was before and where the
    host waits.

    Queues have cores apart from each other, because the runtime refuses a core that two unordered commands use
    (ORD-CORES).
    """

    def one(self, rng, names):
        """Mixed layouts on both queues, between one event that starts the second queue and one that ends it."""
        device = pianola.open_device(num_command_queues=2, trace_region_size=256 * 1024)
        shape = (8, 16)

        def make(queue):
            strategy = STRATEGIES[rng.integers(3)]
            memory = pianola.create_sharded_memory_config(shape, half_of(device.core_grid, queue), strategy)
            return pianola.zeros(shape, pianola.int8, device=device, memory_config=memory)

        source = pianola.zeros(shape, pianola.int8, device=device)
        target = pianola.zeros(shape, pianola.int8, device=device)
        tensors = [[make(queue) for _ in range(3)] for queue in (0, 1)]
        pianola.synchronize_device(device)
        start, end = pianola.create_event(device), pianola.create_event(device)

        def step(array):
            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), source)
            for each in (*tensors[0][:2], *tensors[1][:2]):
                pianola.copy(source, each)
            pianola.record_event(0, start)
            pianola.wait_for_event(1, start)
            for queue, name in enumerate(names):
                left, right, output = tensors[queue]
                getattr(pianola, name)(left, right, output_tensor=output, cq_id=queue)
            pianola.record_event(1, end)
            pianola.wait_for_event(0, end)
            pianola.add(tensors[0][2], tensors[1][2], output_tensor=target)
            result = target.cpu(blocking=False)
            pianola.synchronize_device(device)
            return result

        pianola.full((5, 3), 1, pianola.int8, device=device, memory_config=pianola.L1_MEMORY_CONFIG).deallocate()
        for queue in (1, 0):  # in another order than in the steps
            left, right, output = tensors[queue]
            pianola.add(left, right, output_tensor=output, cq_id=queue)
        pianola.synchronize_device(device)
        with pianola.capture(device) as capture:
            capture.declare_input(source, "x")
            capture.declare_output(target, "y")
            for _ in range(3):
                capture.begin_step()
                step(int8_array(rng, shape))
        array = int8_array(rng, shape)
        pair = {
            "add": saturated(array.astype(int) * 2), "subtract": array * 0, "multiply": saturated(array.astype(int)**2)
        }
        wide = [pair[name].astype(int) for name in names]
        outputs = pianola.replay(capture.result.file, [{"x": array}], threaded=True)
        numpy.testing.assert_array_equal(outputs[0]["y"], saturated(wide[0] + wide[1]))

    def test_mixed_layouts(self):
        """Every pair of layouts comes up, and every pair of operations."""
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                rng = numpy.random.default_rng(seed)
                self.one(rng, [str(rng.choice(["add", "subtract", "multiply"])) for _ in (0, 1)])


if __name__ == "__main__":
    main()
