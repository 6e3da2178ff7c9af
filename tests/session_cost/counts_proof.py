#!/usr/bin/env python3
"""Proves that counts.py can fail: with each formula a little too small, with one that is far too large, and with a
function that nobody has counted.

  counts_proof.py --program PIANOLA_SESSION_COST --rows FILE   FILE is what `counts.py --keep FILE` has written
"""
import argparse
import copy
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import counts

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = None


class CountsProof(unittest.TestCase):
    """Works on what the program prints, and on a copy of the headers."""

    @classmethod
    def setUpClass(cls):
        cls.rows = json.loads(OPTIONS.rows.read_text(encoding="utf-8"))

    def test_accepts_what_is_there(self):
        self.assertEqual(counts.exceeded(self.rows) + counts.loose(self.rows) + counts.loose_totals(self.rows), [])

    def test_every_formula_that_is_reached_may_not_be_less(self):
        reached = 0
        for row in self.rows:
            for term, measured, _ in counts.held(row):
                if measured:
                    reached += 1
                    small = {**row, "formula": {**row["formula"], term: measured - 1}}
                    self.assertEqual(len(counts.exceeded([small])), 1, (row["call"], term))
        self.assertGreater(reached, 1000)

    def test_a_formula_that_says_nothing_is_named(self):
        rows = copy.deepcopy(self.rows)
        for row in rows:
            if row["call"] == "poll":
                row["formula"]["bind"] *= 3
        self.assertTrue(any("poll: the formula of bind" in line for line in counts.loose(rows)))
        for row in rows:
            if row["call"] == "poll":
                row["formula"]["bytes sealed"] *= 100
        self.assertTrue(any("poll of large_weights, verified" in line for line in counts.loose_totals(rows)))

    def test_a_function_without_a_formula_is_named(self):
        calls = counts.printed(OPTIONS.program, "calls")
        with tempfile.TemporaryDirectory() as folder:
            copied = pathlib.Path(folder)
            shutil.copytree(ROOT / "runtime/include", copied / "runtime/include")
            header = copied / "runtime/include/pianola/session.h"
            text = header.read_text(encoding="utf-8")
            self.assertIn("    Status poll() noexcept;", text)
            header.write_text(text.replace("    Status poll() noexcept;",
                                           "    Status poll() noexcept;\n    Status pause() noexcept;"),
                              encoding="utf-8")
            functions = counts.trace.public_functions(copied)
        self.assertEqual(counts.without_formula(calls, functions),
                         ["Session::pause: a public function without a formula"])
        self.assertEqual(counts.without_formula(calls, functions - {"Session::pause", "Session::scrub"}),
                         ["Session::scrub: a formula of no public function"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--rows", required=True, type=pathlib.Path)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
