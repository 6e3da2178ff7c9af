#!/usr/bin/env python3
"""Gate: the host side reads and writes files, and parses JSON, in capture_host/base only.

What is promised of every file - sizes looked at first, nothing half written, no key written over, JSON neither deep nor
with a member twice - is kept there, so that it holds for a command that is written tomorrow.
"""
import argparse
import pathlib
import re
import sys

from own_sources import own_sources, report

PLACE = pathlib.PurePath("capture_host/base")
WAYS_AROUND = re.compile(
    r"\b(?:i|o)?fstream\b|\bfilebuf\b|\b(?:fopen|freopen|creat|mkstemp)\s*\("
    r"|\bO_(?:RDONLY|WRONLY|RDWR)\b|\bBIO_new_file\b"
    r"|(?:::|\bstd::)rename\s*\(|\bfilesystem::(?:rename|copy|copy_file|resize_file|remove)\s*\("
    r"|\b(?:[jJ]son|ordered_json|nlohmann)::(?:parse|accept|sax_parse|from_\w+)\b|\boperator\"\"_json\b")
COMMENT = re.compile(r"//.*")


def judge(root, names):
    """Findings over the sources `names` of `root`."""
    findings = []
    for name in names:
        if PLACE in name.parents:
            continue
        for number, line in enumerate((root / name).read_text(encoding="utf-8").splitlines(), 1):
            match = WAYS_AROUND.search(COMMENT.sub("", line))
            if match:
                findings.append(f"{name}:{number}: {match.group()}: files are for {PLACE}")
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    sources = [name for name in own_sources(root) if name.parts[0] == "capture_host"]
    sys.exit(report("files", len(sources), judge(root, sources)))
