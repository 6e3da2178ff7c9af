"""Proof that the format gate can fail."""
import pathlib
import shutil
import unittest

import format_gate
import own_sources
from proof_support import GateProof

STYLE = pathlib.Path(__file__).parents[2] / ".clang-format"


class FormatProof(GateProof):
    """Feeds the gate one well and one badly formatted file."""

    def setUp(self):
        super().setUp()
        shutil.copy(STYLE, self.root / ".clang-format")

    def test_accepts_good(self):
        name = self.write("good.h", "#pragma once\n\nint twice(int value);\n")
        self.assertEqual(format_gate.unformatted(self.root, [name]), [])

    def test_refuses_bad(self):
        name = self.write("bad.h", "#pragma once\n\nint   twice( int value ) ;\n")
        self.assert_finds(format_gate.unformatted(self.root, [name]), "bad.h")

    def test_names_each_bad_file_and_no_good_one(self):
        names = [self.write(f"file_{number}.h", "#pragma once\n\nint twice(int value);\n") for number in range(150)]
        for number in (0, 99, 100, 149):
            self.write(f"file_{number}.h", "int   twice( int value ) ;\nint  once( );\n")
        findings = format_gate.unformatted(self.root, names)
        self.assertEqual([finding.partition(".h")[0] for finding in findings],
                         ["file_0", "file_99", "file_100", "file_149"])

    def test_refuses_a_file_that_is_not_there(self):
        self.assert_finds(format_gate.unformatted(self.root, ["missing.h"]), "missing.h")

    def test_refuses_missing_braces(self):
        name = self.write("bad.cpp", "int f(int v) {\n    if (v > 0)\n        return 1;\n    return 0;\n}\n")
        self.assert_finds(format_gate.unformatted(self.root, [name]), "bad.cpp")

    def test_looking_at_nothing_is_a_failure(self):
        self.assertEqual(own_sources.report("format", 0, []), 1)
        self.assertEqual(own_sources.report("format", 1, []), 0)
        self.assertEqual(own_sources.report("format", 1, ["x"]), 1)


if __name__ == "__main__":
    unittest.main()
