"""What the proofs share: small trees and objects made of bad and good examples."""
import os
import pathlib
import subprocess
import tempfile
import unittest

CXX = os.environ.get("CXX", "g++")
TARGET_FLAGS = ["-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]


class GateProof(unittest.TestCase):
    """Gives each case a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        """Writes one file of the example and returns its name as gates get it."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return pathlib.Path(name)

    def change(self, name, old, new):
        """Replaces one text in a file of the example. Returns what the file was."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return text

    def compile(self, text, flags=()):
        """The object that `text` compiles to."""
        source = self.root / self.write("example.cpp", text)
        target = source.with_suffix(".o")
        subprocess.run([CXX, *TARGET_FLAGS, *flags, "-c", str(source), "-o", str(target)], check=True)
        return target

    def assert_finds(self, findings, text):
        """Some finding contains `text`."""
        self.assertTrue(any(text in finding for finding in findings), f"{text!r} is not among {findings}")
