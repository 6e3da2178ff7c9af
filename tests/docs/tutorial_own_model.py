#!/usr/bin/env python3
"""The tutorial with a reader's own model: its commands on the host run without the step that makes the sample, in a
clone in which that has never run.

Usage: tutorial_own_model.py SOURCE BIN
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

from page_commands import commands_of, run_page

# What the page takes from the sample, and what stands for it here.
OF_THE_SAMPLE = {"build/tutorial/road_signs.tflite": "own.tflite", "build/tutorial/sign_0.bin": "own.bin"}
PROGRAM = "build/release/bin/pianola"


def on_the_host(page):
    """The page's commands of `pianola`, with the reader's files; as a page again."""
    text = "".join(f"$ {command}\n" for command, _ in commands_of(page) if command.startswith(f"{PROGRAM} "))
    for name, own in OF_THE_SAMPLE.items():
        assert name in text, f"the page does not name {name}"
        text = text.replace(name, own)
    return f"```console\n{text}```\n"


def main(source, programs):
    """Runs them."""
    page = on_the_host((source / "docs/guide/tutorial.md").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as clone:
        made, clone = pathlib.Path(made), pathlib.Path(clone)
        subprocess.run([programs / "pianola-sample", "--out", made, "--steps", "1"], check=True, capture_output=True)
        shutil.copy(made / "road_signs.tflite", clone / "own.tflite")
        shutil.copy(made / "sign_1.bin", clone / "own.bin")
        (clone / "build/release").mkdir(parents=True)
        (clone / "build/release/bin").symlink_to(programs)
        (clone / "hal").symlink_to(source / "hal")
        count = run_page(page, clone, [])
    assert count >= 3, count


if __name__ == "__main__":
    main(*(pathlib.Path(word).resolve() for word in sys.argv[1:]))
