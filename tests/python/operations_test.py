#!/usr/bin/env python3
"""Every operation the same on both queues, in a trace that is executed with other data, and in a captured workload that
is replayed. What is right is what it gives on queue 0; the other tests hold that to NumPy."""
import inspect
import unittest

import numpy

import pianola
from operation_support import GRID, OperationTest, array_of, places
from python_support import main

PAIR = {"input_scale_a": 0.5, "input_scale_b": 0.2}
SCALES = {"input_scale": 0.5, "weight_scale": 0.05, "output_scale": 9.0}
GATES = {"input_scale": 0.1, "hidden_scale": 0.01, "cell_scale": 2.0**-11, "input_weight_scales": [0.02] * 4,
         "hidden_weight_scales": [0.02] * 4}
LAYER = {"rank": 2, "input_scale": 0.1, "feature_scale": 0.1, "memory_scale": 0.5, "time_scale": 0.1,
         "output_scale": 0.5}


def from_the_beginning(layer, shape):
    """A layer that keeps state, as a function of its operands: with zeros for state, made on the queue of the call."""
    def call(x, *others, cq_id=0, **options):
        state = pianola.zeros(shape, pianola.int8, device=x.device(), cq_id=cq_id)
        return layer(x, *others, state, cq_id=cq_id, **options)
    return call


