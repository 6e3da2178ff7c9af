#!/usr/bin/env python3
"""The validator of a board whose sessions drive several devices gives the verdicts that the host suite asks for: its
own cases of a mesh. One for a single device does not look at such files (TGT-PROFILE)."""
import pathlib
import sys

import baremetal_support as support

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "board_tests"))
import vectors_test  # noqa: E402  pylint: disable=wrong-import-position


class Meshes(vectors_test.PackTest):
    """Damaged binaries for two devices."""
    words = ("meshes",)

    def test_every_verdict_is_the_hosts(self):
        self.assertEqual(vectors_test.findings(self.expectations, self.validate(self.pack)), [])
        rules = {expected["rule"] for expected in self.expectations}
        self.assertGreaterEqual(len(rules), 9, "rules with a vector")
        self.assertNotIn("TGT-PROFILE", rules)


if __name__ == "__main__":
    support.parse(("--vectors", {"required": True}))
    support.main()
