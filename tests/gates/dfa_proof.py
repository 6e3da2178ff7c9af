"""Proof that docs/safety/tools/dfa.py names what is missing: one thing is taken away at a time."""
import pathlib
import shutil
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import dfa  # noqa: E402  pylint: disable=wrong-import-position

ROWS = "docs/safety/dfa.toml"


class DfaProof(GateProof):
    """Works on a copy of the rows and of what they refer to."""

    def setUp(self):
        super().setUp()
        for folder in ("docs/safety", "tests/campaign/recorded"):
            shutil.copytree(ROOT / folder, self.root / folder)
        for element in dfa.Failures(self.root).elements.values():
            if "path" in element:
                (self.root / element["path"]).mkdir(parents=True, exist_ok=True)

    def findings(self):
        """What is wrong without results."""
        found = dfa.Failures(self.root)
        found.check()
        return found.findings

    def findings_after(self, old, new, name=ROWS):
        """What is wrong once a text of the copy is another one."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")
        findings = self.findings()
        path.write_text(text, encoding="utf-8")
        return findings

    def test_accepts_what_is_there(self):
        self.assertEqual(self.findings(), [])

    def test_rows_are_filled_in(self):
        for old, new, finding in (
                ('effect = "The clock stands', 'effect = ""\nsaid = "The clock stands', "dfa~clock: no effect"),
                ('evidence = ["aou:one-caller"]', "evidence = []",
                 "dfa~two-callers: neither evidence nor what is open"),
                ('elements = ["signatures", "validator"]', 'elements = ["signature", "validator"]',
                 "dfa~bearssl: there is no element signature"),
                ('"sg~reaction"]\neffect = "The clock stands', '"sg~no-reaction"]\neffect = "The clock stands',
                 "dfa~clock: there is no sg~no-reaction"),
                ('id = "dfa~rings"', 'id = "rings"', "rings: an id begins with dfa~"),
                ('id = "dfa~rings"', 'id = "dfa~dma"', "dfa~dma: there are 2")):
            with self.subTest(finding=finding):
                self.assertEqual(self.findings_after(old, new), [finding])

    def test_classes_and_kinds_are_those_of_the_standard(self):
        findings = self.findings_after('coupling = "insufficient environmental immunity"', 'coupling = "weather"')
        self.assertEqual(findings, ["dfa~environment: weather is no coupling",
                                    "insufficient environmental immunity: no row is of this coupling"])
        findings = self.findings_after('kind = "cascading"', 'kind = "common_cause"')
        self.assertEqual(findings, ["cascading: no row is of this kind"])

    def test_elements_are_there_and_of_use(self):
        self.assertEqual(self.findings_after("[elements]", '[elements]\nspare = { text = "a spare part" }'),
                         ["spare: no row names this element"])
        self.assertEqual(self.findings_after('path = "hal/crypto"', 'path = "hal/cipher"'),
                         ["signatures: there is no hal/cipher"])

    def test_evidence_is_there(self):
        for old, new, finding in (("aou:one-caller", "aou:two-callers", "there is no aou~two-callers"),
                                  ("simulator.lies/call_made_twice", "simulator.lies/nothing",
                                   "no campaign has recorded simulator.lies/nothing"),
                                  ("test:port.lies", "see:port.lies", "see:port.lies is no evidence"),
                                  ("test:port.lies", "test:", "test: is no evidence")):
            with self.subTest(new=new):
                self.assert_finds(self.findings_after(old, new), finding)

    def test_a_silent_fault_is_named(self):
        recorded = "tests/campaign/recorded/simulator.completions.json"
        self.assert_finds(self.findings_after('"silent": 0', '"silent": 1', recorded), "was silent")

    def test_results_decide(self):
        names = {piece[5:] for row in dfa.Failures(self.root).rows for piece in row["evidence"]
                 if piece.startswith("test:")}
        for left_out, expected in ((None, []), ("gates.stack", ["dfa~stack: gates.stack has not passed"])):
            cases = "".join(f'<testcase name="{name}" status="{"fail" if name == left_out else "run"}"/>'
                            for name in names)
            path = self.root / self.write("results.xml", f"<testsuite>{cases}</testsuite>")
            found = dfa.Failures(self.root)
            found.check_results([path])
            self.assertEqual(found.findings, expected)

    def test_a_page_of_other_rows_is_not_current(self):
        self.assertTrue(dfa.is_current(self.root, dfa.PAGE, dfa.page(dfa.Failures(self.root))))
        path = self.root / ROWS
        path.write_text(path.read_text(encoding="utf-8").replace("The clock stands still", "A clock stops"),
                        encoding="utf-8")
        self.assertFalse(dfa.is_current(self.root, dfa.PAGE, dfa.page(dfa.Failures(self.root))))


if __name__ == "__main__":
    unittest.main()
