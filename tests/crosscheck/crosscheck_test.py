#!/usr/bin/env python3
"""The crosscheck itself: it reports what it must, and its parts agree with numbers from elsewhere."""
import argparse
import fractions
import hashlib
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy

import arithmetic
import campaign
import contradictions_test
import crosscheck
import generator
import models
import schema
import writer
from graph import TiedGraph
from interpreter import Interpreter
from operators import REGISTRY
from product import Product, Refused

PROGRAM = None
CONV, SEEDS = ("CONV_2D", "INT8"), range(100, 106)


class FlipsAWeight(Product):
    """Changes the highest bit of one weight before it captures."""

    def capture(self, file):
        model = models.read(file.read_bytes())
        weights = model.subgraphs[0].tensors[model.subgraphs[0].operators[0].inputs[1]]
        weights.content.reshape(-1)[0] ^= -128
        file.write_bytes(writer.write(model))
        return super().capture(file)


class WrongWhenPacked(FlipsAWeight):
    """Captures another model where weights are packed."""

    def capture(self, file):
        if "--pack=mve" not in self.options:
            return Product.capture(self, file)
        data = file.read_bytes()
        binary = super().capture(file)
        file.write_bytes(data)
        return binary


class TakesStateForNone(Product):
    """Captures models with state as pipelines, or so it says."""

    def capture(self, file):
        self.options = [option for option in self.options if option != "--pipelined"]
        return super().capture(file)


class RefusesTwoQueues(Product):
    """Refuses what it takes on one queue."""

    def capture(self, file):
        if "--queues=2" in self.options:
            raise Refused("two queues")
        return super().capture(file)


