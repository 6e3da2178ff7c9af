#!/usr/bin/env python3
"""Proves that instructions.py can fail: with a formula that is too small, one that says nothing, a fault that does not
latch, a board that takes more, and a page that is out of date."""
import argparse
import sys
import unittest

import instructions
import page

OPTIONS = None
FORMULA = {"inference": 2000, "inference_port_calls": 10, "slice": 20_000, "slice_port_calls": 4}


def row(**changed):
    """A row whose formula leaves room."""
    return {"plan": "large", "call": "poll", "fault": "none", "largest": True, "latched": False, "port_calls": 3,
            "measured": 900, "instructions": 1000, **changed}


def board(inference, slices, per_slice):
    """What one board has measured."""
    return {"board": {"instructions": {"model": {"inference": inference, "slices": slices, "slice": per_slice}}}}


class InstructionsProof(unittest.TestCase):
    """One case per way to be wrong."""

    def test_formulas(self):
        self.assertEqual(instructions.judge([row(), row(measured=1000), row(measured=500)]), [])
        self.assertIn("the formula gives 1000", instructions.judge([row(measured=1001)])[0])
        self.assertIn("more than twice 499", instructions.judge([row(measured=499)])[0])
        self.assertEqual(instructions.judge([row(measured=1, largest=False)]), [])
        self.assertIn("no fault has latched", instructions.judge([row(fault="timeout")])[0])

    def test_boards(self):
        self.assertEqual(instructions.judge_boards(FORMULA, board(3000, 15, 20_400)), [])
        self.assertEqual(len(instructions.judge_boards(FORMULA, board(3001, 15, 20_401))), 2)
        self.assertEqual(len(instructions.judge_boards(FORMULA, board(700, 15, 5000))), 2)
        self.assertEqual(instructions.judge_boards(FORMULA, board(3000, 1, 5000)), [])

    def test_a_few_instructions_more_are_the_same_page(self):
        rows = [row(measured=100_000, instructions=150_000)]
        made = page.text(OPTIONS.program, rows, FORMULA, {})
        for measured, same in ((100_050, True), (99_950, True), (101_000, False), (98_000, False)):
            again = list(instructions.adopted([row(measured=measured, instructions=150_000)], made))
            self.assertEqual(page.text(OPTIONS.program, again, FORMULA, {}) == made, same, measured)
        self.assertNotEqual(page.text(OPTIONS.program, rows, {**FORMULA, "slice": 1}, board(1, 1, 1)), made)

    def test_what_is_counted_is_held(self):
        rows = [instructions.count(OPTIONS, ("typical", "submit (transfers)", "none"))]
        self.assertEqual(instructions.judge(rows), [])
        rows[0]["instructions"] = rows[0]["measured"] - 1
        self.assertEqual(len(instructions.judge(rows)), 1)

    def test_a_call_that_does_nothing_is_no_measurement(self):
        with self.assertRaises(RuntimeError):
            instructions.count(OPTIONS, ("typical", "set_parameters", "none"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
