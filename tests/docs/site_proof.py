#!/usr/bin/env python3
"""The documentation site does not build where a page is wrong. Usage: site_proof.py SOURCE

A small tree with the site's own configuration builds; with a link that leads nowhere, a heading that is missing, or a
public header that no page shows, it does not, and says which.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop())
HEADER = "// Number: an example.\n#pragma once\nnamespace pianola {\n// Half of it.\nint half(int number);\n}\n"
API = "# API\n\n```{doxygenfile} number.h\n```\n"


class Proof(unittest.TestCase):
    """Each case changes one file of the tree."""

    def build(self, changes=None):
        """(exit code, messages, the API page) of the site with some files changed."""
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            shutil.copytree(SOURCE / "docs/site", tree / "docs/site", ignore=shutil.ignore_patterns("api"))
            files = {"README.md": "# Title\n\n[guide](docs/guide/page.md#part)\n",
                     "docs/guide/page.md": "# Page\n\n## Part\n\nText.\n", "docs/site/api/number.md": API,
                     "runtime/include/pianola/number.h": HEADER,
                     "CMakeLists.txt": "project(pianola VERSION 1.2.3\n", **(changes or {})}
            for file, text in files.items():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                (tree / file).write_text(text, encoding="utf-8")
            out = tree / "build/site"
            done = subprocess.run([sys.executable, "-B", tree / "docs/site/build.py", out], capture_output=True,
                                  text=True, check=False)
            api = out / "docs/site/api/number.html"
            return done.returncode, done.stdout + done.stderr, api.read_text("utf-8") if api.exists() else ""

    def test_a_right_tree_builds_with_the_headers_comments(self):
        code, messages, api = self.build()
        self.assertEqual(code, 0, messages)
        self.assertIn("Half of it.", api)

    def test_a_link_that_leads_nowhere_fails(self):
        code, messages, _ = self.build({"README.md": "# Title\n\n[x](docs/guide/page.md) [y](docs/guide/none.md)\n"})
        self.assertEqual(code, 1, messages)
        self.assertIn("docs/guide/none.md", messages)

    def test_a_heading_that_is_missing_fails(self):
        code, messages, _ = self.build({"README.md": "# Title\n\n[guide](docs/guide/page.md#parts)\n"})
        self.assertEqual(code, 1, messages)
        self.assertIn("#parts", messages)

    def test_a_header_on_no_page_fails(self):
        code, messages, _ = self.build({"runtime/include/pianola/hidden.h": HEADER})
        self.assertEqual(code, 1, messages)
        self.assertIn("no page of docs/site/api shows hidden.h", messages)


if __name__ == "__main__":
    unittest.main()
