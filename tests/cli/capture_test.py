#!/usr/bin/env python3
"""pianola capture: reproducible bytes, refusals that help, and files that are whole or not there."""
import json
import os
import pathlib
import re
import sys
import time

import cli_support
from cli_support import FILE_TROUBLE, UNSUPPORTED, USAGE

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))
import models  # noqa: E402  pylint: disable=wrong-import-position
import writer  # noqa: E402  pylint: disable=wrong-import-position

DEVICE_DRAM = {"dram_bytes": 65536, "trace_region_bytes": 16384}


class Capture(cli_support.CliTest):
    """From a model to a file."""

    def test_the_summary_has_stable_keys(self):
        output = self.folder / "m.ptb"
        summary = json.loads(self.run_pianola("capture", self.model("kws_ref_model"), "-o", output, "--json").stdout)
        self.assertEqual(sorted(summary), [
            "activations", "commands", "cost_model", "costs", "expected", "file_bytes", "input_bytes", "operators",
            "output", "output_bytes", "pack", "schema_version", "self_tests", "sha256", "state_bytes", "step_cycles",
            "trace_region_bytes_needed", "weight_bytes", "weights_in_file"
        ])
        self.assertEqual((summary["cost_model"], summary["costs"]), ("virtual", "exact"))
        self.assertEqual(summary["file_bytes"], output.stat().st_size)
        self.assertEqual((summary["input_bytes"], summary["output_bytes"]), (490, 12))
        self.assertLessEqual(summary["activations"]["lower_bound_bytes"], summary["activations"]["planned_bytes"])
        self.assert_no_leftovers("m.ptb")

    def test_packed_weights_give_the_same_outputs(self):
        source = self.model("kws_ref_model").parent
        golden = (source / "golden_0_0.bin").read_bytes()
        plain = self.capture("kws_ref_model").read_bytes()
        for layout, layers in (("portable", 0), ("dsp", 6), ("mve", 6)):
            with self.subTest(layout=layout):
                output = self.folder / f"{layout}.ptb"
                run = self.run_pianola("capture", source / "model.tflite", "-o", output, "--pack", layout, "--json")
                self.assertEqual(json.loads(run.stdout)["pack"], {"layout": layout, "layers": layers})
                self.assertEqual(output.read_bytes() == plain, layout == "portable")
                result = self.folder / "out.bin"
                self.run_pianola("run", output, "--input", source / "input_0_0.bin", "--output", result)
                self.assertEqual(result.read_bytes(), golden)
                self.judge_packing(output, layout, layers)

    def judge_packing(self, binary, layout, layers):
        """Who takes a binary without capturing it sees for which kind of core it is."""
        said = [] if layers == 0 else [{"layout": layout, "commands": layers}]
        self.assertEqual(json.loads(self.run_pianola("inspect", binary, "--json").stdout)["packed"], said)
        self.assertEqual(json.loads(self.run_pianola("verify", binary, "--json").stdout).get("packed", []), said)
        for command in ("inspect", "verify"):
            text = self.run_pianola(command, binary).stdout
            self.assertEqual(f"for {layout} ({layers} commands)" in " ".join(text.split()), layers != 0, text)

    def test_twice_gives_the_same_bytes(self):
        for options in ((), ("--queues", "2"), ("--self-test", "3")):
            first = self.capture("kws_ref_model", *options).read_bytes()
            second = self.capture("kws_ref_model", *options).read_bytes()
            self.assertEqual(first, second, options)

    def test_surroundings_leave_no_trace_in_the_file(self):
        first = self.capture("ad01_int8", "--self-test", "1").read_bytes()
        elsewhere = self.folder / "somewhere" / "else"
        elsewhere.mkdir(parents=True)
        (elsewhere / "link").symlink_to(self.model("ad01_int8").parent, target_is_directory=True)
        time.sleep(1.1)
        environment = {
            **os.environ, "HOME": "/nonexistent", "USER": "somebody", "LOGNAME": "somebody", "HOSTNAME": "elsewhere",
            "TZ": "Pacific/Kiritimati", "LANG": "C", "LC_ALL": "POSIX", "SOURCE_DATE_EPOCH": "1", "PWD": "/"
        }
        self.run_pianola("capture", "link/model.tflite", "-o", "other name.ptb", "--self-test", "1", cwd=elsewhere,
                         env=environment)
        self.assertEqual((elsewhere / "other name.ptb").read_bytes(), first)
        for word in (str(self.folder), str(self.model("ad01_int8").parent), os.uname().nodename):
            self.assertNotIn(word.encode(), first)

    def model_of(self, *operators):
        """A model of operators one after another, between a float32 input and its output."""
        tensors = [models.Tensor(f"t{i}", "FLOAT32", (4,), (), (), 0, False, None) for i in range(len(operators) + 1)]
        steps = [models.Operator(name, [i], [i + 1], {}) for i, name in enumerate(operators)]
        graph = models.Subgraph(tensors, [0], [len(operators)], steps)
        return self.write(f"{operators[0]}.tflite", writer.write(models.Model([graph])))

    def test_unsupported_operators_are_named_with_their_index(self):
        run = self.run_pianola("capture", self.model_of("SQRT"), "-o", "m.ptb", code=UNSUPPORTED)
        self.assertIn("operator 0 (SQRT): not supported; TensorFlow Lite Micro computes it in float only, tensor 't1'",
                      run.stderr)
        self.assert_no_leftovers("SQRT.tflite")

    def test_everything_in_the_way_is_said_at_once(self):
        run = self.run_pianola("capture", self.model_of("SQRT", "NEG"), "-o", "m.ptb", "--json", code=UNSUPPORTED)
        found = json.loads(run.stdout)["unsupported"]
        self.assertEqual([entry["operator"] for entry in found], ["SQRT", "NEG"])
        self.assertEqual(found[1]["reason"], "not supported; TensorFlow Lite Micro computes it in float only")
        for entry in found:
            self.assertEqual(sorted(entry), ["index", "operator", "reason", "tensor"])
        self.assertEqual(len(run.stderr.splitlines()), len(found) + 1)  # and the remedy

    def test_operators_are_listed(self):
        support = json.loads(self.run_pianola("capture", "--list-operators", "--json").stdout)
        listed = support["operators"]
        *lines, last = self.run_pianola("capture", "--list-operators").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], [entry["operator"] for entry in listed])
        self.assertEqual(last, "refused, as TensorFlow Lite Micro computes them in float only: "
                         + ", ".join(support["refused_float_only"]))
        self.assertIn("NEG", support["refused_float_only"])
        self.assertIn({"operator": "ELU", "highest_version": 1, "types": ["int8"], "limits": "",
                       "in_tflite_micro": True}, listed)

    def test_sizes_are_judged_together(self):
        device = self.write("d.json", {"trace_region_bytes": 8 << 20})
        output = ("-o", self.folder / "m.ptb")
        for options, code in ((("--device", device, "--dram", "16M"), 0), (("--device", device), USAGE),
                              (("--trace-region", "8M"), USAGE), (("--trace-region", "8M", "--dram", "16M"), 0)):
            self.run_pianola("capture", self.model("hello_world_int8"), *output, *options, code=code)

    def test_a_list_of_operators_captures_nothing(self):
        for arguments in (("m.tflite", ), ("-o", "m.ptb")):
            self.run_pianola("capture", "--list-operators", *arguments, code=USAGE)
        self.assert_no_leftovers()

    def test_what_is_not_a_model(self):
        model = self.model("hello_world_int8").read_bytes()
        for contents in (b"", b"x", bytes(1000), model[: len(model) // 2]):
            self.run_pianola("capture", self.write("bad.tflite", contents), "-o", "m.ptb", code=UNSUPPORTED)
        self.assert_no_leftovers("bad.tflite")

    def test_a_trace_region_that_is_too_small_states_need_and_limit(self):
        spec = self.write("spec.json", {"trace_region_bytes": 64})
        run = self.run_pianola("capture", self.model("kws_ref_model"), "-o", "m.ptb", "--device", spec,
                               code=UNSUPPORTED)
        found = re.search(r"trace region is too small: (\d+) bytes are needed, (\d+) are there", run.stderr)
        self.assertIsNotNone(found, run.stderr)
        need, limit = map(int, found.groups())
        self.assertEqual(limit, 64)
        rounded = (need + 63) // 64 * 64
        self.write("spec.json", {"trace_region_bytes": rounded - 64})
        self.run_pianola("capture", self.model("kws_ref_model"), "-o", "m.ptb", "--device", spec, code=UNSUPPORTED)
        self.write("spec.json", {"trace_region_bytes": rounded})
        self.run_pianola("capture", self.model("kws_ref_model"), "-o", "m.ptb", "--device", spec)
        self.run_pianola("verify", "m.ptb", "--device", spec)

    def test_a_memory_that_is_too_small_states_need_and_limit(self):
        spec = self.write("spec.json", DEVICE_DRAM)
        run = self.run_pianola("capture", self.model("vww_96_int8"), "-o", "m.ptb", "--device", spec, code=UNSUPPORTED)
        found = re.search(
            r"DRAM is too small: (\d+) bytes are needed \(.*\), (\d+) are there\n  remedy  pass --dram (\d+), ",
            run.stderr)
        self.assertIsNotNone(found, run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 2)
        need, limit, passed = map(int, found.groups())
        self.assertEqual((limit, passed), (DEVICE_DRAM["dram_bytes"], need))
        capture = ("capture", self.model("vww_96_int8"), "-o", "m.ptb", "--device", spec, "--dram")
        self.run_pianola(*capture, str(need - 64), code=UNSUPPORTED)
        self.run_pianola(*capture, str(need))
        self.run_pianola("verify", "m.ptb")

    def test_sizes_of_memories(self):
        """In place of the device's, with a unit; what no device of the family can have is refused."""
        model = self.model("hello_world_int8")
        self.run_pianola("capture", model, "-o", "m.ptb", "--dram", "16M", "--l1", "1M", "--trace-region", "128K")
        target = json.loads(self.run_pianola("inspect", "m.ptb", "--json").stdout)["target"]
        self.assertEqual((target["dram_bytes"], target["l1_bytes"], target["trace_region_bytes"]),
                         (16 << 20, 1 << 20, 128 << 10))
        for wrong in ("100", "0", "5G", "many"):
            self.run_pianola("capture", model, "-o", "other.ptb", "--dram", wrong, code=USAGE)

    def test_the_trace_region_that_is_passed_has_room(self):
        """What the refusal says."""
        capture = ("capture", self.model("kws_ref_model"), "-o", "m.ptb", "--trace-region")
        run = self.run_pianola(*capture, "64", code=UNSUPPORTED)
        self.run_pianola(*capture, re.search(r"  remedy  pass --trace-region (\d+), ", run.stderr).group(1))

    def test_more_queues_than_the_device_has(self):
        spec = self.write("spec.json", {"queue_count": 1})
        run = self.run_pianola("capture", self.model("kws_ref_model"), "-o", "m.ptb", "--queues", "2", "--device", spec,
                               code=USAGE)
        self.assertIn("--queues", run.stderr)

    def test_outputs_that_can_not_be_written(self):
        (self.folder / "folder").mkdir()
        for output in ("missing/m.ptb", "folder", "/proc/m.ptb"):
            run = self.run_pianola("capture", self.model("hello_world_int8"), "-o", output, code=FILE_TROUBLE)
            self.assertIn("can not write", run.stderr)
        self.assert_no_leftovers("folder")

    def test_a_failing_capture_leaves_the_old_file(self):
        old = self.write("m.ptb", b"old")
        self.run_pianola("capture", self.model_of("SQRT"), "-o", old, code=UNSUPPORTED)
        self.run_pianola("capture", self.folder / "missing.tflite", "-o", old, code=FILE_TROUBLE)
        self.assertEqual(old.read_bytes(), b"old")
        self.assert_no_leftovers("m.ptb", "SQRT.tflite")

    def test_a_file_is_replaced_whole(self):
        old = self.write("m.ptb", bytes(1_000_000))
        self.run_pianola("capture", self.model("hello_world_int8"), "-o", old)
        self.run_pianola("verify", old)
        self.assert_no_leftovers("m.ptb")

    def test_a_link_stays_and_its_target_is_replaced(self):
        target = self.write("target.ptb", b"old")
        (self.folder / "link.ptb").symlink_to(target)
        self.run_pianola("capture", self.model("hello_world_int8"), "-o", "link.ptb")
        self.assertTrue((self.folder / "link.ptb").is_symlink())
        self.run_pianola("verify", target)
        self.assert_no_leftovers("link.ptb", "target.ptb")

    def test_a_pipe_gets_the_bytes_and_stays_a_pipe(self):
        """Never tried on the machine's own devices: where this fails, the output has taken the place of what it was
        given."""
        expected = self.capture().read_bytes()
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            self.run_pianola("capture", self.model("hello_world_int8"), "-o", pipe)
            self.assertTrue(pipe.is_fifo())
            self.assertEqual(os.read(reader, len(expected) + 1), expected)
        finally:
            os.close(reader)


if __name__ == "__main__":
    cli_support.main()
