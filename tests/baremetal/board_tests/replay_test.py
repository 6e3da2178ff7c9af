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
# Between them, and with the models above, each kernel that the importer uses.
KERNEL_MODELS = ("keyword_scrambled", "litert_single_mul_a8w8", "micro_speech_quantized", "mww_okay_nabu_v2",
                 "simple_add_model", "trained_lstm_int8", "ops/bmm_basic", "ops/cmp_less_equal",
                 "ops/conv_group2", "ops/graph_residual_fork", "ops/maxpool_3x3_same_s2", "ops/mean_hw", "ops/pad_hw",
                 "ops/quant_i16_i8", "ops/dequant_i8_f32", "ops/select_v2", "ops/split_3", "ops/transpose_3d",
                 "ops/softmax_i8_i16", "ops/tconv_3x3_s2_same", "seanet16x8/add0", "seanet16x8/conv0",
                 "seanet16x8/transpose_conv0")


class Replay(support.BareMetalTest):
    """Records in, outputs and log out; on the board and on the simulator."""

    def simulate(self, model, records, io):
        """(outputs, log file) of the simulator; outputs as the board orders them, record by record."""
        log = self.folder / "simulator.log"
        inputs, outputs = [], []
        for tensor, _ in enumerate(model.tensors(0)):
            values = b"".join(model.tensors(record)[tensor] for record in range(records))
            inputs += ["--input", self.write(f"simulator.input_{tensor}", values)]
        for tensor in range(model.output_count()):
            outputs.append(self.folder / f"simulator.output_{tensor}")
        words = [word for path in outputs for word in ("--output", path)]
        support.checked(OPTIONS.pianola, "run", model.file, "--batch", *inputs, *words, "--log", log,
                        *(["--views"] if io == "views" else []))
        values = [path.read_bytes() for path in outputs]
        size = [len(value) // records for value in values]
        return b"".join(value[record * bytes_:(record + 1) * bytes_]
                        for record in range(records) for value, bytes_ in zip(values, size)), log

    def replay(self, model, records, io="views", **options):
        """Replays on both, compares, and returns the outputs."""
        inputs = self.write(f"{model.file.stem}.inputs", model.records(records))
        output, log = self.folder / "board.bin", self.folder / "board.log"
        for old in (output, log):
            old.unlink(missing_ok=True)
        words = ["file"] if model.in_file else []
        run = support.Run("replay", model.file, inputs, output, log, io, *words, **options).require()
        self.assertEqual(run.values["records"], records)
        # Pipelined: prologue, one step less than records, epilogue. With state: the prologue, and a step for each.
        scripts = records + 1 if io == "pipelined" or model.is_stateful() else records
        self.assertEqual(run.values["watchdog"], scripts, "the watchdog is served once for each completed script")
        outputs, (expected, expected_log) = output.read_bytes(), self.simulate(model, records, io)
        self.assertEqual(outputs, expected, f"{model.name}: the simulator says otherwise")
        self.assert_same_log(expected_log, log)
        return outputs

    def replay_to_goldens(self, name, records=RECORDS, queues=1, in_file=False, **options):
        """Replays and holds the outputs to the goldens."""
        model = self.model(name, queues, options.get("io") == "pipelined", in_file=in_file)
        outputs = self.replay(model, records, **options)
        kind = "seqgolden" if model.is_stateful() else "golden"
        self.assertEqual(outputs, model.records(records, kind), f"{name}: outputs are not the goldens")

    def test_small_models(self):
        for name in SMALL_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name)

    def test_large_models(self):
        for name in LARGE_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name, records=1)

    def test_models_of_all_kernels(self):
        for name in KERNEL_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name, records=min(RECORDS, self.model(name).record_count()))

    def test_the_example_in_the_help_of_run_board(self):
        words = re.findall(r"--arg ([\w.]+)", run_board.__doc__)
        model = self.model(support.SAMPLE)
        (self.folder / words[1]).write_bytes(model.file.read_bytes())
        (self.folder / words[2]).write_bytes(model.records(1))
        done = run_board.run(OPTIONS.board, OPTIONS.image, words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.output)
        self.assertIn("records=1", done.output)
        self.assertTrue((self.folder / words[3]).stat().st_size and (self.folder / words[4]).stat().st_size)

    def test_weights_in_the_file(self):
        for name in SMALL_MODELS + LARGE_MODELS:
            with self.subTest(model=name):
                self.replay_to_goldens(name, records=1, in_file=True)
        self.replay_to_goldens("trained_lstm_int8", in_file=True, io="transfers")
        self.replay_to_goldens("kws_ref_model", records=6, queues=2, in_file=True, io="pipelined")

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
