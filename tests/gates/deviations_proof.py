"""Proof that the deviations gate can fail."""
import unittest

from deviations_gate import judge
from proof_support import GateProof

RECORD = """## DEV-001 Example

- Guideline: 1.2.3
- Checks: {checks}
- Scope: one file
- Reason: because
- Risk: none
- Mitigation: none
"""
NO = "NO" + "LINT"  # so that this file suppresses nothing


class DeviationsProof(GateProof):
    """Feeds the gate sources and records that do not fit together."""

    def judge(self, source, checks="bugprone-a", records=RECORD):
        return judge(self.root, [self.write("a.h", source)], records.format(checks=checks))

    def test_accepts_good(self):
        self.assertEqual(self.judge(f"int a;  // {NO}(bugprone-a): DEV-001\n"), [])
        self.assertEqual(self.judge(f"// {NO}NEXTLINE(bugprone-a, cert-b): DEV-001\n", "bugprone-a, cert-b"), [])
        self.assertEqual(self.judge('#pragma GCC diagnostic ignored "-Wx"  // DEV-001\n', "-Wx"), [])

    def test_refuses_unjustified(self):
        for comment in (NO, f"{NO}: DEV-001", f"{NO}(bugprone-a)", f"{NO}NEXTLINE(*): DEV-001", f"{NO}(a): DEV-1"):
            with self.subTest(comment=comment):
                self.assert_finds(self.judge(f"int a;  // {comment}\n"), "a.h:1: write")
        self.assert_finds(self.judge('#pragma clang diagnostic ignored "-Wx"\n'), "a.h:1: write")

    def test_judges_configurations(self):
        off = "Checks: >\n  -bugprone-a,\n"
        name = self.write("hal/.clang-tidy", "#   bugprone-a: DEV-001\n" + off)
        self.assertEqual(judge(self.root, [name], RECORD.format(checks="bugprone-a")), [])
        name = self.write("hal/.clang-tidy", off)
        self.assert_finds(judge(self.root, [name], RECORD.format(checks="bugprone-a")), "hal/.clang-tidy:2: write")

    def test_refuses_unknown_record(self):
        self.assert_finds(self.judge(f"int a;  // {NO}(bugprone-a): DEV-002\n"), "DEV-002 has no record")

    def test_refuses_check_outside_the_record(self):
        self.assert_finds(self.judge(f"int a;  // {NO}(cert-b): DEV-001\n"), "does not cover cert-b")

    def test_refuses_record_that_nothing_needs(self):
        self.assert_finds(self.judge("int a;\n"), "nothing suppresses bugprone-a")

    def test_refuses_incomplete_record(self):
        source = f"int a;  // {NO}(bugprone-a): DEV-001\n"
        self.assert_finds(self.judge(source, records=RECORD.replace("- Risk: none\n", "")), "no Risk")
        self.assert_finds(self.judge(source, records=RECORD + RECORD), "recorded twice")


if __name__ == "__main__":
    unittest.main()
