#!/usr/bin/env python3
"""Names of other packages, for programs that are not changed: there where they are asked for, and nowhere else."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import guide
import pianola
import pianola.compat
from python_support import main

PACKAGE = pathlib.Path(pianola.__file__).parent
PROGRAM = """
import sys
import ttnn
from models.tt_cnn.tt.pipeline import PipelineConfig, create_pipeline_from_config
import pianola
assert ttnn.add is pianola.add and ttnn.Tensor is pianola.Tensor and ttnn.int8 is pianola.int8
assert PipelineConfig is pianola.PipelineConfig
device = ttnn.open_device()
print(__name__, sys.argv[1:], (ttnn.full((2,), 3, ttnn.int8, device=device) + 1).cpu().to_numpy())
"""
# What the guides leave to their reader: data, places and the model.
READER = """
import numpy
import ttnn

device = ttnn.open_device(trace_region_size=65536)
arrays = [numpy.full((8, 64), value, numpy.int8) for value in range(9)]
inputs = [ttnn.from_numpy(array) for array in arrays[1:]]
sample_input = ttnn.from_numpy(arrays[0])
l1_config = ttnn.create_sharded_memory_config((8, 64), device.core_grid, ttnn.TensorMemoryLayout.HEIGHT_SHARDED)
dram_config = ttnn.create_sharded_memory_config((8, 64), device.core_grid, ttnn.TensorMemoryLayout.HEIGHT_SHARDED,
                                                buffer_type=ttnn.BufferType.DRAM)


def my_model(input_tensor):
    return ttnn.relu(ttnn.add(input_tensor, input_tensor))


"""
CHECK = """
for array, output in zip(arrays[1:], outputs):
    assert (ttnn.to_numpy(output) == 2 * array).all()
print(len(outputs), "outputs")
"""


class Compat(unittest.TestCase):
    """The folder of the package, and its program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = pathlib.Path(folder.name) / "program.py"
        self.program.write_text(PROGRAM, encoding="utf-8")

    @staticmethod
    def python(*arguments, **environment):
        """What a new interpreter makes of arguments."""
        call = [sys.executable, "-B", *(str(each) for each in arguments)]
        return subprocess.run(call, capture_output=True, text=True, check=False, env={**os.environ, **environment})

    def test_nobody_has_the_names_without_asking(self):
        for name in ("ttnn", "models"):
            run = self.python("-c", f"import pianola, {name}")
            self.assertIn(f"No module named '{name}'", run.stderr)
        self.assertEqual(sorted(path.name for path in PACKAGE.parent.iterdir()), ["pianola"])

    def test_a_program_is_run(self):
        run = self.python("-m", "pianola.compat", self.program, "a", "--b")
        self.assertEqual((run.stdout, run.returncode), ("__main__ ['a', '--b'] [4 4]\n", 0), run.stderr)

    def test_the_folder_serves_as_a_path(self):
        path = self.python("-m", "pianola.compat", "--path").stdout.strip()
        self.assertEqual(path, pianola.compat.path())
        run = self.python(self.program, PYTHONPATH=os.pathsep.join([str(PACKAGE.parent), path]))
        self.assertEqual(run.stdout, "__main__ [] [4 4]\n", run.stderr)

    def test_what_is_installed_under_the_names_comes_first(self):
        (self.program.parent / "ttnn.py").write_text("add = 'another'\n", encoding="utf-8")
        self.program.write_text("import ttnn\nprint(ttnn.add)\n", encoding="utf-8")
        self.assertEqual(self.python("-m", "pianola.compat", self.program).stdout, "another\n")

    def test_calls_that_are_not_understood(self):
        usage = self.python("-m", "pianola.compat", "--help")
        self.assertEqual((usage.stdout[:6], usage.returncode), ("usage:", 0))
        for arguments in ((), ("--nonsense",), ("-x", str(self.program))):
            run = self.python("-m", "pianola.compat", *arguments)
            self.assertEqual((run.stdout, run.stderr[:6], run.returncode), ("", "usage:", 2))
        run = self.python("-m", "pianola.compat", self.program.parent / "none.py")
        self.assertEqual((run.stderr.endswith(": no such file\n"), run.returncode), (True, 2))

    def test_the_guide_s_pipeline_runs_as_it_stands(self):
        if guide.seeds() is None:
            self.skipTest("no guides; set PIANOLA_SHARED")
        block = guide.fenced_blocks(guide.read(guide.STEP_FOUR))[6]
        self.assertIn("from models.tt_cnn.tt.pipeline import", block)
        self.program.write_text(READER + block + CHECK, encoding="utf-8")
        run = self.python("-m", "pianola.compat", self.program)
        self.assertEqual((run.stdout, run.returncode), ("8 outputs\n", 0), run.stderr)


if __name__ == "__main__":
    main()
