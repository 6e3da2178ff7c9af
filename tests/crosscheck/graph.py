"""A random graph while it is being made."""
import math

import numpy

import models
import schema

MOST_ELEMENTS = 4096  # of one tensor
RECIPES = {}


def recipe(name, types=("INT8",), ranks=None, weight=1):
    """Registers how an operator is appended. The function gets the graph and a tensor to read, and gives the tensors
    that it has made, or None where the operator does not fit."""
    def register(function):
        RECIPES[name] = (function, types, ranks, weight)
        return function
    return register


def single(value):
    """One number in single precision."""
    return numpy.array([value], numpy.float32)


class Graph:
    """Tensors and operators so far."""

    def __init__(self, seed):
        self.rng = numpy.random.default_rng(seed)
        self.tensors, self.operators, self.inputs = [], [], []
        self.more_subgraphs, self.shown = [], []

    def choice(self, *options):
        """One of the options."""
        return options[int(self.rng.integers(len(options)))]

    def chance(self, probability):
        """Whether an event of that probability happens."""
        return bool(self.rng.random() < probability)

    def count(self, low, high):
        """A number of low to high, both possible."""
        return int(self.rng.integers(low, high + 1))

    def tensor(self, kind, shape, scale=None, zero_point=0, **others):
        """A new tensor; without a scale it is not quantised."""
        quantization = ((single(scale), numpy.array([zero_point], numpy.int64)) if scale is not None
                        else (numpy.zeros(0, numpy.float32), numpy.zeros(0, numpy.int64)))
        fields = {"quantized_dimension": 0, "is_variable": False, "content": None, **others}
        self.tensors.append(models.Tensor(f"t{len(self.tensors)}", kind, tuple(int(extent) for extent in shape),
                                         *quantization, **fields))
        return len(self.tensors) - 1

    def scale(self, kind="INT8"):
        """Between 1/1024 and 1/2, evenly in its logarithm; of 16 bits the 256th part."""
        return float(numpy.float32(2.0**self.rng.uniform(-10, -1) / (256 if kind == "INT16" else 1)))

    def zero_point(self, kind):
        """Often at an end. 16 bits are symmetric."""
        return 0 if kind == "INT16" else self.choice(-128, 127, 0, self.count(-128, 127), self.count(-20, 20))

    def activation(self, kind, shape, scale=None):
        """A new quantised tensor with a random zero point."""
        return self.tensor(kind, shape, self.scale(kind) if scale is None else scale, self.zero_point(kind))

    def like(self, index, shape=None):
        """A new tensor of another's type and quantisation."""
        source = self.tensors[index]
        made = self.tensor(source.type, source.shape if shape is None else shape)
        self.tensors[made].scales, self.tensors[made].zero_points = source.scales, source.zero_points
        return made

    def constant(self, content, scale=None, zero_point=0, scales=None, dimension=0):
        """A constant."""
        kind = {numpy.dtype(dtype): name for name, dtype in schema.TYPES.values() if name != "RESOURCE"}[content.dtype]
        made = self.tensor(kind, content.shape, scale, zero_point, content=content, quantized_dimension=dimension)
        if scales is not None:
            self.tensors[made].scales = numpy.asarray(scales, numpy.float32)
            self.tensors[made].zero_points = numpy.zeros(len(scales), numpy.int64)
        return made

    def ints(self, *numbers):
        """A constant of 32-bit integers."""
        return self.constant(numpy.array(numbers, numpy.int32))

    def data(self, kind, shape):
        """Random content; now and then extreme."""
        dtype = schema.TYPES[schema.TYPE_NUMBERS[kind]][1]
        if not numpy.issubdtype(dtype, numpy.integer):
            return self.rng.integers(0, 2, shape).astype(dtype)  # float32 and bool are moved only
        low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
        style = self.count(0, 9)
        if style == 0:
            return numpy.full(shape, low, dtype)
        if style == 1:
            return numpy.full(shape, high, dtype)
        return self.rng.integers(low, high + 1, shape).astype(dtype)

    def input(self, kind, shape):
        """A new input of the graph."""
        made = self.tensor(kind, shape) if kind in ("BOOL", "INT32", "FLOAT32") else self.activation(kind, shape)
        self.inputs.append(made)
        return made

    def add(self, name, inputs, outputs, **options):
        """Appends an operator and gives its outputs."""
        outputs = outputs if isinstance(outputs, list) else [outputs]
        self.operators.append(models.Operator(name, list(inputs), outputs, options))
        return outputs

    def fused(self):
        """A fused activation, mostly none."""
        return self.choice(0, 0, 0, 1, 2, 3)

    def weights(self, source, shape, dimension, depth):
        """Constant weights for sums of `depth` products, with one scale or one for each channel, and the output's
        scale: such that some channels are saturated at times and others are not."""
        output = self.scale(self.tensors[source].type)
        unit = output / (float(self.tensors[source].scale) * 127 * math.sqrt(depth))
        is_per_channel = self.chance(0.7)
        scales = [unit * 2.0**self.rng.uniform(-2, 1) for _ in range(shape[dimension] if is_per_channel else 1)]
        data = self.data("INT8", shape)
        return self.constant(data, scales=scales, dimension=dimension if is_per_channel else 0), output

    def bias(self, source, weights, channels, depth):
        """A constant bias, or -1, which is none; of 64 bits for 16-bit activations."""
        if self.chance(0.2):
            return -1
        is_wide = self.tensors[source].type == "INT16"
        most = int(64 * math.sqrt(depth) * (64 * 256 if is_wide else 64))
        scales = self.tensors[source].scale * self.tensors[weights].scales
        content = self.rng.integers(-most, most + 1, channels).astype(numpy.int64 if is_wide else numpy.int32)
        return self.constant(content, scales=scales)

    def finish(self, at_most=4):
        """The model: what nobody reads is an output, and what is shown."""
        read = {index for operator in self.operators for index in operator.inputs}
        made = [index for operator in self.operators for index in operator.outputs
                if self.tensors[index].type != "RESOURCE"]
        outputs = [index for index in made if index not in read or index in self.shown]
        # More outputs than a device has windows for would be refused for that alone.
        outputs = outputs[-at_most:]
        entry = models.Subgraph(self.tensors, self.inputs, outputs, self.operators)
        return models.Model([entry, *self.more_subgraphs])


_STEPS = {1: 64, 2: 64 * 64, 4: 64, 8: 64}  # of constants whose elements have so many bytes


def _power_of_two(scale):
    """The nearest, in its logarithm."""
    return 2.0**numpy.round(numpy.log2(numpy.asarray(scale, numpy.float64)))


class TiedGraph(Graph):
    """All scales are powers of two, and quantised constants have few bits: many results lie exactly between two
    integers, and show how they are rounded."""

    def tensor(self, kind, shape, scale=None, zero_point=0, **others):
        return super().tensor(kind, shape, None if scale is None else _power_of_two(scale), zero_point, **others)

    def scale(self, kind="INT8"):
        return float(_power_of_two(super().scale(kind)))

    def constant(self, content, scale=None, zero_point=0, scales=None, dimension=0):
        if (scale is not None or scales is not None) and numpy.issubdtype(content.dtype, numpy.integer):
            content = content // _STEPS[content.dtype.itemsize] * _STEPS[content.dtype.itemsize]
        scales = None if scales is None else _power_of_two(scales)
        return super().constant(content, scale, zero_point, scales, dimension)
