#!/usr/bin/env python3
"""Gate: adding a board touches its own folder, hal/boards/<board>, and one line, the include of its presets in
CMakePresets.json.

So a board's name stands in no other file, with these exceptions: pages (Markdown), what was recorded on it
(tests/baremetal/measured, tests/campaign/recorded), the tests that its board.json calls its own, the data of
docs/safety and the gaps seeded in them, whose rows name boards' tests as evidence, and the Zephyr module, whose boards
are Zephyr's and have names of their own. And every folder with facts is in that list, every board in the list has
facts that can be read.
"""
import argparse
import pathlib
import re
import sys

from own_sources import own_files, report

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "toolchains"))
import boards  # noqa: E402  pylint: disable=wrong-import-position

LIST = pathlib.PurePosixPath("CMakePresets.json")
RECORDED = ("tests/baremetal/measured", "tests/campaign/recorded")
ZEPHYR = ("zephyr", "tests/zephyr")
SAFETY = ("docs/safety",)
SEEDED_GAPS = pathlib.PurePosixPath("tests/gates/seeded_gaps.toml")
NOT_TEXT = {".bin", ".tflite", ".ptb", ".png"}


def is_in(name, folders):
    """True for a path inside one of the folders."""
    return any(pathlib.PurePosixPath(folder) in name.parents for folder in folders)


def folder_findings(root, listed):
    """Folders that are not in the list, and the other way round."""
    folders = root / "hal/boards"
    there = {
        path.parent.name
        for kind in ("board.json", "presets.json", "memory.ld") for path in folders.glob(f"*/{kind}")
    }
    findings = [f"hal/boards/{board}: not in {LIST}" for board in sorted(there - set(listed))]
    for board in listed:
        try:
            boards.read(board, root)
        except (OSError, ValueError, KeyError, TypeError) as error:
            findings.append(f"hal/boards/{board}/board.json: {error}")
    return findings


def mentions(root, name, board):
    """Places of a board's name in one file: its path, and line by line."""
    word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(board)}(?![A-Za-z0-9])")
    found = [f"{name}: named after {board}"] if word.search(str(name)) else []
    text = (root / name).read_text(encoding="utf-8", errors="replace")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if word.search(line)]
    include = f'"hal/boards/{board}/presets.json"'
    if name == pathlib.Path(LIST) and lines and lines[0][1].strip().rstrip(",") == include:
        lines = lines[1:]
    return found + [f"{name}:{number}: {board}" for number, _ in lines]


def judge(root, names):
    """Findings over the files `names` of `root`."""
    listed = boards.names(root)
    findings = folder_findings(root, listed)
    names = [name for name in names if name.suffix not in (".md", *NOT_TEXT) and name != pathlib.Path(SEEDED_GAPS) and
             not is_in(name, RECORDED + ZEPHYR + SAFETY)]
    for board in listed:
        try:
            own = [f"hal/boards/{board}", *boards.read(board, root).own_tests]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # is a finding already
        for name in names:
            if not is_in(name, own):
                findings += mentions(root, name, board)
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    options = parser.parse_args()
    sys.exit(report("boards", len(boards.names(options.root)), judge(options.root, own_files(options.root))))
