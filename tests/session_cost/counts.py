#!/usr/bin/env python3
"""Holds the counts of every call of a session on hostile binaries against the formulas of capture_host/timeline/cost.

  counts.py --program PIANOLA_SESSION_COST      plans, calls and faults: calls of the port and bytes, counted one by one
  counts.py --program ... --functions ROOT      and every public function of Session in ROOT has a formula
  counts.py --program ... --keep FILE           and FILE has what the program printed, for counts_proof.py

Fails, and names it, on: a count above its formula; a formula that no plan comes half as high as, which would say
nothing; a public function of Session without a formula, or a formula without a function.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/safety/tools"))
import trace  # noqa: E402  pylint: disable=wrong-import-position,deprecated-module

# What a formula counts and no port sees; instructions.py holds these.
UNSEEN = ("calls", "bytes summed", "bytes compared", "pieces", "looks at points", "fault records", "states made",
          "validations")


def held(row):
    """(term, measured, formula) of what is counted in a row. What load() sets to zero is device memory."""
    for term, formula in row["formula"].items():
        if term not in UNSEEN and not (row["call"] == "load" and term == "bytes zeroed"):
            yield term, row["measured"][term], formula


def exceeded(rows):
    """Counts above their formula, in words."""
    return [f"{row['call']} of {row['plan']}, {row['release']}, fault {row['fault']}: {measured} {term}, the formula "
            f"gives {formula}" for row in rows for term, measured, formula in held(row) if measured > formula]


def loose(rows):
    """Formulas that no row comes half as high as, in words."""
    best = {}
    for row in rows:
        for term, measured, formula in held(row):
            if formula:
                known = best.get((row["call"], term), (0, 1))
                best[row["call"], term] = max(known, (measured, formula), key=lambda pair: pair[0] / pair[1])
    return [f"{call}: the formula of {term} gives {formula} where the most is {measured}"
            for (call, term), (measured, formula) in sorted(best.items()) if 2 * measured < formula]


def loose_totals(rows):
    """Largest plans whose calls of the port are not half of what the formula gives, in words: of each call the row that
    comes nearest."""
    nearest = {}
    for row in rows:
        if row["largest"] and row["release"] != "within_interval":  # whose formula is of a late step
            measured = sum(value for _, value, _ in held(row))
            formula = sum(value for _, _, value in held(row))
            key = row["plan"], row["call"], row["release"]
            if formula and measured / formula > nearest.get(key, (-1, 0, 0))[0]:
                nearest[key] = measured / formula, measured, formula
    return [f"{call} of {plan}, {release}: {measured} in all, the formula gives {formula}"
            for (plan, call, release), (share, measured, formula) in sorted(nearest.items()) if share < 0.5]


def without_formula(calls, functions):
    """What only one of the two has, in words. A call is named as its function, and what tells overloads apart."""
    named = {"Session::" + call.split(" (")[0] for call in calls}
    public = {name for name in functions if name.startswith("Session::")}
    return [f"{name}: a public function without a formula" for name in sorted(public - named)] + \
           [f"{name}: a formula of no public function" for name in sorted(named - public)]


def printed(program, *arguments):
    """What the program prints, from JSON."""
    return json.loads(subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout)


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program pianola_session_cost")
    parser.add_argument("--functions", type=pathlib.Path, help="a working tree")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(words)
    rows = printed(options.program, "counts")
    if options.keep:
        options.keep.write_text(json.dumps(rows), encoding="utf-8")
    found = exceeded(rows) + loose(rows) + loose_totals(rows)
    if options.functions:
        found += without_formula(printed(options.program, "calls"), trace.public_functions(options.functions))
    for line in found:
        print(f"session_cost: {line}", file=sys.stderr)
    faults = sum(row["latched"] for row in rows)
    print(f"session_cost: {len(rows)} calls, {faults} with a fault, {len(found)} findings")
    return 1 if found or not faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
