#!/usr/bin/env python3
"""page_commands.py finds what is wrong with a page."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import page_commands


def page(*lines):
    """A page with one console block."""
    return "# Page\n\n```console\n" + "\n".join(lines) + "\n```\n"


class Proof(unittest.TestCase):
    """Each case is a small page."""

    def run_page(self, text, *words):
        """What page_commands says of a page: its exit code or message."""
        with tempfile.TemporaryDirectory() as name:
            file = pathlib.Path(name) / "page.md"
            file.write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                try:
                    return page_commands.main([str(file), "--folder", name, *words])
                except SystemExit as error:
                    return error.code

    def test_right_pages_pass(self):
        several = page("$ echo a", "a", "$ printf 'b\\nc\\nd\\n'", "b", "...", "$ exit 3  # exit code 3")
        self.assertEqual(self.run_page(several), 0)
        self.assertEqual(self.run_page(page("$ echo one two three", "one ... three")), 0)
        self.assertEqual(self.run_page(page("$ echo \\", "  joined", "joined")), 0)

    def test_another_output_is_found(self):
        for shown in ("b", "a\nb", "...\nb"):
            self.assertIn("The page shows", str(self.run_page(page("$ echo a", shown))))

    def test_a_command_that_fails_is_found(self):
        self.assertIn("ends with 1", str(self.run_page(page("$ false"))))
        self.assertIn("ends with 1", str(self.run_page(page("$ false | true"))))
        self.assertIn("ends with 0, not 3", str(self.run_page(page("$ true  # exit code 3"))))

    def test_too_many_commands_are_found(self):
        self.assertIn("has 2 commands", str(self.run_page(page("$ true", "$ true"), "--most", "1")))

    def test_a_page_without_commands_is_found(self):
        self.assertEqual(self.run_page("# Page\n"), 1)
        self.assertEqual(self.run_page(page("$ cd x"), "--skip", "^cd "), 1)

    def test_sections_end_where_the_next_begins(self):
        wrong = "\n```console\n$ false\n```\n"
        text = f"# Page\n{wrong}\n## Right\n{wrong.replace('false', 'true')}\n## Wrong\n{wrong}"
        self.assertEqual(self.run_page(text, "--section", "Right"), 0)


if __name__ == "__main__":
    unittest.main()
