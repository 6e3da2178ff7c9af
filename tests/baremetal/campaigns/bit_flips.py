#!/usr/bin/env python3
"""Bit flips on a board: one bit of memory changes at one moment of a session's life, and no wrong output may be
released.

    tests/baremetal/campaigns/bit_flips.py BOARD --samples 500 --seed 1 --json flips.json

A trial is a life of a session on the emulated board: a load, two steps with transfers, each with an input of its own.
The machine is stopped at one moment, one bit of its memory is inverted from outside, and it goes on. What came of it:

  detected   the binary was refused, a fault latched, or a core stopped on a fault; nothing but right outputs had been
             released by then, and memory that was lent for others is zero
  harmless   all outputs were released, and are equal, byte for byte, to those of a run without a flip
  silent     a wrong output was released, or a fault left one behind
  hung       no answer: neither an output nor a fault

Moments: before every call of the device, behind every command of a device core, and between any two calls of the
session. They are drawn by seed, the phase of a life first; then the bit. A trial whose moment does not come is repeated
once on a new start, else counted as missed.

  --region    one of the names in the report; repeat for more. Default: what must not be silent
  --samples   trials of each region
  --every     every bit of the regions, once in every phase, instead of samples
  --shard     part I of N, from 1: every N-th trial; --merge joins what their --json has written
  --release   completion: outputs are released as soon as the device has completed. Flips then are silent: what the
              verified release is for
  --only      one trial again: REGION:BYTE:BIT:KIND:NUMBER, as reports name it
  --record    writes the counts: tests/campaign/campaign_record.py

Exit code 0: no trial was silent or hung, except where a session does not answer for it; 1: some were, or none was made;
2: the campaign itself does not work.
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("toolchains", "tests/campaign")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
import campaign_record  # noqa: E402  pylint: disable=wrong-import-position
from bit_flips_bench import (  # noqa: E402  pylint: disable=wrong-import-position
    KINDS, PHASES, Bench, Broken, Ended, Hung, Moment, Trial)

CLEAN_EVERY = 100  # trials: a life without a flip in between shows that none has left anything behind

# What a session answers for, and what it does not; docs/evidence/campaigns.md says why.
REQUIRED = ("trace region", "weights", "rings", "ring positions", "doorbell times", "completion records",
            "completed tokens", "host memory bindings", "protection unit", "session state")
BEYOND = ("session state, in a call", "binary", "queue progress", "queue faults", "event counters", "reset words",
          "driver", "activations")
OUTSIDE = {"activations": "results under way have no copy to compare with: left to memory that corrects itself",
           "driver": "its references lead the core astray: left to a watchdog",
           "session state, in a call": "the state is sealed between calls"}
OUTSIDE_AT_COMPLETION = "released at completion: left to memory that corrects itself"

# Where memory is in use for a short time only, half of the samples fall into that time.
IN_USE = {
    "rings": ("submit", "running"), "ring positions": ("submit", "running"), "completion records": ("completed", ),
    "completed tokens": ("running", "completed"), "event counters": ("running", ),
    "host memory bindings": ("submit", "running")
}


def groups_of(region, moments):
    """The moments at which a region is flipped, by phase and step."""
    groups = collections.defaultdict(list)
    for moment in moments:
        if region.startswith("session state") and moment.inside != (region != "session state"):
            continue
        if PHASES[moment.phase] != "over":
            groups[moment.phase, moment.step].append(moment)
    return groups


def plan(bench, region, options):
    """The trials of a region."""
    random_of = random.Random(f"{options.seed} {region}")
    groups = groups_of(region, bench.moments)
    size = bench.bytes_of(region)
    if options.every:
        trials = [
            Trial(region, bit // 8, bit % 8, random_of.choice(group)) for bit in range(8 * size)
            for group in groups.values()
        ]
    else:
        keys = sorted(groups)
        in_use = [key for key in keys if PHASES[key[0]] in IN_USE.get(region, ())] or keys
        trials = []
        for number in range(options.samples):
            moment = random_of.choice(groups[random_of.choice(in_use if number % 2 else keys)])
            trials.append(Trial(region, random_of.randrange(size), random_of.randrange(8), moment))
    part, parts = options.shard
    return trials[part - 1::parts]


def name_of(trial):
    """As --only takes it."""
    return f"{trial.region}:{trial.byte}:{trial.bit}:{KINDS[trial.moment.kind]}:{trial.moment.number}"


RESULTS = ("detected", "harmless", "silent", "hung")


class Report:
    """What came of the trials of one region."""

    def __init__(self, region, size):
        self.region, self.bytes = region, size
        self.counts, self.by, self.missed, self.wrong = collections.Counter(), collections.Counter(), 0, []
        self.phases = collections.defaultdict(collections.Counter)

    def add(self, trial, outcome):
        """One trial more."""
        if outcome is None:
            self.missed += 1
            return
        self.counts[outcome.result] += 1
        self.phases[PHASES[outcome.moment.phase]][outcome.result] += 1
        if outcome.result == "detected":
            self.by[outcome.by] += 1
        elif outcome.result in ("silent", "hung"):
            self.wrong.append(
                {"trial": name_of(trial), "result": outcome.result, "phase": PHASES[outcome.moment.phase]})

    def ways(self):
        """What has detected flips, the most frequent first."""
        return sorted(self.by.items(), key=lambda way: (-way[1], way[0]))

    def take(self, found):
        """Adds what as_dict() has said of other trials in the same region."""
        self.counts.update({result: found[result] for result in RESULTS})
        self.by.update(found["detected_by"])
        self.missed += found["missed"]
        self.wrong += found["not_tolerated"]
        for phase, counts in found["phases"].items():
            self.phases[phase].update(counts)

    def as_dict(self):
        """For --json."""
        return {
            "region": self.region, "bytes": self.bytes, "injected": sum(self.counts.values()),
            **{result: self.counts[result]
               for result in RESULTS}, "missed": self.missed, "detected_by": dict(self.by), "phases": {
                phase: {result: self.phases[phase][result]
                        for result in RESULTS}
                for phase in PHASES if phase in self.phases
            }, "not_tolerated": self.wrong
        }

    def line(self):
        """For people."""
        return (f"{self.region:<26}{sum(self.counts.values()):>7} injected" +
                "".join(f"{self.counts[result]:>7} {result}" for result in RESULTS) +
                "   " + ", ".join(f"{by} {count}" for by, count in self.ways()))


def counts_of(results):
    """As every campaign has them. A life that hung counts as crashed."""
    return {**results, "injected": sum(results.values()), "crashed": results["hung"]}


def kinds_of(reports, release):
    """The counts of each region."""
    kinds = []
    for report in reports:
        outside = OUTSIDE.get(report.region, "") if release == "verified" else OUTSIDE_AT_COMPLETION
        found = "; ".join([f"{report.bytes} bytes", *(f"{by} {count}" for by, count in report.ways())])
        kinds.append(campaign_record.kind(report.region, counts_of(report.counts), outside, found))
    return kinds


def phases_of(reports):
    """The counts of all regions together, by phase."""
    counts = {phase: sum((report.phases[phase] for report in reports), collections.Counter()) for phase in PHASES}
    return [campaign_record.kind(phase, counts_of(each)) for phase, each in counts.items() if each]


def run_region(bench, region, options, log):
    """The report of one region."""
    trials = plan(bench, region, options)
    report = Report(region, bench.bytes_of(region))
    started = time.monotonic()
    for number, trial in enumerate(trials, 1):
        if number % CLEAN_EVERY == 0:
            bench.clean_life()
            rate = number / (time.monotonic() - started)
            log(f"{region}: {number} of {len(trials)}, {rate:.1f} trials/s, {dict(report.counts)}")
        outcome = bench.run(trial)
        if outcome is None:  # something was left behind, or a poll more or less was made
            bench.places_kept()
            outcome = bench.run(trial)
        report.add(trial, outcome)
    bench.clean_life()
    return report


def campaign(bench, options, log):
    """The reports of all regions that the options name."""
    reports = []
    for region in options.region or REQUIRED:
        if region not in bench.places:
            raise Broken(f"no region {region!r}; there are {', '.join((*REQUIRED, *BEYOND))}")
        reports.append(run_region(bench, region, options, log))
        log(reports[-1].line())
    return reports


def merged(parts):
    """The reports of all shards as those of one run."""
    names = ("board", "seed", "release", "every", "samples", "chosen", "moments")
    heads = [{name: part[name] for name in names} for part in parts]
    regions = [[(each["region"], each["bytes"]) for each in part["regions"]] for part in parts]
    wanted = [[number, len(parts)] for number in range(1, len(parts) + 1)]
    if sorted(part["shard"] for part in parts) != wanted or any(
            (head, own) != (heads[0], regions[0]) for head, own in zip(heads, regions)):
        raise Broken("not all shards of one campaign")
    reports = [Report(*region) for region in regions[0]]
    for part in sorted(parts, key=lambda part: part["shard"]):
        for report, found in zip(reports, part["regions"]):
            report.take(found)
    return reports


def merge(options):
    """Joins what the shards have found; the exit code."""
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in options.merge]
    try:
        reports = merged(parts)
    except (Broken, KeyError) as error:
        print(f"bit_flips.py: {error!r}", file=sys.stderr)
        return 2
    for name in ("seed", "release", "every", "samples"):
        setattr(options, name, parts[0][name])
    options.region, options.shard = parts[0]["chosen"], (1, 1)
    return finish(options, reports)


def only(bench, text):
    """Repeats one trial."""
    region, byte, bit, kind, number = text.rsplit(":", 4)
    [kind] = [value for value, name in KINDS.items() if name == kind]
    trial = Trial(region, int(byte), int(bit), Moment(kind, int(number), 0, 0, False))
    outcome = bench.run(trial)
    if outcome is None:
        raise Broken("there is no such moment")
    print(f"{text}: {outcome.result} {outcome.by} ({PHASES[outcome.moment.phase]}, step {outcome.moment.step + 1})")
    return 1 if outcome.result in ("silent", "hung") else 0


def shard(text):
    """I/N."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text}: write I/N")
    return int(part), int(parts)


