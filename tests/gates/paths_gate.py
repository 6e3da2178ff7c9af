#!/usr/bin/env python3
"""Gate: no own file names a folder of the machine on which it was written."""
import argparse
import pathlib
import re
import sys

from own_sources import own_files, report

# A path starts where no name ends: "a/home/" is not one. System folders such as /usr are everybody's.
MACHINE_PATH = re.compile(r"(?<![\w.~$}*-])/(?:home|root|work|tmp|farm|mnt|Users|var/tmp)(?:/|\b(?![-\w.(|]))")
NOT_TEXT = {".bin", ".tflite", ".ptb", ".png"}


def machine_paths(text):
    """(line number, path) of every machine path in `text`."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in MACHINE_PATH.finditer(line):
            yield number, line[match.start() :].split()[0]


def judge(root, names):
    """Findings over the files `names` of `root`."""
    findings = []
    for name in names:
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        findings += [f"{name}:{number}: {path}" for number, path in machine_paths(text)]
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    files = [name for name in own_files(root) if name.suffix not in NOT_TEXT]
    sys.exit(report("paths", len(files), judge(root, files)))
