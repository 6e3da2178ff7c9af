#!/usr/bin/env python3
"""Compares what the product computes with what the interpreter computes, byte by byte.

Models are captured with `pianola capture` and replayed with `pianola run` on the simulator. A model that the capture
refuses with exit code 5 counts as refused, with its reason. Exit code 0: no byte differs and at least half of the
random graphs were captured.
"""
import argparse
import collections
import dataclasses
import pathlib
import sys
import tempfile

import numpy

import generator
import models
import writer
from interpreter import Interpreter
from product import Failed, Product, Refused, differing, kind_of_reason

_LEAST_CAPTURED = 0.5
_SKIPPED = 77


@dataclasses.dataclass
class Difference:
    """Where the first byte of an output differs."""
    name: str
    record: int
    output: int
    byte: int
    count: int
    have: bytes
    want: bytes
    operator: str = ""

    def __str__(self):
        place = f"{self.name}: record {self.record}, output {self.output}: {self.count} bytes differ"
        first = f"first byte {self.byte}: {self.have[self.byte:self.byte + 8].hex()}, the interpreter has" \
                f" {self.want[self.byte:self.byte + 8].hex()}"
        return f"{place}, {first}{self.operator and '; first in ' + self.operator}"


@dataclasses.dataclass
class Tally:
    """What came of many models."""
    captured: int = 0
    compared: int = 0
    refused: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    differences: list = dataclasses.field(default_factory=list)
    failures: list = dataclasses.field(default_factory=list)

    @property
    def seen(self):
        """All models."""
        return self.captured + sum(self.refused.values())

    def report(self):
        """As lines of text."""
        lines = [f"{self.seen} models: {self.captured} captured, {sum(self.refused.values())} refused;"
                 f" {self.compared} bytes compared, {sum(entry.count for entry in self.differences)} differ"]
        lines += [f"  refused {count} times: {reason}" for reason, count in self.refused.most_common()]
        return lines + [f"  FAILED {entry}" for entry in self.failures] + [f"  DIFFERS {entry}" for entry in
                                                                           self.differences]


class Crosscheck:
    """Product and interpreter side by side."""

    def __init__(self, product, keep=None, interpreter=Interpreter):
        self.product, self.keep, self.interpreter, self.tally = product, keep, interpreter, Tally()

    def _file(self, data):
        file = self.product.folder / "model.tflite"
        file.write_bytes(data)
        return file

    def check(self, name, data, inputs):
        """Whether a model, given as the bytes of its file, was captured. Inputs are records run one after another."""
        model = models.read(data)
        try:
            have = self.product.run(self.product.capture(self._file(data)), model, inputs)
        except Refused as refused:
            self.tally.refused[kind_of_reason(str(refused))] += 1
            return False
        except Failed as failed:
            self.tally.failures.append(f"{name}: {failed}")
            self._keep(name, data)
            return False
        self.tally.captured += 1
        found = self._compare(name, have, self._expected(model, inputs))
        if found:
            found[0].operator = self._locate(model, inputs)
            self._keep(name, data)
        self.tally.differences += found
        return True

    def _expected(self, model, inputs):
        interpreter = self.interpreter(model)
        return [[output.tobytes() for output in interpreter.invoke(record)] for record in inputs]

    def _compare(self, name, have, want):
        """The outputs that differ."""
        found = []
        for record, (mine, theirs) in enumerate(zip(have, want, strict=True)):
            for output, (left, right) in enumerate(zip(mine, theirs, strict=True)):
                self.tally.compared += len(right)
                count, byte = differing(left, right)
                if count:
                    found.append(Difference(name, record, output, byte, count, left, right))
        return found

    def _locate(self, model, inputs):
        """The first operator whose output differs, from captures of the graph cut off behind each operator."""
        entry = model.subgraphs[0]
        for length, operator in enumerate(entry.operators, 1):
            shown = [index for index in operator.outputs if entry.tensors[index].type != "RESOURCE"]
            if not shown:
                continue
            cut = models.Model([dataclasses.replace(entry, operators=entry.operators[:length], outputs=shown),
                                *model.subgraphs[1:]])
            try:
                have = self.product.run(self.product.capture(self._file(writer.write(cut))), cut, inputs)
            except (Refused, Failed):
                continue
            if any(differing(left, right)[0] for mine, theirs in zip(have, self._expected(cut, inputs))
                   for left, right in zip(mine, theirs)):
                return f"operator {length - 1} ({operator.name})"
        return ""

    def _keep(self, name, data):
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{name.replace('/', '_')}.tflite").write_bytes(data)


