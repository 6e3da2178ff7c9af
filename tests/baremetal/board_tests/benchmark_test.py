#!/usr/bin/env python3
"""The commands of a benchmark's host on a board: what each answers, what wrong ones answer, and
toolchains/run_benchmark.py as the host, with the sample. Its goldens are the simulator's outputs.
"""
import argparse
import contextlib
import io
import json
import random
import re
import shutil
import struct
import unittest

import baremetal_support as support
from baremetal_support import OPTIONS
import run_benchmark

NOTHING_TO_LOAD = r"e-\[No 'db load' before these bytes, or all are loaded\]"
HELP_COMMANDS = ("help", "name", "profile", "timestamp", "db load", "db HH", "db print", "infer", "results")


def device(image=None):
    """The board with the image under test."""
    return run_benchmark.Device(OPTIONS.board, image or OPTIONS.image, timeout_s=120)


class Commands(support.BareMetalTest):
    """One command after another, as a host writes them."""

    def conversation(self, *pairs):
        """Sends each command, and compares its answer: a list of lines, or a regular expression over one."""
        with device() as dut:
            for command, expected in pairs:
                lines = dut.write(command if isinstance(command, bytes) else f"{command}%".encode())
                if isinstance(expected, str):
                    self.assertEqual(len(lines), 1, (command, lines))
                    self.assertRegex(lines[0], f"^{expected}$", command)
                else:
                    self.assertEqual(lines, expected, command)

    def test_start(self):
        with device() as dut:
            self.assertEqual([re.sub(r"\d+", "N", line) for line in dut.start_lines],
                             ["m-timestamp-mode-performance", "m-lap-us-N", "m-init-done"])

    def test_identity(self):
        facts = json.loads(support.checked(OPTIONS.pianola, "inspect", "--json", self.model(support.SAMPLE).file))
        with device() as dut:
            self.assertEqual(dut.send("name"), [f"m-name-dut-[{OPTIONS.board}]"])
            self.assertEqual(dut.send("profile")[1:3], ["m-model-[own_model]", "m-input-bytes-[3072]"])
            identity = run_benchmark.Identity(dut)
            text = "\n".join(dut.send("help"))
        for kind in ("inputs", "outputs"):
            self.assertEqual([tensor._asdict() for tensor in getattr(identity, kind)],
                             [{"type": fact["type"], "scale": fact["scale"], "zero_point": fact["zero_point"],
                               "elements": fact["bytes"]} for fact in facts[kind]])
        for command in HELP_COMMANDS:
            self.assertIn(command, text)

    def test_time_goes_on(self):
        with device() as dut:
            laps = [int(dut.send("timestamp")[0].removeprefix("m-lap-us-")) for _ in range(3)]
            dut.load(bytes(3072))
            dut.infer(3)
            laps.append(int(dut.send("timestamp")[0].removeprefix("m-lap-us-")))
        self.assertEqual(laps, sorted(laps))
        self.assertGreater(laps[3], laps[2])

    def test_input(self):
        self.conversation(
            ("db load 10", ["m-[Expecting 10 bytes]"]),
            ("db 00112233445566778", r"e-\[Insufficient number of hex digits\]"),
            ("db 00112233445566zz", r"e-\[Invalid hex digit\]"),
            ("db print", []),
            ("db 0011223344556677", []),
            ("db print", ["m-buffer-00-11-22-33-44-55-66-77"]),
            ("db 88fF99", ["m-load-done"]),
            ("db print", ["m-buffer-00-11-22-33-44-55-66-77", "m-buffer-88-ff"]),
            ("db print 3 7", ["m-buffer-77-88-ff"]),
            ("db print 0 10", []),
            ("db print 4 7", r"e-\[Number of bytes must be 0 to 3\]"),
            ("db print 1 11", r"e-\[Offset must be 0 to 10\]"),
            ("db aa", NOTHING_TO_LOAD))

    def test_wrong_commands(self):
        self.conversation(
            ("", r"e-\[Command is empty\]"),
            ("   ", r"e-\[Command is empty\]"),
            ("launch", r"e-\[Unknown command: launch\]"),
            ("nam", r"e-\[Unknown command: nam\]"),
            ("names", r"e-\[Unknown command: names\]"),
            (b"\x00\x1b[2J\xff]%", r"e-\[Unknown command: \?\?\?2J\?\?\]"),
            ("a b c d e", r"e-\[Command has more than 4 words\]"),
            ("db", r"e-\[Command 'db' requires a subcommand\]"),
            ("db load", r"e-\[Command 'db load' requires the # of bytes\]"),
            ("db 12", NOTHING_TO_LOAD),
            *((f"db load {number}", r"e-\[Command 'db load' must be 1 to 3072 bytes\]")
              for number in ("0", "3073", "-1", "4294967297", "0x10", "1e3", "99999999999999999999")),
            *((f"infer {number}", r"e-\[Inference iterations must be 1 to 1000000\]")
              for number in ("0", "-1", "1000001", "4294967297", "one")),
            *((f"infer 1 {number}", r"e-\[Inference warmup must be 0 to 1000000\]")
              for number in ("-1", "x", "9999999")),
            ("infer 1 1 1", r"e-\[Command 'infer' takes two numbers\]"))

    def test_long_commands(self):
        too_long = r"e-\[Command is longer than 80 characters\]"
        name = rf"m-name-dut-\[{OPTIONS.board}\]"
        self.conversation(
            ("x" * 80, rf"e-\[Unknown command: {'x' * 80}\]"),
            ("x" * 81, too_long),
            ("name" + " " * 77, too_long),
            (b"name" * 5000 + b"%", too_long),
            ("name", name),
            (b"\r\nna\r\nme%", name))

    def test_random_commands(self):
        rng = random.Random(2)
        words = [b"db", b"load", b"print", b"infer", b"results", b"timestamp", b"7", b"3072", b"-1", b"00ff", b"0g"]
        with device() as dut:
            for _ in range(400):
                if rng.random() < 0.5:
                    command = b" ".join(rng.choices(words, k=rng.randrange(6)))
                else:
                    command = rng.randbytes(rng.randrange(120)).replace(b"%", b"")
                lines = dut.write(command + b"%")
                self.assertTrue(all(re.fullmatch("[me]-[ -~]+", line) for line in lines), (command, lines))
                self.assertLessEqual(sum(line.startswith("e-") for line in lines), 1, (command, lines))
            self.assertEqual(dut.send("name"), [f"m-name-dut-[{OPTIONS.board}]"])

    def test_missing_data(self):
        nothing = r"e-\[Input has 3072 bytes, 0 are loaded\]"
        too_little = r"e-\[Input has 3072 bytes, 2 are loaded\]"
        no_results = r"e-\[No inference has completed\]"
        self.conversation(
            ("infer 1 0", nothing),
            ("results", no_results),
            ("db load 3072", ["m-[Expecting 3072 bytes]"]),
            ("db 0102", []),
            ("infer 1 0", too_little),
            ("db load 2", ["m-[Expecting 2 bytes]"]),
            ("db 0102", ["m-load-done"]),
            ("infer 1 0", too_little),
            ("results", no_results))

    def test_inference(self):
        with device() as dut:
            dut.load(bytes(3072))
            lines = dut.send("infer 2 1")
            self.assertEqual([re.sub(r"us-\d+|\[.*\]", "X", line) for line in lines],
                             ["m-warmup-start-1", "m-warmup-done", "m-infer-start-2", "m-lap-X", "m-lap-X",
                              "m-infer-done", "m-results-X"])
            self.assertEqual(dut.send("results"), lines[-1:])
            self.assertEqual(dut.send("infer")[0], "m-warmup-start-10")
            one, three = dut.infer(1).elapsed_us, dut.infer(3).elapsed_us
            self.assertTrue(2.5 * one < three < 3.5 * one, (one, three))
            # A new input ends the results: they belong to the old one.
            dut.send("db load 3072")
            self.assertEqual(dut.write(b"results%"), ["e-[No inference has completed]"])

    def test_same_run_twice(self):
        def times():
            with device() as dut:
                dut.load(bytes(range(256)) * 12)
                return dut.infer(2, 1)
        self.assertEqual(times(), times())


