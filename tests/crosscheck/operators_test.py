#!/usr/bin/env python3
"""The types that `pianola capture --list-operators` claims: a model of each operator with each of them is captured."""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import generator
import models
import schema
import writer
from graph import Graph
from product import Product, Refused

_TRIES = 12
_UNQUANTISED = ("FLOAT32", "BOOL", "INT32")
_VARIABLES = ("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE")  # one recipe has all of them
_COMPARISONS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
PROGRAM = None


def _retyped(tensor, kind):
    """The tensor with elements of another type."""
    if tensor.type != "INT8":
        return tensor
    dtype = schema.TYPES[schema.TYPE_NUMBERS[kind]][1]
    content = None if tensor.content is None else (tensor.content.astype(numpy.int64) & 1).astype(dtype)
    made = dataclasses.replace(tensor, type=kind, content=content)
    if kind in _UNQUANTISED:
        return dataclasses.replace(made, scales=numpy.zeros(0, numpy.float32), zero_points=numpy.zeros(0, numpy.int64))
    return dataclasses.replace(made, zero_points=made.zero_points * 0)


def _moved(name, kind, seed):
    """A model whose operands have a type that the random graphs do not have."""
    entry = generator.one_operator(name, "INT8", seed).subgraphs[0]
    return models.Model([dataclasses.replace(entry, tensors=[_retyped(tensor, kind) for tensor in entry.tensors])])


def _scale(kind):
    return None if kind in _UNQUANTISED else 0.125


def _pair(name, operands, result):
    """A model of one operator with such types."""
    graph = Graph(1)
    inputs = [graph.tensor(kind, (2, 3), 0.125 if name == "QUANTIZE" else _scale(kind)) for kind in operands]
    graph.inputs += inputs
    graph.add(name, inputs, graph.tensor(result, (2, 3), _scale(result)))
    return graph.finish()


def _fill(kind):
    """A model that fills a tensor with a number that it reads."""
    graph = Graph(1)
    graph.inputs.append(graph.tensor(kind, (), _scale(kind)))
    graph.add("FILL", [graph.ints(2, 3), 0], graph.tensor(kind, (2, 3), _scale(kind)))
    graph.operators[0].inputs = [1, 0]
    return graph.finish()


def model_of(name, kind, seed):
    """A model of one operator that reads a type, or None where this seed gives none."""
    if name == "FILL":
        return _fill(kind)
    if name == "ZEROS_LIKE":
        return _pair(name, [kind], kind)
    if name == "QUANTIZE":
        return _pair(name, [kind], {"INT32": "INT16"}.get(kind, "INT8"))
    if name == "DEQUANTIZE":
        return _pair(name, [kind], "FLOAT32")
    if name in _COMPARISONS + ("LOGICAL_AND", "LOGICAL_OR") and kind in ("BOOL", "INT32"):
        return _pair(name, [kind, kind], "BOOL")
    if name in ("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM") and kind == "INT32":
        return _pair(name, [kind, kind], kind)
    if name == "CAST":
        return _pair(name, [kind], "INT16")
    if name == "REDUCE_ALL":
        return generator.one_operator(name, "INT8", seed)
    if name == "LOGICAL_NOT":
        return _pair(name, [kind], "BOOL")
    if name in _VARIABLES:
        model = generator.one_operator("ASSIGN_VARIABLE", kind, seed)
        return model if name in [operator.name for operator in model.subgraphs[0].operators] else None
    if (name, kind) in generator.PAIRS:
        return generator.one_operator(name, kind, seed)
    return _moved(name, kind, seed) if (name, "INT8") in generator.PAIRS else None


class Operators(unittest.TestCase):
    """What is listed is true."""

    def _is_captured(self, product, name, kind):
        reasons = []
        for seed in range(_TRIES):
            model = model_of(name, kind, seed)
            if model is None:
                continue
            self.assertIn(name, [operator.name for operator in model.subgraphs[0].operators])
            file = product.folder / "model.tflite"
            file.write_bytes(writer.write(model))
            try:
                product.capture(file)
                return None
            except Refused as refused:
                reasons.append(str(refused))
        return reasons[:2] or "no model"

    def test_each_operator_with_each_type_is_captured(self):
        """One model each."""
        with tempfile.TemporaryDirectory() as folder:
            product = Product(PROGRAM, folder)
            listed = json.loads(subprocess.run([PROGRAM, "capture", "--list-operators", "--json"], check=True,
                                               stdout=subprocess.PIPE).stdout)["operators"]
            self.assertGreaterEqual(len(listed), 63)
            names = [entry["operator"] for entry in listed]
            self.assertEqual(len(set(names)), len(names), "an operator is listed twice")
            self.assertEqual([entry["operator"] for entry in listed if not entry["types"]], [], "captured of no type")
            claims = [(entry["operator"], kind.upper()) for entry in listed for kind in entry["types"]]
            wrong = {f"{name} {kind}": reason for name, kind in claims
                     if (reason := self._is_captured(product, name, kind))}
            self.assertFalse(wrong, f"of {len(claims)} claims")

    def test_a_type_that_is_not_claimed_is_refused(self):
        """So that the test above can fail."""
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNotNone(self._is_captured(Product(PROGRAM, folder), "RELU", "FLOAT32"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = options.pianola
    unittest.main(argv=[__file__, *rest])
