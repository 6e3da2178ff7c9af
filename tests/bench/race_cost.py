#!/usr/bin/env python3
"""What the search for races between queues costs: instructions of pianola_bench_races with it and without.

It is on unless a program says otherwise, so it may take at most MOST of what the program takes without it.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from callgrind import collected  # noqa: E402  pylint: disable=wrong-import-position

MOST = 0.10


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    without, found = (collected((options.program, mode))[1] for mode in ("off", "raise"))
    share = (found - without) / without
    print(f"{without} instructions without the search for races, {found} with it: {share:.1%} more, "
          f"at most {MOST:.0%} are allowed")
    return 0 if 0 < share <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