# Name -> (type and shape of each tensor, of which the first is the input of a trace; the operation).
OPERATIONS = {
    "requantize": ([("b", (6, 10))], lambda x, **o: pianola.requantize(x, 0.5, 3, 0.7, -4, **o)),
    "requantize int32": ([("i", (6, 10))], lambda x, **o: pianola.requantize(x, 1e-7, 0, 1.0, -4, **o)),
    "requantize int32 left": ([("i", (6, 10))], lambda x, **o: pianola.requantize(x, 3.0, 0, 1.0, -4, **o)),
    "typecast int32": ([("b", (6, 10))], lambda x, **o: pianola.typecast(x, pianola.int32, **o)),
    "typecast int8": ([("i", (6, 10))], lambda x, **o: pianola.typecast(x, pianola.int8, **o)),
    "add": ([("b", (6, 10)), ("b", (10,))], pianola.add),
    "subtract": ([("b", (6, 10)), ("b", (6, 1))], pianola.subtract),
    "multiply": ([("i", (6, 10))], lambda x, **o: pianola.multiply(x, 3, **o)),
    "minimum": ([("b", (6, 10))], lambda x, **o: pianola.minimum(x, 3, **o)),
    "maximum": ([("b", (6, 10)), ("b", (1,))], pianola.maximum),
    "eq": ([("b", (6, 10)), ("b", (6, 10))], pianola.eq),
    **{name: ([("b", (6, 10)), ("b", (10,))], lambda x, y, call=getattr(pianola, name), **o: call(x, y, **PAIR, **o))
       for name in ("ne", "gt", "ge", "lt", "le")},
    **{name: ([("b", (6, 10)), ("b", (6, 1))],
              lambda x, y, call=getattr(pianola, name), **o: call(x, y, output_scale=0.6, **PAIR, **o))
       for name in ("squared_difference", "prelu")},
    "where": ([("b", (6, 10)), ("b", (6, 10)), ("b", (6, 10))], pianola.where),
    "lookup": ([("b", (6, 10)), ("b", (256,))], pianola.lookup),
    "quantize": ([("f", (6, 10))], lambda x, **o: pianola.quantize(x, 0.5, 3, **o)),
    "dequantize": ([("b", (6, 10))], lambda x, **o: pianola.dequantize(x, 0.5, 3, **o)),
    "square": ([("b", (6, 10))], pianola.square),
    "min over rows": ([("b", (6, 10))], lambda x, **o: pianola.min(x, 0, **o)),
    "min": ([("b", (6, 10))], pianola.min),
    "argmin": ([("b", (6, 10))], pianola.argmin),
    "argmax over rows": ([("b", (6, 10))], lambda x, **o: pianola.argmax(x, 0, **o)),
    "add quantized": ([("b", (6, 10)), ("b", (10,))],
                      lambda x, y, **o: pianola.add(x, y, input_scale_a=0.5, input_scale_b=0.2, output_scale=0.6, **o)),
    "softmax": ([("b", (6, 10))], lambda x, **o: pianola.softmax(x, input_scale=0.1, **o)),
    "log_softmax": ([("b", (6, 10))], lambda x, **o: pianola.log_softmax(x, input_scale=0.1, **o)),
    "l2_normalize": ([("b", (6, 10))], lambda x, **o: pianola.l2_normalize(x, input_zero_point=-7, **o)),
    "mean": ([("b", (6, 10, 4))], lambda x, **o: pianola.mean(x, 1, input_scale=0.3, output_scale=0.2, **o)),
    "pad": ([("b", (6, 10))], lambda x, **o: pianola.pad(x, [(1, 2), (3, 0)], -7, **o)),
    "avg_pool2d": ([("b", (1, 9, 8, 5))], lambda x, **o: pianola.avg_pool2d(x, (3, 2), (2, 2), "same", **o)),
    "max_pool2d": ([("b", (1, 9, 8, 5))], lambda x, **o: pianola.max_pool2d(x, (3, 2), (2, 2), (1, 1), **o)),
    "conv2d": ([("b", (2, 6, 7, 3)), ("b", (4, 3, 3, 3)), ("s", (4,))],
               lambda x, w, b, **o: pianola.conv2d(x, w, bias_tensor=b, padding="same", **SCALES, **o)),
    "conv2d prepared": ([("b", (1, 6, 7, 3)), ("b", (4, 3, 3, 3)), ("p", (4,))],
                        lambda x, w, b, **o: pianola.conv2d(x, w, bias_tensor=b, **o)),
    "depthwise_conv2d": ([("b", (1, 6, 7, 3)), ("b", (1, 3, 3, 6))],
                         lambda x, w, **o: pianola.depthwise_conv2d(x, w, stride=(2, 1), **SCALES, **o)),
    "linear int8": ([("b", (6, 10)), ("b", (10, 4)), ("s", (4,))],
                    lambda x, w, b, **o: pianola.linear(x, w, bias=b, dtype=pianola.int8, **SCALES, **o)),
    "linear transposed": ([("b", (6, 10)), ("b", (4, 10)), ("p", (4,))],
                          lambda x, w, b, **o: pianola.linear(x, w, bias=b, dtype=pianola.int8, transpose_b=True, **o)),
    "matmul batches": ([("b", (2, 3, 5)), ("b", (2, 5, 4))], pianola.matmul),
    "slice": ([("b", (6, 10, 3))], lambda x, **o: pianola.slice(x, (1, 0, 0), (6, 9, 2), (2, 3, 1), **o)),
    "concat": ([("b", (6, 10))] * 6, lambda *x, **o: pianola.concat(x, 1, **o)),
    "permute": ([("b", (6, 10, 3))], lambda x, **o: pianola.permute(x, (2, 0, 1), **o)),
    "transpose": ([("i", (6, 10))], lambda x, **o: pianola.transpose(x, 0, 1, **o)),
    "flip": ([("b", (6, 10))], lambda x, **o: pianola.flip(x, (0, 1), **o)),
    "repeat": ([("b", (6, 10))], lambda x, **o: pianola.repeat(x, (2, 3), **o)),
    "take": ([("b", (6, 10)), ("i", (4,))], lambda x, y, **o: pianola.take(x, y, 1, **o)),
    "embedding": ([("i", (4,)), ("b", (6, 10))], pianola.embedding),
    "sigmoid": ([("h", (6, 10)), ("c", (256,))], lambda x, y, **o: pianola.sigmoid(x, y, input_scale=2.0**-12, **o)),
    "tanh": ([("h", (6, 10)), ("c", (256,))], lambda x, y, **o: pianola.tanh(x, y, input_scale=3e-4, **o)),
    "svdf": ([("b", (6, 10)), ("b", (8, 10)), ("b", (8, 3))],
             from_the_beginning(lambda *x, **o: pianola.svdf(*x, **LAYER, **o), (6, 8, 3))),
    "lstm": ([("b", (2, 5, 3)), ("w", (4, 4, 7)), ("g", (144,))],
             from_the_beginning(lambda *x, **o: pianola.lstm(*x, **GATES, **o), (24,))),
    "reshape": ([("b", (6, 10))], lambda x, **o: pianola.reshape(x, (3, 4, 5), **o)),
}