class TestCase(unittest.TestCase):
    """Has a folder to work in."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def checked(self, product, model, seed=0):
        """The tally of one model."""
        check = crosscheck.Crosscheck(product)
        check.check("model", writer.write(model), generator.records(model, seed))
        return check.tally

    def script(self, text):
        """A program that is not pianola."""
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
        return program


class Reports(TestCase):
    """What the comparison says of a product or an interpreter that is wrong."""

    def test_equal_results_are_no_difference(self):
        for seed in SEEDS:
            tally = self.checked(Product(PROGRAM, self.folder), generator.one_operator(*CONV, seed))
            self.assertEqual((tally.captured, tally.differences, tally.failures), (1, [], []))
            self.assertGreater(tally.compared, 0)

    def test_one_weight_changed_differs(self):
        found = [seed for seed in SEEDS if self.checked(FlipsAWeight(PROGRAM, self.folder),
                                                        generator.one_operator(*CONV, seed)).differences]
        # Where an output is saturated throughout, one weight does not show.
        self.assertGreaterEqual(len(found), len(SEEDS) - 2)

    def test_wrong_rounding_differs_and_is_located(self):
        found = []
        with mock.patch.object(arithmetic, "shift_right", lambda value, bits: numpy.asarray(value) >> bits):
            for seed in SEEDS:
                found += self.checked(Product(PROGRAM, self.folder), generator.one_operator(*CONV, seed)).differences
        self.assertGreater(len(found), len(SEEDS))
        self.assertIn("first in operator 0 (CONV_2D)", str(found[0]))

    def test_changed_input_differs(self):
        model = generator.one_operator("ADD", "INT8", 1)
        check = crosscheck.Crosscheck(Product(PROGRAM, self.folder))
        records = generator.records(model, 1)
        with mock.patch.object(Interpreter, "invoke", lambda self, inputs, invoke=Interpreter.invoke: invoke(
                self, [content ^ 64 for content in inputs])):
            check.check("add", writer.write(model), records)
        self.assertTrue(check.tally.differences)

    def test_refusals_are_counted_by_reason(self):
        product = Product(self.script("echo \"pianola: $2: operator 3 (ADD): 'x' is odd\" >&2; exit 5"), self.folder)
        check = crosscheck.Crosscheck(product)
        model = generator.one_operator("ADD", "INT8", 1)
        for _ in range(2):
            self.assertFalse(check.check("add", writer.write(model), generator.records(model, 1)))
        self.assertEqual(dict(check.tally.refused), {"operator (ADD): a tensor is odd": 2})

    def test_program_that_refuses_everything_fails(self):
        program = self.script("exit 5")
        self.assertEqual(crosscheck.main(["--pianola", str(program), "--random", "2", "--operators", "ADD"]), 1)

    def test_any_other_exit_code_fails(self):
        tally = self.checked(Product(self.script("exit 1"), self.folder), generator.one_operator("ADD", "INT8", 1))
        self.assertEqual(len(tally.failures), 1)

    def test_no_models_are_a_skip(self):
        self.assertEqual(crosscheck.main(["--pianola", "true", "--models", str(self.folder / "none")]), 77)


class Forms(TestCase):
    """What the campaign says of a form that is wrong."""

    def wrong(self, product, model):
        """What is wrong of one model."""
        check = campaign.Campaign(product)
        check.check("model", model, generator.records(model, 1))
        self.assertGreater(check.captured["plain"], 0)
        return check.wrong

    def test_equal_forms_are_no_difference(self):
        for model in (generator.one_operator(*CONV, 100), generator.one_operator("SVDF", "INT8", 1)):
            self.assertEqual(self.wrong(Product(PROGRAM, self.folder), model), [])

    def test_a_layout_that_computes_something_else(self):
        wrong = self.wrong(WrongWhenPacked(PROGRAM, self.folder), generator.one_operator(*CONV, 100))
        self.assertTrue(wrong)
        self.assertTrue(all(entry.startswith("model, mve") for entry in wrong), wrong)

    def test_a_pipeline_with_state(self):
        wrong = self.wrong(TakesStateForNone(PROGRAM, self.folder), generator.one_operator("SVDF", "INT8", 1))
        self.assertIn("model: has state, and is captured as a pipeline", wrong)

    def test_a_form_that_is_refused(self):
        wrong = self.wrong(RefusesTwoQueues(PROGRAM, self.folder), generator.one_operator("ADD", "INT8", 1))
        self.assertIn("model, 2 queues: two queues; plain: captured", wrong)

    def test_ties_are_counted_and_made(self):
        self.assertEqual(arithmetic.exact_halves([1, 2, 3, -1, -4], 2**30, 0), 3)
        self.assertEqual(arithmetic.exact_halves([1, 2, 3], 2**30, [-1, -1, 1]), 1)
        counts = {}
        for kind in (TiedGraph, generator.Graph):
            with campaign.Ties() as ties:
                for seed in range(6):
                    model = models.read(writer.write(generator.random_graph(seed, frozenset({CONV}), kind)))
                    Interpreter(model).invoke(generator.records(model, seed)[-1])
            counts[kind] = ties.count
        self.assertGreater(counts[TiedGraph], 10 * (counts[generator.Graph] + 1))


class Files(TestCase):
    """Models that are written are read as they were."""

    def test_written_and_read_again(self):
        for seed in range(20):
            data = writer.write(generator.random_graph(seed))
            self.assertEqual(writer.write(models.read(data)), data)

    def test_options_and_defaults(self):
        for name in generator.OPERATORS:
            model = generator.one_operator(name, generator.RECIPES[name][1][0], 3)
            again = models.read(writer.write(model))
            for left, right in zip(model.subgraphs[0].operators, again.subgraphs[0].operators, strict=True):
                self.assertEqual((left.name, left.inputs, left.outputs), (right.name, right.inputs, right.outputs))
                for key, value in left.options.items():
                    self.assertEqual(value, right.options[key], f"{name}: {key}")

    def test_every_operator_occurs(self):
        seen = {operator.name for name, kind in generator.PAIRS
                for subgraph in generator.one_operator(name, kind, 1).subgraphs for operator in subgraph.operators}
        seen.update(operator.name for seed in range(4) for subgraph in generator.one_operator(
            "ASSIGN_VARIABLE", "INT8", seed).subgraphs for operator in subgraph.operators)
        self.assertEqual(seen, set(REGISTRY))
        self.assertEqual(seen, set(schema.OPERATORS))

    def test_state_outlives_an_invocation_and_is_reset(self):
        for name in ("ASSIGN_VARIABLE", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"):
            model = models.read(writer.write(generator.one_operator(name, "INT8", 1)))
            interpreter, record = Interpreter(model), generator.records(model, 1)[-1]
            first, second = ([output.tobytes() for output in interpreter.invoke(record)] for _ in range(2))
            self.assertNotEqual(first, second, name)
            interpreter.reset()
            self.assertEqual([output.tobytes() for output in interpreter.invoke(record)], first, name)


class OutsideConstants(TestCase):
    """Files whose constants lie after the FlatBuffer."""

    def test_are_read_as_those_inside(self):
        for seed in range(12):
            model = generator.random_graph(seed)
            inside, outside = writer.write(model), writer.write(model, is_outside=True)
            has_constants = any(tensor.content is not None
                                for subgraph in model.subgraphs for tensor in subgraph.tensors)
            self.assertEqual(inside != outside, has_constants)
            self.assertEqual(writer.write(models.read(outside)), inside)
            self.assertEqual(self.checked_file(outside, seed), self.checked_file(inside, seed))

    def checked_file(self, data, seed):
        """The tally of a file."""
        check = crosscheck.Crosscheck(Product(PROGRAM, self.folder))
        check.check("model", data, generator.records(models.read(data), seed))
        self.assertEqual((check.tally.differences, check.tally.failures), ([], []))
        return check.tally.captured, check.tally.compared

    def test_a_binary_of_one_is_decompiled_against_the_other(self):
        product, file = Product(PROGRAM, self.folder), self.folder / "model.tflite"
        for seed in SEEDS:
            model = generator.one_operator(*CONV, seed)
            for first in (False, True):
                file.write_bytes(writer.write(model, is_outside=first))
                binary = product.capture(file)
                file.write_bytes(writer.write(model, is_outside=not first))
                product.decompile(binary, file)

    def test_the_digest_of_the_source_covers_them(self):
        product, file = Product(PROGRAM, self.folder), self.folder / "model.tflite"
        for last in (0, 1):
            data = writer.write(generator.one_operator(*CONV, 100), is_outside=True)
            file.write_bytes(data[:-1] + bytes([data[-1] ^ last]))
            shown = subprocess.run([PROGRAM, "inspect", "--json", product.capture(file)], check=True,
                                   stdout=subprocess.PIPE).stdout.decode()
            self.assertIn(hashlib.sha256(file.read_bytes()).hexdigest(), shown)


class Versions(TestCase):
    """Versions of operators that the product does not know."""

    def refusal(self, change):
        """What is said of a model that keeps a variable, after a change of its subgraphs."""
        file = self.folder / "model.tflite"
        model = next(model for model in (generator.one_operator("ASSIGN_VARIABLE", "INT8", seed) for seed in range(9))
                     if len(model.subgraphs) > 1)
        change(model.subgraphs)
        file.write_bytes(writer.write(model))
        with self.assertRaises(Refused) as refused:
            Product(PROGRAM, self.folder).capture(file)
        return str(refused.exception)

    def test_of_the_graph_and_of_one_that_initialises_variables(self):
        for position in (0, 1):
            def change(subgraphs, position=position):
                subgraphs[1].operators[position].version = 2
            self.assertIn(f"its graph has {('VAR_HANDLE', 'ASSIGN_VARIABLE')[position]}: version 2 is not supported; "
                          "version 1 is", self.refusal(change))

        def change_entry(subgraphs):
            subgraphs[0].operators[0].version = 7
        self.assertIn("operator 0 (CALL_ONCE): version 7 is not supported; version 1 is", self.refusal(change_entry))


class RefusesEverything(Product):
    """For the reason that it is given."""

    def __init__(self, folder, reason):
        super().__init__("none", folder)
        self.reason = reason

    def capture(self, file):
        raise Refused(self.reason)


class NothingToContradict(TestCase):
    """Runs over contradictions in which no model is captured, so that nothing is changed."""

    def wrong(self, reason):
        """What is reported of two models."""
        found = contradictions_test.Contradictions(RefusesEverything(self.folder, reason))
        found.check_pair("FILL", "INT8", (1, 2))
        return found.report()[1:]

    def test_fails_by_operator_and_as_a_whole(self):
        self.assertEqual(self.wrong("operator 0 (FILL): why"),
                         ["FILL INT8: the product takes none of its models: operator 0 (FILL): why",
                          "the product takes none of the models, or there is none"])

    def test_fails_as_a_whole_where_the_operator_has_no_kernel(self):
        self.assertEqual(self.wrong("not supported; TensorFlow Lite Micro computes it in float only"),
                         ["the product takes none of the models, or there is none"])


class Slices(TestCase):
    """STRIDED_SLICE whose ends count from where their axes begin."""

    def sliced(self, extent, begin, end, stride, begin_mask=0):
        """What interpreter and product make of 0 to extent - 1."""
        graph = generator.Graph(1)
        graph.inputs.append(graph.tensor("INT8", (extent,), 1.0))
        kept = len(self.expected(extent, begin, end, stride, begin_mask))
        graph.add("STRIDED_SLICE", [0, graph.ints(begin), graph.ints(end), graph.ints(stride)],
                  graph.tensor("INT8", (kept,), 1.0), offset=True, begin_mask=begin_mask)
        model, file = graph.finish(), self.folder / "model.tflite"
        file.write_bytes(writer.write(model))
        record = [numpy.arange(extent, dtype=numpy.int8)]
        product = Product(PROGRAM, self.folder)
        return [Interpreter(models.read(file.read_bytes())).invoke(record)[0].tolist(),
                list(product.run(product.capture(file), model, [record])[0][0])]

    @staticmethod
    def expected(extent, begin, end, stride, begin_mask):
        """By Python's own slices."""
        first = (0 if stride > 0 else extent - 1) if begin_mask else begin % extent
        last = first + end
        return list(range(extent))[first:last if last >= 0 or stride > 0 else None:stride]

    def test_ends_count_from_begins(self):
        for entry in ((7, 2, 3, 1, 0), (7, 2, 5, 2, 0), (7, -5, 3, 1, 0), (7, 1, 99, 1, 0), (7, 6, -4, -1, 0),
                      (7, -1, -5, -2, 0), (7, 3, 4, 1, 1), (7, 2, -3, -1, 1), (7, 4, -2, 1, 0)):
            expected = self.expected(*entry)
            if expected:
                self.assertEqual(self.sliced(*entry), [expected, expected], entry)


