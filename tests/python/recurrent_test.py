#!/usr/bin/env python3
"""svdf and lstm against the interpreter of tests/crosscheck, over several calls that change their memory."""
import numpy

import pianola
from model_case import cases
from operation_support import OperationTest, any_place
from python_support import main

ROUNDS = 25


class Recurrent(OperationTest):
    """What layers hand on from call to call is part of the comparison."""

    def check(self, case, seed, call):
        """Every record in turn."""
        for number, (record, expected) in enumerate(zip(case.records, case.expected())):
            with self.subTest(seed=seed, record=number):
                rng = numpy.random.default_rng([seed, number])
                array = case.content(0, record)
                result = call(self.on_device(array, any_place(rng, array.shape)), any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)

    def test_svdf(self):
        kinds = set()
        for seed, case in cases("SVDF", "INT8", ROUNDS):
            source, features, times, bias, state = (case.operand(index) for index in range(5))
            kinds.add(state.type)
            shape = (source.shape[0], features.shape[0], times.shape[1])
            memory = self.on_device(numpy.full(shape, state.zero_point, state.dtype))
            weights = [self.on_device(tensor.content) for tensor in (features, times, bias)]
            self.check(case, seed, lambda operand, place, case=case, memory=memory, weights=weights, source=source,
                       features=features, times=times, state=state: pianola.svdf(
                           operand, weights[0], weights[1], memory, rank=case.options["rank"], bias=weights[2],
                           input_scale=float(source.scale), feature_scale=float(features.scale),
                           memory_scale=float(state.scale), time_scale=float(times.scale),
                           output_scale=float(case.output.scale), input_zero_point=source.zero_point,
                           memory_zero_point=state.zero_point, output_zero_point=case.output.zero_point,
                           memory_config=place))
        self.assertEqual(kinds, {"INT8", "INT16"})

    def test_svdf_without_a_bias_starts_at_zero(self):
        features, times = numpy.ones((2, 3), numpy.int8), numpy.ones((2, 2), numpy.int8)
        memory = self.on_device(numpy.zeros((1, 2, 2), numpy.int8))
        given = [self.on_device(array) for array in (numpy.array([[1, 2, 3]], numpy.int8), features, times)]
        one = {"rank": 1, "input_scale": 1.0, "feature_scale": 1.0, "memory_scale": 1.0, "time_scale": 1.0,
               "output_scale": 1.0}
        self.assertEqual(numpy.asarray(pianola.svdf(*given, memory, **one)).tolist(), [[6, 6]])
        self.assertEqual(numpy.asarray(pianola.svdf(*given, memory, **one)).tolist(), [[12, 12]])
        self.assertEqual(numpy.asarray(memory).tolist(), [[[6, 6], [6, 6]]])

    def lstm(self, kind, rounds):
        """Random layers with activations of one type."""
        for seed, case in cases("UNIDIRECTIONAL_SEQUENCE_LSTM", kind, rounds):
            tensors = [case.operand(index) for index in range(20)]
            hidden, cell = tensors[18], tensors[19]
            made = pianola.prepare_lstm(
                [tensor.content for tensor in tensors[1:5]], [tensor.content for tensor in tensors[5:9]],
                [tensor.content for tensor in tensors[12:16]], dtype=getattr(pianola, kind.lower()),
                batches=hidden.shape[0], hidden_zero_point=hidden.zero_point)
            layer = [tensor.to(self.device) for tensor in made]
            pianola.synchronize_device(self.device)
            options = {"input_scale": float(tensors[0].scale), "hidden_scale": float(hidden.scale),
                       "cell_scale": float(cell.scale), "input_zero_point": tensors[0].zero_point,
                       "hidden_zero_point": hidden.zero_point, "cell_clip": case.options["cell_clip"],
                       "input_weight_scales": [float(tensor.scale) for tensor in tensors[1:5]],
                       "hidden_weight_scales": [float(tensor.scale) for tensor in tensors[5:9]],
                       "time_major": case.options["time_major"]}
            self.check(case, seed, lambda operand, place, layer=layer, options=options: pianola.lstm(
                operand, *layer, memory_config=place, **options))

    def test_lstm_of_int8(self):
        self.lstm("INT8", ROUNDS)

    def test_lstm_of_int16(self):
        self.lstm("INT16", ROUNDS)

    def test_refusals(self):
        def numbers(*shape, dtype=numpy.int8):
            return numpy.zeros(shape, dtype)

        weights = [[numpy.ones((2, 3), numpy.int8)] * 4, [numpy.ones((2, 2), numpy.int8)] * 4,
                   [numpy.zeros(2, numpy.int32)] * 4]
        layer = [tensor.to(self.device) for tensor in pianola.prepare_lstm(*weights, batches=2)]
        wide = [tensor.to(self.device) for tensor in pianola.prepare_lstm(*weights, batches=2, dtype=pianola.int16)]
        right, single, short = (self.on_device(numbers(*shape)) for shape in ((2, 4, 3), (1, 4, 3), (2, 4, 2)))
        memory, features, times = (self.on_device(numbers(*shape)) for shape in ((2, 6, 5), (6, 3), (6, 5)))
        step = self.on_device(numbers(2, 3))
        height = pianola.create_sharded_memory_config((2, 6, 5), self.device.core_grid, pianola.ShardStrategy.HEIGHT)
        spread = self.on_device(numbers(2, 6, 5), height)
        times16 = self.on_device(numbers(6, 5, dtype=numpy.int16))
        before = self.commands()
        scales = {"input_scale": 0.1, "hidden_scale": 0.01, "cell_scale": 2.0**-11,
                  "input_weight_scales": [0.01] * 4, "hidden_weight_scales": [0.01] * 4}
        self.refused("TENSOR-SHAPE", pianola.lstm, single, *layer, **scales)
        self.refused("TENSOR-SHAPE", pianola.lstm, short, *layer, **scales)
        self.refused("TENSOR-SHAPE", pianola.lstm, right, *wide, **scales)
        self.refused("TENSOR-QUANTIZATION", pianola.lstm, right, *layer, **{**scales, "cell_scale": 100.0})
        self.refused("TENSOR-QUANTIZATION", pianola.lstm, right, *layer, cell_clip=-1.0, **scales)
        self.refused("TENSOR-QUANTIZATION", pianola.lstm, right, *layer, **{**scales, "input_weight_scales": [0.1] * 3})
        self.refused("TENSOR-QUANTIZATION", pianola.lstm, right, *layer,
                     **{**scales, "hidden_weight_scales": [0.0] * 4})
        one = {"input_scale": 0.1, "feature_scale": 0.1, "memory_scale": 0.1, "time_scale": 0.1, "output_scale": 0.1}
        self.refused("TENSOR-ARGUMENT", pianola.svdf, step, features, times, memory, rank=4, **one)
        self.refused("TENSOR-TYPE", pianola.svdf, step, features, times16, memory, rank=2, **one)
        self.refused("TENSOR-SHAPE", pianola.svdf, step, times, times, memory, rank=2, **one)
        self.refused("TENSOR-MEMORY", pianola.svdf, step, features, times, spread, rank=2, **one)
        self.refused("TENSOR-QUANTIZATION", pianola.svdf, step, features, times, memory, rank=2,
                     **{**one, "memory_scale": 0.0})
        self.assertEqual(self.commands(), before)
        self.refused("TENSOR-ARGUMENT", pianola.prepare_lstm, weights[0][:3], weights[1], weights[2])
        self.refused("TENSOR-TYPE", pianola.prepare_lstm, weights[2], weights[1], weights[2])
        self.refused("TENSOR-SHAPE", pianola.prepare_lstm, weights[0], weights[0], weights[2])
        self.refused("TENSOR-VALUE", pianola.prepare_lstm, *weights[:2], [numpy.array([2**31, 0])] * 4)


if __name__ == "__main__":
    main()
