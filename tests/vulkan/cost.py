#!/usr/bin/env python3
"""Counts what the submitting thread spends on a step on a Vulkan device, and can hold the page to it.

usage: cost.py PROGRAM PAGE [--hold | --write]. Callgrind counts instructions of the project's own code and of the
Vulkan loader; the driver and the C library are left out. Fails where a replay's count depends on the trace's length by
more than 5 %, or where recording anew is less than 10 times as much at 100 commands; with --hold also where the page
has a number that is off by more than 1 %: it has those of the release build. --write puts the table into the page.
"""
import argparse
import collections
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from callgrind import collected  # noqa: E402  pylint: disable=wrong-import-position

STEPS = 20
SHORT, LONG = 10, 100
MOST_GROWTH, LEAST_RATIO, MOST_OFF = 0.05, 10, 0.01
BEGIN, END = "<!-- cost: made by tests/vulkan/cost.py -->", "<!-- end of cost -->"
OWN = re.compile(r"(^|/)pianola_vulkan_cost$")
LOADER = re.compile(r"(^|/)libvulkan\.so[.\d]*$")
COST = re.compile(r"^(?:[+-]?\d+|\*) (\d+)$")
CELL = re.compile(r"\| ([\d,]+) (?=\|)")
NAME = re.compile(r"^\((\d+)\)(?: (.*))?$")


def by_object(text):
    """Object file -> instructions that it executed itself, of one of callgrind's files."""
    names, totals, current, of_call = {}, collections.Counter(), "", False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("ob", "cob"):
            number, name = NAME.match(value).groups()
            names[number] = name or names[number]
            if key == "ob":
                current = names[number]
        elif key == "calls":
            of_call = True
        elif match := COST.match(line):
            totals[current] += 0 if of_call else int(match.group(1))
            of_call = False
    return totals


def count(program, commands, mode):
    """Instructions of one step: in the project's own code, and in the loader."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        collected((program, commands, STEPS, mode), "--separate-threads=yes", out=out,
                  inside=("pianola::vulkan::measured_step*", ))
        totals = by_object(pathlib.Path(f"{out}-01").read_text(encoding="utf-8"))
    return tuple(sum(number for name, number in totals.items() if which.search(name)) // STEPS
                 for which in (OWN, LOADER))


def replayed(program, commands):
    """The same of a replay. The driver's thread may be done before the step looks at its queue, which then takes what
    the wait would have taken: the least of three runs is the step's own."""
    return min(count(program, commands, "replay") for _ in range(3))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--hold", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    short, long = (replayed(arguments.program, commands) for commands in (SHORT, LONG))
    anew = count(arguments.program, LONG, "record")
    rows = "".join(f"| {what} | {own:,} | {loader:,} |\n"
                   for what, (own, loader) in ((f"{SHORT} commands, replayed", short),
                                               (f"{LONG} commands, replayed", long),
                                               (f"{LONG} commands, recorded anew", anew)))
    table = f"{BEGIN}\n\n| a step of | own code | loader |\n|---|---:|---:|\n{rows}\n{END}"
    print(table)
    page = arguments.page.read_text(encoding="utf-8")
    if arguments.write:
        front, back = page.split(BEGIN)[0], page.split(END)[1]
        arguments.page.write_text(front + table + back, encoding="utf-8")
    listed = [int(cell.replace(",", "")) for cell in CELL.findall(page.split(BEGIN)[1].split(END)[0])]
    counted = [*short, *long, *anew]
    if arguments.hold and (len(listed) != len(counted)
                           or any(abs(says - is_) > MOST_OFF * is_ for says, is_ in zip(listed, counted))):
        sys.exit(f"cost.py: the page says {listed}, counted were {counted}")
    if abs(sum(long) - sum(short)) > (MOST_GROWTH * sum(short)):
        sys.exit("cost.py: a replay's cost grows with its trace")
    if any(recorded < (LEAST_RATIO * replayed) for recorded, replayed in zip(anew, long)):
        sys.exit("cost.py: recording anew is not 10 times as much")


if __name__ == "__main__":
    main()
