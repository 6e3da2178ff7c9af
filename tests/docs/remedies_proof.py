#!/usr/bin/env python3
"""A rule for which nobody wrote a cause or a remedy does not compile.

The table is compiled as it is, then without the last rule's cause and remedy, and with one of them empty.

Usage: remedies_proof.py SOURCE COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

RULES = "runtime/include/pianola/rules.inc"
TEXT = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
ENTRY = re.compile(rf"^(PIANOLA_RULE\(\w+(?:,\s*{TEXT}){{3}})(?:,\s*{TEXT}){{2}}\)\n", re.MULTILINE)


def compiles(source, compiler, entries):
    """(whether the table compiles with these entries, what the compiler says)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pianola").mkdir()
        (folder / "pianola/rules.inc").write_text(entries, encoding="utf-8")
        done = subprocess.run(
            [compiler, "-std=c++17", "-fsyntax-only", f"-I{folder}", f"-I{source}", f"-I{source}/runtime/include",
             f"{source}/capture_host/binary/refusal_text.cpp"], capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stderr


def main():
    """Tries all four."""
    source, compiler = sys.argv[1:]
    entries = (pathlib.Path(source) / RULES).read_text(encoding="utf-8")
    found = list(ENTRY.finditer(entries))
    assert len(found) > 100, len(found)
    whole, errors = compiles(source, compiler, entries)
    assert whole, errors
    last = found[-1]
    for wrong, said in ((")", "PIANOLA_RULE"), (', "", "remedy")', "a rule has no cause, or no remedy"),
                        (', "cause", "")', "a rule has no cause, or no remedy")):
        passes, errors = compiles(source, compiler, entries[:last.start()] + last[1] + wrong + entries[last.end():])
        assert not passes and said in errors, (wrong, errors)
    print(f"{len(found)} entries; one without cause or remedy does not compile")


if __name__ == "__main__":
    main()
