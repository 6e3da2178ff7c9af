#!/usr/bin/env python3
"""Prints docs/reference/tt_metal.md from tests/docs/tt_metal/*.txt: what four texts on tt-metal say, and where it is
here. `--covers` compares with the texts instead: every line of them that is not empty is in a row.

A file begins with `page NAME: title`. A row is a paragraph: lines and kind, then `what:`, `where:`, `test:`. Lines are
numbers and ranges of the text; kind `nothing` are lines that say nothing of a product, and have neither where nor test.
A line that begins with two blanks goes on with the one before.
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "tests" / "docs" / "tt_metal"
SKIPPED = 77
PAGES = ("guide", "step", "light", "proposal")
KINDS = ("statement", "code", "call", "parameter", "error", "limitation", "nothing")
HEAD = re.compile(rf"([\d, -]+) ({'|'.join(KINDS)})")

INTRODUCTION = """# What tt-metal's texts ask for, and where it is here

Made by `tests/docs/tt_metal_page.py` from the rows beside it; do not edit. Four public texts describe the origin of
this project: two on Metal Trace and command queues, the proposal of serialisable traces, and Light Metal. Every
statement, code block, call, parameter, error and limitation of them is a row, with the lines of the text, the place in
Pianola and the tests that show it. A test fails if a row has no test, if a test does not exist, or if a line of a text
has no row.
"""
COLUMNS = "| lines | kind | what | here | test |\n|---|---|---|---|---|\n"


def fail(message):
    """Ends with a message."""
    sys.exit(f"tt_metal_page: {message}")


def ranges(text, place):
    """Pairs of first and last line."""
    found = []
    for item in text.split(","):
        numbers = re.fullmatch(r"(\d+)-(\d+)", item.strip())
        if not numbers or int(numbers[1]) > int(numbers[2]):
            fail(f"{place}: {item.strip()} are no lines")
        found.append((int(numbers[1]), int(numbers[2])))
    return found


def row(paragraph, place):
    """One row: lines, kind, and the members that its kind has."""
    first, *rest = paragraph.replace("\n  ", " ").splitlines()
    head = HEAD.fullmatch(first)
    if not head:
        fail(f"{place}: {first!r} is no beginning of a row")
    parts = (line.partition(":") for line in rest)
    members = {name: text.strip() for name, _, text in parts}
    wanted = {"what"} if head[2] == "nothing" else {"what", "where", "test"}
    if set(members) != wanted or not all(members.values()):
        fail(f"{place}: {first!r} has {', '.join(sorted(members))}; it needs {', '.join(sorted(wanted))}")
    return {"lines": ranges(head[1], place), "kind": head[2], **members}


def read(name, text):
    """(file of the text, title, rows) of a file of rows."""
    head, *paragraphs = re.split(r"\n{2,}", text.strip())
    page = re.fullmatch(r"page (\S+): (.+)", head)
    if not page:
        fail(f"{name}: begins with {head!r}")
    return page[1], page[2], [row(paragraph, name) for paragraph in paragraphs]


def tests(text):
    """The tests of a row, as tests/docs/named_tests.py reads them."""
    return "; ".join(", ".join(f"`{word}`" for word in item.split()) for item in text.split(";"))


def show(first, last):
    """Lines as a reader writes them."""
    return str(first) if first == last else f"{first}-{last}"


def page():
    """The whole page."""
    out = [INTRODUCTION]
    for name in PAGES:
        _, title, rows = read(name, (ROWS / f"{name}.txt").read_text(encoding="utf-8"))
        rows = [entry for entry in rows if entry["kind"] != "nothing"]
        out.append(f"\n## {title[0].upper()}{title[1:]}\n\n{COLUMNS}")
        for entry in sorted(rows, key=lambda entry: entry["lines"][0]):
            lines = ", ".join(show(*pair) for pair in entry["lines"])
            out.append(f"| {lines} | {entry['kind']} | {entry['what']} | {entry['where']} | {tests(entry['test'])} |\n")
    return "".join(out)


def uncovered(lines, rows):
    """Numbers of lines that say something and are in no row, and of rows' lines that the text does not have."""
    covered = {number for entry in rows for first, last in entry["lines"] for number in range(first, last + 1)}
    there = {number for number, line in enumerate(lines, 1) if line.strip()}
    return sorted(there - covered), sorted(number for number in covered if number > len(lines))


def compare():
    """Compares all rows with the texts."""
    # The comparison can fail.
    if uncovered(["a", "", "b"], [{"lines": [(1, 1), (4, 4)]}]) != ([3], [4]):
        fail("a line in no row was not noticed")
    for wrong in ("1-2 call\nwhat: a\nwhere: b", "1-2 call\nwhat: a\nwhere: b\ntest: ", "2-1 call\nwhat: a"):
        try:
            row(wrong, "here")
        except SystemExit:
            continue
        fail(f"{wrong!r} was taken for a row")
    folder = pathlib.Path(os.environ.get("PIANOLA_SHARED") or ROOT.parent / "shared") / "seeds"
    if not folder.is_dir():
        print("skipped: no texts; set PIANOLA_SHARED")
        sys.exit(SKIPPED)
    failed = False
    for name in PAGES:
        text, _, rows = read(name, (ROWS / f"{name}.txt").read_text(encoding="utf-8"))
        missing, beyond = uncovered((folder / text).read_text(encoding="utf-8").splitlines(), rows)
        print(f"{text}: {len(rows)} rows; in none: {missing}; beyond its end: {beyond}")
        failed = failed or bool(missing) or bool(beyond)
    sys.exit(1 if failed else 0)


def main():
    """Prints the page, or compares."""
    if sys.argv[1:] == ["--covers"]:
        compare()
    elif len(sys.argv) == 1:
        sys.stdout.write(page())
    else:
        fail("usage: tt_metal_page.py [--covers]")


if __name__ == "__main__":
    main()
