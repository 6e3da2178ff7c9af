#!/usr/bin/env python3
"""A rule for which nobody wrote a cause or a remedy does not compile.

The table is compiled as it is, then without its last entry, and with an entry whose cause, or whose remedy, is empty.

Usage: remedies_proof.py SOURCE COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = "capture_host/binary"
ENTRY = re.compile(r"PIANOLA_REMEDY\((\w+),.*?\"\)\n", re.DOTALL)


def compiles(source, compiler, entries):
    """(whether the table compiles with these entries, what the compiler says)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / NAME).mkdir(parents=True)
        (folder / NAME / "remedies.inc").write_text(entries, encoding="utf-8")
        done = subprocess.run(
            [compiler, "-std=c++17", "-fsyntax-only", f"-I{folder}", f"-I{source}", f"-I{source}/runtime/include",
             f"{source}/{NAME}/remedies.cpp"], capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stderr


def main():
    """Tries all four."""
    source, compiler = sys.argv[1:]
    entries = (pathlib.Path(source) / NAME / "remedies.inc").read_text(encoding="utf-8")
    found = list(ENTRY.finditer(entries))
    assert len(found) > 100, len(found)
    whole, errors = compiles(source, compiler, entries)
    assert whole, errors
    last = found[-1]
    for wrong in ("", f'PIANOLA_REMEDY({last[1]}, "", "remedy")\n', f'PIANOLA_REMEDY({last[1]}, "cause", "")\n'):
        passes, errors = compiles(source, compiler, entries[:last.start()] + wrong + entries[last.end():])
        assert not passes and "a rule has no cause, or no remedy" in errors, (wrong, errors)
    print(f"{len(found)} entries; one without cause or remedy does not compile")


if __name__ == "__main__":
    main()
