#!/usr/bin/env python3
"""Fails where a page differs from what its tool prints. Usage: generated_page.py TOOL [ARGUMENT...] PAGE"""
import difflib
import pathlib
import subprocess
import sys

*tool, page = sys.argv[1:]
run = subprocess.run(tool, check=False, stdout=subprocess.PIPE, text=True)
made = run.stdout
kept = pathlib.Path(page).read_text(encoding="utf-8")
if run.returncode != 0:
    sys.exit(f"{tool[0]} fails")
if not made:
    sys.exit(f"{tool[0]} prints nothing")
if made != kept:
    sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept", "made"))
    sys.exit(f"{page} is not current: write the output of {pathlib.Path(tool[0]).name} to it")
