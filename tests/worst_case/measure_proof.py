#!/usr/bin/env python3
"""Proves that measure.py can fail: with every coefficient that a file makes use of a little smaller, and with a lower multiple."""
import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import measure

COEFFICIENTS = {"constant": 10, "times_typical": 4, **{term: index + 1 for index, term in enumerate(measure.TERMS)}}
LARGEST = 40 * measure.MIB
OPTIONS = None


def row(name, per_byte, hostile=True, file_bytes=measure.MIB):
    """A row whose formula leaves room."""
    instructions = per_byte * file_bytes
    return {"name": name, "hostile": hostile, "file_bytes": file_bytes, "instructions": instructions, "limit": instructions,
            "per_byte": per_byte}


class MeasureProof(unittest.TestCase):
    """One case per way to be wrong."""

    def test_every_count_is_in_the_formula(self):
        counts = {term: 0 for term in measure.TERMS}
        self.assertEqual(measure.formula(COEFFICIENTS, counts), 10)
        for index, term in enumerate(measure.TERMS):
            self.assertEqual(measure.formula(COEFFICIENTS, {**counts, term: 3}), 10 + 3 * (index + 1), term)

    def test_the_limits_themselves_pass(self):
        self.assertEqual(measure.violations([row("typical", 10, False, 100), row("worst", 40)], COEFFICIENTS, LARGEST), [])

    def test_an_instruction_more_than_the_formula_is_named(self):
        for index in (0, 1):
            rows = [row("typical", 10, False, 100), row("worst", 40)]
            rows[index]["limit"] -= 1
            self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST)], [rows[index]["name"]])

    def test_a_hostile_file_above_the_multiple_is_named(self):
        rows = [row("typical", 10, False, 100), row("worst", 40), row("accepted", 90, False, 100)]
        rows[1]["instructions"] += 1
        rows[1]["limit"] += 1
        self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST)], ["worst"])

    def test_a_formula_above_the_multiple_is_named(self):
        rows = [row("typical", 10, False, 100)]
        self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST + 1)], ["formula"])

    def test_a_short_hostile_file_counts_as_one_mebibyte(self):
        short = row("short", 79, file_bytes=measure.MIB // 2)
        self.assertEqual(measure.violations([row("typical", 10, False, 100), short], COEFFICIENTS, LARGEST), [])
        short = row("short", 81, file_bytes=measure.MIB // 2)
        self.assertEqual(len(measure.violations([row("typical", 10, False, 100), short], COEFFICIENTS, LARGEST)), 1)

    def test_the_program_exits_with_1_where_the_formula_is_too_small(self):
        small = json.loads((pathlib.Path(__file__).parent / "coefficients.json").read_text(encoding="utf-8"))
        small["file_bytes"] //= 2
        with tempfile.TemporaryDirectory() as folder:
            coefficients = pathlib.Path(folder) / "coefficients.json"
            coefficients.write_text(json.dumps(small), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
                code = measure.main(["--program", OPTIONS.program, "--typical", OPTIONS.typical, "--coefficients", str(coefficients),
                                     "--only", "nothing"])
        self.assertEqual(code, 1)
        self.assertIn("EXCEEDED typical", errors.getvalue())

    def test_the_program_exits_with_2_where_nothing_can_be_measured(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(measure.main(["--program", OPTIONS.program, "--typical", "/no/such/file", "--only", "nothing"]), 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--typical", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
