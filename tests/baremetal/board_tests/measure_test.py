#!/usr/bin/env python3
"""pianola measure on this board: its sums are those of device_count to the digit, layer by layer; and what the image
counts by itself, which is read from a log as from a real board, agrees with what is counted outside."""
import json
import pathlib
import subprocess
import unittest

import baremetal_support as support
import instruction_counts
import run_board
from baremetal_support import OPTIONS

# Two whole models.
MODELS = ("ad01_int8", "kws_ref_model")
# How far the image's own counter is off for each command, in instructions: its own reading, or a clock of 1 us.
READING = {"cycles": 200, "us": 2000}
PER_UNIT = {"cycles": 1, "us": 1000}  # instructions, with a clock of 1 ns for each


class Measure(support.BareMetalTest):
    """Each of the two models, packed for the board's kernels."""

    def setUp(self):
        super().setUp()
        self.facts = json.loads((OPTIONS.images / "measure.json").read_text(encoding="utf-8"))

    def measured(self, *arguments):
        """What `measure` prints as JSON."""
        run = subprocess.run([OPTIONS.pianola, "measure", *map(str, arguments), "--json"], text=True,
                             capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, f"{run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def subject(self, name):
        """The binary, and the options for its inputs."""
        model = self.model(name, pack=self.facts["pack"])
        inputs = []
        for number, tensor in enumerate(model.tensors(0)):
            inputs += ["--input", self.write(f"{name}.{number}.bin", tensor)]
        return model, inputs

    def on_board(self, binary, *options):
        """The same, of a run on the board."""
        return self.measured(binary, "--board", OPTIONS.board, "--images", OPTIONS.images, *options)

    @staticmethod
    def lines(shown):
        """Layers and queue commands."""
        return shown["layers"] + shown["queue_commands"]

    def test_sums_are_those_of_device_count(self):
        for name in MODELS:
            with self.subTest(model=name):
                model, inputs = self.subject(name)
                shown = self.on_board(model.file, *inputs)
                records = self.write(f"{name}.records", model.records(1))
                parts, _ = instruction_counts.counted_parts(self.folder, "device_count", model.file, records,
                                                            extra=support.board().ecu_as_device)
                print(f"{name}: {shown['step']['device']} instructions of the device, of the session "
                      f"{shown['step']['session']}, for release {shown['release']}, load {shown['load']['session']}")
                self.assertEqual(shown["step"]["device"], sum(parts))
                counts = sorted(each["count"] for each in shown["layers"])
                # One command for each layer of these models: the same parts, command by command.
                self.assertEqual(counts, sorted(parts)[-len(counts):])
                self.assertEqual(sum(each["count"] for each in self.lines(shown)) + shown["step"]["polling"],
                                 shown["step"]["device"])
                self.assertTrue(shown["outputs_equal"])
                self.assertGreater(shown["release"], 0)
                self.assertGreater(shown["load"]["session"], 0)

    def test_several_queues_and_steps_add_up(self):
        model = self.model(MODELS[0], queues=2, pipelined=True)
        shown = self.on_board(model.file, "--steps", 3)
        self.assertEqual(shown["steps"], 3)
        self.assertEqual(sum(each["count"] for each in self.lines(shown)) + shown["step"]["polling"],
                         shown["step"]["device"])
        self.assertIn("wait", [each["name"] for each in shown["queue_commands"]])

    def test_a_log_of_the_boards_own_counter_gives_the_same_report(self):
        model, inputs = self.subject(MODELS[1])
        counted = self.on_board(model.file, *inputs)
        order = self.folder / "order.bin"
        run = subprocess.run([OPTIONS.pianola, "measure", model.file, "--board", OPTIONS.board, "--images",
                              OPTIONS.images, *inputs, "--order-out", order], check=False)
        self.assertEqual(run.returncode, 0)
        result = run_board.run(OPTIONS.board, OPTIONS.images / "pianola_measure.elf", icount=True,
                               extra=support.board().ecu_as_device, loads=[(order, self.facts["ram"][0])])
        self.assertEqual(result.returncode, 0, result.output)
        log = self.write("console.log", f"boot\n{result.output}".encode())
        shown = self.measured(model.file, "--from-log", log, *inputs)
        self.assertEqual(shown, self.on_board(model.file, *inputs, "--own-counter"))
        self.assertTrue(shown["outputs_equal"])
        unit = shown["counter"]
        for own, known in zip(self.lines(shown), self.lines(counted)):
            for member in ("name", "kernels", "commands", "macs", "bytes_read", "bytes_written"):
                self.assertEqual(own[member], known[member])
            self.assertAlmostEqual(own["count"] * PER_UNIT[unit], known["count"],
                                   delta=READING[unit] * known["commands"] + known["count"] // 100, msg=own["name"])

    def test_what_the_board_refuses_is_said(self):
        """A binary for a runtime with other capacities, and a device that is larger than the board's memory."""
        model = self.model(MODELS[0])
        support.checked(OPTIONS.pianola, "capture", model.source, "-o", self.folder / "default.ptb")
        run = subprocess.run([OPTIONS.pianola, "measure", self.folder / "default.ptb", "--board", OPTIONS.board,
                              "--images", OPTIONS.images], text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 3, f"{run.stdout}{run.stderr}")
        self.assertIn("refused by rule TGT-PROFILE", run.stderr)
        device = self.write("large.json", json.dumps({"profile": "small_ecu", "dram_bytes": 0x20000000}).encode())
        run = subprocess.run([OPTIONS.pianola, "measure", model.source, "--device", device, "--board", OPTIONS.board,
                              "--images", OPTIONS.images], text=True, capture_output=True, check=False)
        self.assertEqual(run.returncode, 5, f"{run.stdout}{run.stderr}")
        self.assertIn("dram_bytes", run.stderr)


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}),
                  ("--images", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
