#!/usr/bin/env python3
"""The host of a benchmark of small systems, against an image pianola_example_benchmark under QEMU.

    toolchains/run_benchmark.py BOARD build/BOARD/bin/Release/pianola_example_benchmark.elf --records FOLDER --icount

It sends the commands that the public runner of MLPerf Tiny sends, and computes what that computes: throughput as the
median over windows of repeated inferences, each on the next record, after warm-ups; accuracy over all records, one
inference each. docs/guide/boards.md says what of the protocol is followed. Nothing of this is a result of MLPerf.

  --records  A folder with input_<record>_<tensor>.bin, raw tensors, and golden_<record>_<tensor>.bin where there are
             outputs to compare with, byte by byte. Top-1 is then agreement with the goldens' largest output.
  --labels   A CSV file of the benchmark's form instead: file, number of classes, class, and for ad01 bytes of an input
             and stride. The files lie beside it and are sent as they are. Top-1, or for ad01 the area under the ROC
             curve of each file's mean result.
  --icount   QEMU counts instructions: a microsecond is 1,000 of all cores together, and every run is equal.
             Without it the time is the host's, and says nothing about a board.
  --seconds  As many inferences in a window as take this long on the board's clock (the benchmark asks for 10), instead
             of --iterations.

Exit codes: 0; 1 an output is not the golden; 2 wrong options or files; 3 the device answered with an error, or not.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import select
import statistics
import struct
import subprocess
import sys
import time
import typing

import run_board

READY = "m-ready"
BYTES_OF_COMMAND = 31  # of data, as the public runner sends them
BENCHMARK_SECONDS, BENCHMARK_WINDOWS = 10, 5
CODES = {"int8": "b", "uint8": "B", "bool": "B", "int16": "<h", "uint16": "<H", "int32": "<i", "uint32": "<I"}
CUT_OFF = 1e-6  # results have six decimals
# Differences of ad01 are computed with 18 fractional bits, each number cut off, and squares with 26.
FIXED_ERROR, SQUARE_ERROR = 2.0**-17, 2.0**-26
DIFFERENT, WRONG_USE, DEVICE_ERROR = 1, 2, 3


class DeviceError(Exception):
    """The device answered with an error, or did not answer."""


class Tensor(typing.NamedTuple):
    """What `profile` says of a tensor."""

    type: str
    scale: float
    zero_point: int
    elements: int

    @classmethod
    def read(cls, text):
        """From TYPE,BITS OF THE SCALE,ZERO POINT,ELEMENTS."""
        kind, bits, zero_point, elements = text.split(",")
        return cls(kind, struct.unpack("<f", struct.pack("<I", int(bits, 16)))[0], int(zero_point), int(elements))

    def step(self):
        """The real number that one stored step stands for."""
        return self.scale or 1.0

    def real(self, stored):
        """The real numbers of stored bytes."""
        if self.type not in CODES:
            raise ValueError(f"tensors of {self.type} are not compared")
        return [(value - self.zero_point) * self.step() for value, in struct.iter_unpack(CODES[self.type], stored)]

    def stored(self, results):
        """The bytes of printed results. ValueError where a result is none that the tensor can hold."""
        if self.type not in CODES or self.step() <= 4 * CUT_OFF:
            raise ValueError(f"results of {self.type} in steps of {self.step():g} do not give the stored numbers")
        values = [round(result / self.step()) for result in results]
        for value, result in zip(values, results):
            if abs(value * self.step() - result) > 1.001 * CUT_OFF:
                raise ValueError(f"{result} is not a multiple of {self.step():g}")
        return b"".join(struct.pack(CODES[self.type], value + self.zero_point) for value in values)


class Record(typing.NamedTuple):
    """One input in the benchmark's format, and what is known of its result."""

    name: str
    data: bytes
    golden: typing.Optional[typing.Sequence[bytes]] = None
    source: bytes = b""  # the tensor's own bytes
    label: typing.Optional[int] = None


class Inference(typing.NamedTuple):
    """What the device said of one command `infer`."""

    results: typing.Sequence[float]
    elapsed_us: int


