#!/usr/bin/env python3
"""The interpreter against outputs that TensorFlow Lite Micro has computed: every byte must be equal.

A folder of models holds `model.tflite`, `input_<record>_<tensor>.bin`, `golden_<record>_<tensor>.bin` (state as before
the first invocation), `seqgolden_<record>_<tensor>.bin` (the records one after another) and `intermediates_0.txt` (the
SHA-256 of every tensor for record 0). Exit code 77: there is no such folder.
"""
import argparse
import hashlib
import os
import pathlib
import sys

import numpy

import models
from interpreter import Interpreter

_SKIPPED = 77


def shared_models():
    """Where the models lie that are not part of the project: $PIANOLA_SHARED, or `shared` beside the tree."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    return pathlib.Path(os.environ.get("PIANOLA_SHARED") or tree.parent / "shared") / "models"


class Goldens:
    """The records of one model."""

    def __init__(self, folder, most=None):
        self.folder, self.most = folder, most
        self.model = models.read((folder / "model.tflite").read_bytes())
        self.entry = self.model.subgraphs[0]

    def numbers(self, kind):
        """The records that there are, in order."""
        found = sorted(int(file.stem.split("_")[1]) for file in self.folder.glob(f"{kind}_*_0.bin"))
        return found[:self.most]

    def inputs(self, record):
        """One record's inputs."""
        return [numpy.frombuffer((self.folder / f"input_{record}_{position}.bin").read_bytes(),
                                 self.entry.tensors[index].dtype) for position, index in enumerate(self.entry.inputs)]

    def differences(self, kind):
        """How many outputs were compared; which differ."""
        interpreter, compared, found = Interpreter(self.model), 0, []
        for record in self.numbers(kind):
            if kind == "golden":
                interpreter.reset()
            for position, output in enumerate(interpreter.invoke(self.inputs(record))):
                name = f"{kind}_{record}_{position}.bin"
                compared += 1
                if output.tobytes() != (self.folder / name).read_bytes():
                    found.append(f"{self.folder.name}/{name}")
        return compared, found

    def tensor_differences(self):
        """The same for the tensors in between."""
        listing = self.folder / "intermediates_0.txt"
        if not listing.exists():
            return 0, []
        made = {}
        interpreter = Interpreter(self.model, lambda *entry: made.update({entry[:2]: entry[2]}))
        interpreter.invoke(self.inputs(0))
        made.update(interpreter.held)
        compared, found = 0, []
        for line in listing.read_text(encoding="utf-8").splitlines()[1:]:
            subgraph, tensor, kind = line.split()[:3]
            digest = next(word for word in line.split()[3:] if len(word) == 64)
            content = made.get((int(subgraph[1:]), int(tensor[1:])))
            # The numbers of handles have no meaning.
            if kind == "RESOURCE":
                continue
            compared += 1
            if content is None or hashlib.sha256(content.tobytes()).hexdigest() != digest:
                found.append(f"{self.folder.name}: {line}")
        return compared, found


def main():
    """Runs the command line; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=shared_models(), help="default: %(default)s")
    parser.add_argument("--records", type=int, default=2, help="of each model; default: 2")
    parser.add_argument("--all", action="store_true", help="all records")
    options = parser.parse_args()
    files = sorted(options.folder.rglob("model.tflite"))
    if not files:
        print(f"no models in {options.folder}")
        return _SKIPPED
    compared, tensors, found = 0, 0, []
    for file in files:
        goldens = Goldens(file.parent, None if options.all else options.records)
        for kind in ("golden", "seqgolden"):
            count, differ = goldens.differences(kind)
            compared, found = compared + count, found + differ
        count, differ = goldens.tensor_differences()
        tensors, found = tensors + count, found + differ
    print(f"{len(files)} models, {compared} outputs and {tensors} tensors compared, {len(found)} differ")
    print("\n".join(found))
    return 1 if found or compared < len(files) else 0


if __name__ == "__main__":
    sys.exit(main())
