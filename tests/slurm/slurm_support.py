"""What the tests of toolchains/slurm share."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLURM = ROOT / "toolchains/slurm"
sys.path.insert(0, str(SLURM))
STAND_IN = pathlib.Path(__file__).with_name("stand_in.py")


class SlurmCase(unittest.TestCase):
    """A test with a folder of its own, and the stand-in's campaign in it."""

    build = ROOT / "build/release"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="slurm_test")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program = self.folder / "stand_in.py"
        self.program.write_text(STAND_IN.read_text(encoding="utf-8"), encoding="utf-8")
        run = ["{python}", str(self.program), "{result}"]
        self.definitions = self.folder / "definitions.json"
        self.definitions.write_text(json.dumps({"stand-in": {
            "title": "for tests", "serial": [*run, "{arguments}"], "part": [*run, "{shard}/{shards}", "{arguments}"],
            "merge": ["{python}", str(self.program), "--merge", "{parts}", "{report}"], "uses": [str(self.program)],
        }}), encoding="utf-8")
        self.out = self.folder / "out"

    def words(self, *more, out=None, campaign="stand-in"):
        """Of the command line of submit.py."""
        return [campaign, "--definitions", str(self.definitions), "--build", str(self.build), "--out",
                str(out or self.out), *map(str, more)]
