#!/usr/bin/env python3
"""The same binary on a board as in the simulator: outputs equal the goldens byte by byte, and execution logs entry by
entry.

The sample has no goldens of others: its outputs are compared with the simulator's, and its classes with the labels that
its pictures were drawn from, in which neither importer nor kernels have a part.
"""
import re

import baremetal_support as support
from baremetal_support import OPTIONS, run_board

RECORDS = 3
SMALL_MODELS = ("ad01_int8", "hello_world_int8", "kws_ref_model", "str_ww_ref_model")
LARGE_MODELS = ("vww_96_int8", "pretrainedResnet_quant")


class Replay(support.BareMetalTest):
    """Records in, outputs and log out; on the board and on the simulator."""

    def simulate(self, model, inputs, io):
        """(outputs, log file) of the simulator."""
        output, log = self.folder / "simulator.bin", self.folder / "simulator.log"
        views = ["--views"] if io == "views" else []
        support.checked(OPTIONS.pianola, "run", model.file, "--batch", "--input", inputs, "--output", output, "--log",
                        log, *views)
        return output.read_bytes(), log

    def replay(self, model, records, io="views", **options):
        """Replays on both, compares, and returns the outputs."""
        inputs = self.write(f"{model.name}.inputs", model.records(records))
        output, log = self.folder / "board.bin", self.folder / "board.log"
        for old in (output, log):
            old.unlink(missing_ok=True)
        run = support.Run("replay", model.file, inputs, output, log, io, **options).require()
        self.assertEqual(run.values["records"], records)
        scripts = records + 1 if io == "pipelined" else records  # prologue, one step less than records, epilogue
        self.assertEqual(run.values["watchdog"], scripts, "the watchdog is served once for each completed script")
        outputs, (expected, expected_log) = output.read_bytes(), self.simulate(model, inputs, io)
        self.assertEqual(outputs, expected, f"{model.name}: the simulator says otherwise")
        self.assert_same_log(expected_log, log)
        return outputs

    def replay_to_goldens(self, name, records=RECORDS, queues=1, **options):
        """Replays and holds the outputs to the goldens."""
        model = self.model(name, queues, options.get("io") == "pipelined")
        outputs = self.replay(model, records, **options)
        self.assertEqual(outputs, model.records(records, "golden"), f"{name}: outputs are not the goldens")

    def test_small_models(self):
        for name in SMALL_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name)

    def test_large_models(self):
        for name in LARGE_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name, records=1)

    def test_the_example_in_the_help_of_run_board(self):
        words = re.findall(r"--arg ([\w.]+)", run_board.__doc__)
        model = self.model(support.SAMPLE)
        (self.folder / words[1]).write_bytes(model.file.read_bytes())
        (self.folder / words[2]).write_bytes(model.records(1))
        done = run_board.run(OPTIONS.board, OPTIONS.image, words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.output)
        self.assertIn("records=1", done.output)
        self.assertTrue((self.folder / words[3]).stat().st_size and (self.folder / words[4]).stat().st_size)

    def test_transfers(self):
        self.replay_to_goldens("kws_ref_model", io="transfers")

    def test_two_queues(self):
        for io in ("views", "transfers"):
            with self.subTest(io=io):
                self.replay_to_goldens("kws_ref_model", queues=2, io=io)

    def test_pipelined(self):
        """Prologue, steps that overlap, epilogue: transfers on one queue while the other computes."""
        for icount in (True, False):
            with self.subTest(icount=icount):
                self.replay_to_goldens("kws_ref_model", records=6, queues=2, io="pipelined", icount=icount)

    def test_without_counted_instructions(self):
        """Cores run side by side, on the host's clock."""
        self.replay_to_goldens("kws_ref_model", icount=False)

    def test_sample(self):
        model = self.model(support.SAMPLE)
        outputs = self.replay(model, RECORDS)
        classes = len(outputs) // RECORDS
        said = []
        for record in range(RECORDS):
            scores = [
                value - 256 if value > 127 else value for value in outputs[record * classes:(record + 1) * classes]
            ]
            said.append(scores.index(max(scores)))
        self.assertEqual(said, model.labels(RECORDS))


if __name__ == "__main__":
    support.parse()
    support.main()
