"""The command line tool: models captured and replayed on the simulator."""
import pathlib
import re
import subprocess

import numpy

_REFUSED = 5


class Refused(Exception):
    """The capture does not support the model; the text says why."""


class Failed(Exception):
    """The tool ended otherwise than it may."""


class Product:
    """The program, and a folder to work in."""

    def __init__(self, program, folder, options=()):
        self.program, self.folder, self.options = str(program), pathlib.Path(folder), list(options)

    def _call(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True, check=False)

    def capture(self, file):
        """The trace binary of a model's file."""
        binary = self.folder / "model.ptb"
        result = self._call("capture", file, "-o", binary, *self.options)
        if result.returncode == _REFUSED:
            lines = result.stderr.strip().splitlines() or ["no reason given"]
            raise Refused(lines[0].replace(f"pianola: {file}: ", ""))
        if result.returncode != 0:
            raise Failed(f"capture ended with {result.returncode}: {result.stderr.strip()}")
        return binary

    def decompile(self, binary, file):
        """Nothing where the binary is the model's."""
        result = self._call("decompile", binary, "--against", file)
        if result.returncode != 0:
            raise Failed(f"decompile ended with {result.returncode}: {result.stderr.strip()}")

    def run(self, binary, model, records):
        """The outputs of each record, one after another: state stays from one to the next."""
        subgraph = model.subgraphs[0]
        arguments = []
        for position in range(len(subgraph.inputs)):
            file = self.folder / f"in_{position}"
            file.write_bytes(b"".join(record[position].tobytes() for record in records))
            arguments += ["--input", file]
        files = [self.folder / f"out_{position}" for position in range(len(subgraph.outputs))]
        for file in files:
            arguments += ["--output", file]
        result = self._call("run", binary, "--batch", *arguments)
        if result.returncode != 0:
            raise Failed(f"run ended with {result.returncode}: {result.stderr.strip()}")
        contents = [file.read_bytes() for file in files]
        return [[content[len(content) // len(records) * record:len(content) // len(records) * (record + 1)]
                 for content in contents] for record in range(len(records))]


def kind_of_reason(reason):
    """A reason without the operator's number and the names of tensors."""
    return re.sub(r"operator \d+ ", "operator ", re.sub(r"'[^']*'", "a tensor", reason))


def differing(have, want):
    """How many bytes of two outputs differ, and where the first one lies."""
    if len(have) != len(want):
        return max(len(have), len(want)), 0
    unequal = numpy.flatnonzero(numpy.frombuffer(have, numpy.uint8) != numpy.frombuffer(want, numpy.uint8))
    return len(unequal), int(unequal[0]) if len(unequal) else 0
