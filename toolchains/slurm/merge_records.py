#!/usr/bin/env python3
"""Joins the records of a campaign's shards to the record that one run writes, byte for byte.

    toolchains/slurm/merge_records.py SHARD.json... --record FILE

Records of `pianola_campaign`, capacity_sweep.py and the fuzzers, each written with `--shard I/N --record FILE`.
Exit code: 0 where the whole is good; 1 where it is not, and the record is written as well; 2 where the records are not
those of all shards of one campaign, and nothing is written.
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/campaign"))
import campaign_record  # noqa: E402  pylint: disable=wrong-import-position

OF_ITEMS = ("items", "kinds", "shard")
OF_INPUTS = ("run", "broken", "shard")


class Unfit(Exception):
    """The records are not those of all shards of one campaign."""


def common(parts, own):
    """What the records of all shards have in common, which must be the same in all but `own`."""
    heads = [{key: value for key, value in part.items() if key not in own} for part in parts]
    for number, head in enumerate(heads[1:], 2):
        different = sorted(key for key in {*head, *heads[0]} if head.get(key) != heads[0].get(key))
        if different:
            raise Unfit(f"record {number} is of another campaign than record 1: {', '.join(different)}")
    shards = sorted(tuple(part["shard"]) for part in parts)
    wanted = [(number, len(parts)) for number in range(1, len(parts) + 1)]
    if shards != wanted:
        raise Unfit(f"the records are of the shards {', '.join(f'{part}/{parts}' for part, parts in shards)}")
    return heads[0]


def merged_items(parts):
    """The record of a campaign that counts kinds of faults: those of all items, summed in their order."""
    head = common(parts, OF_ITEMS)
    items = sorted((item for part in parts for item in part["items"]), key=lambda item: item["item"])
    total = head.pop("items_in_all")
    if [item["item"] for item in items] != list(range(total)):
        raise Unfit(f"the records have not each of {total} items once")
    kinds = {}
    for item in items:
        for each in item["kinds"]:
            whole = kinds.setdefault(each["kind"], {**each, **dict.fromkeys(campaign_record.COUNTS, 0)})
            for count in campaign_record.COUNTS:
                whole[count] += each[count]
    return {field: list(kinds.values()) if field == "kinds" else head[field] for field in campaign_record.FIELDS}


def merged_inputs(parts):
    """The record of a fuzzer."""
    head = common(parts, OF_INPUTS)
    run = sum(part["run"] for part in parts)
    if run != head["files"] + head["mutants"]:
        raise Unfit(f"{run} inputs were run, of {head['files']} files and {head['mutants']} mutants")
    broken = sorted((each for part in parts for each in part["broken"]), key=lambda each: each["item"])
    return {**head, "shard": [1, 1], "run": run, "broken": broken}


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", type=pathlib.Path, nargs="+", help="records of all shards, in any order")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE", required=True)
    options = parser.parse_args(words)
    try:
        parts = [json.loads(file.read_text(encoding="utf-8")) for file in options.part]
        is_fuzzing = "broken" in parts[0]
        record = merged_inputs(parts) if is_fuzzing else merged_items(parts)
    except (Unfit, KeyError, TypeError, ValueError) as error:
        print(f"merge_records.py: {error!r}" if not isinstance(error, Unfit) else f"merge_records.py: {error}",
              file=sys.stderr)
        return 2
    options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if (not record["broken"] if is_fuzzing else campaign_record.is_good(record["kinds"])) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
