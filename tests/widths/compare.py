#!/usr/bin/env python3
"""What the validator says in 64 bits and in 32 bits: the first line that differs, or nothing.

By hand, for as many mutants as there is time for (100,000 take some ten seconds):

    compare.py --wide build/release/bin/pianola_widths --narrow build/release/bin/pianola_widths_32 \\
        --seed 1 --count 1000000 build/release/tests/fuzz/seeds/manifest/*.ptb

The files are accepted ones for the small device; the test fuzz.seeds makes those above. Exit codes: 0 no difference,
1 a difference, which is shown with the command that writes the mutant, 77 the narrow program cannot run here.
"""
import argparse
import errno
import pathlib
import subprocess
import sys

SKIPPED = 77
BLOCK = 1000  # mutants that pianola_widths hashes together


class CannotRun(Exception):
    """This machine has no libraries for a program of 32 bits, or its kernel does not run one."""


def lines_of(program, *words, codes=(0,)):
    """What a program prints, line by line."""
    try:
        run = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, check=False)
    except OSError as error:
        if error.errno in (errno.ENOEXEC, errno.ENOENT):
            raise CannotRun(f"{program}: {error.strerror}") from error
        raise
    if run.returncode not in codes:
        raise RuntimeError(f"{program} {words[0]}: exit code {run.returncode}\n{run.stderr}")
    return run.stdout.splitlines()


def difference(wide, narrow):
    """The first lines that are not the same; None where all are."""
    for pair in zip(wide, narrow):
        if pair[0] != pair[1]:
            return pair
    if len(wide) != len(narrow):
        return f"{len(wide)} lines", f"{len(narrow)} lines"
    return None


def differing_mutant(programs, seed, count, files):
    """(lines of the first mutant that differs, None), or (None, {rule: mutants that it refused}) where none does."""
    printed = [lines_of(program, "mutants", seed, 0, count, *files) for program in programs]
    found = difference(*printed)
    if found is None:
        tally = [line.split() for line in printed[0] if line.startswith("tally ")]
        return None, {rule: int(number) for _, rule, number in tally}
    blocks = [[line for line in lines if line.startswith("mutants to ")] for lines in printed]
    last = next((index for index, pair in enumerate(zip(*blocks)) if pair[0] != pair[1]), None)
    if last is None:
        return found, None
    shown = [lines_of(program, "show", seed, last * BLOCK, min(BLOCK, count - (last * BLOCK)), *files)
             for program in programs]
    return difference(*shown) or found, None


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wide", required=True, type=pathlib.Path)
    parser.add_argument("--narrow", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    try:
        found, tally = differing_mutant((options.wide, options.narrow), options.seed, options.count, options.files)
    except CannotRun as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    if found is None:
        for rule, number in sorted(tally.items()):
            print(f"{rule:<24} {number:>9}")
        print(f"seed {options.seed}: {options.count} mutants, no difference")
        return 0
    print(f"64 bits: {found[0]}\n32 bits: {found[1]}")
    print(f"{options.wide} write {options.seed} {found[0].split()[0]} mutant.ptb {' '.join(map(str, options.files))}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
