"""Proof that docs/safety/tools/analyses.py names what is missing: one thing is taken away at a time."""
import pathlib
import shutil
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import analyses  # noqa: E402  pylint: disable=wrong-import-position
import evidence  # noqa: E402  pylint: disable=wrong-import-position

ROWS, ASSUMPTIONS = "docs/safety/fmea.csv", "docs/safety/assumptions.toml"


class AnalysesProof(GateProof):
    """Works on a copy of all that the tool reads."""

    def setUp(self):
        super().setUp()
        for folder in ("docs/safety", "docs/evidence", "runtime/include", "tests/campaign/recorded"):
            shutil.copytree(ROOT / folder, self.root / folder)

    def findings(self):
        """What is wrong without results."""
        found = analyses.Analyses(self.root)
        found.check_rows()
        found.check_assumptions()
        return found.findings

    def test_accepts_what_is_there(self):
        self.assertEqual(self.findings(), [])

    def test_a_removed_row_is_missed(self):
        lines = (self.root / ROWS).read_text(encoding="utf-8").splitlines(keepends=True)
        self.write(ROWS, "".join(line for line in lines if not line.startswith("Device::enqueue,late,")))
        self.assertEqual(self.findings(), ["Device::enqueue, late: 0 rows"])

    def test_a_new_method_needs_rows(self):
        self.change("runtime/include/pianola/device.h", "    virtual Status service() noexcept = 0;",
                    "    virtual Status service() noexcept = 0;\n    virtual Status pause() noexcept = 0;")
        self.assertEqual(len([finding for finding in self.findings() if finding.startswith("Device::pause")]), 7)

    def test_a_method_that_is_gone_is_named(self):
        self.change("runtime/include/pianola/device.h", "    virtual Status service() noexcept = 0;", "")
        self.assert_finds(self.findings(), "Device::service, not: there is no such method or guide word")

    def test_evidence_is_there(self):
        for old, new, finding in (("aou:caches", "aou:cache", "there is no aou~cache"),
                                  ("simulator.lies/call_omitted", "simulator.lies/nothing", "no campaign"),
                                  ("test:campaign.lies", "see:campaign.lies", "is no evidence")):
            with self.subTest(new=new):
                self.change(ROWS, old, new)
                self.assert_finds(self.findings(), finding)
                self.change(ROWS, new, old)

    def test_a_silent_fault_is_named(self):
        self.change("tests/campaign/recorded/simulator.lies.json", '"silent": 0', '"silent": 1')
        self.assert_finds(self.findings(), "was silent")

    def test_assumptions_have_checks(self):
        self.change(ASSUMPTIONS, '"PORT-SAFE-STATE"', '"PORT-SAFE"')
        self.assert_finds(self.findings(), "the kit has no PORT-SAFE")
        self.change(ASSUMPTIONS, '"PORT-SAFE"', "")
        self.assert_finds(self.findings(), "aou~safe-state: neither a check nor a reason")

    def test_results_decide(self):
        found = analyses.Analyses(self.root)
        names = {piece[5:] for row in found.rows for piece in row["evidence"].split() if piece.startswith("test:")}
        for left_out, expected in ((None, 0), ("sim_threads.Threads.ViewsAreOrderedByDoorbellAndCompletion", 3)):
            cases = "".join(f'<testcase name="{name}" status="{"notrun" if name == left_out else "run"}"/>'
                            for name in names)
            path = self.root / self.write("results.xml", f"<testsuite>{cases}</testsuite>")
            found = analyses.Analyses(self.root)
            found.check_results([path])
            self.assertEqual(len(found.findings), expected)

    def test_names_of_parametrised_tests(self):
        self.assertEqual(evidence.plain_name("a.In/S.C/7  # GetParam() = x.y"), "a.S.C")
        self.assertEqual(evidence.plain_name("a.S.C"), "a.S.C")
        self.assertEqual(evidence.plain_name("port.wrong.a_b"), "port.wrong.a_b")


if __name__ == "__main__":
    unittest.main()
