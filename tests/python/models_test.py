#!/usr/bin/env python3
"""Models of ../shared, operator by operator with the Python package's operations, against TensorFlow Lite Micro's
outputs.

A model is tried where all its operators and types are among those that the package has. Without ../shared nothing is.
"""
import os
import pathlib
import struct
import unittest

import numpy

import pianola
from python_support import main

SOURCE = pathlib.Path(os.environ.get("PIANOLA_SOURCE", pathlib.Path(__file__).parents[2]))
MODELS = pathlib.Path(os.environ.get("PIANOLA_SHARED") or SOURCE.parent / "shared") / "models"
RECORDS = 2  # of each model
TYPES = {2: numpy.int32, 4: numpy.int64, 9: numpy.int8}


class Table:
    """A table of a FlatBuffer."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def number(self, kind, at):
        """One number."""
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def field(self, index):
        """Where a field lies; 0 where it is absent."""
        vtable = self.at - self.number("i", self.at)
        inside = 4 + 2 * index < self.number("H", vtable)
        offset = self.number("H", vtable + 4 + 2 * index) if inside else 0
        return offset and self.at + offset

    def scalar(self, index, kind, default=0):
        """A field that is a number."""
        at = self.field(index)
        return self.number(kind, at) if at else default

    def table(self, index):
        """A field that is a table, or None."""
        at = self.field(index)
        return Table(self.data, at + self.number("I", at)) if at else None

    def vector(self, index, dtype):
        """A field that is a list of numbers."""
        at = self.field(index)
        if not at:
            return numpy.zeros(0, dtype)
        at += self.number("I", at)
        return numpy.frombuffer(self.data, numpy.dtype(dtype).newbyteorder("<"), self.number("I", at), at + 4)

    def tables(self, index):
        """A field that is a list of tables."""
        at = self.field(index)
        at += self.number("I", at) if at else 0
        places = [at + 4 + 4 * i for i in range(self.number("I", at))] if at else []
        return [Table(self.data, place + self.number("I", place)) for place in places]


class NotTried(Exception):
    """The model has something that the package has not."""


class Value:
    """A tensor of a model: shape, quantisation, and its data where it is a constant."""

    def __init__(self, table, buffers):
        self.shape = tuple(int(size) for size in table.vector(0, numpy.int32))
        self.type = TYPES.get(table.scalar(1, "b"))
        quantization = table.table(4)
        self.scales = quantization.vector(2, numpy.float32) if quantization else numpy.zeros(0, numpy.float32)
        self.zero_points = quantization.vector(3, numpy.int64) if quantization else numpy.zeros(0, numpy.int64)
        data = buffers[table.scalar(2, "I")].vector(0, numpy.uint8)
        self.constant = data.view(self.type).reshape(self.shape) if len(data) and self.type is not None else None
        self.device = None

    @property
    def scale(self):
        """The one scale."""
        return float(self.scales[0])

    @property
    def zero_point(self):
        """The one zero point."""
        return int(self.zero_points[0])


class Model:
    """Runs a model on a device."""

    def __init__(self, path, device):
        root = Table(path.read_bytes(), 0)
        root.at = root.number("I", 0)
        graphs = root.tables(2)
        if len(graphs) != 1:
            raise NotTried("more than one graph")
        buffers = root.tables(4)
        self.device = device
        self.values = [Value(table, buffers) for table in graphs[0].tables(0)]
        self.inputs, self.outputs = (graphs[0].vector(index, numpy.int32) for index in (1, 2))
        codes = [max(code.scalar(0, "b"), code.scalar(3, "i")) for code in root.tables(1)]
        self.operators = []
        for operator in graphs[0].tables(3):
            code = codes[operator.scalar(0, "I")]
            if code not in OPERATORS:
                raise NotTried(f"operator {code}")
            indices = [int(index) for index in operator.vector(1, numpy.int32)]
            operands = [None if index < 0 else self.values[index] for index in indices]
            result = self.values[operator.vector(2, numpy.int32)[0]]
            if any(each.type != numpy.int8 or len(each.scales) != 1 for each in (operands[0], result)):
                raise NotTried("an activation of another type")
            self.operators.append((OPERATORS[code], operands, result, operator.table(4)))
        for value in self.values:
            if value.constant is not None and value.type == numpy.int8:
                value.device = pianola.from_numpy(value.constant.reshape(value.shape or (1,)), device=device)

    def run(self, inputs):
        """Outputs for the bytes of inputs."""
        for index, data in zip(self.inputs, inputs):
            value = self.values[index]
            array = numpy.frombuffer(data, value.type).reshape(value.shape)
            value.device = pianola.from_numpy(array, device=self.device)
        for call, operands, result, options in self.operators:
            output = call(operands, result, options)
            result.device = output if output.shape == result.shape else output.reshape(result.shape)
        return [numpy.asarray(self.values[index].device).tobytes() for index in self.outputs]


def clamp_of(activation, result):
    """Keyword arguments for a fused activation: none, relu, relu between -1 and 1, relu6."""
    bounds = {0: (None, None), 1: (0, None), 2: (-1, 1), 3: (0, 6)}
    if activation not in bounds:
        raise NotTried("an activation function")
    names, clamp = ("activation_min", "activation_max"), {}
    for name, bound in zip(names, bounds[activation]):
        if bound is not None:
            steps = float(numpy.float32(bound) / result.scales[0])
            rounded = int(numpy.sign(steps) * numpy.floor(abs(steps) + 0.5))
            clamp[name] = max(-128, min(127, result.zero_point + rounded))
    return clamp


def layer_options(operands, result, key):
    """Keyword arguments for zero points, scales and bias of a layer with weights."""
    image, weights = operands[:2]
    options = {"input_zero_point": image.zero_point, "output_zero_point": result.zero_point}
    bias = operands[2].constant.astype(numpy.int32) if len(operands) > 2 and operands[2] is not None else None
    device = weights.device.device()
    if len(weights.scales) == 1:
        options.update(input_scale=image.scale, weight_scale=weights.scale, output_scale=result.scale)
        if bias is not None:
            options[key] = pianola.from_numpy(bias, device=device)
        return options
    zeros = numpy.zeros(len(weights.scales), numpy.int32)
    prepared = pianola.prepare_conv_bias(
        pianola.from_numpy(zeros if bias is None else bias), input_scale=image.scale, output_scale=result.scale,
        weight_scale=[float(scale) for scale in weights.scales])
    return {**options, key: prepared.to(device)}


def padding_of(scheme):
    """What the package calls it."""
    return ("same", "valid")[scheme]


def convolution(call, activation, dilation):
    """A convolution, whose options have those fields."""

    def run(operands, result, options):
        return call(operands[0].device, operands[1].device, padding=padding_of(options.scalar(0, "b")),
                    stride=(options.scalar(2, "i"), options.scalar(1, "i")),
                    dilation=(options.scalar(dilation + 1, "i", 1), options.scalar(dilation, "i", 1)),
                    **clamp_of(options.scalar(activation, "b"), result),
                    **layer_options(operands, result, "bias_tensor"))

    return run


def conv2d(image, weights, **options):
    """With as many groups as the weights say."""
    return pianola.conv2d(image, weights, groups=image.shape[3] // weights.shape[3], **options)


def linear(operands, result, options):
    """Over all but the weights' last dimension."""
    weights = operands[1]
    rows = operands[0].device.reshape((-1, weights.shape[1]))
    zero_point = weights.zero_point if len(weights.scales) == 1 else 0
    return pianola.linear(rows, weights.device, dtype=pianola.int8, transpose_b=True, weight_zero_point=zero_point,
                          **clamp_of(options.scalar(0, "b"), result), **layer_options(operands, result, "bias"))


