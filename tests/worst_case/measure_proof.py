#!/usr/bin/env python3
"""Proves that measure.py can fail: with every coefficient that a file makes use of a little smaller, and with a lower
multiple."""
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
    return {
        "name": name, "hostile": hostile, "file_bytes": file_bytes, "instructions": instructions, "limit": instructions,
        "per_byte": per_byte
    }


class MeasureProof(unittest.TestCase):
    """One case per way to be wrong."""

    def test_every_count_is_in_the_formula(self):
        counts = {term: 0 for term in measure.TERMS}
        self.assertEqual(measure.formula(COEFFICIENTS, counts), 10)
        for index, term in enumerate(measure.TERMS):
            self.assertEqual(measure.formula(COEFFICIENTS, {**counts, term: 3}), 10 + 3 * (index + 1), term)

    def test_the_limits_themselves_pass(self):
        self.assertEqual(measure.violations(
            [row("typical", 10, False, 100), row("worst", 40)], COEFFICIENTS, LARGEST), [])

    def test_an_instruction_more_than_the_formula_is_named(self):
        for index in (0, 1):
            rows = [row("typical", 10, False, 100), row("worst", 40)]
            rows[index]["limit"] -= 1
            self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST)],
                             [rows[index]["name"]])

    def test_a_hostile_file_above_the_multiple_is_named(self):
        rows = [row("typical", 10, False, 100), row("worst", 40), row("accepted", 90, False, 100)]
        rows[1]["instructions"] += 1
        rows[1]["limit"] += 1
        self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST)], ["worst"])

    def test_a_formula_above_the_multiple_is_named(self):
        rows = [row("typical", 10, False, 100)]
        self.assertEqual([line.split(":")[0] for line in measure.violations(rows, COEFFICIENTS, LARGEST + 1)],
                         ["formula"])

    def test_a_short_hostile_file_counts_as_one_mebibyte(self):
        short = row("short", 79, file_bytes=measure.MIB // 2)
        self.assertEqual(measure.violations([row("typical", 10, False, 100), short], COEFFICIENTS, LARGEST), [])
        short = row("short", 81, file_bytes=measure.MIB // 2)
        self.assertEqual(len(measure.violations([row("typical", 10, False, 100), short], COEFFICIENTS, LARGEST)), 1)

    def test_a_page_that_says_something_else_is_named(self):
        rows = [{**row("typical", 10, False, 100_000), "per_byte": 10.0, "rule": "", "tables": 5, "work": 7},
                {**row("worst", 40), "per_byte": 40.0, "rule": "CAP-WORK", "tables": 6, "work": 8}]
        page = (f"# Page\n\n{measure.to_markdown(rows)}\n\n| file | verdict |\n|---|---|\n| typical | of another "
                f"table |\n")
        self.assertEqual(measure.page_differences(rows, page), [])
        near = [{**each, "instructions": each["instructions"] * 1000 // 999} for each in rows]
        self.assertEqual(measure.page_differences(near, page), [])
        for name, change in (("instructions", lambda text: text.replace("1,000,000", "1,002,000")),
                             ("verdict", lambda text: text.replace("CAP-WORK", "CAP-TABLES")),
                             ("file bytes", lambda text: text.replace("1,048,576", "1,048,577")),
                             ("work", lambda text: text.replace("| 8 |", "| 9 |")),
                             ("used",
                              lambda text: text.replace("100 %", "99 %")), ("to typical",
                                                                            lambda text: text.replace("4.00", "3.99")),
                             ("per byte", lambda text: text.replace("| 40.0 |", "| 39.0 |")),
                             ("no row", lambda text: text.replace("| worst |", "| best |")),
                             ):
            changed = change(page)
            self.assertNotEqual(changed, page, name)
            self.assertTrue(any(name in line for line in measure.page_differences(rows, changed)), name)

    def test_the_program_exits_with_1_where_the_formula_is_too_small(self):
        small = json.loads((pathlib.Path(__file__).parent / "coefficients.json").read_text(encoding="utf-8"))
        small["file_bytes"] //= 2
        with tempfile.TemporaryDirectory() as folder:
            coefficients = pathlib.Path(folder) / "coefficients.json"
            coefficients.write_text(json.dumps(small), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
                code = measure.main([
                    "--program", OPTIONS.program, "--typical", OPTIONS.typical, "--coefficients",
                    str(coefficients), "--only", "nothing"
                ])
        self.assertEqual(code, 1)
        self.assertIn("EXCEEDED typical", errors.getvalue())

    def test_the_program_exits_with_2_where_nothing_can_be_measured(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(
                measure.main(["--program", OPTIONS.program, "--typical", "/no/such/file", "--only", "nothing"]), 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--typical", required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
