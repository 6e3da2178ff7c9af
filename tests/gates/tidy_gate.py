#!/usr/bin/env python3
"""Gate: clang-tidy has looked at every own source as it stands, and through them at every own header, and found
nothing. Its checks are of C++: sources in C, and headers that only these include, are the compiler's. So are the
projects of others in tests/consumers: they are built outside of this tree, with what an installation has, and our rules
are not theirs."""
import argparse
import pathlib
import re
import sys

from own_sources import own_sources, report


OF_OTHERS = pathlib.PurePath("tests/consumers")


def headers_of_c(root, names):
    """The headers beside sources in C that these include, and those that these headers include."""
    found, left = set(), [name for name in names if name.suffix == ".c"]
    while left:
        name = left.pop()
        text = (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""
        headers = {name.parent / header for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)} - found
        found.update(headers)
        left.extend(headers)
    return found


def unreached(root, names, record):
    """The sources that were not found clean, and the headers that were not read with one that was."""
    included, findings = headers_of_c(root, names), []
    for name in (name for name in names if name.suffix == ".cpp"):
        note = record / (str(name).replace("/", "+") + ".txt")
        if not note.exists():
            findings.append(f"{name}: not looked at, or with findings")
            continue
        files = [pathlib.Path(line) for line in note.read_text(encoding="utf-8").splitlines()]
        newer = [
            file for file in files if not (root / file).exists() or (root / file).stat().st_mtime > note.stat().st_mtime
        ]
        findings += [f"{name}: {file} has changed since it was looked at" for file in newer]
        included.update(files)
    return findings + [f"{name}: nothing includes it" for name in names if name.suffix == ".h" and name not in included]


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path, required=True, help="what toolchains/lint.sh has written down")
    options = parser.parse_args()
    root = options.root.resolve()
    names = [name for name in own_sources(root, (".h", ".cpp", ".c")) if OF_OTHERS not in name.parents]
    return report("tidy", len(names), unreached(root, names, options.record))


if __name__ == "__main__":
    sys.exit(main())