def pool(call):
    """A pooling."""

    def run(operands, result, options):
        return call(operands[0].device, (options.scalar(4, "i"), options.scalar(3, "i")),
                    (options.scalar(2, "i"), options.scalar(1, "i")), padding_of(options.scalar(0, "b")),
                    **clamp_of(options.scalar(5, "b"), result))

    return run


def add(operands, result, options):
    """With scales."""
    left, right = operands
    return pianola.add(left.device, right.device, input_scale_a=left.scale, input_scale_b=right.scale,
                       output_scale=result.scale, input_zero_point_a=left.zero_point,
                       input_zero_point_b=right.zero_point, output_zero_point=result.zero_point,
                       **clamp_of(options.scalar(0, "b"), result))


def softmax(operands, _, options):
    """Over the last dimension."""
    beta = options.scalar(0, "f")
    return pianola.softmax(operands[0].device, input_scale=operands[0].scale, beta=beta)


def mean(operands, result, _):
    """Over constant axes."""
    source, axes = operands
    return pianola.mean(source.device, [int(axis) for axis in axes.constant.ravel()], True, input_scale=source.scale,
                        input_zero_point=source.zero_point, output_scale=result.scale,
                        output_zero_point=result.zero_point)


def pad(operands, result, _):
    """With the number that stands for 0, or a constant."""
    widths = [tuple(int(width) for width in row) for row in operands[1].constant]
    value = int(operands[2].constant.ravel()[0]) if len(operands) > 2 else result.zero_point
    return pianola.pad(operands[0].device, widths, value)


def maximum(operands, result, _):
    """Of operands in the result's scale and zero point."""
    quantizations = {(float(each.scale), each.zero_point) for each in (*operands, result)}
    if len(quantizations) > 1:
        raise NotTried("a maximum that rescales")
    return pianola.maximum(operands[0].device, operands[1].device)


def requantize(operands, result, _):
    """int8 to int8."""
    source = operands[0]
    return pianola.requantize(source.device, source.scale, source.zero_point, result.scale, result.zero_point)


OPERATORS = {
    0: add,
    1: pool(pianola.avg_pool2d),
    3: convolution(conv2d, 3, 4),
    4: convolution(pianola.depthwise_conv2d, 4, 5),
    9: linear,
    17: pool(pianola.max_pool2d),
    22: lambda operands, result, _: operands[0].device.reshape(result.shape),
    25: softmax,
    34: pad,
    40: mean,
    55: maximum,
    60: pad,
    114: requantize,
}


class Models(unittest.TestCase):
    """One model after the other."""

    def try_models(self, folder, least):
        """All models of a folder; at least so many must have been tried."""
        if not MODELS.is_dir():
            self.skipTest(f"{MODELS} is not there")
        tried = []
        for path in sorted(folder.glob("*/model.tflite")):
            with pianola.manage_device(dram_bytes=64 << 20) as device:
                try:
                    model = Model(path, device)
                except NotTried:
                    continue
                tried.append(path.parent.name)
                for record in range(RECORDS):
                    with self.subTest(model=path.parent.name, record=record):
                        inputs = [(path.parent / f"input_{record}_{i}.bin").read_bytes()
                                  for i in range(len(model.inputs))]
                        for index, output in enumerate(model.run(inputs)):
                            golden = (path.parent / f"golden_{record}_{index}.bin").read_bytes()
                            self.assertEqual(output, golden)
        self.assertGreaterEqual(len(tried), least, tried)

    def test_single_operators(self):
        self.try_models(MODELS / "ops", 33)

    def test_whole_models(self):
        self.try_models(MODELS, 11)


if __name__ == "__main__":
    main()
