#!/usr/bin/env python3
"""Fails where a page differs from what its tool prints. Usage: generated_page.py TOOL PAGE"""
import difflib
import pathlib
import subprocess
import sys

tool, page = sys.argv[1:]
made = subprocess.run([tool], check=True, capture_output=True, text=True).stdout
kept = pathlib.Path(page).read_text(encoding="utf-8")
if not made:
    sys.exit(f"{tool} prints nothing")
if made != kept:
    sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept", "made"))
    sys.exit(f"{page} is not current: write the output of {pathlib.Path(tool).name} to it")
