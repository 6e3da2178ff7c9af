"""Proof that the sizes gate can fail."""
import unittest

from proof_support import GateProof
from sizes_gate import MOST_COLUMNS, MOST_FILE_LINES, MOST_FUNCTION_LINES, judge

LONG = "x" * (MOST_COLUMNS + 1)


class SizesProof(GateProof):
    """Feeds the gate files that are as long as they may be, and one longer."""

    def judge(self, name, text):
        return judge(self.root, [self.write(name, text)])

    def test_lines(self):
        for name in ("a.cpp", "a.md", "CMakeLists.txt", "a.S", ".clang-tidy", "a.py"):
            with self.subTest(name=name):
                comment = "#" * MOST_COLUMNS
                self.assertEqual(self.judge(name, f"{comment}\n"), [])
                self.assert_finds(self.judge(name, f"{comment}\n#{comment}\n"), f"{name}:2: {MOST_COLUMNS + 1} columns")

    def test_lines_of_a_patch_have_a_mark(self):
        self.assertEqual(self.judge("a.patch", "+" + "#" * MOST_COLUMNS), [])
        self.assert_finds(self.judge("a.patch", "++" + "#" * MOST_COLUMNS), f"{MOST_COLUMNS + 2} columns")

    def test_lines_that_nobody_can_break(self):
        for name, line in (("a.md", f"| a | {LONG} |"), ("a.md", f"https://example.org/{LONG}"),
                           ("a.sh", f"# https://example.org/{LONG}"), ("a.json", LONG), ("a.csv", LONG)):
            with self.subTest(name=name):
                self.assertEqual(self.judge(name, line), [])
        self.assert_finds(self.judge("a.cpp", f"| a | {LONG} |"), "columns")
        self.assert_finds(self.judge("a.md", f"see https://example.org/{LONG}"), "columns")

    def test_files(self):
        for name in ("a.cpp", "tests/a.h", "a.inc", "a.py", "a.cmake", "CMakeLists.txt", "a.sh"):
            with self.subTest(name=name):
                self.assertEqual(self.judge(name, "\n" * MOST_FILE_LINES), [])
                self.assert_finds(self.judge(name, "\n" * (MOST_FILE_LINES + 1)), "split it")
        self.assertEqual(self.judge("a.md", "\n" * (MOST_FILE_LINES + 1)), [])

    def test_functions(self):
        def text(lines):
            return "class A:\n    def f(self,\n          a):\n" + "        a += 1\n" * (lines - 2)

        self.assertEqual(self.judge("hal/a.py", text(MOST_FUNCTION_LINES)), [])
        self.assert_finds(self.judge("hal/a.py", text(MOST_FUNCTION_LINES + 1)), "hal/a.py:2: f() has")
        self.assertEqual(self.judge("tests/a.py", text(MOST_FUNCTION_LINES + 1)), [])

    def test_what_is_not_text(self):
        (self.root / "a.ptb2").write_bytes(b"\xff" * 200)
        self.assertEqual(judge(self.root, [(self.root / "a.ptb2").relative_to(self.root)]), [])


if __name__ == "__main__":
    unittest.main()