def supported_pairs(product, seed=0, tries=4):
    """The operators, each with a type, of which the product captures some graph; for the others the first reason."""
    probe, captured, refused = Crosscheck(product), [], {}
    for name, kind in generator.PAIRS:
        for attempt in range(tries):
            model = generator.one_operator(name, kind, seed + attempt)
            probe.tally.refused.clear()
            if probe.check(name, writer.write(model), generator.records(model, seed, 1)):
                captured.append((name, kind))
                break
            refused.setdefault((name, kind), next(iter(probe.tally.refused), "failed"))
    return captured, {pair: reason for pair, reason in refused.items() if pair not in captured}


def records_of(folder, model, most, more):
    """The records that lie beside a model, then extreme inputs and random ones."""
    subgraph, found = model.subgraphs[0], []
    while len(found) < most and all((folder / f"input_{len(found)}_{position}.bin").exists()
                                    for position in range(len(subgraph.inputs))):
        contents = [(folder / f"input_{len(found)}_{position}.bin").read_bytes()
                    for position in range(len(subgraph.inputs))]
        found.append([numpy.frombuffer(content, subgraph.tensors[index].dtype)
                      for content, index in zip(contents, subgraph.inputs)])
    if all(subgraph.tensors[index].type in ("INT8", "INT16", "UINT8", "FLOAT32", "BOOL") for index in subgraph.inputs):
        found += generator.records(model, 0, generator.EXTREMES + more)
    return found


def parse(arguments):
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="random graphs")
    parser.add_argument("--each", type=int, default=0, metavar="N", help="random graphs of each single operator")
    parser.add_argument("--seed", type=int, default=1, help="of the first random graph; default: 1")
    parser.add_argument("--steps", type=int, default=7, help="records of each random graph; default: 7")
    parser.add_argument("--operators", nargs="+", choices=generator.OPERATORS, metavar="NAME",
                        help="only these; default: those of which the product captures any")
    parser.add_argument("--models", type=pathlib.Path, metavar="FOLDER",
                        help="models, each model.tflite beside its records; exit code 77 where there is no such folder")
    parser.add_argument("--records", type=int, default=2, help="records of each of these models; default: 2")
    parser.add_argument("--more", type=int, default=0, metavar="N",
                        help="random records of each of these models, behind the extreme ones; default: 0")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models that differ")
    parser.add_argument("--capture", action="append", default=[], metavar="OPTION",
                        help="a further option of `pianola capture`, as --capture=--queues=2")
    return parser.parse_args(arguments)


def check_models(check, options):
    """All models below a folder."""
    for file in sorted(options.models.rglob("model.tflite")):
        data = file.read_bytes()
        check.check(str(file.parent.relative_to(options.models)), data,
                    records_of(file.parent, models.read(data), options.records, options.more))


def check_random(check, options):
    """Random graphs; whether at least half of them were captured."""
    if options.operators:
        pairs = [pair for pair in generator.PAIRS if pair[0] in options.operators]
    else:
        pairs, refused = supported_pairs(check.product)
        print(f"{len(pairs)} operators with a type are captured, {len(refused)} are not:")
        print(" ".join(f"{name}({kind.lower()})" for name, kind in sorted(refused)))
    before = check.tally.captured
    for seed in range(options.seed, options.seed + options.each):
        for name, kind in pairs:
            model = generator.one_operator(name, kind, seed)
            check.check(f"{name}_{kind}_{seed}", writer.write(model), generator.records(model, seed, options.steps))
    for seed in range(options.seed, options.seed + options.random):
        model = generator.random_graph(seed, frozenset(pairs))
        check.check(f"random_{seed}", writer.write(model), generator.records(model, seed, options.steps))
    return check.tally.captured - before >= _LEAST_CAPTURED * (options.random + options.each * len(pairs))


def main(arguments=None):
    """Runs the command line; the exit code."""
    options = parse(arguments)
    if options.models and not options.models.is_dir():
        print(f"{options.models} is not there")
        return _SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        check, is_enough = Crosscheck(Product(options.pianola, folder, options.capture), options.keep), True
        if options.models:
            check_models(check, options)
        if options.random or options.each:
            is_enough = check_random(check, options)
    print("\n".join(check.tally.report()))
    if not is_enough:
        print("fewer than half of the random graphs were captured")
    return 1 if check.tally.differences or check.tally.failures or not is_enough else 0


if __name__ == "__main__":
    sys.exit(main())
