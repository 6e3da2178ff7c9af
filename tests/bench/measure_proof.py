#!/usr/bin/env python3
"""Proves that measure.py can fail: it reads a profile rightly, and refuses every number that is above its threshold."""
import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

import measure

PROFILE = """\
events: Ir
summary: 1000

fn=pianola::refdev::CommandProcessor::launch(pianola::Span<unsigned int const>)
0 30
cfn=pianola::refdev::find_kernel(unsigned int)
calls=2 0
0 70
cob=somewhere
cfn=pianola::refdev::run(pianola::refdev::Kernel const&, ...)
calls=2 0
0 600
cfn=pianola::refdev::run(pianola::refdev::Kernel const&, ...)
calls=1 0
0 200

fn=pianola::refdev::CommandProcessor::write(pianola::Span<unsigned int const>)
0 5
cfn=__memcpy_avx_unaligned_erms
calls=1 0
0 40

fn=pianola::refdev::run(pianola::refdev::Kernel const&, ...)
0 500
cfn=__memcpy_avx_unaligned_erms
calls=1 0
0 9
cfn=pianola::refdev::compute_pool2d(pianola::Span<unsigned int const>)
calls=2 0
0 100
"""
OPTIONS = None


def thresholds(total, per_command, ratio, per_slice=30):
    """Thresholds in the form of the committed file."""
    return {"total_instructions": {"ad01_int8": total, "vww_96_int8": total},
            "overhead": {"per_command": per_command, "per_inference": 0},
            "verified_release": {"per_slice": per_slice, "per_inference": 0}, "verify_to_sha256": ratio}


class MeasureProof(unittest.TestCase):
    """One case per way to be wrong."""

    results = {
        "inferences": [{
            "model": "ad01_int8", "commands": 10, "total": 1000, "kernels": 800, "transfers": 0, "overhead": 200,
            "slices": 10, "release": 300
        }], "verification": {"model": "vww_96_int8", "file_bytes": 1, "verify": 13, "sha256": 10, "ratio": 1.3}
    }

    def test_a_profile_is_split_at_the_calls_of_kernels_and_moves(self):
        self.assertEqual(measure.parse_profile(PROFILE.splitlines(keepends=True)), (1000, 800, 40))

    def test_the_limits_themselves_pass(self):
        self.assertEqual(measure.violations(self.results, thresholds(1000, 20, 1.3)), [])

    def test_every_number_above_its_limit_is_named(self):
        for limits, text in ((thresholds(999, 20, 1.3), "1000 instructions"),
                             (thresholds(1000, 19, 1.3), "200 instructions of overhead"),
                             (thresholds(1000, 20, 1.3, 29), "300 instructions for verified release"),
                             (thresholds(1000, 20, 1.29), "1.3 times")):
            found = measure.violations(self.results, limits)
            self.assertEqual(len(found), 1, found)
            self.assertIn(text, found[0])

    def run_measure(self, limits):
        """The exit code and complaints of a real measurement."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output, \
                contextlib.redirect_stderr(io.StringIO()) as complaints:
            file = pathlib.Path(folder) / "thresholds.json"
            totals = {measure.inner_loops(): limits["total_instructions"]}
            file.write_text(json.dumps({**limits, "total_instructions": totals}), encoding="utf-8")
            code = measure.main(["--bench", str(OPTIONS.bench), "--pianola", str(OPTIONS.pianola), "--models",
                                 str(OPTIONS.models), "--thresholds", str(file), "--only", "ad01_int8", "--json"])
        if code == measure.SKIPPED:
            self.skipTest(output.getvalue().strip())
        return code, json.loads(output.getvalue()), complaints.getvalue()

    def test_impossible_thresholds_fail(self):
        code, results, complaints = self.run_measure(thresholds(1, 0, 0.0, 0))
        self.assertEqual(code, 1)
        self.assertEqual(len(results["violations"]), 3)
        self.assertEqual(complaints.count("EXCEEDED"), 3)

    def test_generous_thresholds_pass_and_counts_repeat(self):
        code, first, _ = self.run_measure(thresholds(10**12, 10**6, 10.0, 10**6))
        self.assertEqual(code, 0)
        _, second, _ = self.run_measure(thresholds(10**12, 10**6, 10.0, 10**6))
        self.assertEqual(first, second)
        self.assertGreater(first["inferences"][0]["kernels"], first["inferences"][0]["overhead"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True, type=pathlib.Path)
    parser.add_argument("--pianola", required=True, type=pathlib.Path)
    parser.add_argument("--models", required=True, type=pathlib.Path)
    OPTIONS = parser.parse_args()
    result = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else measure.SKIPPED if result.skipped else 0)
