#!/usr/bin/env python3
"""Shows that a new board is its own folder and one line: copies the tree, in it the folder of a board under another
name, adds the line to CMakePresets.json, and configures, builds and runs the example application on the board that came
of it.

Host tools, downloads and the sample are those of the build that calls this.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

import boards_gate
from own_sources import own_files

NAME = "_".join(("a", "new", "board"))  # nowhere in the tree: that is what the gate is about
LENT = ("release", "deps", "sample")


def copy_tree(root, tree):
    """Own files only; what other builds have made stays theirs."""
    for name in own_files(root):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tree / name)
    (tree / "build").mkdir()
    for folder in LENT:
        if (root / "build" / folder).exists():
            (tree / "build" / folder).symlink_to(root / "build" / folder, target_is_directory=True)


def copy_board(tree, model):
    """The folder of a board once more, with the name in it changed."""
    source, target = tree / "hal/boards" / model, tree / "hal/boards" / NAME
    shutil.copytree(source, target)
    for file in (path for path in target.rglob("*") if path.is_file()):
        file.write_text(file.read_text(encoding="utf-8").replace(model, NAME), encoding="utf-8")


def add_line(tree, model):
    """The one line."""
    presets = tree / "CMakePresets.json"
    line = f'    "hal/boards/{model}/presets.json",\n'
    text = presets.read_text(encoding="utf-8")
    assert text.count(line) == 1, line
    presets.write_text(text.replace(line, line + line.replace(model, NAME)), encoding="utf-8")


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder that is emptied first")
    options = parser.parse_args()
    root, tree = options.root.resolve(), options.work.resolve() / "tree"
    shutil.rmtree(options.work, ignore_errors=True)
    copy_tree(root, tree)
    model = boards_gate.boards.names(root)[0]
    copy_board(tree, model)
    unlisted = boards_gate.judge(tree, own_files(tree))
    assert unlisted == [f"hal/boards/{NAME}: not in CMakePresets.json"], unlisted
    add_line(tree, model)
    findings = boards_gate.judge(tree, own_files(tree))
    assert not findings, findings
    image = f"build/{NAME}/bin/Release/pianola_example_board.elf"
    for command in (["cmake", "--preset", NAME],
                    ["cmake", "--build", "--preset", NAME, "--parallel", "2", "--target", "pianola_example_board"],
                    ["toolchains/run_board.py", NAME, image, "--icount"]):
        print(f"+ {' '.join(command)}", flush=True)
        subprocess.run(command, cwd=tree, check=True)
    shutil.rmtree(options.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
