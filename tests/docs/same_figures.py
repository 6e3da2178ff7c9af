#!/usr/bin/env python3
"""Sizes that a page says of the runtime on boards are those of docs/evidence/measured.md, which a test holds to what
the builds have; and the slices of a verified release that the integration guide says are those of
docs/evidence/performance.md.

Usage: same_figures.py DOCS
"""
import pathlib
import re
import sys

# Page, where it says a size, and the row of docs/evidence/measured.md that has it for every board.
SAID = (("evidence/worst_case.md", r"^\| `small_ecu` \|.*\| ([\d,]+) bytes \| [\d,]+ bytes \|$",
         r"^\| `Session` \| (.*) \|$"), ("evidence/worst_case.md", r"^\| `small_ecu` \|.*\| ([\d,]+) bytes \|$",
                                         r"^\| `PlanWorkspace`, free after `load\(\)` \| (.*) \|$"),
        )

# A model's slices: in the table of performance.md, and in the sentence of integration.md that counts an ECU's calls.
SLICES = re.compile(r"^\| (\w+) \| (\d+) \| [\d,]+ \| [\d,]+ \| [\d,]+ \|$", re.MULTILINE)
CALLS = re.compile(r"kws takes (\d+) such calls, vww (\d+) and ad01 (\d+): "
                   r".*?\ssees the result some (\d+), (\d+) or (\d+) ms", re.DOTALL)


def wrong_slices(performance, integration):
    """What the guide says otherwise than the measurement."""
    measured = dict(SLICES.findall(performance))
    said = CALLS.search(integration)
    wanted = [measured.get(name) for name in ("kws", "vww", "ad01")] * 2
    if said and list(said.groups()) == wanted:
        return []
    return [f"guide/integration.md says {said and said.groups()}, evidence/performance.md {wanted}"]


def main():
    """Compares, and says what differs."""
    folder = pathlib.Path(sys.argv[1])
    measured = (folder / "evidence/measured.md").read_text(encoding="utf-8")
    wrong = wrong_slices((folder / "evidence/performance.md").read_text(encoding="utf-8"),
                         (folder / "guide/integration.md").read_text(encoding="utf-8"))
    for page, says, row in SAID:
        said = re.findall(says, (folder / page).read_text(encoding="utf-8"), re.MULTILINE)
        cells = re.findall(row, measured, re.MULTILINE)
        if len(said) != 1 or not cells:
            wrong.append(f"{page}: {says} is there {len(said)} times, {row} in measured.md {len(cells)} times")
        elif {cell for board in cells for cell in board.split(" | ")} != set(said):
            wrong.append(f"{page} says {said[0]}, measured.md {cells}")
    print("\n".join(wrong) or f"{len(SAID) + 1} figures, as measured")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
