#!/usr/bin/env python3
"""The application in C of docs/examples/c on the simulator: each scenario, with what it reports.

Usage: application_test.py PIANOLA_SAMPLE PIANOLA PIANOLA_EXAMPLE_C
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SAMPLE, PIANOLA, EXAMPLE = sys.argv[1:4]


class Application(unittest.TestCase):
    """On a sample that was trained for a moment only: it shows the calls, not the accuracy."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        place = pathlib.Path(cls.folder.name)
        subprocess.run([SAMPLE, "--out", place, "--steps", "1"], check=True, capture_output=True)
        cls.binary = place / "signs.ptb"
        # In a test that shares its machine, the deadline is no subject.
        subprocess.run([PIANOLA, "capture", place / "road_signs.tflite", "-o", cls.binary, "--self-test", "3",
                        "--deadline-us", "60000000", "--setup-deadline-us", "60000000"], check=True,
                       capture_output=True)
        size = json.loads(subprocess.run([PIANOLA, "size", cls.binary, "--json"], check=True, capture_output=True,
                                         text=True).stdout)
        cls.sizes = [str(size[what][0]["bytes"]) for what in ("inputs", "outputs")]

    def scenario(self, name, code=0):
        """Runs one and returns what it printed."""
        run = subprocess.run([EXAMPLE, self.binary, *self.sizes, name], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, code, run)
        return run.stdout

    def test_replays_give_the_bytes_of_the_capture(self):
        self.assertEqual(self.scenario("replay"), "6 results, 0 wrong\n")

    def test_a_damaged_binary_is_refused_and_reported(self):
        self.assertEqual(self.scenario("corrupted"), "Det error: module 255, service 0, error 20\n"
                         "refused: ENV-DIGEST\n")

    def test_a_device_that_does_not_answer_is_a_runtime_error(self):
        self.assertEqual(self.scenario("stuck"), "safe state, fault in stage 6\n"
                         "Det runtime error: module 255, service 1, error 48\n")

    def test_wrong_calls_are_reported_and_do_nothing(self):
        self.assertEqual(len(self.scenario("misused").splitlines()), 4)

    def test_what_is_no_scenario_fails(self):
        self.scenario("nothing", code=3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
