#!/usr/bin/env python3
"""A runtime without parameters and views refuses what the whole one refuses: every mutant, by its rule or by
CAP-POINTS.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import cli_support  # pylint: disable=wrong-import-position
from cli_support import DIFFERENT, DONE, OPTIONS, REFUSED  # pylint: disable=wrong-import-position

NO_PARAMETERS = "CAP-POINTS"
LARGEST = 1 << 20  # longer mutants differ in their length only


class Mutants(cli_support.CliTest):
    """The same mutants before both."""

    def small(self, *arguments, code=DONE):
        """Runs the program with the small runtime."""
        whole, OPTIONS.pianola = OPTIONS.pianola, OPTIONS.small
        try:
            return self.run_pianola(*arguments, code=code)
        finally:
            OPTIONS.pianola = whole

    def assert_all_refused(self, report):
        """By their rules, but for those that have a parameter."""
        otherwise = [mutant for mutant in report["mutants"] if not mutant["as_expected"]]
        self.assertEqual([mutant for mutant in report["mutants"] if mutant["verdict"]["accepted"]], [])
        for mutant in otherwise:
            self.assertEqual(mutant["verdict"]["rule"], NO_PARAMETERS, mutant)
            self.assertTrue(mutant["expected"]["rule"].startswith(("PAR-", "CAP-", "IMG-", "HST-")), mutant)
        return len(report["mutants"]), len(otherwise)

    def test_of_captured_models(self):
        made = 0
        for model, options in (("hello_world_int8", ()), ("hello_world_int8", ("--queues", 2, "--pipelined")),
                               ("kws_ref_model", ("--pack", "dsp")), ("trained_lstm_int8", ("--queues", 2))):
            binary = self.capture(model, *options)
            run = self.small("mutate", binary, "--report-only", "--count", 40, "--json", code=None)
            self.assertIn(run.returncode, (DONE, DIFFERENT))
            mutants, _ = self.assert_all_refused(json.loads(run.stdout))
            made += mutants
        self.assertGreater(made, 1000)

    def test_of_binaries_with_parameters(self):
        """Such a binary is refused as it is; so are its mutants, whatever is wrong with them."""
        binaries, device = self.random_binaries(30)
        with_parameters = [binary for binary, shown in binaries if shown.get("parameters")]
        self.assertGreater(len(with_parameters), 2)
        for binary in with_parameters[:max(3 // OPTIONS.each, 1)]:
            refusal = json.loads(self.small("verify", binary, *device, "--json", code=REFUSED).stdout)
            self.assertEqual(refusal["rule"], NO_PARAMETERS)
            folder = self.folder / f"mutants_{binary.stem}"
            self.run_pianola("mutate", binary, *device, "-o", folder, "--kind", "semantic,structure", "--count", 20)
            report = json.loads((folder / "mutants.json").read_text(encoding="utf-8"))
            for mutant in report["mutants"]:
                path = folder / mutant["file"]
                if mutant["shift_bytes"] or path.stat().st_size > LARGEST or report["trusts"][mutant["trust"]]["keys"]:
                    continue
                said = json.loads(self.small("verify", path, *device, "--lowest-security-version",
                                             report["trusts"][mutant["trust"]]["lowest_security_version"], "--json",
                                             code=REFUSED).stdout)
                self.assertIn(said["rule"], (mutant["verdict"]["rule"], NO_PARAMETERS), mutant["name"])

    def test_what_it_accepts_runs_alike(self):
        binary = self.capture("kws_ref_model", "--pack", "mve")
        model = self.model("kws_ref_model").parent
        for name, run in (("whole", self.run_pianola), ("small", self.small)):
            run("run", binary, "--input", model / "input_0_0.bin", "--output", f"{name}.bin")
        self.assertEqual((self.folder / "small.bin").read_bytes(), (self.folder / "whole.bin").read_bytes())
        self.assertEqual((self.folder / "small.bin").read_bytes(), (model / "golden_0_0.bin").read_bytes())


if __name__ == "__main__":
    cli_support.main(more=("--small",))
