"""Proof that the gate on misra/guidelines.csv notices rows, records and reviews that do not hold, and checks that do
not find what their guideline is about."""
import json
import os
import pathlib
import shutil
import unittest

from misra_gate import check_definitions, check_records, check_review, check_row, check_table, check_texts, read_rows
from misra_gate import recorded
from misra_snippets import Checker, target_arguments
from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["PIANOLA_TIDY_BUILD"])

# Claims that were once made, by checks which see less than the guideline asks.
TOO_LITTLE = (("7.0.5", "clang-diagnostic-sign-conversion"), ("8.14.1", "bugprone-inc-dec-in-conditions"),
              ("9.5.1", "cert-flp30-c"), ("9.4.1", "hicpp-multiway-paths-covered"),
              ("12.3.1", "cppcoreguidelines-pro-type-union-access"),
              ("18.4.1", "performance-noexcept-move-constructor"))


class MisraProof(GateProof):
    """Changes one thing of what is right."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "misra", self.root / "misra")
        self.write("tests/gates/symbols_gate.py", "")
        self.write("tests/gates/stack_gate.py", "")
        self.rows = read_rows(self.root)

    def row(self, name):
        """The row of a guideline."""
        return next(row for row in self.rows if row["id"] == name)

    def table(self):
        """What is wrong with the table, other than reviews, whose files are not here."""
        return [finding for finding in check_table(self.root, self.rows) if "review" not in finding]

    def test_accepts_the_table(self):
        self.assertEqual(self.table(), [])

    def test_refuses_a_removed_row(self):
        self.rows.remove(self.row("8.3.1"))
        self.assert_finds(self.table(), "not the 179 guidelines")

    def test_refuses_another_category(self):
        self.row("8.3.1")["category"] = "required"
        self.assert_finds(self.table(), "not the 179 guidelines")

    def test_refuses_a_row_without_a_check(self):
        for column, value, finding in (
                ("status", "not examined", "status 'not examined'"), ("checks", "", "by nothing"),
                ("checks", "gates.symbols", "by nothing"), ("topic", "", "no topic"),
                ("checks", "gates.nothing pianola-misra-8.3.1", "there is no gates.nothing")):
            with self.subTest(value=value):
                self.assert_finds(check_row(self.root, {**self.row("8.3.1"), column: value}), finding)
        self.assert_finds(check_row(self.root, {**self.row("9.6.2"), "remark": ""}), "vacuous without a reason")
        self.assert_finds(check_row(self.root, {**self.row("8.14.1"), "deviations": ""}), "deviated without a record")

    def test_nothing_deviates_from_what_is_mandatory(self):
        row = {**self.row("6.8.2"), "deviations": "DEV-005"}
        self.assert_finds(check_row(self.root, row), "mandatory, and deviated from")

    def test_records_and_rows_agree(self):
        text = (self.root / "misra/deviations.md").read_text(encoding="utf-8")
        self.assertEqual(check_records(self.rows, recorded(text)), [])
        wrong = text.replace("Guideline: 8.2.5 (required), 8.2.7 (advisory)", "Guideline: 8.2.5, 8.2.7 (required)", 1)
        self.assert_finds(check_records(self.rows, recorded(wrong)), "8.2.7 is advisory, not required")
        wrong = text.replace("- Guideline: 7.0.3 (required)", "- Guideline: 7.0.3 (required), 8.3.1 (advisory)")
        self.assert_finds(check_records(self.rows, recorded(wrong)), "the row of 8.3.1 does not name it")
        wrong = text.replace("- Guideline: 7.0.3 (required)", "- Guideline: none")
        self.assert_finds(check_records(self.rows, recorded(wrong)), "7.0.3: DEV-061 does not name it")
        wrong = text.replace("- Guideline: 7.0.3 (required)", "- Guideline: 7.0.9 (required)")
        self.assert_finds(check_records(self.rows, recorded(wrong)), "there is no guideline 7.0.9")

    def test_a_review_goes_stale_with_its_files(self):
        row = {"id": "0.3.2"}
        self.write("runtime/a.h", "int a();\n")
        digest = "62a5e2b7f2b4a0a3"
        self.write("misra/reviews.md", f"## 0.3.2 Contracts\n\n- `runtime/a.h` {digest}\n")
        self.assert_finds(check_review(self.root, row), "runtime/a.h has changed")
        self.write("misra/reviews.md", "## 0.3.2 Contracts\n\nNothing.\n")
        self.assert_finds(check_review(self.root, row), "names no files")
        self.write("misra/reviews.md", "")
        self.assert_finds(check_review(self.root, row), "no review")

    def test_refuses_a_snippet_that_nobody_needs(self):
        self.write("misra/snippets/0_3_2.cxx", "int f();\n")
        self.assert_finds(self.table(), "0.3.2: a snippet, and no row that needs it")

    def test_refuses_checks_that_see_too_little(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        checker = Checker(ROOT, BUILD / "pianola_tidy_plugin.so", target_arguments(commands))
        for name, check in TOO_LITTLE:
            with self.subTest(name=name, check=check):
                self.assert_finds(checker.findings(name, [check]), "no check finds it")
        self.assert_finds(checker.findings("0.3.2", ["misc-no-recursion"]), "no snippet")

    def test_refuses_texts(self):
        name = self.write("runtime/a.h", "#include <array>\n#pragma pack(1)\n")
        findings = check_texts(self.root, [name])
        for finding in ("runtime/a.h:1: misra-text-19.2.1", "runtime/a.h:2: misra-text-19.6.1"):
            self.assertIn(finding, findings)
        self.write("runtime/a.h", "#pragma once\n")
        self.assertEqual(check_texts(self.root, [name]), [])

    def test_refuses_texts_in_other_forms(self):
        once = "#pragma once\n"
        for text, check in (("#ifndef A\n#define A\n#endif\nint f();\n", "19.2.1"),
                            ("int f();\n#pragma once\n", "19.2.1"),
                            (f"{once}/* x = f(1); */\n", "5.7.2"), (f"{once}int f();  // f();\n", "5.7.2"),
                            (f"{once}%:pragma pack(1)\n", "19.0.1"), (f"{once}??=pragma pack(1)\n", "19.0.1"),
                            (f"{once}/* */ #pragma pack(1)\n", "19.0.1"), (f"{once}#define A(b)\n", "19.0.2"),
                            (f"{once}struct A {{\n    int b{{0}}, *c{{&b}};\n}};\n", "10.0.1")):
            with self.subTest(text=text):
                name = self.write("runtime/a.h", text)
                self.assertIn(f"misra-text-{check}", " ".join(check_texts(self.root, [name])))
        parameters = "int f(int a,\n      int b, int c);\n"
        for text in (f"// Of f(); more is in g().\n#ifndef A\n#define A\n{parameters}#endif  // A\n",
                     f"{once}enum class A : int {{ kOne, kTwo }};\nusing B = C<int, int>;\n"):
            self.assertEqual(check_texts(self.root, [self.write("runtime/a.h", text)]), [])

    def test_refuses_two_definitions(self):
        names, commands = [], []
        for number in range(51):
            other = "int two;" if number == 50 else ""
            text = f"struct A {{ int one; {other} }};\nint f{number}(const A& a) {{ return a.one; }}\n"
            names.append(self.write(f"runtime/{number}.cpp", text))
            commands.append({"directory": str(self.root), "file": str(names[-1]), "command": "c++ -std=c++17"})
        self.assert_finds(check_definitions(self.root, names, commands), "definitions differ")
        self.assertEqual(check_definitions(self.root, names[:-1], commands), [])
        self.assert_finds(check_definitions(self.root, names[:3], commands), "only 3 sources")


if __name__ == "__main__":
    unittest.main()
