"""Models of one operator, as tests/crosscheck makes them, whose operands are given to operations of the package: its
interpreter, which is written from the quantisation specification, says what the results are."""
import pathlib
import sys

import numpy

import pianola

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))
import arithmetic  # noqa: E402
import generator  # noqa: E402
import models  # noqa: E402
import schema  # noqa: E402
import writer  # noqa: E402
from interpreter import Interpreter  # noqa: E402

_MOST_SEEDS = 1000


class ModelCase:
    """A random model of one operator, and what it makes of records, one after the other."""

    def __init__(self, name, kind, seed):
        self.model = models.read(writer.write(generator.one_operator(name, kind, seed)))  # with all defaults
        self.graph = self.model.subgraphs[0]
        self.operator = self.graph.operators[0]
        self.records = generator.records(self.model, seed)

    @property
    def options(self):
        """The operator's options."""
        return self.operator.options

    @property
    def output(self):
        """The description of the result."""
        return self.graph.tensors[self.operator.outputs[0]]

    def operand(self, index):
        """The description of an operand, or None where it is absent."""
        inputs = self.operator.inputs
        return self.graph.tensors[inputs[index]] if index < len(inputs) and inputs[index] >= 0 else None

    def content(self, index, record):
        """An operand's content: a constant, or of a record."""
        number = self.operator.inputs[index]
        content = self.graph.tensors[number].content
        return record[self.graph.inputs.index(number)] if content is None else content

    def expected(self):
        """The results of all records."""
        interpreter = Interpreter(self.model)
        return [interpreter.invoke(record)[0].copy() for record in self.records]

    def clamp(self):
        """The fused activation, as the package takes it."""
        low, high = arithmetic.activation_range(schema.ACTIVATIONS[self.options.get("activation", 0)], self.output)
        return {"activation_min": int(low), "activation_max": int(high)}

    def wide_bias(self, channels):
        """The bias of a layer of int16 with a scale for each channel, prepared on the host."""
        weights, bias = self.operand(1), self.operand(2)
        content = numpy.zeros(channels, numpy.int64) if bias is None else bias.content
        scales = [float(scale) for scale in numpy.broadcast_to(weights.scales, channels)]
        return pianola.prepare_conv_bias(content, input_scale=float(self.operand(0).scale), weight_scale=scales,
                                         output_scale=float(self.output.scale))


def cases(name, kind, count, accepts=lambda case: True):
    """So many models of one operator and nothing else, which are accepted."""
    for seed in range(_MOST_SEEDS):
        case = ModelCase(name, kind, seed)
        if len(case.graph.operators) == 1 and accepts(case):
            yield seed, case
            count -= 1
            if count == 0:
                return
    raise AssertionError(f"{name}: too few models")
