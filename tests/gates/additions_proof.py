"""Proof that the gate on what one adds can fail."""
import subprocess
import unittest

from additions_gate import copy_folder, judge
from proof_support import GateProof

PATCH = """At most: 1 file
{}
diff --git a/runtime/list.inc b/runtime/list.inc
--- a/runtime/list.inc
+++ b/runtime/list.inc
@@ -1,2 +1,3 @@
 one
+{}
 two
"""
NEW_FILE = """diff --git a/{0} b/{0}
new file mode 100644
--- /dev/null
+++ b/{0}
@@ -0,0 +1 @@
+text
"""


class AdditionsProof(GateProof):
    """A small tree with a list, and patches for it."""

    def setUp(self):
        super().setUp()
        self.write("runtime/list.inc", "one\ntwo\n")
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)

    def findings(self, text):
        return judge(self.root, self.root / self.write("patches/rule.patch", text))[0]

    def test_accepts_a_patch_that_applies(self):
        self.assertEqual(self.findings(PATCH.format("", "new")), [])

    def test_refuses_a_patch_that_does_not_apply(self):
        text = PATCH.format("", "new")
        self.write("runtime/list.inc", "one\nthree\n")
        self.assert_finds(self.findings(text), "does not apply")

    def test_refuses_too_many_files(self):
        self.assert_finds(self.findings(PATCH.format("", "new") + NEW_FILE.format("hal/list.h")), "touches 2 files")

    def test_counts_neither_tests_nor_written_pages(self):
        self.write("docs/list.md", "# List\n\nMade from list.inc; do not edit.\n")
        text = PATCH.format("", "new") + NEW_FILE.format("tests/list_test.cpp")
        page = NEW_FILE.format("docs/list.md").replace("new file mode 100644\n--- /dev/null", "--- a/docs/list.md")
        page = page.replace("@@ -0,0 +1 @@\n+text\n", "@@ -3 +3,2 @@\n Made from list.inc; do not edit.\n+text\n")
        self.assertEqual(self.findings(text + page), [])

    def test_copies_a_folder_under_another_name(self):
        self.write("hal/old/host/old_target.h", "namespace old { class OldDriver; }\n")
        self.assertEqual(copy_folder(self.root, "hal/old", "hal/new_one"), ["hal/new_one/host/new_one_target.h"])
        self.assertEqual((self.root / "hal/new_one/host/new_one_target.h").read_text(encoding="utf-8"),
                         "namespace new_one { class NewOneDriver; }\n")

    def test_refuses_a_patch_without_limit_or_change(self):
        self.assert_finds(self.findings(PATCH.format("", "new").replace("At most: 1 file", "")), "needs a line")
        self.assert_finds(self.findings("At most: 1 file\n"), "needs a line")


if __name__ == "__main__":
    unittest.main()
