"""Proof that the gate for missing models can fail, on results that a real ctest wrote."""
import tempfile
import unittest

import without_models_gate as gate
from proof_support import GateProof

TESTS = """add_test(skips "sh" "-c" "test -n \\"$PIANOLA_SHARED\\" && exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
add_test(passes "true")
add_test(fails "false")
"""


class WithoutModelsProof(GateProof):
    """Feeds the gate tests that skip, pass, fail, and are not there."""

    def unskipped(self, *names):
        self.write("CTestTestfile.cmake", TESTS)
        with tempfile.TemporaryDirectory() as models:
            return list(gate.unskipped(self.root, list(names), models))

    def test_accepts_what_skips(self):
        self.assertEqual(self.unskipped("skips"), [])

    def test_refuses_what_does_not(self):
        for name, text in (("passes", "passes: not skipped"), ("fails", "fails: not skipped"),
                           ("missing", "missing: did not run")):
            with self.subTest(name=name):
                self.assert_finds(self.unskipped("skips", name), text)

    def test_finds_scripts_that_need_models(self):
        for text, wanted in (("import support", True), ("main(needs_models=False)", False), ("pass", False)):
            self.write("support.py", 'os.environ["PIANOLA_SHARED"]\n')
            script = self.root / self.write("script.py", text + "\n")
            self.assertEqual(gate.needs_models(["python3", str(script)]), wanted, text)
        self.assertTrue(gate.needs_models(["python3", str(script), "--models", "x"]))
        script.write_text('OUTSIDE = "PIANOLA_SHARED"  # looked for in other texts\n', encoding="utf-8")
        self.assertFalse(gate.needs_models(["python3", str(script)]))

    def test_finds_cases_by_name(self):
        tests = [{"name": name}
                 for name in ("a.Suite.Case", "a.Shards/Suite.Case/0", "a.Suite.CaseTwo", "a.Other.Case")]
        self.assertEqual(list(gate.names_of(tests, {("Suite", "Case")})), ["a.Suite.Case", "a.Shards/Suite.Case/0"])


if __name__ == "__main__":
    unittest.main()
