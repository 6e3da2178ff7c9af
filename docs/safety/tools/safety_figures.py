#!/usr/bin/env python3
"""Figures on hand-written pages that an assessor reads, against what they count.

FIGURES has a row for each: page, the words with the figure in parentheses, and what is counted. Fails, and names it, on
a page without the words, and on another figure than is counted. A figure after "more than" is a bound.
"""
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def lines(path, pattern):
    """How many lines of a file begin like this."""
    return len(re.findall(rf"^{pattern}", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE))


def guidelines():
    """Guidelines of MISRA C++:2023 that have a row."""
    with open(ROOT / "misra/guidelines.csv", encoding="utf-8", newline="") as table:
        return len(list(csv.DictReader(table)))


def wrong_ports():
    """Ports that the kit has to name; those that are right are not among them."""
    return lines("tests/port/wrong_ports.txt", r"== (?!right_)") + \
        lines("tests/port/wrong_sim.cpp", r'    \{"sim_') + lines("tests/port/wrong_engines.cpp", r'    \{"engine_')


def limit_of_text():
    """Bytes that validator and session may take on a Cortex-M."""
    page = (ROOT / "docs/evidence/measured.md").read_text(encoding="utf-8")
    return int(re.search(r"Limit of text on Cortex-M at -Os: ([\d,]+)", page)[1].replace(",", ""))


def boards():
    """Boards that the tree has."""
    return len(list((ROOT / "hal/boards").glob("*/board.json")))


FIGURES = (
    ("docs/safety/README.md", r"all ([\d,]+) guidelines of MISRA", guidelines),
    ("docs/safety/README.md", r"more than ([\d,]+) wrong ports", wrong_ports),
    ("docs/safety/clauses.csv", r"([\d,]+) files of BearSSL",
     lambda: lines("hal/crypto/bearssl.cmake", r"    \w+/\w+\.c")),
    ("docs/features.md", r"more than ([\d,]+) operators",
     lambda: lines("docs/reference/operators.md", r"\| [A-Z][A-Z0-9_]+ \|")),
    ("docs/features.md", r"more than ([\d,]+) kernels",
     lambda: lines("hal/devices/refdev/kernels/kernels.inc", r"PIANOLA_KERNEL\(\d")),
    ("docs/features.md", r"less than ([\d,]+) bytes of text", limit_of_text),
    ("docs/features.md", r"(\w+) bare-metal boards", boards),
    ("README.md", r"less than ([\d,]+) bytes of text", limit_of_text),
    ("README.md", r"on (\w+) boards under QEMU", boards),
)
WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def finding(page, pattern, count):
    """What is wrong with a figure; None where it is right."""
    match = re.search(pattern, (ROOT / page).read_text(encoding="utf-8"))
    if not match:
        return f"{page}: nothing says {pattern}"
    word, there = match[1].lower(), count()
    said = WORDS.index(word) if word in WORDS else int(word.replace(",", ""))
    is_right = there > said if "more than" in pattern else there == said
    return None if is_right else f"{page}: {match[0]}: {there} are there"


def main():
    """Returns the exit code."""
    found = [what for what in (finding(*figure) for figure in FIGURES) if what]
    for what in found:
        print(f"safety_figures: {what}", file=sys.stderr)
    print(f"safety_figures: {len(FIGURES)} figures, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