def parse(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", choices=boards.with_campaign("bit_flips"))
    parser.add_argument("--region", action="append", metavar="NAME")
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", type=shard, default=(1, 1), metavar="I/N")
    parser.add_argument("--release", choices=("verified", "completion"), default="verified")
    parser.add_argument("--only", metavar="TRIAL")
    parser.add_argument("--merge", type=pathlib.Path, nargs="+", metavar="FILE", help="reports of all shards")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--image", type=pathlib.Path, help="default: that of build/BOARD")
    parser.add_argument("--pianola", type=pathlib.Path, default=ROOT / "build/release/bin/pianola")
    parser.add_argument("--work", type=pathlib.Path, help="default: a folder of its own in build/BOARD/work")
    options = parser.parse_args(words)
    build = ROOT / "build" / options.board
    options.image = options.image or build / "bin/Release/pianola_baremetal_probed.elf"
    options.work = options.work or build / "work" / f"bit_flips.{options.seed}.{options.shard[0]}of{options.shard[1]}"
    return options


def finish(options, reports):
    """Prints what was found, and writes the counts; the exit code."""
    for report in reports:
        print(report.line())
    kinds = kinds_of(reports, options.release)
    if options.record:
        campaign_record.write(options.record, {
            "campaign": "bit-flips", "where": options.board, "seed": options.seed,
            "samples": None if options.every else options.samples, "whole": options.shard == (1, 1), "modes": [],
            "kinds": kinds, "phases": [] if options.region else phases_of(reports)})
    return 0 if campaign_record.is_good(kinds) else 1


def main(words):
    """Returns the exit code."""
    options = parse(words)
    if options.merge:
        return merge(options)
    started = time.monotonic()

    def log(text):
        print(text, file=sys.stderr, flush=True)

    try:
        bench = Bench(options.board, options.image.resolve(), options.pianola, ROOT / "build/sample",
                      options.work.resolve(), options.release)
    except (Broken, OSError) as error:
        log(f"bit_flips.py: {error}")
        return 2
    try:
        if options.only:
            return only(bench, options.only)
        reports = campaign(bench, options, log)
    except (Broken, Ended, Hung) as error:
        log(f"bit_flips.py: {error!r}")
        return 2
    finally:
        bench.close()
        shutil.rmtree(options.work, ignore_errors=True)
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "board": options.board, "seed": options.seed, "shard": list(options.shard),
                    "samples": options.samples, "chosen": options.region, "release": options.release,
                    "every": options.every, "moments": len(bench.moments), "emulator_starts": bench.starts,
                    "seconds": round(time.monotonic() - started, 1), "regions": [report.as_dict() for report in reports]
                }, indent=1) + "\n")
    return finish(options, reports)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
