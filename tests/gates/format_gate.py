#!/usr/bin/env python3
"""Gate: every own C++ file is formatted as clang-format-19 with the root's .clang-format would."""
import argparse
import os
import subprocess
import sys

from own_sources import own_sources, report

CLANG_FORMAT = os.environ.get("CLANG_FORMAT", "clang-format-19")
FILES_AT_ONCE = 100


def unformatted(root, names):
    """The files among `names` that clang-format would change. Many at once: to start it takes longer than a file."""
    findings = []
    for first in range(0, len(names), FILES_AT_ONCE):
        chosen = [str(name) for name in names[first : first + FILES_AT_ONCE]]
        result = subprocess.run(
            [CLANG_FORMAT, "--dry-run", "-Werror", "--style=file", *chosen],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            lines = {}
            for line in result.stderr.splitlines():
                name = line.partition(":")[0]
                if name in chosen:
                    lines.setdefault(name, line)
            findings += [f"{line}; mend with: {CLANG_FORMAT} -i {name}" for name, line in lines.items()]
            if not lines:
                findings.append(f"{CLANG_FORMAT} fails on {chosen[0]} to {chosen[-1]}: {result.stderr.strip()}")
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    root = parser.parse_args().root
    sources = own_sources(root)
    sys.exit(report("format", len(sources), unformatted(root, sources)))
