"""Proof that docs/safety/tools/tools.py names packages without a row, rows without a package, and measures that did not
pass."""
import pathlib
import shutil
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import tools  # noqa: E402  pylint: disable=wrong-import-position

ROWS, SET_UP = "docs/safety/tools.toml", "toolchains/setup-debian.sh"


class ToolsProof(GateProof):
    """Works on a copy of the rows and of set-up."""

    def setUp(self):
        super().setUp()
        for name in (ROWS, SET_UP):
            self.write(name, "")
            shutil.copy(ROOT / name, self.root / name)

    def findings_after(self, name, old, new):
        """What is wrong once a text of the copy is another one."""
        text = self.change(name, old, new)
        found = tools.Tools(self.root)
        found.check()
        self.write(name, text)
        return found.findings

    def test_packages_and_rows_agree(self):
        self.assertEqual(self.findings_after(SET_UP, "packages=(", "packages=("), [])
        self.assertEqual(self.findings_after(SET_UP, "\npackages=(\n", "\npackages=(\n    a-new-package\n"),
                         ["a-new-package: set-up installs it, and no row names it"])
        self.assertEqual(self.findings_after(SET_UP, "all_packages=(\n", "all_packages=(\n    another-package\n"),
                         ["another-package: set-up installs it, and no row names it"])
        self.assertEqual(self.findings_after(SET_UP, "    shellcheck\n", ""),
                         ["shellcheck: a row names it, and set-up does not install it"])
        self.assertEqual(self.findings_after(ROWS, '["shellcheck", ', '["git", "shellcheck", '), ["git: in two rows"])

    def test_rows_are_filled_in(self):
        self.assert_finds(self.findings_after(ROWS, 'packages = ["qemu-system-arm", "qemu-system-misc"]\n', ""),
                          "neither own nor a package")
        self.assert_finds(self.findings_after(ROWS, "detection = 3", "detection = 4"), "TI2, TD4")
        self.assert_finds(self.findings_after(ROWS, "detection = 3", "detection = 1"), "QEMU: TD1 without a measure")

    def test_versions_are_those_that_rows_state(self):
        found = tools.Tools(self.root)
        found.check_versions()
        self.assertEqual(found.findings, [])
        row = next(row for row in found.rows if "g++" in row.get("versions", {}))
        for version, finding in (("1", "g++: version "), ("12.20", "the row is about 12.20")):
            row["versions"] = {"g++": version}
            found.findings = []
            found.check_versions()
            self.assert_finds(found.findings, finding)
        row["versions"] = {"valgrind": "3.19"}
        found.check_versions()
        self.assert_finds(found.findings, "valgrind: GCC, libraries and binutils for hosts and boards states a version")

    def test_measures_have_passed(self):
        measures = {measure for row in tools.Tools(self.root).rows for measure in row["measures"]}
        for failed in (None, "cli.size"):
            cases = "".join(f'<testcase name="{name}" status="run">{"<failure/>" if name == failed else ""}</testcase>'
                            for name in measures)
            path = self.root / self.write("results.xml", f"<testsuite>{cases}</testsuite>")
            found = tools.Tools(self.root)
            found.check_results([path])
            expected = [] if failed is None else ["pianola size, embed: cli.size has not passed"]
            self.assertEqual(found.findings, expected)

    def test_confidence(self):
        self.assertEqual([tools.confidence({"impact": impact, "detection": detection})
                          for impact, detection in ((1, 3), (2, 1), (2, 2), (2, 3))], [1, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
