#!/usr/bin/env python3
"""Runs the whole fault campaigns and keeps their records, of which docs/evidence/campaigns.md is made.

    toolchains/campaigns.py                         all of them: some hours
    toolchains/campaigns.py simulator host    those whose name is, or begins with, one of these
    toolchains/campaigns.py --list                  their names and commands
    toolchains/campaigns.py --missing host          only kinds that a record lacks, or has with another value than now,
                                                    of campaigns that can choose them

What a campaign needs is built first. A record says on which sources it was made, and goes to tests/campaign/recorded.
One that was completed with --missing goes on saying the earlier sources, which most of it is of.
Exit code: 1 where a campaign failed or found something that must not be; its record is kept then as well, and the test
docs.campaigns_page fails.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import types
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/campaign"), str(ROOT / "tests/baremetal/campaigns")]
import boards  # noqa: E402  pylint: disable=wrong-import-position
import bit_flips  # noqa: E402  pylint: disable=wrong-import-position
import capacity_sweep  # noqa: E402  pylint: disable=wrong-import-position
import campaign_record  # noqa: E402  pylint: disable=wrong-import-position

BIN = "build/release/bin"


class Campaign(typing.NamedTuple):
    """One record, and how it is made."""

    title: str
    command: str
    builds: typing.Sequence[str]
    ci: str = ""  # what continuous integration runs of it
    kinds: typing.Sequence[str] = ()  # that its record must have, where a list says which there are
    choose: str = ""  # the option that runs one kind only
    tried: typing.Mapping[str, int] = types.MappingProxyType({})  # of such kinds: the value that notes begin with


def build(preset, *targets):
    """Commands that bring targets of a preset up to date."""
    return [f"cmake --preset {preset}", f"cmake --build --preset {preset} --parallel 2 --target {' '.join(targets)}"]


HOST = build("release", "pianola_campaign")
MOST = "whole, except 41 of the 48 modes of a mesh"
SAMPLE = [*build("release", "pianola", "pianola_sample", "pianola_campaign"),
          f"{BIN}/pianola-sample --out build/sample"]
REGIONS = {"every": ("ring positions", "completed tokens", "host memory bindings"), "beyond": bit_flips.BEYOND,
           "completion": ("weights", "trace region")}


def on_board(board, part, title, more, ci=""):
    """Bit flips of one board."""
    regions = REGIONS.get(part, bit_flips.REQUIRED)
    chosen = [word for region in regions for word in ("--region", region)] if part in REGIONS else []
    command = shlex.join(["tests/baremetal/campaigns/bit_flips.py", board, "--seed", "7", *more, *chosen])
    return Campaign(title, command, [*SAMPLE, *build(board, "pianola_baremetal_probed")], ci, regions)


CAMPAIGNS = {
    "simulator.hal-calls": Campaign("a call of the device fails", f"{BIN}/pianola_campaign hal-calls", HOST, MOST),
    "simulator.lies": Campaign("a call of the device is omitted, doubled, made wrongly, made elsewhere",
                               f"{BIN}/pianola_campaign lies", HOST, MOST),
    "simulator.completions": Campaign("doorbells and completions are lost, doubled, late",
                                      f"{BIN}/pianola_campaign completions", HOST, "whole"),
    "simulator.file-changes": Campaign("the file changes in memory once it is validated",
                                       f"{BIN}/pianola_campaign file-changes --seed 1 --samples 500", HOST,
                                       "60 of each kind"),
    "simulator.bit-flips": Campaign("bits flip", f"{BIN}/pianola_campaign bit-flips --seed 1 --samples 60", HOST,
                                    "whole"),
    "simulator.state": Campaign("bits of what steps hand on flip", f"{BIN}/pianola_campaign state", HOST, "whole"),
    "simulator.interval": Campaign("bits flip while steps are released within an interval",
                                   f"{BIN}/pianola_campaign interval --seed 1 --samples 17000", HOST,
                                   "60 of each kind"),
    "host.overlapping": Campaign("activations lie over inputs of their launch",
                                 f"tests/campaign/overlapping.py --program {BIN}/pianola_link_test "
                                 "--count 140000 --jobs 2",
                                 build("release", "pianola_link_test"), "250 workloads"),
    **{f"{board}.bit-flips{'-' if part else ''}{part}": on_board(board, part, title, more, ci)
       for board in boards.with_campaign("bit_flips")
       for part, title, more, ci in (
           ("", "bits flip", ("--samples", "500"), "60 of each kind"),
           ("every", "every bit of small regions flips", ("--every",), ""),
           ("beyond", "bits flip in other memory", ("--samples", "150"), ""),
           ("completion", "bits flip, outputs are released at completion",
            ("--samples", "150", "--release", "completion"), "60 in weights"))},
    **{f"{board}.skips": Campaign(
        "instructions are skipped",
        f"tests/baremetal/campaigns/skips.py --board {board} --seed 1",
        [*build("release", "pianola", "pianola_vectors"),
         *build(board, "pianola_baremetal_skips", "pianola_executed_points")],
        "20 of each kind, and all where the counter is read")
       for board in boards.with_campaign("skips")},
    "host.capacities": Campaign(
        "capacities are smaller",
        f"tests/campaign/capacity_sweep.py --build build/release --campaign {BIN}/pianola_campaign "
        f"--pianola {BIN}/pianola --sample build/sample",
        SAMPLE, "one capacity", tuple(capacity_sweep.capacities()), "--only", capacity_sweep.capacities()),
}


def call(command):
    """The exit code of a command, which has been said."""
    print(f"    {command}", flush=True)
    return subprocess.run(shlex.split(command), cwd=ROOT, check=False).returncode


def missing_kinds(name):
    """Those that the record which is kept lacks, or has with another value than they have now. None where the campaign
    cannot choose, or there is no record."""
    record = campaign_record.kept().get(name)
    if record is None or not CAMPAIGNS[name].choose:
        return None
    notes, tried = {each["kind"]: each["note"] for each in record["kinds"]}, CAMPAIGNS[name].tried
    return [kind for kind in CAMPAIGNS[name].kinds
            if kind not in notes or (kind in tried and not notes[kind].startswith(f"{tried[kind]}:"))]


def completed(name, more):
    """The record that is kept, with the kinds of another one, and without those that are no more."""
    record = campaign_record.kept()[name]
    found = {each["kind"]: each for each in [*record["kinds"], *more["kinds"]]}
    return {**record, "kinds": [found[kind] for kind in CAMPAIGNS[name].kinds]}


def run(name, built, sources, only=()):
    """Runs one campaign and keeps its record. What is among `built` is not built again. True where all was well."""
    for command in CAMPAIGNS[name].builds:
        if command not in built and call(command) != 0:
            return False
        built.add(command)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "record.json"
        chosen = "".join(f" {CAMPAIGNS[name].choose} {kind}" for kind in only)
        code = call(f"{CAMPAIGNS[name].command}{chosen} --record {file}")
        if not file.is_file():
            return False
        record = json.loads(file.read_text(encoding="utf-8"))
    if sources != campaign_record.digest_of_sources():
        print(f"    {name}: the sources have changed meanwhile, nothing is kept")
        return False
    campaign_record.keep(name, completed(name, record) if only else {**record, "sources": sources})
    return code == 0


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="a campaign, or the beginning of names; without any, all")
    parser.add_argument("--list", action="store_true", help="their names and commands, and run nothing")
    parser.add_argument("--missing", action="store_true", help="only what records lack, of campaigns that can choose")
    options = parser.parse_args(words)
    for wanted in options.name:
        if not any(name.startswith(wanted) for name in CAMPAIGNS):
            parser.error(f"no campaign {wanted!r}: see --list")
    chosen = [name for name in CAMPAIGNS if not options.name
              or any(name == wanted if wanted in CAMPAIGNS else name.startswith(wanted) for wanted in options.name)]
    if options.list:
        print("\n".join(f"{name}\n    {CAMPAIGNS[name].command}" for name in chosen))
        return 0
    only = {name: missing_kinds(name) for name in chosen} if options.missing else {}
    chosen = [name for name in chosen if not options.missing or only[name]]
    built, failed, sources = set(), [], campaign_record.digest_of_sources()
    for number, name in enumerate(chosen, 1):
        print(f"=== {number} of {len(chosen)}: {name}", flush=True)
        started = time.monotonic()
        if not run(name, built, sources, only.get(name, ())):
            failed.append(name)
        result = "FAILED" if name in failed else "done"
        print(f"    {name}: {result} after {time.monotonic() - started:.0f} s", flush=True)
    print(f"{len(chosen) - len(failed)} campaigns done, {len(failed)} failed: {', '.join(failed) or 'none'}")
    print("now: toolchains/campaigns_page.py --write")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
