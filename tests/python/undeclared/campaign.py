#!/usr/bin/env python3
"""Random undeclared programs, captured and judged: PYTHONPATH=build/release/python campaign.py --seed 1 --count 20000.

Programs are the same for the same seed and index; --index replays one, with its listing. Prints how many were
captured, refused and wrong, by kind, and the first program of every fault. Exit code 1 where there are faults."""
import argparse
import collections
import json
import re
import signal
import subprocess
import sys
import threading

from check import check
from kinds import generate

SECONDS = 30  # of one program
ORDER = ("crash", "exception", "not run", "model differs", "refused without", "the program's own inputs", "torn",
         "carried", "turns lost", "other data", "an input", "inputs", "set-up", "more inferences", "an output",
         "outputs", "a tensor in pieces", "a read", "the loop", "one step", "turns left")


def classes_of(faults):
    """Names of faults without their cause's followers: the gravest first."""
    names = sorted({name for name, _ in faults})
    return sorted(names, key=lambda name: next(place for place, text in enumerate((*ORDER, ""))
                                               if name.startswith(text)))


def record_of(seed, index, kind):
    """What the campaign keeps of one program."""
    program = generate(seed, index, kind)
    try:
        verdict = check(program)
        outcome, faults, message, notes = verdict.outcome, verdict.faults, verdict.message, verdict.notes
    except Exception as error:  # pylint: disable=broad-except
        outcome, faults, message, notes = "exception", [("exception", repr(error)[:300])], "", []
    return {"index": index, "kind": program.kind, "mesh": bool(program.mesh), "turns": program.turns,
            "period": program.period, "knobs": program.knobs, "outcome": outcome, "notes": notes,
            "faults": classes_of(faults), "detail": [f"{name}: {text}" for name, text in faults][:3],
            "refusal": refusal_class(message) if outcome == "refused" else ""}


def refusal_class(message):
    """Rule and first words; numbers do not count."""
    return re.sub(r"0x[0-9A-Fa-f]+|\d+|\([^)]*\)", "N", message)[:76]


def work(options):
    """A worker: one line for each program. An alarm ends a program that does not end."""
    for index in range(options.start, options.count, options.jobs):
        signal.alarm(SECONDS)
        print(json.dumps(record_of(options.seed, index, options.kind)), flush=True)


def watch(options, start, records):
    """Runs workers from `start`, one after another where a program ends one of them."""
    while start < options.count:
        command = [sys.executable, "-B", __file__, "--worker", "--seed", str(options.seed), "--count",
                   str(options.count), "--jobs", str(options.jobs), "--start", str(start), "--kind", options.kind]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                records.append(json.loads(line))
                start = records_after(line, options.jobs)
            text = process.stderr.read()
        if process.returncode:
            program = generate(options.seed, start, options.kind)
            records.append({"index": start, "kind": program.kind, "mesh": bool(program.mesh), "turns": program.turns,
                            "period": program.period, "knobs": program.knobs, "outcome": "crash", "notes": [],
                            "faults": ["crash"], "detail": [f"exit code {process.returncode}: {text[-300:]}"],
                            "refusal": ""})
            start += options.jobs


def records_after(line, step):
    """Index of the worker's next program."""
    return json.loads(line)["index"] + step


def run(options):
    """All programs; records in the order of their indices."""
    parts = [[] for _ in range(options.jobs)]
    threads = [threading.Thread(target=watch, args=(options, options.start + place, parts[place]))
               for place in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(sum(parts, []), key=lambda record: record["index"])


def table(title, rows):
    """Counts of outcomes, by name."""
    print(f"\n{title:28}{'programs':>9}{'captured':>9}{'single':>8}{'refused':>8}{'faulty':>8}{'captured %':>11}")
    for name, records in sorted(rows.items()):
        count = collections.Counter(record["outcome"] for record in records)
        faulty = sum(bool(record["faults"]) for record in records)
        share = 100 * (count["captured"] + count["single"]) / len(records)
        print(f"{name:28}{len(records):9}{count['captured']:9}{count['single']:8}{count['refused']:8}{faulty:8}"
              f"{share:11.1f}")


def grouped(records, name_of):
    """Records by name, without those of no name."""
    groups = collections.defaultdict(list)
    for record in records:
        if name_of(record):
            groups[name_of(record)].append(record)
    return groups


def prefetch_name(record):
    """How many buffers, and whether a step has room for the loop's sets of tensors."""
    if record["kind"] != "prefetch" or record["mesh"] or record["turns"] < 2 * record["period"] + 1:
        return ""
    return f"{record['knobs']['buffers']} buffers, period {'<=' if record['period'] <= 4 else '>'} 4"


def summarise(records, seed, kind):
    """Prints everything; gives the faulty records."""
    table("kind", grouped(records, lambda record: record["kind"] + (", mesh" if record["mesh"] else "")))
    table("prefetch, all", grouped(records, lambda record: record["kind"] == "prefetch" and
                                   f"{record['knobs']['buffers']} buffers"))
    table("prefetch, 2 periods or more", grouped(records, prefetch_name))
    for title, member in (("fault (of programs)", "faults"), ("note", "notes")):
        names = collections.Counter(name for record in records for name in record[member])
        print("\n" + "\n".join([title] + [f"{count:7}  {name}" for name, count in names.most_common()]))
    first = collections.Counter(record["faults"][0] for record in records if record["faults"])
    print("\n" + "\n".join(["gravest fault"] + [f"{count:7}  {name}" for name, count in first.most_common()]))
    print("\nrefusals")
    refused = grouped(records, lambda record: record["refusal"])
    for name, group in sorted(refused.items(), key=lambda each: -len(each[1])):
        kinds = collections.Counter(record["kind"] for record in group)
        print(f"{len(group):7}  {name}\n         {dict(kinds.most_common())}, first index {group[0]['index']}")
    for name in first:
        record = next(record for record in records if record["faults"] and record["faults"][0] == name)
        print(f"\n== {name}: --seed {seed} --index {record['index']}" + f" --kind {kind}" * bool(kind))
        print(generate(seed, record["index"], kind).listing())
        print("\n".join("  # " + text[:200] for text in record["detail"]))
    return [record for record in records if record["faults"]]


def replay(seed, index, kind):
    """One program: its listing, and all that was found."""
    program = generate(seed, index, kind)
    print(program.listing())
    verdict = check(program)
    print(f"# {verdict.outcome}: {verdict.inferences} inferences of {verdict.per_step} turns. {verdict.message}")
    for fault in verdict.faults:
        print("# fault:", *fault)
    for note in verdict.notes:
        print("# note:", note)
    return bool(verdict.faults)


def main():
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="programs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--index", type=int, help="replays this program alone")
    parser.add_argument("--kind", default="", help="programs of this kind only")
    parser.add_argument("--json", help="a file for the records of all programs")
    parser.add_argument("--start", type=int, default=0, help="index of the first program")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options)
    if options.index is not None:
        return replay(options.seed, options.index, options.kind)
    records = run(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(records, stream)
    faulty = summarise(records, options.seed, options.kind)
    print(f"\n{len(records)} programs of seed {options.seed}, {len(faulty)} with faults")
    return bool(faulty)


if __name__ == "__main__":
    sys.exit(main())
