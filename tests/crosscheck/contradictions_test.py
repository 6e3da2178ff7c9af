#!/usr/bin/env python3
"""Models whose options, shapes, zero points and operands contradict each other.

The model of each operator with each type is changed in one place: an option, a dimension or the rank of a tensor, a
number in a constant list, a zero point or a scale of a constant, or the number of inputs or outputs. Of each change the
product either says why it refuses it, with the operator or the tensor, or it computes what the interpreter computes,
which derives shapes for itself and refuses contradictions for itself. A change that is accepted and changes no result
must be one of those that MEANINGLESS justifies. Of each operator with each type a model must be captured as it is,
those excepted that TensorFlow Lite Micro computes in float only.
"""
import argparse
import collections
import copy
import dataclasses
import pathlib
import re
import struct
import sys
import tempfile

import numpy

import generator
import models
import schema
import writer
from interpreter import Interpreter
from product import Failed, Product, Refused, kind_of_reason

_RECORDS = 6
_MOST_ELEMENTS = 64  # of a constant list whose numbers are changed
_LEAST_REFUSED = 0.5  # of the changes
_NO_KERNEL = "TensorFlow Lite Micro computes it in float only"
_NAMES = re.compile(r"^operator \d+ \([A-Z0-9_]+\): .|^graph (in|out)put '")

# (operator, change): why it may change no result. "*" stands for every operator.
MEANINGLESS = {
    ("*", "activation"): "a fused activation clamps nothing that the type does not clamp already",
    ("*", "stride_h"): "one window only, or the scheme of padding hides it",
    ("*", "stride_w"): "as stride_h",
    ("*", "dilation_h"): "one tap only",
    ("*", "dilation_w"): "one tap only",
    ("*", "padding"): "no padding is needed",
    ("*", "filter_h"): "the window already reaches past the image, or saturates",
    ("*", "filter_w"): "as filter_h",
    ("*", "asymmetric_inputs"): "only for float32 inputs with int8 weights, which are refused",
    ("*", "pot_scale_int16"): "chooses between kernels of TensorFlow Lite; TensorFlow Lite Micro has one",
    ("*", "quantized_dimension"): "of one scale there is no dimension",
    ("*", "keep_dims"): "nothing is reduced to one element, or no axis is left out",
    ("*", "element of a list"): "another way to name the same axis or position, or one that nothing depends on",
    ("*", "zero point of a constant"): "results are saturated, or the constant is data that is moved with its scale",
    ("*", "scale of a constant"): "results are saturated, or the scale does not count",
    ("BATCH_MATMUL", "adj_x"): "a matrix of one element, or symmetric data",
    ("BATCH_MATMUL", "adj_y"): "as adj_x",
    ("CUMSUM", "exclusive"): "results are saturated",
    ("CUMSUM", "reverse"): "one element along the axis",
    ("CONV_2D", "bias_type"): "names the type that the bias has",
    ("FULLY_CONNECTED", "keep_num_dims"): "an input of rank 2",
    ("FULLY_CONNECTED", "bias_type"): "names the type that the bias has",
    ("TRANSPOSE_CONV", "bias_type"): "names the type that the bias has",
    ("GATHER", "axis"): "a negative number names the same axis",
    ("GATHER", "batch_dims"): "a negative number names the same dimensions",
    ("CONCATENATION", "axis"): "a negative number names the same axis",
    ("PACK", "axis"): "all lengths are one",
    ("UNPACK", "axis"): "all lengths are one",
    ("LEAKY_RELU", "alpha"): "no number below zero shows it",
    ("SOFTMAX", "beta"): "results are saturated",
    ("MIRROR_PAD", "mode"): "no padding",
    ("RESIZE_BILINEAR", "align_corners"): "one pixel, or equal sizes",
    ("RESIZE_BILINEAR", "half_pixel_centers"): "one pixel, or equal sizes",
    ("RESIZE_NEAREST_NEIGHBOR", "align_corners"): "one pixel, or equal sizes",
    ("RESIZE_NEAREST_NEIGHBOR", "half_pixel_centers"): "one pixel, or equal sizes",
    ("SQUEEZE", "squeeze_dims"): "an axis is named twice, or from the other end",
    ("STRIDED_SLICE", "begin_mask"): "the range begins at that end already",
    ("STRIDED_SLICE", "end_mask"): "the range ends at that end already, or its axis is dropped",
    ("STRIDED_SLICE", "shrink_axis_mask"): "the range has one element",
    ("STRIDED_SLICE", "offset"): "every range begins at 0",
    ("SVDF", "activation"): "TensorFlow Lite Micro clamps to int8 only, whatever it names",
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", "cell_clip"): "no cell is that large",
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", "time_major"): "one step of one batch",
    ("CALL_ONCE", "init_subgraph_index"): "none",
    ("RESHAPE", "shape of a tensor"): "only the number of elements of the input counts",
    ("RESHAPE", "fewer inputs"): "without a list the output has the shape",
    ("BATCH_MATMUL", "shape of a tensor"): "a leading dimension of one is broadcast",
    ("BATCH_MATMUL", "shape of a constant"): "a leading dimension of one is broadcast",
    ("BROADCAST_TO", "shape of a tensor"): "a leading dimension of one is broadcast",
    ("CONV_2D", "shape of a constant"): "padding hides how large the filter is, and results are saturated",
    ("DEPTHWISE_CONV_2D", "shape of a constant"): "as CONV_2D",
    ("TRANSPOSE_CONV", "shape of a constant"): "as CONV_2D",
    ("CONV_2D", "fewer inputs"): "the bias is absent already, or results are saturated",
    ("DEPTHWISE_CONV_2D", "fewer inputs"): "as CONV_2D",
    ("TRANSPOSE_CONV", "fewer inputs"): "as CONV_2D",
    ("FILL", "shape of a constant"): "a number alone or in a list",
    ("SHAPE", "shape of a tensor"): "what is made of the lengths does not show them",
    ("FULLY_CONNECTED", "shape of a tensor"): "the input is read as rows",
    ("FULLY_CONNECTED", "fewer inputs"): "the bias is absent already, or results are saturated",
    ("UNIDIRECTIONAL_SEQUENCE_LSTM", "fewer inputs"): "the last one is absent already",
    ("AVERAGE_POOL_2D", "shape of a tensor"): "what is added or left out is read by no window",
    ("MAX_POOL_2D", "shape of a tensor"): "as AVERAGE_POOL_2D",
}
MEANINGLESS.update({(name, "shape of a tensor"): "what is reduced has another length, and one result" for name in (
    "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL", "ARG_MAX", "ARG_MIN")})
