"""What the tests of the command line share: running the program, and binaries that are damaged on purpose."""
import argparse
import atexit
import copy
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DONE, DIFFERENT_BINARIES, USAGE, REFUSED, FAULT, UNSUPPORTED, FILE_TROUBLE, DIFFERENT = range(8)
INTERNAL = 70
SKIPPED = 77
DIGEST_OFFSET, DIGEST_BYTES = 160, 32
OPTIONS = argparse.Namespace(pianola=None, models=None, sample=None, random=None, source=None, each=1)


@functools.lru_cache(maxsize=None)
def made_once(program, *arguments):
    """A folder with what a program writes for these arguments, one of which is FOLDER. The cases of a script share it:
    they copy what they change."""
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    subprocess.run([program, *(folder if word == "FOLDER" else word for word in arguments)], check=True,
                   capture_output=True)
    return folder


@functools.lru_cache(maxsize=None)
def inspected(path):
    """What `inspect` shows of a file of made_once()."""
    run = subprocess.run([OPTIONS.pianola, "inspect", path, "--json"], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


class CliTest(unittest.TestCase):
    """Gives each case a folder of its own, and a small binary with self-tests."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, name):
        """A model's file."""
        return OPTIONS.models / name / "model.tflite"

    def run_pianola(self, *arguments, code=DONE, **options):
        """Runs the program, checks its exit code unless that is None, and that it complains where it fails and only
        there."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, **options}
        run = subprocess.run([OPTIONS.pianola, *map(str, arguments)], text=True, check=False, **options)
        self.assertIn(run.returncode, range(8) if code is None else (code,), f"{arguments}\n{run.stdout}\n{run.stderr}")
        if code in (INTERNAL, USAGE, FAULT, UNSUPPORTED, FILE_TROUBLE):
            self.assertNotEqual((run.stderr or "").strip(), "", f"{arguments}: no message")
        self.assertNotIn("internal error", run.stderr or "")
        return run

    def capture(self, name="hello_world_int8", *arguments):
        """A captured model in this case's folder."""
        output = self.folder / f"{name}.ptb"
        self.run_pianola("capture", self.model(name), "-o", output, *arguments)
        return output

    def make_sample(self, *arguments):
        """The project's own sample, captured in this case's folder: road_signs.ptb. Trained for a moment only, once for
        all cases."""
        shutil.copytree(made_once(OPTIONS.sample, "--out", "FOLDER", "--steps", "1"), self.folder / "sample",
                        dirs_exist_ok=True)
        output = self.folder / "road_signs.ptb"
        self.run_pianola("capture", self.folder / "sample" / "road_signs.tflite", "-o", output, *arguments)
        return output

    def random_binaries(self, count, first=1, mesh=(1, 1), most=None):
        """Random programs that the validator accepts, each with what `inspect` shows of it; and the options for their
        device. Of a mesh of rows and columns, the folder NAME.alone has what each device does alone. With `most` only
        so many of them are inspected. The files are those of all cases with the same arguments."""
        folder = made_once(OPTIONS.random, "--write", "FOLDER", "--seed", str(first), "--count", str(count), "--rows",
                           str(mesh[0]), "--columns", str(mesh[1]))
        return [(path, copy.deepcopy(inspected(path))) for path in sorted(folder.glob("*.ptb"))[:most]], \
            ("--device", folder / "device.json")

    def write(self, name, contents):
        """A file in this case's folder."""
        path = self.folder / name
        if isinstance(contents, bytes):
            path.write_bytes(contents)
        else:
            path.write_text(contents if isinstance(contents, str) else json.dumps(contents), encoding="utf-8")
        return path

    def assert_no_leftovers(self, *expected):
        """This case's folder holds the expected files and nothing else, such as half-written ones."""
        self.assertEqual(sorted(entry.name for entry in self.folder.iterdir()), sorted(expected))


def sealed(contents):
    """A trace binary with the digest that its bytes need."""
    digest = hashlib.sha256(contents[:DIGEST_OFFSET] + contents[DIGEST_OFFSET + DIGEST_BYTES:]).digest()
    return contents[:DIGEST_OFFSET] + digest + contents[DIGEST_OFFSET + DIGEST_BYTES:]


KEYS = [key | 1 for key in (
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5, 0xD807AA98,
    0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174)]


def slice_sum(contents):
    """The check of a slice, as docs/reference/format.md defines it."""
    total = 0x6A09E667F3BCC909
    for block in range(0, len(contents), 64):
        words = contents[block:block + 64].ljust(64, b"\0")
        total = total * 0x9E3779B1 + sum(key * int.from_bytes(words[4 * i:4 * i + 4], "little")
                                         for i, key in enumerate(KEYS))
    return total % 2**64


def checked(contents, shown):
    """A trace binary with the checks and the digest that its bytes need; `shown` is what inspect says of it."""
    weights, traces, checks = (int.from_bytes(contents[84 + 12 * index:88 + 12 * index], "little")
                               for index in (1, 2, 4))
    ranges = [(0, weights, region["bytes"]) for region in shown["regions"] if region["memory"] == "file"]
    for command in next(script["commands"] for script in shown["scripts"] if script["kind"] == "setup"):
        if command["command"] == "load_trace":
            trace = shown["traces"][command["object"]]
            ranges.append((1, traces + trace["offset"], 4 * trace["words"]))
        else:
            buffer = shown["buffers"][command["object"]]
            is_state = shown["regions"][buffer["region"]]["kind"] == "state"
            ranges.append((2 if is_state else 1, weights + command["segment_offset"], buffer["bytes"]))
    sums = b"".join(
        slice_sum(contents[at:min(at + 4096, first + size)]).to_bytes(8, "little")
        for _, first, size in sorted(ranges, key=lambda each: each[0]) for at in range(first, first + size, 4096))
    return sealed(contents[:checks] + sums + contents[checks + len(sums):])


def shared():
    """The folder of material that is not the project's."""
    return pathlib.Path(os.environ.get("PIANOLA_SHARED") or OPTIONS.source / "../shared").resolve()


def main(needs_models=True, more=()):
    """Runs the cases of the calling script, which has options for `more` files of its own. Exit code 77 without the
    models that it needs, and where a case was skipped."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pianola", required=True, type=pathlib.Path)
    parser.add_argument("--sample", type=pathlib.Path, help="the program pianola-sample")
    parser.add_argument("--random", type=pathlib.Path, help="the program pianola_random")
    parser.add_argument("--source", required=True, type=pathlib.Path, help="the source tree, for headers")
    parser.add_argument("--each", type=int, default=1, help="of what is tried many times, each N-th only")
    for option in more:
        parser.add_argument(option, required=True, type=pathlib.Path)
    parser.parse_args(namespace=OPTIONS)
    OPTIONS.models = shared() / "models"
    if needs_models and not OPTIONS.models.is_dir():
        print("skipped: no models; set PIANOLA_SHARED")
        sys.exit(SKIPPED)
    result = unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
