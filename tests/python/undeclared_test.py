#!/usr/bin/env python3
"""Random programs without marks or declarations: what is captured of them is theirs, or is refused.

tests/python/undeclared/campaign.py runs many more of them; the first cases here show that its checks can fail."""
import collections
import pathlib
import sys
import types
import unittest

import numpy

import pianola
from python_support import main

sys.path.insert(0, str(pathlib.Path(__file__).parent / "undeclared"))

# pylint: disable=wrong-import-position
from check import Judge, check
from kinds import WEIGHTS, generate
from model import Model
from player import capture
from program import Call, Program, Ref

SEED, COUNT = 20, 150
PREFETCH = 60


def add_loop(turns, mesh=None, front=""):
    """x + w in every turn; w is written in every turn, or once in front of the loop, as data of this kind."""
    w = Call("new", Ref("w"), site="w", data=front or "input")
    body = [Call("new", Ref("x"), site="x"), Call("op", Ref("y"), (Ref("x"), Ref("w")), "add"),
            Call("read", srcs=(Ref("y"),), site="y")]
    return Program(1, 1, "test", turns, (1, 16), "int8", mesh, front=[w] if front else [],
                   body=body if front else [w, *body])


class Checks(unittest.TestCase):
    """A binary that is not the program's is found."""

    def faults(self, program, change):
        """Names of what is found once `change` has changed inputs, outputs and warnings of the capture."""
        result, _ = capture(program)
        changed = types.SimpleNamespace(file=result.file, inputs=result.inputs, outputs=result.outputs,
                                        warnings=result.warnings)
        change(changed)
        return {name for name, _ in Judge(program, Model(program), changed).verdict().faults}

    def test_what_is_right_has_no_fault(self):
        for mesh in (None, (1, 2), (2, 2)):
            self.assertEqual(self.faults(add_loop(4, mesh), lambda result: None), set())

    def test_lost_turns(self):
        def first(result):
            result.inputs, result.outputs = result.inputs[1:], result.outputs[1:]

        def last(result):
            result.inputs, result.outputs = result.inputs[:-1], result.outputs[:-1]

        def named(result):
            last(result)
            result.warnings = ["1 turn stands after the loop"]

        self.assertIn("turns lost in front", self.faults(add_loop(4), first))
        self.assertEqual(self.faults(add_loop(4), last), {"turns left over, unnamed"})
        self.assertEqual(self.faults(add_loop(4), named), set())

    def test_baked_data(self):
        """Data of the first turn that are a constant of the binary, as of w that is written once."""
        program = add_loop(4, front="input")
        self.assertEqual(self.faults(program, lambda result: None),
                         {"other data give wrong outputs", "a read is missing"})
        program = add_loop(4, front="constant")
        self.assertEqual(self.faults(program, lambda result: None), set())

    def test_torn_tensors(self):
        def tear(records, name):
            pieces = [record[name].copy() for record in records]
            for here, there in zip(records, pieces[1:] + pieces[:1]):
                here[name] = numpy.concatenate([here[name][:1], there[1:]])
            return records

        def torn_inputs(result):
            result.inputs = tear(result.inputs, "input 0")
            result.outputs = pianola.Session(result.file).run(result.inputs)

        def torn_outputs(result):
            result.outputs = tear(result.outputs, "output 0")

        self.assertIn("torn input", self.faults(add_loop(4, (1, 2)), torn_inputs))
        self.assertIn("the program's own inputs give other outputs", self.faults(add_loop(4, (1, 2)), torn_outputs))

    def test_programs_are_the_same_every_time(self):
        for index in range(20):
            self.assertEqual(generate(3, index).listing(), generate(3, index).listing())


class Programs(unittest.TestCase):
    """A sample of what the campaign runs."""

    def test_a_sample(self):
        kinds = collections.Counter()
        for index in range(COUNT):
            program = generate(SEED, index)
            kinds[program.kind] += 1
            with self.subTest(seed=SEED, index=index):
                faults = [": ".join(each) for each in check(program).faults]
                self.assertFalse(faults, "\n" + "\n".join(faults[:3]) + "\n" + program.listing())
        self.assertEqual(set(kinds), {make.__name__ for make in WEIGHTS})

    def test_prefetch_is_captured(self):
        outcomes = collections.defaultdict(list)
        for index in range(PREFETCH):
            program = generate(SEED, index, "prefetch")
            outcomes[program.knobs["buffers"]].append(check(program).outcome != "refused")
        for buffers, share in ((2, 0.9), (3, 0.8)):
            self.assertGreaterEqual(numpy.mean(outcomes[buffers]), share, f"{buffers} buffers")


if __name__ == "__main__":
    main()
