#!/usr/bin/env python3
"""The shared models as other exports write them: where a convolution pads, a PAD is before one without padding.

Their binaries compute what the goldens say, need the memory and the cycles of the models as they are, and are found to
be the models'. Exit code 77: there are no models.
"""
import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

import models
import schema
import writer
from goldens import Goldens, shared_models
from product import Failed, Product, Refused

_SKIPPED = 77
_LEAST_PADS = 30
_AXES = ((1, "stride_h", "dilation_h"), (2, "stride_w", "dilation_w"))


def _paddings(subgraph, operator):
    """What a convolution pads before and after each dimension."""
    tensor, taps = subgraph.tensors[operator.inputs[0]], subgraph.tensors[operator.inputs[1]].shape
    pairs = numpy.zeros((4, 2), numpy.int32)
    for axis, stride, dilation in _AXES:
        size, step = tensor.shape[axis], operator.options[stride]
        needed = (-(-size // step) - 1) * step + (taps[axis] - 1) * operator.options[dilation] + 1 - size
        pairs[axis] = max(needed, 0) // 2, max(needed, 0) - max(needed, 0) // 2
    return pairs


def _constant(subgraph, kind, content, like=None):
    none = numpy.zeros(0)
    scales, zero_points = (like.scales, like.zero_points) if like else (none.astype("f4"), none.astype("i8"))
    name = f"constant{len(subgraph.tensors)}"
    subgraph.tensors.append(models.Tensor(name, kind, content.shape, scales, zero_points, 0, False, content))
    return len(subgraph.tensors) - 1


def padded(model):
    """The same model with PAD and PADV2 by turns, and how many there are."""
    model = copy.deepcopy(model)
    subgraph, made = model.subgraphs[0], []
    count = 0
    for operator in subgraph.operators:
        is_layer = operator.name in ("CONV_2D", "DEPTHWISE_CONV_2D") and operator.options["padding"] == schema.SAME
        pairs = _paddings(subgraph, operator) if is_layer else None
        if is_layer and pairs.any():
            source = subgraph.tensors[operator.inputs[0]]
            inputs = [operator.inputs[0], _constant(subgraph, "INT32", pairs)]
            if count % 2:
                value = numpy.full((1,), source.zero_point, source.dtype)
                inputs.append(_constant(subgraph, source.type, value, source))
            shape = tuple(int(extent) for extent in numpy.add(source.shape, pairs.sum(1)))
            subgraph.tensors.append(models.Tensor(f"padded{count}", source.type, shape, source.scales,
                                                  source.zero_points, 0, False, None))
            made.append(models.Operator("PADV2" if count % 2 else "PAD", inputs, [len(subgraph.tensors) - 1], {}))
            operator.inputs = [len(subgraph.tensors) - 1, *operator.inputs[1:]]
            operator.options = {**operator.options, "padding": schema.VALID}
            count += 1
        made.append(operator)
    subgraph.operators = made
    return model, count


def _needs(product, binary):
    """Activations and cycles of a step."""
    def told(command):
        return json.loads(subprocess.run([product.program, command, binary, "--json"], capture_output=True, text=True,
                                         check=True).stdout)
    inspected = told("inspect")
    return told("size")["activations"]["peak_bytes"], inspected["budgets"]["step_cycles"]


def differences(product, folder):
    """What is wrong with a model's other form, as texts; how many PADs it has."""
    goldens = Goldens(folder, 2)
    model, count = padded(goldens.model)
    if not count:
        return [], 0
    file = product.folder / "model.tflite"
    try:
        wanted = _needs(product, product.capture(folder / "model.tflite"))
        file.write_bytes(writer.write(model))
        binary = product.capture(file)
    except Refused:
        return [], 0
    product.decompile(binary, file)
    found = [] if _needs(product, binary) == wanted else [f"needs {_needs(product, binary)} instead of {wanted}"]
    for record in goldens.numbers("golden"):
        outputs = product.run(binary, model, [goldens.inputs(record)])[0]
        for position, output in enumerate(outputs):
            if output != (folder / f"golden_{record}_{position}.bin").read_bytes():
                found.append(f"record {record} differs from its golden")
    return found, count


def main():
    """The exit code: 1 where something differs, or too few convolutions were tried."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    options = parser.parse_args()
    files = sorted(shared_models().rglob("model.tflite"))
    if not files:
        return _SKIPPED
    pads, wrong = 0, []
    with tempfile.TemporaryDirectory() as name:
        product = Product(options.pianola, name)
        for file in files:
            try:
                found, count = differences(product, file.parent)
            except Failed as failed:
                found, count = [str(failed)], 0
            pads += count
            wrong += [f"{file.parent.name}: {text}" for text in found]
    print("\n".join([f"{pads} PADs, {len(wrong)} differences", *wrong]))
    return 1 if wrong or pads < _LEAST_PADS else 0


if __name__ == "__main__":
    sys.exit(main())