class Arithmetic(unittest.TestCase):
    """Against exact fractions and the functions that fixed point stands for."""

    def test_shift_rounds_halves_away_from_zero(self):
        values = [-7, -6, -5, -3, -2, -1, 0, 1, 2, 3, 5, 6, 7]
        want = [math.copysign(math.floor(abs(fractions.Fraction(value, 4)) + fractions.Fraction(1, 2)), value)
                for value in values]
        self.assertEqual(arithmetic.shift_right(values, 2).tolist(), want)

    def test_multiplier_is_near_the_real_number(self):
        rng = numpy.random.default_rng(1)
        for real in 2.0**rng.uniform(-20, 8, 200):
            mantissa, shift = arithmetic.quantize_multiplier(real)
            self.assertTrue(2**30 <= mantissa < 2**31)
            self.assertAlmostEqual(mantissa * 2.0**(shift - 31) / real, 1, delta=2**-30)

    def test_products_are_within_the_two_roundings(self):
        rng = numpy.random.default_rng(2)
        for value, real in zip(rng.integers(-2**20, 2**20, 200), 2.0**rng.uniform(-12, 3, 200)):
            exact = float(value) * real
            self.assertLessEqual(abs(int(arithmetic.multiply(value, *arithmetic.quantize_multiplier(real))) - exact),
                                 1.001)

    def test_fixed_point_functions(self):
        reals = numpy.arange(-15.9, 0, 0.01)
        raw = numpy.floor(reals * 2**27).astype(numpy.int64)
        unit = 2.0**-31
        for have, function in ((arithmetic.exp_of_negative(raw, 4), math.exp),
                               (arithmetic.logistic(raw, 4), lambda x: 1 / (1 + math.exp(-x))),
                               (arithmetic.tanh(raw, 4), math.tanh)):
            want = numpy.array([function(entry * 2.0**-27) for entry in raw])
            self.assertLess(numpy.abs(have * unit - want).max(), 2e-7)

    def test_logarithm_and_root(self):
        for value in (1.0, 1.5, 3.0, 100.0, 4000.0):
            have = arithmetic.logarithm(int(value * 2**19), 12, 5) * 2.0**-26
            self.assertAlmostEqual(have, math.log(value), delta=1e-6)
        for value in (2, 3, 100, 70000, 2**29 + 12345):
            mantissa, shift = arithmetic.inverse_square_root(value)
            self.assertAlmostEqual(mantissa * 2.0**(shift - 31) * math.sqrt(value), 1, delta=1e-4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    PROGRAM = known.pianola
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