class Device:
    """A board under QEMU; a context manager. Commands are answered within timeout_s."""

    def __init__(self, board, image, icount=True, timeout_s=300.0):
        self._line = run_board.command(board, image, icount=icount)
        self._timeout_s = timeout_s
        self._process = None
        self._unread = b""

    def __enter__(self):
        # pylint: disable-next=consider-using-with
        self._process = subprocess.Popen(self._line, env=run_board.qemu_environment(), stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        # QEMU may have said something before.
        self.start_lines = [line for line in self._answer() if line.startswith(("m-", "e-"))]
        return self

    def __exit__(self, *error):
        self._process.stdin.close()  # the image ends at the end of its input
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def _answer(self):
        """The lines up to the next READY."""
        end, lines = time.monotonic() + self._timeout_s, []
        while True:
            line, separator, rest = self._unread.partition(b"\n")
            if separator:
                self._unread = rest
                text = line.decode(errors="replace").rstrip("\r")
                if text == READY:
                    return lines
                lines.append(text)
                continue
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise DeviceError(f"no answer within {self._timeout_s:g} s")
            received = os.read(self._process.stdout.fileno(), 65536)
            if not received:
                raise DeviceError("\n".join(["the device has ended", *lines]))
            self._unread += received

    def write(self, text):
        """Sends characters as they are; returns the answer to the command that they end."""
        try:
            self._process.stdin.write(text)
        except BrokenPipeError as error:
            raise DeviceError("the device has ended") from error
        return self._answer()

    def send(self, command):
        """Sends a command; the lines of its answer. DeviceError where one is an error."""
        lines = self.write(f"{command}%".encode())
        for line in lines:
            if line.startswith("e-"):
                raise DeviceError(f"{command[:80]}: {line}")
        return lines

    def load(self, data):
        """Loads an input."""
        self.send(f"db load {len(data)}")
        lines = []
        for at in range(0, len(data), BYTES_OF_COMMAND):
            lines = self.send(f"db {data[at:at + BYTES_OF_COMMAND].hex()}")
        if lines != ["m-load-done"]:
            raise DeviceError(f"not loaded: {lines}")

    def infer(self, iterations, warmups=0):
        """Runs inferences on the input that is loaded."""
        lines = self.send(f"infer {iterations} {warmups}")
        laps = [int(line[len("m-lap-us-"):]) for line in lines if line.startswith("m-lap-us-")]
        results = [match[1] for match in (re.fullmatch(r"m-results-\[([^]]*)\]", line) for line in lines) if match]
        if len(laps) != 2 or len(results) != 1:
            raise DeviceError(f"infer: two times and a result are expected: {lines}")
        return Inference([float(word) for word in results[0].split(",")], laps[1] - laps[0])


class Identity:
    """What `name` and `profile` say."""

    def __init__(self, device):
        lines = device.send("name") + device.send("profile")
        self.inputs, self.outputs, self.values = [], [], {}
        for line in lines:
            match = re.fullmatch(r"m-(name-dut|profile|model|input-bytes|input|output)-\[([^]]*)\]", line)
            if match is None:
                raise DeviceError(f"not understood: {line}")
            if match[1] in ("input", "output"):
                (self.inputs if match[1] == "input" else self.outputs).append(Tensor.read(match[2]))
            else:
                self.values[match[1]] = match[2]
        if {"name-dut", "profile", "model", "input-bytes"} - set(self.values) or not self.outputs or not self.inputs:
            raise DeviceError(f"name or profile is incomplete: {lines}")
        self.model, self.input_bytes = self.values["model"], int(self.values["input-bytes"])

    def host_form(self, tensor_bytes):
        """An input in the form in which the benchmark of this model sends it."""
        if self.model == "ad01":
            return b"".join(struct.pack("<f", value) for value in self.inputs[0].real(tensor_bytes))
        return bytes(value ^ 0x80 for value in tensor_bytes) if self.model in ("ic01", "vww01") else tensor_bytes

    def is_equal(self, record, results):
        """Whether results are those of the record's golden."""
        if self.model == "ad01":
            error, bound = squares(self.inputs[0].real(record.source), self.outputs[0].real(record.golden[0]))
            return len(results) == 1 and abs(results[0] - error) <= bound
        at, stored = 0, []
        for tensor in self.outputs:
            stored.append(tensor.stored(results[at:at + tensor.elements]))
            at += tensor.elements
        return at == len(results) and stored == list(record.golden)

    def golden_results(self, record):
        """The real numbers of the record's golden."""
        return [value for tensor, golden in zip(self.outputs, record.golden) for value in tensor.real(golden)]


def squares(inputs, outputs):
    """The mean square of output minus input, and by how much the device's fixed point may be off."""
    differences = [output - float32(value) for value, output in zip(inputs, outputs)]
    most = [2 * abs(difference) * FIXED_ERROR + FIXED_ERROR**2 + SQUARE_ERROR for difference in differences]
    count = len(differences)
    return sum(value * value for value in differences) / count, sum(most) / count + SQUARE_ERROR + CUT_OFF


def float32(value):
    """As single precision keeps it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def largest(values):
    """The index of the first largest value."""
    return max(range(len(values)), key=values.__getitem__)


def area_under_curve(scores, labels):
    """The area under the ROC curve: how often a record of class 1 has the larger score, ties half. None where a class
    is missing."""
    ones = [score for score, label in zip(scores, labels) if label]
    zeros = [score for score, label in zip(scores, labels) if not label]
    if not ones or not zeros:
        return None
    return sum((one > zero) + 0.5 * (one == zero) for one in ones for zero in zeros) / (len(ones) * len(zeros))


def of_folder(folder, identity, most):
    """The records of a folder of raw tensors."""
    records = []
    for number in range(len(list(folder.glob("input_*_0.bin")))):
        tensors = [folder / f"input_{number}_{tensor}.bin" for tensor in range(len(identity.inputs))]
        goldens = [folder / f"golden_{number}_{tensor}.bin" for tensor in range(len(identity.outputs))]
        source = b"".join(path.read_bytes() for path in tensors)
        golden = [path.read_bytes() for path in goldens] if goldens[0].is_file() else None
        records.append(Record(tensors[0].name, identity.host_form(source), golden, source))
    return records[:most]


def of_labels(file, most):
    """The records of a CSV file of labels; several of one name where a stride cuts a file into inputs."""
    records = []
    with open(file, newline="", encoding="utf-8") as text:
        rows = [row for row in csv.reader(text) if row][:most]
    for row in rows:
        if len(row) not in (3, 5):
            raise ValueError(f"{file}: three or five columns are expected: {row}")
        data = (file.parent / row[0]).read_bytes()
        size, stride = (int(row[3]), int(row[4])) if len(row) == 5 else (len(data), len(data))
        if size <= 0 or stride <= 0 or size > len(data):
            raise ValueError(f"{file}: {row}: inputs of {size} bytes every {stride} of {len(data)}")
        records += [Record(row[0], data[at:at + size], label=int(row[2]))
                    for at in range(0, len(data) - size + 1, stride)]
    return records


def performance(device, records, options):
    """Throughput as the benchmark computes it."""
    iterations = options.iterations
    if options.seconds:
        device.load(records[0].data)
        one = device.infer(1, options.warmups).elapsed_us
        iterations = max(1, math.ceil(1.02 * options.seconds * 1e6 / max(1, one)))
    windows = []
    for window in range(options.windows):
        device.load(records[window % len(records)].data)
        elapsed_us = device.infer(iterations, options.warmups).elapsed_us
        windows.append({"iterations": iterations, "elapsed_us": elapsed_us,
                        "inferences_per_second": iterations * 1e6 / elapsed_us if elapsed_us else None})
    shortest = min(window["elapsed_us"] for window in windows) / 1e6
    if shortest == 0:
        raise DeviceError("a window takes less than a microsecond: use more iterations")
    median = statistics.median(window["inferences_per_second"] for window in windows)
    return {"windows": windows, "median_inferences_per_second": median, "us_per_inference": 1e6 / median,
            "as_long_as_the_benchmark_asks": options.windows >= BENCHMARK_WINDOWS and shortest >= BENCHMARK_SECONDS}


def accuracy(device, identity, records):
    """One inference of every record, against goldens and labels."""
    scores, labels, hits, different, files = [], [], [], [], {}
    for record in records:
        device.load(record.data)
        results = device.infer(1).results
        if record.golden is not None and not identity.is_equal(record, results):
            different.append(record.name)
        if identity.model == "ad01":
            files.setdefault((record.name, record.label), []).append(results[0])
        elif record.label is not None:
            hits.append(largest(results) == record.label)
        elif record.golden is not None:
            hits.append(largest(results) == largest(identity.golden_results(record)))
    for (_, label), values in files.items():
        scores.append(statistics.fmean(values))
        labels.append(label)
    return {"records": len(records), "compared_with_goldens": sum(record.golden is not None for record in records),
            "different": different, "top1": sum(hits) / len(hits) if hits else None,
            "top1_of": "labels" if any(record.label is not None for record in records) else "goldens",
            "auc": area_under_curve(scores, labels) if scores and None not in labels else None}


def run(options):
    """The report over one board."""
    with Device(options.board, options.image, options.icount, options.timeout) as device:
        identity = Identity(device)
        records = (of_labels(options.labels, options.most)
                   if options.labels else of_folder(options.records, identity, options.most))
        if not records:
            raise ValueError(f"{options.labels or options.records}: no records")
        return {"board": options.board, "image": str(options.image), "name": identity.values["name-dut"],
                "profile": identity.values["profile"], "model": identity.model, "input_bytes": identity.input_bytes,
                "clock": "instructions" if options.icount else "host", "warmups": options.warmups,
                "performance": performance(device, records, options),
                "accuracy": accuracy(device, identity, records), "is_a_result_of_mlperf": False}


def show(report):
    """The report for people."""
    speed, right = report["performance"], report["accuracy"]
    print(f"{report['name']}, {report['model']}: {speed['median_inferences_per_second']:.3f} inferences a second, "
          f"{speed['us_per_inference']:.1f} us each; median of {len(speed['windows'])} windows of "
          f"{speed['windows'][0]['iterations']}")
    if report["clock"] == "instructions":
        print("the clock counts instructions of all cores together, 1,000 a microsecond: no time of a core")
    if not speed["as_long_as_the_benchmark_asks"]:
        print(f"shorter than the benchmark asks: {BENCHMARK_WINDOWS} windows of {BENCHMARK_SECONDS} s")
    print(f"{right['records']} records, {right['compared_with_goldens']} compared, {len(right['different'])} different")
    if right["top1"] is not None:
        print(f"top-1 of {right['top1_of']}: {100 * right['top1']:.2f} %")
    if right["auc"] is not None:
        print(f"area under the curve: {right['auc']:.4f}")


def positive(text):
    """A whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def parse(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=run_board.boards())
    parser.add_argument("image", type=pathlib.Path, help="pianola_example_benchmark.elf of the board's build")
    records = parser.add_mutually_exclusive_group(required=True)
    records.add_argument("--records", type=pathlib.Path, metavar="FOLDER", help="raw tensors and goldens")
    records.add_argument("--labels", type=pathlib.Path, metavar="CSV", help="files and their classes")
    parser.add_argument("--most", type=positive, metavar="N", help="only the first N records or files")
    parser.add_argument("--iterations", type=positive, default=10, metavar="N", help="of a window; default 10")
    parser.add_argument("--seconds", type=float, metavar="S", help="of a window, instead of --iterations")
    parser.add_argument("--warmups", type=int, default=10, metavar="N", help="before a window; default 10")
    parser.add_argument("--windows", type=positive, default=BENCHMARK_WINDOWS, metavar="N", help="default 5")
    parser.add_argument("--icount", action="store_true", help="deterministic: time is instructions")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="for one answer; default 300")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(words)
    for path in filter(None, (options.image, options.labels)):
        if not path.is_file():
            parser.error(f"{path}: no such file")
    return options


def main(words):
    """Returns the exit code."""
    options = parse(words)
    try:
        report = run(options)
    except DeviceError as error:
        print(f"run_benchmark: {error}", file=sys.stderr)
        return DEVICE_ERROR
    except (OSError, ValueError) as error:
        print(f"run_benchmark: {error}", file=sys.stderr)
        return WRONG_USE
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    return DIFFERENT if report["accuracy"]["different"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