MEANINGLESS.update({(name, f"shape of a {what}"): "a leading dimension of one is broadcast" for name in (
    "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "PRELU", "EQUAL", "NOT_EQUAL", "GREATER",
    "GREATER_EQUAL", "LESS", "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "SELECT_V2")
    for what in ("tensor", "constant")})
MEANINGLESS.update({(name, "shape of a constant"): "a number alone or in a list; an axis named twice" for name in (
    "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ALL", "ARG_MAX", "ARG_MIN", "CUMSUM", "EXPAND_DIMS",
    "REVERSE_V2", "SPLIT", "SPLIT_V", "PADV2")})


@dataclasses.dataclass
class Change:
    """A changed model: the operator that has been changed, and what of it."""
    operator: str
    what: str
    model: models.Model


def _copy(model):
    return copy.deepcopy(model)


def _options(model, position):
    operator = model.subgraphs[0].operators[position]
    for key, before in operator.options.items():
        if isinstance(before, (bool, numpy.bool_)):
            values = [not before]
        elif isinstance(before, str):
            continue
        elif isinstance(before, tuple):
            values = [before[:index] + (entry + step,) + before[index + 1:] for index, entry in enumerate(before)
                      for step in (1, -1)] + [(*before, 1), before[:-1], (7,)]
        elif isinstance(before, float):
            values = [before * 2 + 0.25]
        else:
            values = [before + 1, before - 1, before + 64]
        for value in values:
            if value == before:
                continue
            changed = _copy(model)
            changed.subgraphs[0].operators[position].options[key] = value
            yield Change(operator.name, key, changed)


def _resized(content, shape):
    """The content cut, or filled up with its last element."""
    count = int(numpy.prod(shape, dtype=numpy.int64))
    flat = content.ravel()
    return numpy.resize(numpy.concatenate([flat, numpy.repeat(flat[-1:], max(count - flat.size, 0))]), count) \
        .reshape(shape)


def _shapes(shape):
    for axis, extent in enumerate(shape):
        for step in (1, -1):
            if extent + step > 0:
                yield shape[:axis] + (extent + step,) + shape[axis + 1:]
    yield (*shape, 1)
    yield (1, *shape)
    if shape[::-1] != shape:
        yield shape[::-1]
    if shape[:1] == (1,):
        yield shape[1:]
    if shape[-1:] == (1,):
        yield shape[:-1]


def _dimensions(model, position):
    operator = model.subgraphs[0].operators[position]
    for index in sorted({index for index in operator.inputs + operator.outputs if index >= 0}):
        tensor = model.subgraphs[0].tensors[index]
        if tensor.type == "RESOURCE":
            continue
        for shape in _shapes(tensor.shape):
            changed = _copy(model)
            made = changed.subgraphs[0].tensors[index]
            made.shape = shape
            if made.content is not None:
                made.content = _resized(made.content, shape)
            if len(made.scales) > 1 and made.quantized_dimension < len(shape):
                count = shape[made.quantized_dimension]
                made.scales, made.zero_points = _resized(made.scales, (count,)), _resized(made.zero_points, (count,))
            yield Change(operator.name, f"shape of {'a constant' if made.content is not None else 'a tensor'}", changed)


def _numbers(model, position):
    operator = model.subgraphs[0].operators[position]
    for index in sorted({index for index in operator.inputs if index >= 0}):
        tensor = model.subgraphs[0].tensors[index]
        if tensor.content is None:
            continue
        if tensor.type == "INT32" and not len(tensor.scales) and tensor.content.size <= _MOST_ELEMENTS:
            for at in range(tensor.content.size):
                for step in (1, -1):
                    changed = _copy(model)
                    content = tensor.content.copy()
                    content.reshape(-1)[at] += step
                    changed.subgraphs[0].tensors[index].content = content
                    yield Change(operator.name, "element of a list", changed)
        for at in sorted({0, len(tensor.zero_points) - 1}) if len(tensor.zero_points) else ():
            for step in (1, -1):
                changed = _copy(model)
                changed.subgraphs[0].tensors[index].zero_points = tensor.zero_points.copy()
                changed.subgraphs[0].tensors[index].zero_points[at] += step
                yield Change(operator.name, "zero point of a constant", changed)
            for factor in (2, 0.5, 1.05):
                changed = _copy(model)
                changed.subgraphs[0].tensors[index].scales = tensor.scales.copy()
                changed.subgraphs[0].tensors[index].scales[at] *= factor
                yield Change(operator.name, "scale of a constant", changed)


def _operands(model, position):
    name = model.subgraphs[0].operators[position].name
    for what in ("inputs", "outputs"):
        operands = getattr(model.subgraphs[0].operators[position], what)
        for kept in ([operands[:-1], operands[1:]] if operands else []):
            changed = _copy(model)
            setattr(changed.subgraphs[0].operators[position], what, list(kept))
            yield Change(name, f"fewer {what}", changed)
        changed = _copy(model)
        graph = changed.subgraphs[0]
        source = (operands or graph.inputs or [0])[-1]
        graph.tensors.append(dataclasses.replace(graph.tensors[source], name="more", content=None))
        graph.operators[position].__dict__[what] = [*operands, len(graph.tensors) - 1]
        if what == "inputs":
            graph.inputs.append(len(graph.tensors) - 1)
        yield Change(name, f"more {what}", changed)
    changed = _copy(model)
    changed.subgraphs[0].operators[position].inputs.append(-1)
    yield Change(name, "an absent input", changed)


def changes_of(model):
    """Every change of every operator of the first graph."""
    for position in range(len(model.subgraphs[0].operators)):
        for kind in (_options, _dimensions, _numbers, _operands):
            yield from kind(model, position)


def _outputs(model, records):
    interpreter = Interpreter(model)
    return [[output.tobytes() for output in interpreter.invoke(record)] for record in records]


class Contradictions:
    """What came of all changes."""

    def __init__(self, product, verbose=False):
        self.product, self.verbose = product, verbose
        self.seen, self.refused, self.computed, self.models, self.wrong = 0, 0, 0, 0, []
        self.reasons, self.without_effect = collections.defaultdict(set), collections.Counter()

    def check(self, name, model, seed):
        """All changes of one model; where the product does not take the model itself, its reason, else nothing."""
        file = self.product.folder / "model.tflite"
        file.write_bytes(writer.write(model))
        try:
            self.product.capture(file)
        except Refused as refused:
            return str(refused)
        self.models += 1
        model = models.read(file.read_bytes())
        base = _outputs(model, generator.records(model, seed, _RECORDS))
        for change in changes_of(model):
            self.seen += 1
            try:
                file.write_bytes(writer.write(change.model))
            except (IndexError, ValueError, OverflowError, struct.error):
                self.seen -= 1  # no such number fits its field
                continue
            self._check_change(f"{name}: {change.operator}, {change.what}", change, file, base, seed)
        return ""

    def check_pair(self, name, kind, seeds):
        """The models of an operator with a type, of which the product must take one, unless nothing has a kernel."""
        reasons = [self.check(f"{name} {kind} {seed}", generator.one_operator(name, kind, seed), seed)
                   for seed in seeds]
        if all(reasons) and not all(_NO_KERNEL in reason for reason in reasons):
            self.wrong.append(f"{name} {kind}: the product takes none of its models: {reasons[0]}")

    def _check_change(self, name, change, file, base, seed):
        try:
            binary = self.product.capture(file)
        except Refused as refused:
            self.refused += 1
            self.reasons[(change.operator, change.what)].add(kind_of_reason(str(refused)))
            if not _NAMES.match(str(refused)):
                self.wrong.append(f"{name}: the reason names neither operator nor tensor: {refused}")
            return
        except Failed as failed:
            self.wrong.append(f"{name}: {failed}")
            return
        model = models.read(file.read_bytes())
        records = generator.records(model, seed, _RECORDS)
        try:
            want = _outputs(model, records)
        except Exception as error:  # pylint: disable=broad-except  # what it raises of such a model is not defined
            self.wrong.append(f"{name}: accepted, but {type(error).__name__}: {error}")
            return
        if self.product.run(binary, model, records) != want:
            self.wrong.append(f"{name}: accepted, and computes other bytes")
            return
        self.computed += 1
        if want == base:
            self.without_effect[(change.operator, change.what)] += 1
            if not {(change.operator, change.what), ("*", change.what)} & set(MEANINGLESS):
                self.wrong.append(f"{name}: accepted without an effect")

    def report(self):
        """As lines of text."""
        if not self.models:
            self.wrong.append("the product takes none of the models, or there is none")
        lines = [f"{self.seen} changes of {self.models} models: {self.refused} refused, {self.computed} computed, "
                 f"{sum(self.without_effect.values())} of these without an effect; {len(self.wrong)} wrong"]
        if self.verbose:
            lines += [f"{operator}, {what}: {'; '.join(sorted(reasons))}"
                      for (operator, what), reasons in sorted(self.reasons.items())]
            lines += [f"without an effect: {count} {key}" for key, count in sorted(self.without_effect.items())]
        return lines + self.wrong


def main():
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--seed", type=int, default=1, help="of the first models; default: 1")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="models of each operator and type")
    parser.add_argument("--operators", nargs="*", help="these only")
    parser.add_argument("--verbose", action="store_true", help="print every kind of reason")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = Contradictions(Product(options.pianola, folder), options.verbose)
        for name, kind in generator.PAIRS:
            if options.operators and name not in options.operators:
                continue
            found.check_pair(name, kind, range(options.seed, options.seed + options.seeds))
    print("\n".join(found.report()))
    return 1 if found.wrong or found.refused < _LEAST_REFUSED * found.seen else 0


if __name__ == "__main__":
    sys.exit(main())
