"""What an operator's function gets, and the table of all of them."""
import dataclasses

import numpy

import schema

REGISTRY = {}


class Unsupported(Exception):
    """The operator has no such type or form."""


class Contradiction(Exception):
    """Options or shapes of the model contradict each other."""


@dataclasses.dataclass
class Value:
    """A tensor with its present content."""
    tensor: object
    data: numpy.ndarray

    @property
    def scale(self):
        """The scale, single precision."""
        return self.tensor.scale

    @property
    def zero_point(self):
        """The zero point."""
        return self.tensor.zero_point

    @property
    def type(self):
        """The name of the element type."""
        return self.tensor.type

    def wide(self):
        """The content in 64 bits, the zero point taken off."""
        return self.data.astype(numpy.int64) - self.zero_point


@dataclasses.dataclass
class Node:
    """One operator about to run."""
    name: str
    inputs: list
    outputs: list
    options: dict
    interpreter: object

    @property
    def output(self):
        """The description of the only output."""
        return self.outputs[0]

    def input(self, index):
        """An input, or None where it is absent."""
        return self.inputs[index] if index < len(self.inputs) else None

    @property
    def activation(self):
        """The fused activation."""
        return schema.ACTIVATIONS[self.options.get("activation", 0)]

    def count(self, option, operands):
        """Checks an option that says how many operands there are."""
        if self.options[option] != len(operands):
            raise Contradiction(f"{self.name}: {option}")

    def need(self, value, *types):
        """Refuses a type that TensorFlow Lite Micro's kernel does not have."""
        if value.type not in types:
            raise Unsupported(f"{self.name} of {value.type}")


def operator(*names):
    """Registers a function that gives the output's content, or a list of all outputs' contents."""
    def register(function):
        for name in names:
            REGISTRY[name] = function
        return function
    return register


def product_of_scales(left, right, output):
    """left * right / output, in double precision from single-precision scales."""
    return float(left) * float(right) / float(output)


FLOAT_ACTIVATIONS = {"NONE": (-numpy.inf, numpy.inf), "RELU": (0, numpy.inf), "RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def activate_float(data, activation):
    """A fused activation of single-precision numbers."""
    low, high = FLOAT_ACTIVATIONS[activation]
    return numpy.clip(data, numpy.float32(low), numpy.float32(high)).astype(numpy.float32)


def rounded_function(function, data):
    """A function of real numbers, computed in double precision and rounded once to single."""
    return numpy.array([function(float(entry)) for entry in data.ravel()], numpy.float32).reshape(data.shape)
