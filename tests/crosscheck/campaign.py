#!/usr/bin/env python3
"""Random graphs in every form that the product captures: each is decompiled, replayed, and compared with the
interpreter.

A form is a choice of queues and of the layout of weights. Each must give the same bytes, and `pianola decompile` must
find the model in it. What one form refuses all refuse, but for pipelined ones of models with state, which must be
refused. Exit code 0: no byte differs, no binary is another model's, and at least half of the graphs were captured.

--shard I/N takes each N-th model only, and --record then writes what came of each; --merge joins the records of all
shards to the report that one run writes, byte for byte. Exit code 2: they are not of all shards of one campaign.
"""
import argparse
import collections
import functools
import hashlib
import json
import multiprocessing
import pathlib
import sys
import tempfile

import arithmetic
import crosscheck
import generator
import models
import writer
from graph import Graph, TiedGraph
from interpreter import Interpreter
from product import Failed, Product, Refused, kind_of_reason

_PLAIN = "plain"
_PIPELINED = "pipelined"
FORMS = {_PLAIN: (), "2 queues": ("--queues=2",), "dsp": ("--pack=dsp",), "dsp, 2 queues": ("--pack=dsp", "--queues=2"),
         "mve": ("--pack=mve",), "mve, 2 queues": ("--pack=mve", "--queues=2"),
         _PIPELINED: ("--queues=2", "--pipelined")}
COUNTERS = ("captured", "replayed", "compared", "refused")
_LEAST_CAPTURED = 0.5
_BATCH = 5
_UNFIT = 2


def has_state(model):
    """Whether one invocation leaves something to the next."""
    return any(tensor.is_variable for subgraph in model.subgraphs for tensor in subgraph.tensors) or any(
        operator.name == "ASSIGN_VARIABLE" for operator in model.subgraphs[0].operators)


class Ties:
    """Counts results that lie exactly between two integers, while the interpreter runs."""

    def __init__(self):
        self.count = 0
        self.before = arithmetic.multiply, arithmetic.multiply_wide

    def __enter__(self):
        arithmetic.multiply, arithmetic.multiply_wide = self._counted(self.before[0]), self._counted(self.before[1])
        return self

    def __exit__(self, *_):
        arithmetic.multiply, arithmetic.multiply_wide = self.before

    def _counted(self, function):
        def multiply(value, multiplier, shift):
            self.count += arithmetic.exact_halves(value, multiplier, shift)
            return function(value, multiplier, shift)
        return multiply


class Campaign:
    """What came of all forms of all models."""

    def __init__(self, product, keep=None):
        self.product, self.keep, self.ties = product, keep, Ties()
        self.seen, self.captured, self.compared = 0, collections.Counter(), collections.Counter()
        self.replayed, self.refused, self.wrong = collections.Counter(), collections.Counter(), []
        self.good = set()  # digests of the present model's binaries

    def add(self, other):
        """What came of other models."""
        self.seen += other.seen
        self.ties.count += other.ties.count
        for name in (*COUNTERS, "wrong"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_dict(self, item):
        """What came of one model, for a record."""
        counters = {name: dict(getattr(self, name)) for name in COUNTERS}
        return {"item": item, "seen": self.seen, "ties": self.ties.count, "wrong": self.wrong, **counters}

    @classmethod
    def of_dict(cls, found):
        """The reverse."""
        campaign = cls(None)
        campaign.seen, campaign.ties.count, campaign.wrong = found["seen"], found["ties"], found["wrong"]
        for name in COUNTERS:
            setattr(campaign, name, collections.Counter(found[name]))
        return campaign

    def check(self, name, model, records):
        """One model with its records, one after another."""
        self.seen += 1
        self.good.clear()
        file = self.product.folder / "model.tflite"
        file.write_bytes(writer.write(model) if isinstance(model, models.Model) else model)
        model = models.read(file.read_bytes())
        interpreter = Interpreter(model)
        with self.ties:
            want = [[output.tobytes() for output in interpreter.invoke(record)] for record in records]
        wrong = len(self.wrong)
        reasons = {form: self._check_form(f"{name}, {form}", form, model, records, want) for form in FORMS}
        if has_state(model):
            plain = reasons[_PLAIN]
            if plain is None and reasons[_PIPELINED] is None:
                self.wrong.append(f"{name}: has state, and is captured as a pipeline")
            reasons[_PIPELINED] = plain
        if reasons[_PLAIN] is not None:
            self.refused[kind_of_reason(reasons[_PLAIN])] += 1
        for form, reason in reasons.items():
            if (reason is None) != (reasons[_PLAIN] is None):
                self.wrong.append(f"{name}, {form}: {reason or 'captured'}; plain: {reasons[_PLAIN] or 'captured'}")
        if len(self.wrong) != wrong and self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{name.replace('/', '_')}.tflite").write_bytes(file.read_bytes())

    def _check_form(self, name, form, model, records, want):
        """Why it is refused, or None. A binary that is another form's byte for byte is as good as that."""
        self.product.options = FORMS[form]
        file = self.product.folder / "model.tflite"
        try:
            binary = self.product.capture(file)
        except Refused as refused:
            return str(refused)
        except Failed as failed:
            self.wrong.append(f"{name}: {failed}")
            return None
        self.captured[form] += 1
        digest = hashlib.sha256(binary.read_bytes()).digest()
        if digest in self.good:
            self.compared[form] += sum(len(output) for outputs in want for output in outputs)
            return None
        wrong = len(self.wrong)
        try:
            self.product.decompile(binary, file)
            have = self.product.run(binary, model, records)
        except Failed as failed:
            self.wrong.append(f"{name}: {failed}")
            return None
        for record, (mine, theirs) in enumerate(zip(have, want, strict=True)):
            self.compared[form] += sum(map(len, theirs))
            if mine != theirs:
                self.wrong.append(f"{name}: record {record} differs")
        self.replayed[form] += 1
        if len(self.wrong) == wrong:
            self.good.add(digest)
        return None

    def report(self):
        """As lines of text."""
        lines = [f"{self.seen} models; {self.ties.count} results exactly between two integers", "",
                 "| form | captured | of other bytes than those above | bytes compared |", "|---|---:|---:|---:|"]
        lines += [f"| {form} | {self.captured[form]:,} | {self.replayed[form]:,} | {self.compared[form]:,} |"
                  for form in FORMS]
        lines += ["", *(f"refused {count} times: {reason}" for reason, count in self.refused.most_common())]
        return lines + [f"{len(self.wrong)} differ", *self.wrong]


def _check_random(campaign, options, seed):
    """A random graph. Every second one has scales and constants by which results lie between two integers."""
    model = generator.random_graph(seed, options.pairs, TiedGraph if seed % 4 < 2 else Graph)
    campaign.check(f"random_{seed}", model, generator.records(model, seed, options.steps))


def _run(check, options, batch):
    """What one of several processes does: (number, Campaign) of each of some numbered models."""
    found = []
    for number, item in batch:
        with tempfile.TemporaryDirectory() as folder:
            found.append((number, Campaign(Product(options.pianola, folder), options.keep)))
            check(found[-1][1], options, item)
    return found


def _shard(text):
    """I/N as (I, N)."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text}: write I/N, I from 1 to N")
    return int(part), int(parts)


def parser_of(description):
    """The options that every campaign has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, help="the program")
    parser.add_argument("--jobs", type=int, default=1, help="processes; default: 1")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the models that differ")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N", help="each N-th model, from the I-th on")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", help="write the report; of a shard, its record")
    parser.add_argument("--merge", type=pathlib.Path, nargs="+", metavar="FILE", help="join the records of all shards")
    return parser


