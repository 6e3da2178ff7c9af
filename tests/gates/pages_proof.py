#!/usr/bin/env python3
"""The gate pages finds long pages and examples without a test."""
import pathlib
import stat
import unittest
import unittest.mock

from own_sources import own_files
from pages_gate import Pages
from proof_support import GateProof

SOURCE = "int answer() {\n    return 42;  // of everything\n}\nint other();\n"
TOOL = '#!/bin/sh\n[ "$1" = verify ] && echo "  --json  Print JSON" && exit 0\nexit 2\n'


class PagesProof(GateProof):
    """Each case is a small tree."""

    def judge(self, page, name="docs/guide/page.md"):
        """Findings over one page beside an example."""
        self.write(name, page)
        self.write("docs/examples/answer.cpp", SOURCE)
        self.write("docs/examples/CMakeLists.txt", "add_library(answer answer.cpp)\n")
        self.write("tests/docs/CMakeLists.txt", "add_test(NAME docs.tutorial COMMAND x docs/guide/tutorial.md)\n")
        self.write("tests/python/docs_test.py", 'run_page("guide/python.md", 1)\n')
        tool = self.root / self.write("tool.sh", TOOL)
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
        return list(Pages(self.root, own_files(self.root), tool).findings())

    def test_a_long_page_is_found(self):
        self.assert_finds(self.judge("# Page\n" + "line\n" * 400), "401 lines, 400 are admitted")
        self.assertEqual(self.judge("# Page\n" + "line\n" * 399), [])

    def test_too_many_words_together_are_found(self):
        page = "# Page\n\none two\n\n```text\nthree\n```\n\n<!-- made -->\n| four |\n<!-- end -->\n"
        with unittest.mock.patch("pages_gate.MOST_WORDS", 3):
            self.assert_finds(self.judge(page), "docs: 4 words, 3 are admitted")
            self.assertEqual(self.judge("Made; do not edit.\n" + page), [])
            self.assertEqual(self.judge("Made; do not edit.\n" + page, "docs/safety/page.md"), [])

    def test_a_long_line_of_text_is_found(self):
        for line in ("word " * 24 + "a", "- " + "word " * 24):
            self.assert_finds(self.judge(f"# Page\n\n{line}\n"), "page.md:3: 12")
        for line in ("word " * 24, "| " + "word " * 24 + "|", "```text\n" + "x" * 121 + "\n```",
                     "https://example.com/" + "x" * 121):
            self.assertEqual(self.judge(f"# Page\n\n{line}\n"), [], line)

    def test_code_that_no_example_compiles_is_found(self):
        for block in ("```cpp\nint question();\n```\n", "Text.\n\n    int question();\n\nText.\n",
                      "```cmake\nadd_library(question)\n```\n"):
            self.assertEqual(len(self.judge("# Page\n\n" + block)), 1, block)

    def test_code_of_an_example_passes_in_another_layout_and_in_parts(self):
        for block in ("```cpp\nint answer() { return 42; }\n```\n", "```cpp\nreturn 42;\n...\nint other();\n```\n",
                      "Text.\n\n    int other();  // declared\n\nText.\n",
                      "```cmake\nadd_library(answer  answer.cpp)\n```\n"):
            self.assertEqual(self.judge("# Page\n\n" + block), [], block)

    def test_pages_that_no_test_runs_are_found(self):
        for block in ("```python\nprint(1)\n```\n", "```console\n$ true\n```\n", "```rust\nfn main() {}\n```\n"):
            self.assertEqual(len(self.judge("# Page\n\n" + block)), 1, block)
        (self.root / "docs/guide/page.md").unlink()
        self.assertEqual(self.judge("# Page\n\n```python\nprint(1)\n```\n", "docs/guide/python.md"), [])
        self.assertEqual(self.judge("# Page\n\n```console\n$ true\n```\n", "docs/guide/tutorial.md"), [])

    def test_commands_and_options_that_are_not_there_are_found(self):
        self.assert_finds(self.judge("# Page\n\n    pianola verify a.ptb --loud\n"), "`pianola verify` has no --loud")
        self.assert_finds(self.judge("# Page\n\n    pianola sing a.ptb\n"), "`pianola sing` is no command")
        self.assertEqual(self.judge("# Page\n\n    pianola verify a.ptb --json  # not --loud\n"), [])


if __name__ == "__main__":
    unittest.main()
