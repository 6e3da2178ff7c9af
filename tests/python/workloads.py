"""Workloads of the guides' kinds, for tests of captures: eager, traced, with a queue of their own for transfers."""
import numpy

import pianola
from python_support import TRACE_REGION, saturated

SHAPE = (8, 64)
GRID = pianola.CoreGrid(y=2, x=2)
L1 = pianola.create_sharded_memory_config(SHAPE, GRID, pianola.ShardStrategy.HEIGHT)
DRAM = pianola.create_sharded_memory_config(SHAPE, GRID, pianola.ShardStrategy.HEIGHT,
                                            buffer_type=pianola.BufferType.DRAM)
STEPS = 4


def run_model(tensor, weight):
    """relu(2x - w) in saturating int8; leaves nothing but its output, and its input's place free."""
    doubled = pianola.add(tensor, tensor)
    tensor.deallocate()
    shifted = pianola.subtract(doubled, weight)
    doubled.deallocate()
    output = pianola.relu(shifted)
    shifted.deallocate()
    return output


def reference(array, weight):
    """What the model computes, in NumPy."""
    return numpy.maximum(saturated(saturated(array.astype(int) * 2).astype(int) - weight), 0).astype(numpy.int8)


class Workload:
    """A device with a persistent input, weight and output, and a way of running the model."""

    QUEUES = 1

    def __init__(self, threaded=False):
        options = {"core_grid": GRID, "trace_region_size": TRACE_REGION, "threaded": threaded}
        self.device = pianola.open_device(num_command_queues=self.QUEUES, **options)
        self.input = pianola.zeros(SHAPE, pianola.int8, device=self.device, memory_config=DRAM)
        self.weight = pianola.zeros(SHAPE, pianola.int8, device=self.device, memory_config=L1)
        self.output = pianola.zeros(SHAPE, pianola.int8, device=self.device, memory_config=DRAM)
        self.prepare()

    def prepare(self):
        """Compiles the model; traced workloads capture it."""
        self.compute()

    def compute(self):
        """From input to output, operation by operation."""
        result = run_model(pianola.to_memory_config(self.input, L1), self.weight)
        pianola.reshard(result, DRAM, self.output)
        result.deallocate()

    def run(self, weight, arrays, capture=None):
        """Outputs for all inputs; marks steps where something is captured."""
        pianola.copy_host_to_device_tensor(pianola.from_numpy(weight), self.weight)
        if capture is not None:
            capture.declare_constant(self.weight, "weight")
            capture.declare_input(self.input, "x")
            capture.declare_output(self.output, "y")
        return [output.to_numpy() for output in self.run_all([pianola.from_numpy(array) for array in arrays], capture)]

    def run_all(self, inputs, capture):
        """One step for each input."""
        outputs = []
        for tensor in inputs:
            if capture is not None:
                capture.begin_step()
            outputs.append(self.step(tensor))
        return outputs

    def step(self, tensor):
        """One input, on one queue."""
        pianola.copy_host_to_device_tensor(tensor, self.input)
        self.compute()
        return self.output.cpu(blocking=False)


class Eager(Workload):
    """Every operation by itself."""


class Traced(Workload):
    """The model in a trace."""

    def prepare(self):
        self.compute()
        self.trace = pianola.begin_trace_capture(self.device)
        Workload.compute(self)
        pianola.end_trace_capture(self.device, self.trace)
        self.compute = lambda: pianola.execute_trace(self.device, self.trace)


class SeparateWrites(Traced):
    """Queue 1 writes, queue 0 runs the trace and reads."""

    QUEUES = 2

    def prepare(self):
        super().prepare()
        self.taken, self.written = pianola.create_event(self.device), pianola.create_event(self.device)

    def run_all(self, inputs, capture):
        pianola.record_event(0, self.taken)
        return super().run_all(inputs, capture)

    def step(self, tensor):
        pianola.wait_for_event(1, self.taken)
        pianola.copy_host_to_device_tensor(tensor, self.input, cq_id=1)
        pianola.record_event(1, self.written)
        pianola.wait_for_event(0, self.written)
        self.compute()
        pianola.record_event(0, self.taken)
        return self.output.cpu(blocking=False)


class WithoutEvents(SeparateWrites):
    """Queue 1 writes, and the host alone waits for it: the binary cannot."""

    def step(self, tensor):
        pianola.copy_host_to_device_tensor(tensor, self.input, cq_id=1)
        pianola.synchronize_device(self.device)
        self.compute()
        return self.output.cpu()


class SeparateTransfers(Traced):
    """Queue 1 writes and reads, queue 0 runs the trace; the next input is written before the last output is read."""

    QUEUES = 2

    def prepare(self):
        super().prepare()
        self.taken, self.written, self.placed, self.read = (pianola.create_event(self.device) for _ in range(4))

    def write(self, tensor):
        """The next input, when the last one has been taken."""
        pianola.wait_for_event(1, self.taken)
        pianola.copy_host_to_device_tensor(tensor, self.input, cq_id=1)
        pianola.record_event(1, self.written)

    def work(self):
        """The model, when the input is there and the last output has been read."""
        pianola.wait_for_event(0, self.written)
        pianola.wait_for_event(0, self.read)
        self.compute()
        pianola.record_event(0, self.taken)
        pianola.record_event(0, self.placed)

    def fetch(self):
        """The output."""
        pianola.wait_for_event(1, self.placed)
        output = self.output.cpu(blocking=False, cq_id=1)
        pianola.record_event(1, self.read)
        return output

    def run_all(self, inputs, capture):
        pianola.record_event(0, self.taken)
        pianola.record_event(1, self.read)
        if capture is not None:
            capture.begin_prologue()
        self.write(inputs[0])
        outputs = []
        for following in inputs[1:]:
            if capture is not None:
                capture.begin_step()
            self.work()
            self.write(following)
            outputs.append(self.fetch())
        if capture is not None:
            capture.begin_epilogue()
        self.work()
        return [*outputs, self.fetch()]


class RecordInThePrologue(SeparateWrites):
    """The record that lets the first step begin stands in a prologue; queue 1 may wait for it, and else the host alone
    keeps steps apart."""

    waits = True

    def run_all(self, inputs, capture):
        capture.begin_prologue()
        return super().run_all(inputs, capture)

    def step(self, tensor):
        if self.waits:
            pianola.wait_for_event(1, self.taken)
        pianola.copy_host_to_device_tensor(tensor, self.input, cq_id=1)
        pianola.record_event(1, self.written)
        pianola.wait_for_event(0, self.written)
        self.compute()
        output = self.output.cpu()
        pianola.record_event(0, self.taken)
        return output


KINDS = (Eager, Traced, SeparateWrites, SeparateTransfers)
