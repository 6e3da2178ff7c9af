#!/usr/bin/env python3
"""Gate: every own C++ file is formatted as clang-format-19 with the root's .clang-format would."""
import argparse
import os
import subprocess
import sys

from own_sources import own_sources, report

CLANG_FORMAT = os.environ.get("CLANG_FORMAT", "clang-format-19")


def unformatted(root, names):
    """The files among `names` that clang-format would change."""
    findings = []
    for name in names:
        result = subprocess.run(
            [CLANG_FORMAT, "--dry-run", "-Werror", "--style=file", str(name)],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode != 0:
            first = result.stderr.splitlines()[0] if result.stderr else "clang-format failed"
            findings.append(f"{first}; mend with: {CLANG_FORMAT} -i {name}")
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    root = parser.parse_args().root
    sources = own_sources(root)
    sys.exit(report("format", len(sources), unformatted(root, sources)))