def parse(parser, arguments):
    """The options; --pianola is needed unless records are merged."""
    options = parser.parse_args(arguments)
    if not options.merge and not options.pianola:
        parser.error("--pianola or --merge is needed")
    return options


def _finish(total, options):
    """Prints the report and writes it where it is wanted; the exit code."""
    text = "\n".join(total.report()) + "\n"
    print(text, end="")
    if options.record:
        options.record.write_text(text, encoding="utf-8")
    return 1 if total.wrong or total.captured[_PLAIN] < _LEAST_CAPTURED * total.seen else 0


def merge(options):
    """The report of all shards, from their records; the exit code."""
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in options.merge]
    shards = sorted(tuple(part["shard"]) for part in parts)
    items = sorted((item for part in parts for item in part["items"]), key=lambda item: item["item"])
    if any(part["campaign"] != parts[0]["campaign"] for part in parts) \
            or shards != [(number, len(parts)) for number in range(1, len(parts) + 1)] \
            or [item["item"] for item in items] != list(range(parts[0]["campaign"]["models"])):
        print("campaign.py: the records are not those of all shards of one campaign", file=sys.stderr)
        return _UNFIT
    total = Campaign(None)
    for item in items:
        total.add(Campaign.of_dict(item))
    return _finish(total, options)


def run(items, check, options):
    """Has check(campaign, options, item) done for every item, and prints what came of it; the exit code."""
    if options.merge:
        return merge(options)
    part, parts = options.shard
    own = list(enumerate(items))[part - 1::parts]
    total, found = Campaign(None), []
    batches = [own[start:start + _BATCH] for start in range(0, len(own), _BATCH)]
    with multiprocessing.Pool(options.jobs) as pool:
        for batch in pool.imap(functools.partial(_run, check, options), batches):
            for number, campaign in batch:
                total.add(campaign)
                found.append(campaign.as_dict(number))
            print(f"{total.seen} models, {len(total.wrong)} differ", file=sys.stderr, flush=True)
    if parts == 1:
        return _finish(total, options)
    print("\n".join(total.report()))
    if options.record:
        chosen = {name: getattr(options, name) for name in ("random", "seed", "steps", "state", "records", "more")
                  if hasattr(options, name)}
        record = {"campaign": {"models": len(items), **chosen}, "shard": list(options.shard), "items": found}
        options.record.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return 1 if total.wrong else 0


def main(arguments=None):
    """Runs the command line; the exit code."""
    parser = parser_of(__doc__)
    parser.add_argument("--random", type=int, default=1000, help="graphs; default: 1000")
    parser.add_argument("--seed", type=int, default=1, help="of the first graph; default: 1")
    parser.add_argument("--steps", type=int, default=7, help="records of each graph; default: 7")
    parser.add_argument("--pairs", type=pathlib.Path, metavar="FILE",
                        help="which operators the product captures: read where it is there, else written")
    options = parse(parser, arguments)
    if options.merge:
        return merge(options)
    if options.pairs and options.pairs.is_file():
        options.pairs = frozenset(map(tuple, json.loads(options.pairs.read_text(encoding="utf-8"))))
    else:
        file = options.pairs
        with tempfile.TemporaryDirectory() as folder:
            options.pairs = frozenset(crosscheck.supported_pairs(Product(options.pianola, folder))[0])
        if file:
            file.write_text(json.dumps(sorted(options.pairs)) + "\n", encoding="utf-8")
    return run(range(options.seed, options.seed + options.random), _check_random, options)


if __name__ == "__main__":
    sys.exit(main())
