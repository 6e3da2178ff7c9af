"""Proof that the words gate can fail."""
import pathlib
import subprocess
import sys
import unittest

from proof_support import GateProof
from words_gate import judge, phrases

GATE = pathlib.Path(__file__).parent / "words_gate.py"
PLAIN = "The session copies the inputs before the first command, and waits until the device is idle."


class WordsProof(GateProof):
    """Feeds the gate comments and pages with and without each phrase."""

    def found(self, name, text):
        """Findings over a tree of one file."""
        return judge(self.root, [self.write(name, text)])[0]

    def test_each_phrase(self):
        self.assertGreater(len(phrases()), 0)
        for pattern, instead, example in phrases():
            with self.subTest(pattern=pattern.pattern):
                self.assert_finds(self.found("capture_host/a.h", f"int a;\n// {example}\n"), "a.h:2: \"")
                self.assert_finds(self.found("docs/a.md", f"# A\n\n{example}\n"), f"write {instead}")

    def test_plain_text(self):
        self.assertEqual(self.found("runtime/a.cpp", f"// {PLAIN}\nint a;\n"), [])
        self.assertEqual(self.found("README.md", f"# A\n\n{PLAIN}\n"), [])

    def test_kinds_of_comments(self):
        for name, text in (("runtime/a.h", "int a; ///< that nobody reads"),
                           ("hal/a.cpp", "/* that\n * nobody reads */"),
                           ("hal/a.S", "nop // that nobody reads"), ("hal/a.ld", "/* that nobody reads */"),
                           ("hal/a.comp", "// that nobody reads"), ("schema/a.fbs", "/// that nobody reads"),
                           ("docs/examples/a.c", "f(\"//\"); // that nobody reads"),
                           ("capture_host/CMakeLists.txt", "set(a \"#\") # that nobody reads"),
                           ("capture_host/a.cmake", "#[[ that\nnobody reads ]]")):
            with self.subTest(name=name):
                self.assert_finds(self.found(name, f"{text}\n"), "\"nobody\"")

    def test_across_lines(self):
        for name, text in (("hal/a.cpp", "// one behind\n// the other"),
                           ("hal/b.cpp", "/* one behind\n * the other */"),
                           ("hal/a.cmake", "# one behind\n# the other"), ("docs/a.md", "one behind\nthe other")):
            with self.subTest(name=name):
                self.assert_finds(self.found(name, f"\n{text}\n"), f"{name}:2: \"one behind the other\"")

    def test_what_is_no_prose(self):
        for name, text in (("hal/a.cpp", "print(\"nobody\"); int nobody; // kNobody"),
                           ("hal/b.cpp", "R\"(// nobody)\""),
                           ("hal/a.cmake", "message(\"# nobody\") set(nobody 1)"),
                           ("hal/c.cpp", "g(can, not a);"),
                           ("hal/d.cpp", "int a; // can\nint b; // not"),
                           ("docs/a.md", "`nobody`\n\n```console\nnobody\n```\n\n    nobody\n"),
                           ("docs/b.md", "<!-- made: a -->\n| nobody |\n<!-- end -->\n"),
                           ("docs/c.md", "# C\n\nMade from a header; do\nnot edit. Nobody\n"),
                           ("docs/d.md", "# D\n\n`a.py` writes this page. Nobody\n")):
            with self.subTest(name=name):
                self.assertEqual(self.found(name, f"{text}\n"), [])
        self.assert_finds(self.found("docs/b.md", "<!-- made: a -->\n<!-- end -->\nnobody\n"), "b.md:3")
        self.assert_finds(self.found("docs/e.md", "# E\n\n`nothing`, nobody\n"), "e.md:3")

    def test_where_it_looks(self):
        for name in ("CONTRIBUTING.md", "docs/guide/a.md", "docs/examples/b/a.cpp"):
            with self.subTest(name=name):
                self.assert_finds(self.found(name, "// nobody\n"), "\"nobody\"")
        for name in ("docs/safety/a.md", "tests/a.cpp", "CHANGELOG.md", "capture_host/a.json"):
            with self.subTest(name=name):
                self.assertEqual(judge(self.root, [self.write(name, "// nobody\n")]), ([], 0))

    def test_nothing_to_look_at(self):
        self.write("tests/a.cpp", f"// {PLAIN}\n")
        self.assertEqual(self.run_gate(), 1)
        self.write("hal/a.cpp", f"// {PLAIN}\n")
        self.assertEqual(self.run_gate(), 0)
        self.write("hal/a.cpp", "// nobody\n")
        self.assertEqual(self.run_gate(), 1)

    def run_gate(self):
        """The exit code of the gate over the case's tree."""
        return subprocess.run([sys.executable, "-B", GATE, self.root], capture_output=True, check=False).returncode


if __name__ == "__main__":
    unittest.main()
