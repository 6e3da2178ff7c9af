"""Proof that trace.py names what is missing: one thing is taken from a copy of the requirements, of the
headers or of the results at a time."""
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import trace  # noqa: E402  pylint: disable=wrong-import-position,deprecated-module

REQUIREMENTS, RULES = "docs/safety/requirements.toml", "runtime/include/pianola/rules.inc"


def result(name, identifiers, outcome=""):
    """A test of CTest's results."""
    said = "".join(f"verifies: {identifier}\n" for identifier in identifiers)
    return f'<testcase name="{name}" status="run">{outcome}<system-out>{said}</system-out></testcase>'


class TraceProof(GateProof):
    """Works on a copy of all that the tool reads."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "docs/safety", self.root / "docs/safety")
        shutil.copytree(ROOT / "runtime/include", self.root / "runtime/include")

    def findings(self):
        """What is wrong without results."""
        found = trace.Trace(self.root)
        found.check_hierarchy()
        found.check_revisions()
        return found.findings

    def test_accepts_what_is_there(self):
        self.assertEqual(self.findings(), [])

    def test_a_changed_text_needs_a_revision(self):
        self.change(REQUIREMENTS, "whoever was late", "whoever is late")
        self.assert_finds(self.findings(), "swr~deadline~1: the text has changed, and the revision has not")
        self.change(REQUIREMENTS, "swr~deadline~1", "swr~deadline~2")
        self.assert_finds(self.findings(), "swr~deadline~2: a revision that is not recorded")
        trace.Trace(self.root).renew()
        self.assertEqual(self.findings(), [])

    def test_a_revision_that_is_recorded_anew_differs_from_its_commit(self):
        words = ["git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
        for command in (["init", "-q"], ["add", "docs/safety/revisions.csv"], ["commit", "-q", "-m", "as it is"]):
            subprocess.run([*words, *command], check=True)
        found = trace.Trace(self.root)
        found.check_history()
        self.assertEqual(found.findings, [])
        digest = found.recorded_revisions()["swr~deadline~1"]
        self.change("docs/safety/revisions.csv", f"swr~deadline~1,{digest}", "swr~deadline~1,0123456789abcdef")
        found.check_history()
        self.assert_finds(found.findings, "swr~deadline~1: a commit has this revision with another text")

    def test_renewing_changes_no_revision(self):
        self.change(REQUIREMENTS, "whoever was late", "whoever is late")
        trace.Trace(self.root).renew()
        self.assert_finds(self.findings(), "swr~deadline~1: the text has changed")

    def test_a_changed_rule_needs_a_revision(self):
        self.change(RULES, "this is not a trace binary", "this is no trace binary")
        self.assert_finds(self.findings(), "rule~ENV-MAGIC~1: the text has changed, and the revision has not")

    def test_a_removed_requirement_is_missed(self):
        text = (self.root / REQUIREMENTS).read_text(encoding="utf-8")
        entries = text.split("[[requirement]]")
        kept = [entry for entry in entries if 'id = "swr~deadline~1"' not in entry]
        (self.root / REQUIREMENTS).write_text("[[requirement]]".join(kept), encoding="utf-8")
        self.assert_finds(self.findings(), "swr~deadline: recorded, and no longer there")

    def test_parents_exist_and_have_children(self):
        self.change(REQUIREMENTS, '["tsr~own-state-whole"]', '["tsr~nowhere"]')
        self.assert_finds(self.findings(), "tsr~nowhere is no parent")
        for child in ("swr~sealed-state~1", "swr~not-reentered~1"):
            self.change(REQUIREMENTS, f'id = "{child}"\nparents = ["tsr~own-state-whole"]',
                        f'id = "{child}"\nparents = ["tsr~determinism"]')
        self.assert_finds(self.findings(), "tsr~own-state-whole~1: nothing is derived from it")

    def test_a_rule_of_no_group_is_named(self):
        self.change(REQUIREMENTS, '"ENV", ', "")
        self.assert_finds(self.findings(), "rule~ENV-MAGIC: no [[rules]] names its group")

    def test_a_new_public_function_is_named(self):
        self.change("runtime/include/pianola/session.h", "    Status poll() noexcept;",
                    "    Status poll() noexcept;\n    Status poll_twice() noexcept;")
        self.change(REQUIREMENTS, '"Session::unload"', '"Session::unloads"')
        found = trace.Trace(self.root)
        found.check_functions()
        self.assertEqual(found.findings, ["Session::poll_twice: a public function that no requirement names",
                                          "Session::unload: a public function that no requirement names",
                                          "swr~unload~1: there is no public function Session::unloads"])

    def test_results_decide(self):
        every = [item.id for item in trace.Trace(self.root).items.values() if item.kind in ("swr", "rule")]
        cases = {
            "": (result("a.B", every), None),
            "removed": (result("a.B", every[1:]), f"{every[0]}: no test that passed verifies it"),
            "failed": (result("a.B", every[1:]) + result("a.C", every[:1], "<failure/>"),
                       f"{every[0]}: a.C, which verifies it, did not pass"),
            "unknown": (result("a.B", [*every, "swr~nothing~1"]), "a.B: verifies swr~nothing~1, which is not there"),
            "stale": (result("a.B", [*every, "swr~deadline~7"]), "the requirement is swr~deadline~1"),
        }
        for what, (text, expected) in cases.items():
            with self.subTest(what=what):
                path = self.root / self.write("results.xml", f"<testsuite>{text}</testsuite>")
                found = trace.Trace(self.root)
                found.check_results([path])
                if expected is None:
                    self.assertEqual(found.findings, [])
                else:
                    self.assert_finds(found.findings, expected)

    def test_exports_name_what_verifies(self):
        found = trace.Trace(self.root)
        exported = json.loads(trace.needs(found, {"swr~deadline": {"a.B"}}))["versions"]["1"]["needs"]
        self.assertEqual(exported["swr~deadline~1"]["verified_by"], ["a.B"])
        self.assertEqual(exported["swr~deadline~1"]["links"], ["tsr~evidence-before-release~1", "tsr~bounded-work~1"])
        self.assertEqual(trace.oft(found).count("### deadline\n`swr~deadline~1`"), 1)


if __name__ == "__main__":
    unittest.main()
