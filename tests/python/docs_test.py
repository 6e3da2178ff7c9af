#!/usr/bin/env python3
"""The pages on the Python package and the pipeline: their code runs, their rules are the library's, their examples
work."""
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import pianola
from python_support import main

SOURCE = pathlib.Path(os.environ.get("PIANOLA_SOURCE", pathlib.Path(__file__).parents[2]))
sys.path.insert(0, str(SOURCE / "tests/crosscheck"))
import generator  # noqa: E402  pylint: disable=wrong-import-position
import writer  # noqa: E402  pylint: disable=wrong-import-position

FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RULE = re.compile(r'^PIANOLA_\w+_RULE\(\w+, "([A-Z-]+)",\s+"(.*)"\)$', re.MULTILINE)


class Pages(unittest.TestCase):
    """Code and tables."""

    def run_page(self, name, least):
        """Runs a page's code, block after block, in one namespace."""
        blocks = FENCED.findall((SOURCE / "docs" / name).read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(blocks), least)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # which has the model that pages speak of
        model = writer.write(generator.one_operator("CONV_2D", "INT8", 1))
        pathlib.Path("model.tflite").write_bytes(model)
        names = {}
        for number, block in enumerate(blocks):
            exec(compile(block, f"{name} {number}", "exec"), names)  # the page is what is tested

    def test_code(self):
        self.run_page("guide/python.md", 8)
        self.run_page("guide/python_tensors.md", 8)
        self.run_page("guide/pipeline.md", 1)
        self.run_page("guide/mesh.md", 5)

    def test_rules(self):
        page = (SOURCE / "docs/reference/host_rules.md").read_text(encoding="utf-8")
        for rules in ("tensor_rules.inc", "pipeline_rules.inc", "mesh_rules.inc"):
            listed = RULE.findall((SOURCE / "capture_host/include/pianola_host" / rules).read_text(encoding="utf-8"))
            self.assertGreaterEqual(len(listed), 8)
            rows = "".join(f"| {rule} | {text} |\n" for rule, text in listed)
            head = "| rule | what holds where it is kept |\n|---|---|\n"
            self.assertIn(head + rows, page)


class Names(unittest.TestCase):
    """The page of all names: every public name of the package and every member of its classes, and nothing else."""

    def test_table(self):
        page = (SOURCE / "docs/reference/python_names.md").read_text(encoding="utf-8")
        listed = {}
        for name, members in re.findall(r"^\| `(\w+)` \|(?:.* \|)? ?(.*) \|$", page, re.MULTILINE):
            self.assertNotIn(name, listed)
            listed[name] = set(re.findall(r"`(\w+)`", members))
        public = {name for name in dir(pianola) if name[0] != "_" and not inspect.ismodule(getattr(pianola, name))}
        self.assertEqual(set(listed), public)
        for name in sorted(public):
            kind = getattr(pianola, name)
            if inspect.isclass(kind):
                members = {member for member in vars(kind) if member[0] != "_"}
                members -= {"name", "value"} if hasattr(kind, "__members__") else set()
                with self.subTest(name):
                    self.assertEqual(listed[name], members)


class Examples(unittest.TestCase):
    """Programs of docs/examples/python."""

    def run_example(self, name, *arguments):
        """What an example prints."""
        call = [sys.executable, "-B", SOURCE / "docs/examples/python" / name, *arguments]
        run = subprocess.run(call, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_a_call_without_arguments_says_what_is_missing(self):
        for path in sorted((SOURCE / "docs/examples/python").glob("*.py")):
            with self.subTest(path.name):
                run = subprocess.run([sys.executable, "-B", path], capture_output=True, text=True, check=False)
                self.assertNotIn("Traceback", run.stderr)
                self.assertTrue(run.returncode == 0 or run.stderr.startswith(f"usage: {path.name} "), run.stderr)

    def test_first_steps(self):
        self.assertRegex(self.run_example("first_steps.py"),
                         r"^10 scores, eager and traced alike; \d+ bytes of trace\n$")

    def test_two_queues(self):
        self.assertEqual(self.run_example("two_queues.py"), "8 outputs\n")

    def test_capture(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "layer.ptb"
            self.assertEqual(self.run_example("capture.py", output),
                             f"4 steps became one of {output.stat().st_size} bytes\n")
            program = os.environ.get("PIANOLA_PROGRAM")
            if program:
                call = [program, "run", output, "--device", output.with_suffix(".json"), "--self-test"]
                run = subprocess.run(call, capture_output=True, text=True, check=False)
                self.assertIn("self-tests passed", run.stdout, run.stderr)


if __name__ == "__main__":
    main()
