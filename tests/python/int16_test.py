#!/usr/bin/env python3
"""Operations of int16 activations against the interpreter of tests/crosscheck, over random shapes and places."""
import numpy

import pianola
from model_case import ModelCase, cases, schema
from operation_support import OperationTest, any_place, array_of
from python_support import main

ROUNDS = 25


class Int16(OperationTest):
    """Layers with int8 weights, products of int16 matrices, poolings, and functions by tables."""

    def check(self, case, seed, call):
        """Every record; `call` gets the record, the operand on the device and where the result goes."""
        for number, (record, expected) in enumerate(zip(case.records, case.expected())):
            with self.subTest(seed=seed, record=number):
                rng = numpy.random.default_rng([seed, number])
                array = case.content(0, record)
                place = any_place(rng, expected.shape)
                result = numpy.asarray(call(record, self.on_device(array, any_place(rng, array.shape)), place))
                self.assertEqual(result.dtype, numpy.int16)
                numpy.testing.assert_array_equal(result, expected)

    def test_linear(self):
        def accepts(case):
            return len(case.operand(1).scales) > 1 and len(case.operand(0).shape) == len(case.output.shape)

        for seed, case in cases("FULLY_CONNECTED", "INT16", ROUNDS, accepts):
            options = {"bias": case.wide_bias(case.operand(1).shape[0]).to(self.device), **case.clamp()}
            weights = self.on_device(case.operand(1).content)
            self.check(case, seed, lambda _record, operand, place, weights=weights, options=options: pianola.linear(
                operand, weights, dtype=pianola.int16, transpose_b=True, memory_config=place, **options))

    def test_linear_without_a_bias(self):
        def accepts(case):
            return (len(case.operand(1).scales) == 1 and case.operand(2) is None
                    and len(case.operand(0).shape) == len(case.output.shape))

        for seed, case in cases("FULLY_CONNECTED", "INT16", 5, accepts):
            weights = self.on_device(numpy.ascontiguousarray(case.operand(1).content.T))
            scales = {"input_scale": float(case.operand(0).scale), "weight_scale": float(case.operand(1).scale),
                      "output_scale": float(case.output.scale)}
            self.check(case, seed, lambda _record, operand, place, case=case, weights=weights, scales=scales:
                       pianola.linear(operand, weights, dtype=pianola.int16, memory_config=place, **scales,
                                      **case.clamp()))

    def test_a_bias_of_int32_has_sums_of_int32(self):
        array, weights = numpy.array([[30000, -7]], numpy.int16), numpy.array([[100, 3], [-90, 5]], numpy.int8)
        bias = numpy.array([5, -1000000], numpy.int32)
        result = pianola.linear(self.on_device(array), self.on_device(weights), dtype=pianola.int16, transpose_b=True,
                                bias=self.on_device(bias), input_scale=1.0, weight_scale=1.0, output_scale=256.0)
        sums = array.astype(numpy.int64) @ weights.T.astype(numpy.int64) + bias
        self.assertEqual(numpy.asarray(result).tolist(), (numpy.floor(sums / 256 + 0.5)).astype(int).tolist())

    def test_product_of_two_int16(self):
        for seed, case in cases("BATCH_MATMUL", "INT16", ROUNDS, lambda case: (
                len(case.operand(0).shape) == 2 and not case.options["adj_x"])):
            scales = {"input_scale": float(case.operand(0).scale), "weight_scale": float(case.operand(1).scale),
                      "output_scale": float(case.output.scale)}
            self.check(case, seed, lambda record, operand, place, case=case, scales=scales: pianola.linear(
                operand, self.on_device(case.content(1, record)), dtype=pianola.int16,
                transpose_b=case.options["adj_y"], memory_config=place, **scales))

    def convolve(self, name, call, channels_of, options_of):
        """Random models of a convolution."""
        for seed, case in cases(name, "INT16", ROUNDS):
            options = {"stride": (case.options["stride_h"], case.options["stride_w"]),
                       "dilation": (case.options["dilation_h"], case.options["dilation_w"]),
                       "padding": "same" if case.options["padding"] == schema.SAME else "valid",
                       **options_of(case), **case.clamp()}
            weights = self.on_device(case.operand(1).content)
            bias = case.wide_bias(channels_of(case))
            self.check(case, seed, lambda _record, operand, place, weights=weights, bias=bias, options=options: call(
                operand, weights, bias_tensor=bias.to(self.device), memory_config=place, **options))

    def test_conv2d(self):
        self.convolve("CONV_2D", pianola.conv2d, lambda case: case.operand(1).shape[0],
                      lambda case: {"groups": case.operand(0).shape[3] // case.operand(1).shape[3]})

    def test_depthwise_conv2d(self):
        self.convolve("DEPTHWISE_CONV_2D", pianola.depthwise_conv2d, lambda case: case.operand(1).shape[3],
                      lambda case: {})

    def test_pools(self):
        for name, call in (("AVERAGE_POOL_2D", pianola.avg_pool2d), ("MAX_POOL_2D", pianola.max_pool2d)):
            for seed, case in cases(name, "INT16", ROUNDS):
                self.check(case, seed, lambda _record, operand, place, case=case, call=call: call(
                    operand, (case.options["filter_h"], case.options["filter_w"]),
                    (case.options["stride_h"], case.options["stride_w"]),
                    "same" if case.options["padding"] == schema.SAME else "valid", memory_config=place,
                    **case.clamp()))

    def test_softmax(self):
        tables = pianola.prepare_softmax_tables().to(self.device)
        for seed, case in cases("SOFTMAX", "INT16", ROUNDS):
            self.check(case, seed, lambda _record, operand, place, case=case: pianola.softmax(
                operand, input_scale=float(case.operand(0).scale), beta=case.options["beta"], tables=tables,
                memory_config=place))

    def test_sigmoid_and_tanh(self):
        table = pianola.prepare_sigmoid_table().to(self.device)
        for name, call in (("LOGISTIC", pianola.sigmoid), ("TANH", pianola.tanh)):
            for seed, case in cases(name, "INT16", ROUNDS):
                self.check(case, seed, lambda _record, operand, place, case=case, call=call: call(
                    operand, table, input_scale=float(case.operand(0).scale), memory_config=place))

    def test_the_interpreter_notices_a_wrong_scale(self):
        """So that the comparisons above can fail."""
        table = pianola.prepare_sigmoid_table().to(self.device)
        case = ModelCase("TANH", "INT16", 1)
        result = pianola.tanh(self.on_device(case.records[-1][0]), table,
                              input_scale=float(case.operand(0).scale) * 1.01)
        self.assertFalse((numpy.asarray(result) == case.expected()[-1]).all())

    def test_refusals(self):
        rng = numpy.random.default_rng(16)
        wide, narrow = (self.on_device(array_of(rng, dtype, (4, 6))) for dtype in (numpy.int16, numpy.int8))
        image, small = (self.on_device(array_of(rng, dtype, (1, 4, 4, 2))) for dtype in (numpy.int16, numpy.int8))
        filters = self.on_device(array_of(rng, numpy.int8, (3, 2, 2, 2)))
        prepared = pianola.prepare_conv_bias(numpy.zeros(3, numpy.int64), input_scale=1.0, weight_scale=[1.0] * 3,
                                             output_scale=1.0).to(self.device)
        table, tables = (make().to(self.device) for make in (pianola.prepare_sigmoid_table,
                                                             pianola.prepare_softmax_tables))
        scales = {"input_scale": 0.5, "weight_scale": 0.1, "output_scale": 2.0}
        before = self.commands()
        layer = {"transpose_b": True, **scales}
        self.refused("TENSOR-TYPE", pianola.linear, wide, narrow, dtype=pianola.int8, **layer)
        self.refused("TENSOR-TYPE", pianola.linear, narrow, narrow, dtype=pianola.int16, **layer)
        self.refused("TENSOR-TYPE", pianola.linear, narrow, wide, dtype=pianola.int8, **layer)
        self.refused("TENSOR-TYPE", pianola.linear, wide, wide, dtype=pianola.int16, bias=prepared, transpose_b=True)
        self.refused("TENSOR-ARGUMENT", pianola.linear, wide, wide, dtype=pianola.int16, activation_min=0, **layer)
        for name in ("input_zero_point", "weight_zero_point", "output_zero_point"):
            self.refused("TENSOR-QUANTIZATION", pianola.linear, wide, narrow, dtype=pianola.int16, **layer, **{name: 1})
        self.refused("TENSOR-QUANTIZATION", pianola.linear, wide, narrow, dtype=pianola.int16,
                     **{**layer, "output_scale": 1e-4})
        self.refused("TENSOR-QUANTIZATION", pianola.linear, wide, narrow, dtype=pianola.int16, activation_max=32768,
                     **layer)
        self.refused("TENSOR-SHAPE", pianola.conv2d, small, filters, bias_tensor=prepared)
        self.refused("TENSOR-TYPE", pianola.conv2d, image, image, **scales)
        for call in (pianola.sigmoid, pianola.tanh):
            self.refused("TENSOR-TYPE", call, narrow, table, input_scale=0.1)
            self.refused("TENSOR-TYPE", call, wide, tables, input_scale=0.1)
            self.refused("TENSOR-QUANTIZATION", call, wide, table, input_scale=2.7)
        self.refused("TENSOR-TYPE", pianola.softmax, wide, input_scale=0.1)
        self.refused("TENSOR-TYPE", pianola.softmax, narrow, input_scale=0.1, tables=tables)
        self.refused("TENSOR-TYPE", pianola.softmax, wide, input_scale=0.1, tables=table)
        self.refused("TENSOR-TYPE", pianola.add, wide, wide)
        self.assertEqual(self.commands(), before)
        with self.assertRaises(pianola.Error):
            pianola.prepare_conv_bias(numpy.zeros(3, numpy.float32), input_scale=1.0, weight_scale=[1.0] * 3,
                                      output_scale=1.0)
        with self.assertRaises(pianola.Error):
            pianola.prepare_conv_bias(numpy.array([2**46]), input_scale=1.0, weight_scale=[1.0], output_scale=1.0)


if __name__ == "__main__":
    main()
