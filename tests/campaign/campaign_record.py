"""A campaign's record: what was injected, and what came of it.

Every campaign writes one with --record; docs/evidence/campaigns.md is made from them.

JSON with

  campaign, where   of the program, and what it ran on
  seed, samples     null where nothing is drawn
  whole             false where a part of the campaign was left out
  modes             of sessions, by name; empty where there is one only
  kinds             of faults, each with its counts, why a session does not answer for it ("" where it does), and a note
  phases            the same counts by phase of a life, where phases are told apart

The record of one shard of several (--shard I/N) has three fields more, and no kinds:

  shard             [I, N]
  items_in_all      items of the whole campaign: modes, or capacities
  items             those of this shard: number and kinds of each, which toolchains/slurm/merge_records.py sums

toolchains/campaigns.py adds digest_of_sources() as "sources" and keeps the records of whole runs.
"""
import argparse
import hashlib
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests/campaign/recorded"
# Every fault that was injected came to one of the others.
COUNTS = ("injected", "detected", "harmless", "false ok", "silent", "crashed")
WRONG = ("silent", "crashed")
FIELDS = ("campaign", "where", "seed", "samples", "whole", "modes", "kinds", "phases")
PART_FIELDS = (*FIELDS, "shard", "items_in_all", "items")


def kind(name, counts, outside="", note=""):
    """One kind of fault."""
    return {"kind": name, **{count: counts.get(count, 0) for count in COUNTS}, "outside": outside, "note": note}


def sums(kinds):
    """The counts of all kinds together."""
    return {count: sum(each[count] for each in kinds) for count in COUNTS}


def is_good(kinds):
    """Something was injected, and nothing went wrong that a session answers for."""
    inside = [each for each in kinds if not each["outside"]]
    return sum(each["injected"] for each in kinds) > 0 and not any(each[count] for each in inside for count in WRONG)


def shard(text):
    """The value of --shard, I/N, as (I, N)."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError(f"{text}: write I/N, I from 1 to N")
    return int(part), int(parts)


def part_of(head, which, total, items):
    """The record of a shard, from the fields of the whole one and (number, kinds) of each item."""
    return {**head, "kinds": [], "shard": list(which), "items_in_all": total,
            "items": [{"item": number, "kinds": kinds} for number, kinds in items]}


def write(path, record):
    """A record of all FIELDS, or PART_FIELDS."""
    assert tuple(record) in (FIELDS, PART_FIELDS), tuple(record)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def keep(name, record):
    """A record of a whole run, in the folder that is committed."""
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def kept(folder=RECORDED):
    """{name: record} of all that were kept."""
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))}


# Of a board's folder: what scripts know of it, and what its tests have.
NOT_ON_DEVICE = {"board.json", "device_counts.json", "presets.json", "worst_case.json", "tests", "__pycache__"}


def digest_of_sources(root=ROOT):
    """SHA-256 over names and contents of what runs on a device and of the format: runtime/, hal/ and schema/."""
    digest = hashlib.sha256()
    for folder in ("runtime", "hal", "schema"):
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and not NOT_ON_DEVICE & set(file.relative_to(root).parts):
                digest.update(f"{file.relative_to(root).as_posix()}\0{file.stat().st_size}\0".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()
