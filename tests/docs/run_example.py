#!/usr/bin/env python3
"""Runs the example of docs/guide/integration.md on a sample that was trained for a moment only: it shows the calls, not
the accuracy.

Usage: run_example.py PIANOLA_SAMPLE PIANOLA ECU_APPLICATION
"""
import subprocess
import sys
import tempfile

sample, pianola, example = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sample, "--out", folder, "--steps", "5"], check=True)
    subprocess.run([pianola, "capture", f"{folder}/road_signs.tflite", "-o", f"{folder}/a.ptb"], check=True)
    done = subprocess.run([example, f"{folder}/a.ptb"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("3 inferences"), done.stdout
    with open(f"{folder}/a.ptb", "r+b") as file:
        file.seek(300)
        file.write(b"\xff\xff\xff\xff")
    refused = subprocess.run([example, f"{folder}/a.ptb"], check=False, capture_output=True, text=True)
    assert refused.returncode == 3 and "ENV-DIGEST" in refused.stdout, refused
