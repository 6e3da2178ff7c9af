#!/usr/bin/env python3
"""What the search for races between queues costs: instructions of pianola_bench_races with it and without.

It is on unless a program says otherwise, so it may take at most MOST of what the program takes without it.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

MOST = 0.10


def instructions(program, mode):
    """Of a run, by callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, mode], check=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return int(re.search(r"Collected : (\d+)", run.stdout).group(1))


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    options = parser.parse_args()
    without, found = (instructions(options.program, mode) for mode in ("off", "raise"))
    share = (found - without) / without
    print(f"{without} instructions without the search for races, {found} with it: {share:.1%} more, "
          f"at most {MOST:.0%} are allowed")
    return 0 if 0 < share <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