class Everywhere(OperationTest):
    """One operation after the other."""

    def arrays(self, name, seed):
        """Data for an operation's tensors."""
        rng = numpy.random.default_rng([20, seed])
        make = {
            "b": lambda shape: array_of(rng, numpy.int8, shape),
            "i": lambda shape: array_of(rng, numpy.int32, shape),
            "f": lambda shape: rng.normal(0.0, 20.0, size=shape).astype(numpy.float32),
            "s": lambda shape: rng.integers(-999, 999, size=shape, dtype=numpy.int32),  # a bias
            "p": lambda shape: self.prepared(make["s"](shape)),
            "h": lambda shape: array_of(rng, numpy.int16, shape),
            "c": lambda _shape: pianola.prepare_sigmoid_table().to_numpy(),
            "w": lambda _shape: self.gates()[0].to_numpy(),
            "g": lambda _shape: self.gates()[1].to_numpy(),
        }
        return [make[kind](shape) for kind, shape in OPERATIONS[name][0]]

    @staticmethod
    def prepared(bias):
        """A bias whose channels have scales of their own."""
        weights = [0.03 + 0.01 * channel for channel in range(len(bias))]
        tensor = pianola.prepare_conv_bias(
            pianola.from_numpy(bias), input_scale=0.5, weight_scale=weights, output_scale=9.0)
        return tensor.to_numpy()

    @staticmethod
    def gates():
        """Weights and parameters of an LSTM of four units, the same each time."""
        rng = numpy.random.default_rng(21)
        weights = [[array_of(rng, numpy.int8, (4, columns)) for _ in range(4)] for columns in (3, 4)]
        biases = [rng.integers(-999, 999, size=4, dtype=numpy.int32) for _ in range(4)]
        return pianola.prepare_lstm(*weights, biases, batches=2)

    def tensors(self, arrays, place=pianola.DRAM_MEMORY_CONFIG):
        """Device tensors; the place is the first one's."""
        return [self.on_device(array, place if index == 0 else pianola.DRAM_MEMORY_CONFIG)
                for index, array in enumerate(arrays)]

    def eager(self, name, arrays):
        """What is right."""
        return numpy.asarray(OPERATIONS[name][1](*self.tensors(arrays)))

    def test_every_operation_is_tried(self):
        takes_queue = {
            name for name, each in vars(pianola).items()
            if inspect.isroutine(each) and "output_tensor" in (each.__doc__ or "")
        }
        older = {"relu", "neg", "abs", "matmul", "sum", "max", "reshard", "copy"}
        self.assertEqual(takes_queue - older, {name.split()[0] for name in OPERATIONS} - older)

    def test_on_queue_1_in_every_place(self):
        for name, (_, call) in OPERATIONS.items():
            with self.subTest(name):
                arrays = self.arrays(name, 1)
                right = self.eager(name, arrays)
                for place in places(right.shape):
                    same = arrays[0].shape == right.shape
                    tensors = self.tensors(arrays, place if same else pianola.L1_MEMORY_CONFIG)
                    result = call(*tensors, memory_config=place, cq_id=1)
                    self.assertEqual(result.memory_config(), place)
                    numpy.testing.assert_array_equal(result.cpu(cq_id=1).to_numpy(), right)

    def test_into_an_output(self):
        for name, (_, call) in OPERATIONS.items():
            with self.subTest(name):
                arrays = self.arrays(name, 2)
                right = self.eager(name, arrays)
                dtype = getattr(pianola, right.dtype.name)
                output = pianola.zeros(right.shape, dtype, device=self.device, memory_config=pianola.L1_MEMORY_CONFIG)
                address = output.buffer_address()
                result = call(*self.tensors(arrays), output_tensor=output)
                self.assertEqual(result.buffer_address(), address)
                numpy.testing.assert_array_equal(numpy.asarray(output), right)

    def test_in_a_trace(self):
        for name, (_, call) in OPERATIONS.items():
            with self.subTest(name):
                for queue in (0, 1):
                    first, second = self.arrays(name, 3), self.arrays(name, 4)
                    tensors = self.tensors(first)
                    call(*tensors, cq_id=queue)  # compiled
                    pianola.synchronize_device(self.device)
                    tid = pianola.begin_trace_capture(self.device, cq_id=queue)
                    result = call(*tensors, cq_id=queue)
                    pianola.end_trace_capture(self.device, tid, cq_id=queue)
                    for arrays in (second, first, second):
                        host = pianola.from_numpy(arrays[0])
                        pianola.copy_host_to_device_tensor(host, tensors[0], cq_id=queue)
                        pianola.execute_trace(self.device, tid, cq_id=queue)
                        got = result.cpu(cq_id=queue).to_numpy()
                        pianola.synchronize_device(self.device)
                        right = self.eager(name, [arrays[0], *first[1:]])
                        numpy.testing.assert_array_equal(got, right)
                    pianola.release_trace(self.device, tid)

    def test_in_a_captured_workload(self):
        for name, (_, call) in OPERATIONS.items():
            with self.subTest(name):
                first, second = self.arrays(name, 5), self.arrays(name, 6)
                right = [self.eager(name, [arrays[0], *first[1:]]) for arrays in (first, second)]
                with pianola.manage_device(core_grid=GRID, trace_region_size=64 * 1024) as device:
                    tensors = [pianola.from_numpy(array, device=device) for array in first]
                    output = call(*tensors)
                    with pianola.capture(device, name=name) as workload:
                        for tensor, array in zip(tensors[1:], first[1:]):
                            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
                            workload.declare_constant(tensor)
                        workload.declare_input(tensors[0], "x")
                        workload.declare_output(output, "y")
                        workload.begin_step()
                        pianola.copy_host_to_device_tensor(pianola.from_numpy(first[0]), tensors[0])
                        call(*tensors, output_tensor=output)
                        output.cpu()
                    session = pianola.Session(workload.result.file)
                    self.assertEqual(session.self_test(), 1)
                    replayed = session.run([{"x": arrays[0]} for arrays in (first, second)])
                    for got, expected in zip(replayed, right):
                        numpy.testing.assert_array_equal(got["y"], expected)


if __name__ == "__main__":
    main()
