#!/usr/bin/env python3
"""pianola decompile: a binary against its model with one change.

A change is of a scale, a zero point, an option, a constant, a name, a type, a shape, an operand, an operator or their
order. Where decompile still finds the binary equal, the changed model must be one that the product captures, and the
interpreter must compute the same bytes of it. Exit code 0: that was so of all, and at least as many changes were found
as were asked for.
"""
import argparse
import collections
import copy
import pathlib
import random
import sys
import tempfile

import numpy

import generator
import models
import writer
from interpreter import Interpreter
from product import Failed, Product, Refused

_RECORDS = 5
_LEAST_FOUND = 0.5  # of the changes


def _scale(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if len(tensor.scales)])
    at = rng.randrange(len(tensor.scales))
    before = tensor.scales[at]
    tensor.scales = tensor.scales.copy()
    next_ones = [numpy.nextafter(before, numpy.float32(end)) for end in (0, 9)]
    tensor.scales[at] = rng.choice([*next_ones, before * 2, before / 2, -before, 0])
    return f"scale of {tensor.name}"


def _zero_point(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if len(tensor.zero_points)])
    tensor.zero_points = tensor.zero_points.copy()
    tensor.zero_points[rng.randrange(len(tensor.zero_points))] += rng.choice([1, -1, 256, 2**32])
    return f"zero point of {tensor.name}"


def _option(rng, subgraph):
    operator = rng.choice([operator for operator in subgraph.operators if operator.options])
    key = rng.choice(sorted(operator.options))
    before = operator.options[key]
    if isinstance(before, (bool, numpy.bool_)):
        operator.options[key] = not before
    elif isinstance(before, (int, numpy.integer)):
        operator.options[key] = min(max(int(before) + rng.choice([1, -1, 2]), 0), 100)
    elif isinstance(before, float):
        next_one = float(numpy.nextafter(numpy.float32(before), numpy.float32(9)))
        operator.options[key] = rng.choice([next_one, before * 2])
    elif isinstance(before, tuple):
        operator.options[key] = (*before, 1)
    return f"{operator.name}.{key}"


def _constant(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if tensor.content is not None and tensor.content.size])
    content = bytearray(tensor.content.tobytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    tensor.content = numpy.frombuffer(bytes(content), tensor.content.dtype).reshape(tensor.content.shape)
    return f"a bit of {tensor.name}"


def _name(rng, subgraph):
    tensor = rng.choice(subgraph.tensors)
    tensor.name = rng.choice([f"{tensor.name}x", rng.choice(subgraph.tensors).name])
    return "a name"


def _type(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if tensor.content is None])
    tensor.type = rng.choice(["INT8", "INT16", "UINT8", "INT32", "FLOAT32", "BOOL"])
    return f"type of {tensor.name}"


def _shape(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if tensor.content is None and len(tensor.shape) > 1])
    shape = list(tensor.shape)
    rng.shuffle(shape)
    tensor.shape = tuple(shape)
    return f"shape of {tensor.name}"


def _operand(rng, subgraph):
    operator = rng.choice([operator for operator in subgraph.operators if operator.inputs])
    at = rng.randrange(len(operator.inputs))
    operator.inputs[at] = rng.choice([-1, *range(len(subgraph.tensors))])
    return f"operand {at} of {operator.name}"


def _exchange(rng, subgraph):
    operator = rng.choice([operator for operator in subgraph.operators if len(operator.inputs) > 1])
    one, other = rng.sample(range(len(operator.inputs)), 2)
    operator.inputs[one], operator.inputs[other] = operator.inputs[other], operator.inputs[one]
    return f"operands of {operator.name}"


def _ends(rng, subgraph):
    ends = rng.choice([ends for ends in (subgraph.inputs, subgraph.outputs) if ends])
    ends[rng.randrange(len(ends))] = rng.randrange(len(subgraph.tensors))
    return "an input or output"


def _order(rng, subgraph):
    one, other = rng.sample(range(len(subgraph.operators)), 2)
    subgraph.operators[one], subgraph.operators[other] = subgraph.operators[other], subgraph.operators[one]
    return "the order"