class HostTest(support.BareMetalTest):
    """Runs run_benchmark.py."""

    def host(self, *words, image=None):
        """(exit code, standard output, standard error) of the script."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = run_benchmark.main([OPTIONS.board, str(image or OPTIONS.image), "--icount",
                                       *(str(word) for word in words)])
        return code, out.getvalue(), errors.getvalue()

    def report(self, *words, code=0, **options):
        """The JSON report of a run that must end with `code`."""
        ended, out, errors = self.host("--json", *words, **options)
        self.assertEqual(ended, code, errors)
        return json.loads(out)


class Host(HostTest):
    """run_benchmark.py over records."""

    def signs(self, count):
        """A folder with the sample's first pictures, and the simulator's outputs as goldens."""
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        model = self.model(support.SAMPLE)
        for number in range(count):
            picture, golden = (self.folder / f"{kind}_{number}_0.bin" for kind in ("input", "golden"))
            shutil.copy(OPTIONS.sample / f"sign_{number}.bin", picture)
            support.checked(OPTIONS.pianola, "run", model.file, "--input", picture, "--output", golden)
        return self.folder

    def test_sample(self):
        report = self.report("--records", self.signs(3), "--windows", 2, "--iterations", 3, "--warmups", 1)
        self.assertEqual((report["name"], report["model"], report["input_bytes"]), (OPTIONS.board, "own_model", 3072))
        windows = report["performance"]["windows"]
        self.assertEqual([window["iterations"] for window in windows], [3, 3])
        self.assertAlmostEqual(report["performance"]["median_inferences_per_second"],
                               sum(3e6 / window["elapsed_us"] for window in windows) / 2)
        self.assertFalse(report["performance"]["as_long_as_the_benchmark_asks"])
        self.assertFalse(report["is_a_result_of_mlperf"])
        self.assertEqual(report["accuracy"],
                         {"records": 3, "compared_with_goldens": 3, "different": [], "top1": 1.0,
                          "top1_of": "goldens", "auc": None})

    def test_one_wrong_byte_of_a_golden(self):
        folder = self.signs(2)
        golden = folder / "golden_1_0.bin"
        contents = bytearray(golden.read_bytes())
        contents[5] ^= 1
        golden.write_bytes(contents)
        report = self.report("--records", folder, "--windows", 1, "--iterations", 1, "--warmups", 0, code=1)
        self.assertEqual(report["accuracy"]["different"], ["input_1_0.bin"])

    def test_labels(self):
        folder = self.signs(3)
        labels = support.Model(support.SAMPLE).labels(3)
        rows = [f"input_{number}_0.bin,8,{label}\n" for number, label in enumerate(labels)]
        right = self.write("right.csv", "".join(rows).encode())
        rows[2] = f"input_2_0.bin,8,{(labels[2] + 1) % 8}\n"
        wrong = self.write("wrong.csv", "".join(rows).encode())
        words = ("--windows", 1, "--iterations", 1, "--warmups", 0)
        self.assertEqual(folder, right.parent)
        self.assertEqual(self.report("--labels", right, *words)["accuracy"]["top1"], 1.0)
        accuracy = self.report("--labels", wrong, *words)["accuracy"]
        self.assertAlmostEqual(accuracy["top1"], 2 / 3)
        self.assertEqual(accuracy["top1_of"], "labels")

    def test_windows_of_seconds(self):
        report = self.report("--records", self.signs(1), "--windows", 2, "--seconds", 0.02, "--warmups", 0)
        for window in report["performance"]["windows"]:
            self.assertGreaterEqual(window["elapsed_us"], 20_000)

    def test_wrong_use(self):
        folder = self.signs(1)
        (folder / "input_0_0.bin").write_bytes(bytes(3073))
        code, _, errors = self.host("--records", folder)
        self.assertEqual((code, errors), (3, "run_benchmark: db load 3073: e-[Command 'db load' must be 1 to 3072 "
                                             "bytes]\n"))
        (folder / "input_0_0.bin").write_bytes(bytes(3071))
        code, _, errors = self.host("--records", folder)
        self.assertEqual((code, errors), (3, "run_benchmark: infer 10 10: e-[Input has 3072 bytes, 3071 are loaded]\n"))
        (folder / "input_0_0.bin").unlink()
        code, _, errors = self.host("--records", folder)
        self.assertEqual((code, errors), (2, f"run_benchmark: {folder}: no records\n"))


class Stopwatch:
    """Stands for a device: each inference takes the next of some times."""

    def __init__(self, *times_us):
        self.times_us, self.asked, self.loaded = list(times_us), [], []

    def load(self, data):
        """Notes the input."""
        self.loaded.append(data)

    def infer(self, iterations, warmups):
        """Takes the next time for each of the iterations."""
        self.asked.append((iterations, warmups))
        return run_benchmark.Inference([0.0], iterations * self.times_us.pop(0))


class Numbers(unittest.TestCase):
    """What the host computes."""

    def test_throughput(self):
        records = [run_benchmark.Record(str(number), bytes([number])) for number in range(2)]
        # 1 s each at first, then 2 s, 1 s, 4 s, 1 s, 5 s.
        watch = Stopwatch(*(1_000_000 * seconds for seconds in (1, 2, 1, 4, 1, 5)))
        options = argparse.Namespace(iterations=1, warmups=3, windows=5, seconds=10.0)
        report = run_benchmark.performance(watch, records, options)
        self.assertEqual(watch.asked, [(1, 3)] + 5 * [(11, 3)])
        self.assertEqual(watch.loaded, [b"\0", b"\0", b"\1", b"\0", b"\1", b"\0"])
        self.assertEqual(report["median_inferences_per_second"], 0.5)
        self.assertEqual(report["us_per_inference"], 2e6)
        self.assertTrue(report["as_long_as_the_benchmark_asks"])

    def test_short_windows(self):
        for windows, iterations, is_enough in ((5, 10, True), (4, 10, False), (5, 9, False)):
            options = argparse.Namespace(iterations=iterations, warmups=0, windows=windows, seconds=None)
            report = run_benchmark.performance(Stopwatch(*5 * [1_000_000]), [run_benchmark.Record("", b"")], options)
            self.assertEqual(report["as_long_as_the_benchmark_asks"], is_enough)
        options = argparse.Namespace(iterations=1, warmups=0, windows=1, seconds=None)
        with self.assertRaises(run_benchmark.DeviceError):
            run_benchmark.performance(Stopwatch(0), [run_benchmark.Record("", b"")], options)

    def test_area_under_curve(self):
        area = run_benchmark.area_under_curve
        self.assertEqual(area([1, 2, 3, 4], [0, 0, 1, 1]), 1.0)
        self.assertEqual(area([1, 2, 3, 4], [1, 1, 0, 0]), 0.0)
        self.assertEqual(area([1, 3, 2, 4], [0, 0, 1, 1]), 0.75)
        self.assertEqual(area([1, 1], [0, 1]), 0.5)
        self.assertIsNone(area([1, 2], [1, 1]))

    def test_stored_numbers(self):
        tensor = run_benchmark.Tensor.read("int8,0x3B800000,-128,2")
        self.assertEqual(tensor.stored([0.996093, 0.0]), struct.pack("bb", 127, -128))
        with self.assertRaises(ValueError):
            tensor.stored([0.5005])
        with self.assertRaises(ValueError):
            run_benchmark.Tensor.read("int8,0x33800000,0,2").stored([0.0])
        with self.assertRaises(ValueError):
            run_benchmark.Tensor.read("float32,0x0,0,2").stored([0.0])

    def test_mean_square(self):
        error, bound = run_benchmark.squares([1.0, 2.0], [2.0, 4.0])
        self.assertEqual(error, 2.5)
        self.assertLess(bound, 1e-4)


def slices_of(folder):
    """A file of labels that cuts one file into overlapping inputs, as those of ad01 do."""
    (folder / "a.bin").write_bytes(bytes(range(10)))
    file = folder / "labels.csv"
    file.write_text("a.bin,2,1,4,3\n", encoding="utf-8")
    return file


class Labels(support.BareMetalTest):
    """Files of labels."""

    def test_stride(self):
        records = run_benchmark.of_labels(slices_of(self.folder), None)
        self.assertEqual([record.data for record in records], [bytes(range(at, at + 4)) for at in (0, 3, 6)])
        self.assertEqual({(record.name, record.label) for record in records}, {("a.bin", 1)})

    def test_wrong_rows(self):
        for row in ("a.bin,2\n", "a.bin,2,1,0,3\n", "a.bin,2,1,11,3\n", "a.bin,2,x\n"):
            with self.subTest(row=row):
                file = slices_of(self.folder)
                file.write_text(row, encoding="utf-8")
                self.assertRaises(ValueError, run_benchmark.of_labels, file, None)


if __name__ == "__main__":
    support.parse()
    support.main()
