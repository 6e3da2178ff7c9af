"""What the on-target tests share: where things are, binaries captured once, a board's run, and what it reported."""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("toolchains", "tests/gates", "tests/crypto")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
import run_board  # noqa: E402  pylint: disable=wrong-import-position

# What a board's device and its runtime are, beside the defaults.
DEVICE = ROOT / "hal/boards/common/device.json"
FILE_WINDOW = {"file_base": 0x40000000, "file_bytes": 2**26}  # of a device that reads weights in the file: bench.h
SKIPPED = 77
# Device cores that are emulated are slower than the clock of the device that they are; on the host's clock, the host is
# busy as well.
DEADLINE_US = 60_000_000
SAMPLE = "road_signs"
OPTIONS = argparse.Namespace()


def parse(*more):
    """Reads the command line that CMakeLists.txt gives, into OPTIONS as well; `more` are (flags, keywords) of a test's
    own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--board", required=True)
    for path in ("--image", "--pianola", "--sample", "--models", "--work"):
        parser.add_argument(path, required=True, type=pathlib.Path)
    for flag, keywords in more:
        parser.add_argument(flag, **keywords)
    parser.parse_args(namespace=OPTIONS)
    if "PIANOLA_SHARED" in os.environ:
        OPTIONS.models = pathlib.Path(os.environ["PIANOLA_SHARED"]) / "models"
    OPTIONS.has_models = OPTIONS.models.is_dir()
    OPTIONS.work.mkdir(parents=True, exist_ok=True)
    return OPTIONS


def board():
    """The facts of the board under test."""
    return boards.boards()[OPTIONS.board]


def main():
    """Runs the cases of the calling script. Exit code 77 where nothing failed and a case was skipped for want of
    models."""
    result = unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)


@contextlib.contextmanager
def one_at_a_time(folder):
    """Tests may run side by side and share a folder's files."""
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_newer(target, *sources):
    """True where the target exists and no source is younger."""
    return target.is_file() and all(target.stat().st_mtime_ns >= source.stat().st_mtime_ns for source in sources)


def checked(*command):
    """Runs a host program that must succeed; what it printed."""
    run = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(
            f"{' '.join(str(word) for word in command)}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


class Model:
    """A captured model in the work folder, with records and, where there are any, goldens."""

    def __init__(self, name, queues=1, pipelined=False, pack="portable", in_file=False):
        self.name, self.queues, self.in_file = name, queues, in_file
        packed = "" if pack == "portable" else f".{pack}"
        place = ".file" if in_file else ""
        self.file = OPTIONS.work / f"{name.replace('/', '.')}.{'p' if pipelined else 'q'}{queues}{packed}{place}.ptb"
        with one_at_a_time(OPTIONS.work):
            device = DEVICE
            if in_file:
                device = OPTIONS.work / "file_device.json"
                device.write_text(json.dumps({**json.loads(DEVICE.read_text(encoding="utf-8")), **FILE_WINDOW}),
                                  encoding="utf-8")
            self.source = (OPTIONS.sample / f"{SAMPLE}.tflite" if name == SAMPLE
                           else OPTIONS.models / name / "model.tflite")
            if not is_newer(self.file, OPTIONS.pianola, self.source):
                checked(OPTIONS.pianola, "capture", self.source, "-o", self.file, "--queues", queues,
                        *(["--pipelined"] if pipelined else []), "--pack", pack, "--device", device,
                        "--deadline-us", DEADLINE_US, "--setup-deadline-us", DEADLINE_US)

    def tensors(self, record, kind="input"):
        """The bytes of each input of a record, or of each golden: kind "golden", or "seqgolden" where the model's state
        goes from record to record."""
        folder = self.source.parent
        if self.name == SAMPLE:
            assert kind == "input"
            return [(folder / f"sign_{record}.bin").read_bytes()]
        count = len(list(folder.glob(f"{kind}_{record}_*.bin")))
        return [(folder / f"{kind}_{record}_{tensor}.bin").read_bytes() for tensor in range(count)]

    def records(self, count, kind="input"):
        """The first `count` records one after another, the tensors of each one after another."""
        return b"".join(b"".join(self.tensors(record, kind)) for record in range(count))

    def record_count(self):
        """The number of records that the model comes with."""
        return len(list(self.source.parent.glob("input_*_0.bin")))

    def output_count(self):
        """The number of the model's outputs."""
        return 1 if self.name == SAMPLE else len(self.tensors(0, "golden"))

    def is_stateful(self):
        """True where the goldens of a record depend on those before it."""
        return any(self.source.parent.glob("seqgolden_*"))

    def labels(self, count):
        """The true classes of the sample's first pictures."""
        return list((self.source.parent / "test_labels.bin").read_bytes()[:count])


def values_of(text):
    """{name: value} of the name=value lines; decimal values as numbers."""
    values = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            values[name] = int(value) if value.isdecimal() else value
    return values


class Run:
    """One start of the test application: exit code, console text, and the name=value lines in it.

    The board is told files of the work folder by their names in it: every letter of its command line takes
    instructions, and a run must not depend on where the source tree lies.
    """

    def __init__(self, *arguments, icount=True, timeout_s=300, **options):
        result = run_board.run(OPTIONS.board, OPTIONS.image, [self.word(argument) for argument in arguments],
                               icount=icount, timeout_s=timeout_s, cwd=OPTIONS.work, **options)
        self.returncode, self.output = result.returncode, result.output
        self.values = values_of(self.output)

    @staticmethod
    def word(argument):
        """An argument as the board sees it."""
        if isinstance(argument, pathlib.Path) and argument.is_relative_to(OPTIONS.work):
            argument = argument.relative_to(OPTIONS.work)
        return str(argument)

    def require(self, code=0):
        """Self, where the exit code is this one."""
        if self.returncode != code:
            raise AssertionError(f"exit code {self.returncode}, not {code}\n{self.output}")
        return self


class BareMetalTest(unittest.TestCase):
    """Gives each case a folder of its own, which stays for a look afterwards."""

    def setUp(self):
        self.folder = OPTIONS.work / type(self).__name__ / self._testMethodName
        self.folder.mkdir(parents=True, exist_ok=True)

    def model(self, name, queues=1, pipelined=False, pack="portable", in_file=False):
        """A captured model; the case is skipped without models, unless it is the project's own."""
        if name != SAMPLE and not OPTIONS.has_models:
            self.skipTest("no models; set PIANOLA_SHARED")
        return Model(name, queues, pipelined, pack, in_file)

    def write(self, name, contents):
        """A file in this case's folder."""
        path = self.folder / name
        path.write_bytes(contents)
        return path

    def assert_same_log(self, expected, actual):
        """No difference between two execution logs, by the tool that users have."""
        run = subprocess.run([OPTIONS.pianola, "log", "diff", expected, actual], text=True, capture_output=True,
                             check=False)
        self.assertEqual(run.returncode, 0, f"{run.stdout}{run.stderr}")
