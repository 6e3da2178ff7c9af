#!/usr/bin/env python3
"""Bit flips on a board: one bit of memory changes at one moment of a session's life, and no wrong output may be released.

    tests/baremetal/bit_flips.py BOARD --samples 500 --seed 1 --json flips.json

A trial is a life of a session on the emulated board: a load, two steps with transfers, each with an input of its own. The machine is
stopped at one moment, one bit of its memory is inverted from outside, and it goes on. What came of it:

  detected   the binary was refused, a fault latched, or a core stopped on a fault; nothing but right outputs had been released by
             then, and memory that was lent for others is zero
  harmless   all outputs were released, and are equal, byte for byte, to those of a run without a flip
  silent     a wrong output was released, or a fault left one behind
  hung       no answer: neither an output nor a fault

Moments: before every call of the device, behind every command of a device core, and between any two calls of the session. They are
drawn by seed, the phase of a life first; then the bit. A trial whose moment does not come is repeated once on a new start, else counted as
missed.

  --region    one of the names in the report; repeat for more. Default: what must not be silent
  --samples   trials of each region
  --every     every bit of the regions, once in every phase, instead of samples
  --shard     part I of N, from 1: every N-th trial
  --release   completion: outputs are released as soon as the device has completed. Flips then are silent: what the verified release is for
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
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "toolchains"), str(ROOT / "tests/campaign")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
import campaign_record  # noqa: E402  pylint: disable=wrong-import-position
from paused_board import Ended, Hung, PausedBoard  # noqa: E402  pylint: disable=wrong-import-position

SAMPLE = "road_signs"
CLEAN_EVERY = 100  # trials: a life without a flip in between shows that none has left anything behind
STEPS = 2

# A picture each. Faded, because a network that is sure of what it sees gives the same output after nearly every damage.
PICTURES = (1, 2)
FADED_TO = 4

# As in probed/bit_flips_test.cpp.
NO_MOMENT, EVERY_MOMENT = 0, 0xFFFFFFFF
KINDS = {1: "call", 2: "command", 3: "between"}
PHASES = ("set-up", "loaded", "submit", "running", "completed", "verifying", "released", "over")
IS_MOMENT, IS_END = 1, 2
OK = 0x5AC396A5  # runtime/include/pianola/status.h
STAGES = ("none", "reset", "program", "setup", "read-back", "submit", "step", "self-test", "parameter", "scrub", "state", "arm")
REFERENCE_BYTES = 16  # four at the front of a session, outside its seal: runtime/include/pianola/session.h

Moment = collections.namedtuple("Moment", "kind number phase step inside")
Trial = collections.namedtuple("Trial", "region byte bit moment")
Outcome = collections.namedtuple("Outcome", "result by moment")

# What a session answers for, and what it does not; docs/evidence/campaigns.md says why.
REQUIRED = ("trace region", "weights", "rings", "ring positions", "doorbell times", "completion records", "completed tokens",
            "host memory bindings", "protection unit", "session state")
BEYOND = ("session state, in a call", "binary", "queue progress", "queue faults", "event counters", "reset words", "driver", "activations")
OUTSIDE = {"activations": "results under way have no copy to compare with: left to memory that corrects itself",
           "driver": "its references lead the core astray: left to a watchdog",
           "session state, in a call": "the state is sealed between calls"}
OUTSIDE_AT_COMPLETION = "released at completion: left to memory that corrects itself"

# Where memory is in use for a short time only, half of the samples fall into that time.
IN_USE = {"rings": ("submit", "running"), "ring positions": ("submit", "running"), "completion records": ("completed",),
          "completed tokens": ("running", "completed"), "event counters": ("running",), "host memory bindings": ("submit", "running")}


class Broken(Exception):
    """The campaign does not work: nothing that it says is worth anything."""


def checked(*command):
    """Runs a host program that must succeed."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Broken(f"{command[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def faded(picture):
    """A picture of signed bytes with a part of its contrast."""
    return bytes(int.from_bytes(picture[k:k + 1], "little", signed=True) // FADED_TO & 0xFF for k in range(len(picture)))


class Bench:
    """The board, a binary, its inputs, and the right outputs: those of the simulator."""

    def __init__(self, board, image, pianola, sample, folder, release="verified"):
        self.board_name, self.image, self.folder = board, image, folder
        self.release = 1 if release == "completion" else 0
        folder.mkdir(parents=True, exist_ok=True)
        file, inputs, outputs = folder / "model.ptb", folder / "inputs.bin", folder / "outputs.bin"
        # Of a step, in the emulator: two to four times what it takes, so that what never ends is noticed soon.
        deadline_us = boards.boards()[board].campaigns["bit_flips"]["deadline_us"]
        checked(pianola, "capture", sample / f"{SAMPLE}.tflite", "-o", file, "--queues", 2,
                "--device", pathlib.Path(__file__).resolve().parents[2] / "hal/boards/common/device.json",
                "--deadline-us", deadline_us, "--setup-deadline-us", deadline_us)
        inputs.write_bytes(b"".join(faded((sample / f"sign_{k}.bin").read_bytes()) for k in PICTURES))
        checked(pianola, "run", file, "--batch", "--input", inputs, "--output", outputs)
        self.file_bytes, right = file.read_bytes(), outputs.read_bytes()
        size = len(right) // STEPS
        self.right = [right[k * size:(k + 1) * size] for k in range(STEPS)]
        if self.right[0] == self.right[1]:
            raise Broken("both steps have the same output: the wrong one would not be noticed")
        self.board, self.places, self.starts = None, {}, 0
        self.start()
        self.moments = self.survey()

    def close(self):
        """Ends the emulator."""
        if self.board is not None:
            self.board.close()
            self.board = None

    def start(self):
        """A new emulator, ready for the first life."""
        self.close()
        self.board = PausedBoard(self.board_name, self.image, self.folder, ["bit_flips", "model.ptb", "inputs.bin"])
        self.starts += 1
        try:
            self.board.receive()
        except (Ended, Hung) as error:
            raise Broken(f"{self.image} does not start: {error!r}\n{self.board.console()}") from error
        self.places = self.read_places()

    def read_places(self):
        """Name -> [(address, bytes)], as the image has reported them."""
        places, name, address = collections.defaultdict(list), "", 0
        for line in self.board.console().splitlines():
            key, _, value = line.partition("=")
            if key == "place":
                name = value
            elif key == "address":
                address = int(value)
            elif key == "bytes":
                places[name].append((address, int(value)))
        [(session, size)] = places.pop("session")
        places["session state"] = [(session + REFERENCE_BYTES, size - REFERENCE_BYTES)]
        places["session state, in a call"] = places["session state"]
        return dict(places)

    def clean_memory(self):
        """Nothing of an earlier life may help a later one: no activations, outputs or words of rings. The binary is whole again."""
        for memory in ("device_dram", "device_l1"):
            self.board.clear(*self.places[memory][0])
        for address, size in self.places["all rings"] if "all rings" in self.places else self.places["rings"]:
            self.board.write(address, bytes(size))
        [(file, size)] = self.places["binary"]
        self.board.write(file, self.file_bytes[:size])

    def survey(self):
        """Every moment of a life without a flip. Cuts the rings down to what is in use."""
        self.clean_memory()
        self.board.send(EVERY_MOMENT, 0, self.release)
        moments = []
        while True:
            words = self.board.receive()
            if words[0] == IS_END:
                break
            moments.append(Moment(words[1], words[2], words[3], words[4], bool(words[5])))
            self.board.send(0)
        self.require_clean(words)
        rings, positions = self.places["rings"], self.places["ring positions"][::2]
        used = [int.from_bytes(self.board.read(address, 4), "little") for address, _ in positions]
        self.places["all rings"] = rings
        self.places["rings"] = [(address, min(size, 4 * words)) for (address, size), words in zip(rings, used)]
        self.places["activations"] = [(self.places["device_l1"][0][0], self.level1_in_use())]
        return moments

    def level1_in_use(self):
        """Up to the last byte that a life has left."""
        [(address, size)] = self.places["device_l1"]
        return max(64, len(self.board.read(address, size).rstrip(b"\0")))

    def require_clean(self, end):
        """Without a flip, both outputs are the simulator's."""
        if end[1:4] != (OK, OK, OK) or [self.output(step) for step in range(STEPS)] != self.right:
            raise Broken(f"a life without a flip goes wrong: {[hex(word) for word in end]}")

    def output(self, step):
        """What lies in the memory that the application lent for an output."""
        return self.board.read(*self.places["output"][step])

    def clean_life(self):
        """One, without a flip."""
        self.clean_memory()
        self.board.send(NO_MOMENT, 0, self.release)
        self.require_clean(self.board.receive())

    def places_kept(self):
        """Restarts, and keeps what only a survey knows: it is the same image."""
        known = self.places
        self.start()
        self.places = known

    def bytes_of(self, region):
        """How many a region has."""
        return sum(size for _, size in self.places[region])

    def address_of(self, region, byte):
        """Of the n-th byte of a region, which may be in pieces."""
        for address, size in self.places[region]:
            if byte < size:
                return address + byte
            byte -= size
        raise Broken(f"{region} has no such byte")

    def run(self, trial):
        """The outcome of one trial; None where its moment has not come."""
        self.clean_memory()
        self.board.send(trial.moment.kind, trial.moment.number, self.release)
        moment = None
        try:
            words = self.board.receive()
            if words[0] == IS_MOMENT:
                moment = Moment(words[1], words[2], words[3], words[4], bool(words[5]))
                self.board.flip(self.address_of(trial.region, trial.byte), trial.bit)
                self.board.send(0)
                words = self.board.receive()
        except Ended as ended:
            outcome = self.judge_stopped(moment, f"core fault {ended}")
            self.places_kept()
            return outcome
        except Hung:
            self.places_kept()
            return Outcome("hung", "", moment)
        return self.judge(words, moment) if moment is not None else None

    def released(self):
        """For each step: whether its output was released, as the application saw it."""
        [(address, _)] = self.places["step_status"]
        return [int.from_bytes(self.board.read(address + 4 * step, 4), "little") == OK for step in range(STEPS)]

    def judge_stopped(self, moment, why):
        """A core has stopped for good: what it had released by then counts."""
        wrong = any(released and self.output(step) != self.right[step] for step, released in enumerate(self.released()))
        return Outcome("silent" if wrong else "detected", why.split()[0] + " fault", moment)

    def judge(self, end, moment):
        """The application has come to the end of a life."""
        zero = bytes(len(self.right[0]))
        released = self.released()
        for step in range(STEPS):
            if self.output(step) != (self.right[step] if released[step] else zero):
                return Outcome("silent", "", moment)
        if all(released):
            return Outcome("harmless", "", moment)
        stage = STAGES[end[4]] if end[4] < len(STAGES) else "damaged record"
        return Outcome("detected", stage if stage != "none" else "refused", moment)


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
        trials = [Trial(region, bit // 8, bit % 8, random_of.choice(group)) for bit in range(8 * size) for group in groups.values()]
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
            self.wrong.append({"trial": name_of(trial), "result": outcome.result, "phase": PHASES[outcome.moment.phase]})

    def as_dict(self):
        """For --json."""
        return {"region": self.region, "bytes": self.bytes, "injected": sum(self.counts.values()),
                **{result: self.counts[result] for result in RESULTS}, "missed": self.missed,
                "detected_by": dict(self.by),
                "phases": {phase: {result: self.phases[phase][result] for result in RESULTS} for phase in PHASES if phase in self.phases},
                "not_tolerated": self.wrong}

    def line(self):
        """For people."""
        return (f"{self.region:<26}{sum(self.counts.values()):>7} injected" +
                "".join(f"{self.counts[result]:>7} {result}" for result in RESULTS) +
                "   " + ", ".join(f"{by} {count}" for by, count in self.by.most_common()))


def counts_of(results):
    """As every campaign has them. A life that hung counts as crashed."""
    return {**results, "injected": sum(results.values()), "crashed": results["hung"]}


def kinds_of(reports, release):
    """The counts of each region."""
    kinds = []
    for report in reports:
        outside = OUTSIDE.get(report.region, "") if release == "verified" else OUTSIDE_AT_COMPLETION
        found = "; ".join([f"{report.bytes} bytes", *(f"{by} {count}" for by, count in report.by.most_common())])
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
            log(f"{region}: {number} of {len(trials)}, {number / (time.monotonic() - started):.1f} trials/s, {dict(report.counts)}")
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


def main(words):
    """Returns the exit code."""
    options = parse(words)
    started = time.monotonic()

    def log(text):
        print(text, file=sys.stderr, flush=True)

    try:
        bench = Bench(options.board, options.image.resolve(), options.pianola, ROOT / "build/sample", options.work.resolve(), options.release)
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
    for report in reports:
        print(report.line())
    if options.json:
        options.json.write_text(json.dumps({
            "board": options.board, "seed": options.seed, "shard": list(options.shard), "release": options.release,
            "every": options.every, "moments": len(bench.moments), "emulator_starts": bench.starts,
            "seconds": round(time.monotonic() - started, 1), "regions": [report.as_dict() for report in reports]}, indent=1) + "\n")
    kinds = kinds_of(reports, options.release)
    if options.record:
        campaign_record.write(options.record, {
            "campaign": "bit-flips", "where": options.board, "seed": options.seed,
            "samples": None if options.every else options.samples, "whole": options.shard == (1, 1), "modes": [],
            "kinds": kinds, "phases": [] if options.region else phases_of(reports)})
    return 0 if campaign_record.is_good(kinds) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
