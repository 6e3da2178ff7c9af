"""Proof that the summary of toolchains/test.sh can fail, on result files that a real ctest wrote."""
import pathlib
import subprocess
import sys
import unittest

from proof_support import GateProof

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "toolchains"))
from summarise_tests import summarise  # noqa: E402  (the path must be there first)


class SummaryProof(GateProof):
    """Runs ctest over trivial tests and sums what it wrote."""

    def run_ctest(self, tests):
        """The result file of a ctest run over `tests`, lines of a CTestTestfile."""
        self.write("CTestTestfile.cmake", tests)
        result = self.root / "results.xml"
        subprocess.run(["ctest", "--output-junit", str(result)], cwd=self.root, capture_output=True, check=False)
        return result

    def test_sums(self):
        result = self.run_ctest('add_test(a "true")\nadd_test(b "true")\n')
        lines, code = summarise([], [result, result])
        self.assertEqual((lines[-1], code), ("4 passed, 0 failed", 0))

    def test_failures_show(self):
        result = self.run_ctest('add_test(a "true")\nadd_test(b "false")\nadd_test(c "no-such-program-here")\n')
        lines, code = summarise([], [result])
        self.assertEqual((lines[-1], code), ("1 passed, 2 failed", 1))
        self.assertIn(f"FAILED b ({result})", lines)

    def test_skips_are_not_passes(self):
        skip = ('add_test(a "true")\nadd_test(b "sh" "-c" "exit 77")\nset_tests_properties(b PROPERTIES '
                'SKIP_RETURN_CODE 77)\n')
        lines, code = summarise([], [self.run_ctest(skip)])
        self.assertEqual((lines[-2:], code), (["1 skipped", "1 passed, 0 failed"], 0))

    def test_nothing_is_a_failure(self):
        self.assertEqual(summarise([], [])[1], 1)
        result = self.write("empty.xml", "<testsuite></testsuite>")
        lines, code = summarise([], [self.root / result])
        self.assertEqual((lines[-1], code), ("0 passed, 1 failed", 1))

    def test_failed_step_is_a_failure(self):
        result = self.run_ctest('add_test(a "true")\n')
        lines, code = summarise(["asan: build"], [result])
        self.assertEqual((lines[0], lines[-1], code), ("FAILED asan: build", "1 passed, 1 failed", 1))


if __name__ == "__main__":
    unittest.main()
