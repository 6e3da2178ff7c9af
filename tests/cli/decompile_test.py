#!/usr/bin/env python3
"""pianola decompile: every shared model that is captured is found in its binary again, and no other."""
import json

import cli_support
from cli_support import DIFFERENT, UNSUPPORTED

LEAST_CAPTURED = 138
NOT_UNDERSTOOD = []  # models that are captured, and of which decompile says that it has no opinion


class Decompile(cli_support.CliTest):
    """Binary against model."""

    def compare(self, models, *options):
        """How many models were captured with these options, the names of those that are not understood, and what is
        said of those that differ."""
        captured, not_understood, different = 0, [], []
        for model in models:
            capture = self.run_pianola("capture", model, "-o", "m.ptb", *options, code=None)
            if capture.returncode == UNSUPPORTED:
                continue
            captured += 1
            run = self.run_pianola("decompile", "m.ptb", "--against", model, code=None)
            if run.returncode != 0 and "not understood" in run.stderr:
                not_understood.append(model.parent.name)
            elif run.returncode != 0:
                different.append(run.stderr)
        return captured, not_understood, different

    def test_every_captured_model_is_equal(self):
        models = sorted(self.model("hello_world_int8").parents[1].rglob("model.tflite"))
        captured, not_understood, different = self.compare(models)
        self.assertGreaterEqual(captured, LEAST_CAPTURED)
        self.assertEqual(not_understood, NOT_UNDERSTOOD)
        self.assertEqual(different, [])

    def test_a_model_that_is_not_captured_is_none_to_compare_with(self):
        """An operand that does not exist: both commands say the same."""
        binary, model = self.capture(), bytearray(self.model("hello_world_int8").read_bytes())
        model[1168] = 32
        damaged = self.write("damaged.tflite", bytes(model))
        said = [json.loads(self.run_pianola(*command, "--json", code=UNSUPPORTED).stdout)
                for command in (("capture", damaged, "-o", "x.ptb"), ("decompile", binary, "--against", damaged))]
        self.assertEqual(*said)
        self.assertIn("tensor 32 does not exist", said[0]["unsupported"][0]["reason"])

    def test_packed_weights_make_no_difference(self):
        models = sorted(self.model("hello_world_int8").parents[1].glob("*/model.tflite"))
        for layout in ("dsp", "mve"):
            captured, not_understood, different = self.compare(models, "--pack", layout)
            self.assertGreater(captured, 10)
            self.assertEqual((not_understood, different), ([], []))

    def test_queues_make_no_difference(self):
        for options in (("--queues", "2"), ("--queues", "2", "--pipelined")):
            binary = self.capture("ad01_int8", *options)
            self.run_pianola("decompile", binary, "--against", self.model("ad01_int8"))

    def test_one_bit_of_a_weight_is_different(self):
        for name in ("ad01_int8", "seanet16x8/conv0", "mww_okay_nabu_v2"):
            model = self.model(name)
            self.run_pianola("capture", model, "-o", "m.ptb")
            contents = (self.folder / "m.ptb").read_bytes()
            stored = bytearray(model.read_bytes())
            # Some of the model's weights, which the binary has somewhere.
            stored[next(start for start in range(0, len(stored) - 64, 4)
                        if len(set(stored[start:start + 64])) > 16 and contents.find(stored[start:start + 64]) > 0)
                   + 17] ^= 1
            self.run_pianola("capture", self.write("changed.tflite", bytes(stored)), "-o", "changed.ptb")
            run = self.run_pianola("decompile", "changed.ptb", "--against", model, code=DIFFERENT)
            self.assertRegex(run.stderr,
                             r"nearest is operator \d+: weights, byte \d+: \d+ in the binary, \d+ by the model")

    def test_another_model_is_different(self):
        binary = self.capture("hello_world_int8")
        run = self.run_pianola("decompile", binary, "--against", self.model("ad01_int8"), "--json", code=DIFFERENT)
        report = json.loads(run.stdout)
        self.assertFalse(report["equal"])
        self.assertEqual(len(report["differences"]), 1)

    def test_the_report_names_operators(self):
        binary = self.capture("ad01_int8")
        report = json.loads(
            self.run_pianola("decompile", binary, "--against", self.model("ad01_int8"), "--json").stdout)
        named = [entry["operator"] for entry in report["launches"] if entry["operator"]]
        self.assertEqual(named, [f"{index} FULLY_CONNECTED" for index in range(report["operators"])])


if __name__ == "__main__":
    cli_support.main()