def _repeat(rng, subgraph):
    operator = rng.choice(subgraph.operators)
    subgraph.operators.append(copy.deepcopy(operator))
    return f"{operator.name} twice"


def _drop(rng, subgraph):
    operator = rng.choice(subgraph.operators)
    subgraph.operators.remove(operator)
    return f"no {operator.name}"


def _variable(rng, subgraph):
    tensor = rng.choice([tensor for tensor in subgraph.tensors if tensor.content is None])
    tensor.is_variable = not tensor.is_variable
    return f"variable {tensor.name}"


CHANGES = (_scale, _scale, _scale, _zero_point, _option, _option, _constant, _constant, _name, _type, _shape, _operand,
           _exchange, _ends, _order, _repeat, _drop, _variable)


def changed(data, seed):
    """The bytes of a model with one change, and what that is; None where it has nothing to change in that way."""
    rng, model = random.Random(seed), models.read(data)
    try:
        what = rng.choice(CHANGES)(rng, model.subgraphs[0])
        file = writer.write(model)
    except (IndexError, ValueError):  # there is no such tensor or operator
        return None
    return None if file == writer.write(models.read(data)) else (file, what)


def _outputs(model, records):
    interpreter = Interpreter(model)
    return [[output.tobytes() for output in interpreter.invoke(record)] for record in records]


class Changes:
    """What came of all of them."""

    def __init__(self, product):
        self.product, self.seen, self.found, self.wrong = product, 0, 0, []
        self.unnoticed = collections.Counter()

    def check(self, name, data, count):
        """Changes of one model. Whether the product captures it."""
        file = self.product.folder / "model.tflite"
        file.write_bytes(data)
        try:
            binary = self.product.capture(file).rename(self.product.folder / "own.ptb")
        except Refused:
            return False
        model = models.read(data)
        records = generator.records(model, count, _RECORDS)
        want = _outputs(model, records)
        for number in range(count):
            made = changed(data, f"{name} {number}")
            if made is not None:
                self._check_change(f"{name}, change {number}: {made[1]}", binary, made[0], (records, want))
        return True

    def _check_change(self, name, binary, data, expected):
        self.seen += 1
        file = self.product.folder / "model.tflite"
        file.write_bytes(data)
        try:
            self.product.decompile(binary, file)
        except Failed as failed:
            self.found += 1
            if not str(failed).startswith(("decompile ended with 5:", "decompile ended with 7:")):
                self.wrong.append(f"{name}: {failed}")
            return
        self.unnoticed[name.rsplit(": ", 1)[1]] += 1
        try:
            self.product.capture(file)
        except (Refused, Failed) as refused:
            self.wrong.append(f"{name}: equal, but: {refused}")
            return
        try:
            have = _outputs(models.read(data), expected[0])
        except (AssertionError, KeyError, ValueError) as error:  # no shapes, types or operands that it can compute with
            have = error
        if have != expected[1]:
            self.wrong.append(f"{name}: equal, but {'other bytes' if isinstance(have, list) else have}")


def main():
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--each", type=int, default=6, metavar="N", help="changes of a graph of one operator")
    parser.add_argument("--random", type=int, default=20, metavar="N", help="random graphs")
    parser.add_argument("--changes", type=int, default=25, metavar="N", help="changes of a random graph")
    parser.add_argument("--seed", type=int, default=1, help="of the first graph; default: 1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        changes = Changes(Product(options.pianola, folder))
        for name, kind in generator.PAIRS:
            model = generator.one_operator(name, kind, options.seed)
            changes.check(f"{name} {kind}", writer.write(model), options.each)
        for seed in range(options.seed, options.seed + options.random):
            changes.check(f"random {seed}", writer.write(generator.random_graph(seed)), options.changes)
    print(f"{changes.seen} changes, {changes.found} found, {len(changes.wrong)} wrong")
    print("\n".join(changes.wrong))
    return 1 if changes.wrong or changes.found < _LEAST_FOUND * changes.seen else 0


if __name__ == "__main__":
    sys.exit(main())
