#!/usr/bin/env python3
"""Whether capture, verify, load and replay take instructions in proportion to the commands of a program.

For 1, 2 and 8 cores: of three programs the instructions of each phase are counted by callgrind. What each command costs
from the first to the second, and from the second to the third, may differ by at most MOST. Counts repeat exactly.

A cost that grows with the square of the commands shows in that difference in proportion to the programs' sizes: 0.75 %
of 1,000, 4,000 and 16,000 commands bounds it as 5 % of 1,000, 10,000 and 100,000 would, in a fifth of the time.

    growth.py build/release/bin/pianola_bench_growth [--commands 1000 4000 16000] [--cores 1 2 8]
"""
import argparse
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from callgrind import collected  # noqa: E402  pylint: disable=wrong-import-position

MOST = 0.0075
# What lies between the marks of the program: before the first, and what prepares the session, is no phase.
PARTS = (None, "capture", None, "verify", "load", "replay")


def counted(program, cores, commands):
    """(commands of the trace, {phase: instructions}) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out"
        printed, _ = collected((program, cores, commands, "checked"), "--dump-before=pianola_growth_mark", out=output)
        counts = {}
        for number, phase in enumerate(PARTS, 1):
            text = output.with_name(f"out.{number}").read_text(encoding="utf-8")
            if phase is not None:
                counts[phase] = int(re.search(r"^totals: (\d+)", text, re.MULTILINE).group(1))
        return int(printed), counts


def judge(rows, most=MOST):
    """[(phase, costs of a command, difference)] of three or more rows of counted(), and whether all are proportional.

    >>> judge([(10, {"load": 100}), (20, {"load": 150}), (40, {"load": 250})])
    ([('load', [5.0, 5.0], 0.0)], True)
    >>> judge([(10, {"load": 100}), (20, {"load": 150}), (40, {"load": 350})])
    ([('load', [5.0, 10.0], 1.0)], False)

    A square term that makes 5.0 % over 1,000, 10,000 and 100,000 commands:

    >>> judge([(n, {"load": 1000 * n + n * n // 1980}) for n in (1000, 4000, 16_000)])[1]
    False
    """
    found = []
    for phase in rows[0][1]:
        costs = [(after[phase] - before[phase]) / (many - few) for (few, before), (many, after) in zip(rows, rows[1:])]
        found.append((phase, costs, max(abs(cost / costs[0] - 1.0) for cost in costs)))
    return found, all(difference <= most for _, _, difference in found)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--commands", type=int, nargs="+", default=[1000, 4000, 16_000])
    parser.add_argument("--cores", type=int, nargs="+", default=[1, 2, 8])
    options = parser.parse_args()
    good = True
    for cores in options.cores:
        rows, is_proportional = judge([counted(options.program, cores, commands) for commands in options.commands])
        good = good and is_proportional
        for phase, costs, difference in rows:
            shown = ", ".join(f"{cost:,.0f}" for cost in costs)
            print(f"{cores} cores, {phase}: {shown} instructions a command; {difference:.1%} apart, at most {MOST:.2%}"
                  " are allowed", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
