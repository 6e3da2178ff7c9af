#!/usr/bin/env python3
"""Runs the capture example of docs/guide/host_api.md, then verifies and inspects the binary.

Usage: run_capture_example.py CAPTURE_WORKLOAD PIANOLA
"""
import subprocess
import sys
import tempfile

example, pianola = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    binary = f"{folder}/a.ptb"
    done = subprocess.run([example, binary], check=True, capture_output=True, text=True)
    assert "3 steps captured" in done.stdout and "3 outputs, all right" in done.stdout, done.stdout
    subprocess.run([pianola, "verify", binary], check=True)
    inspected = subprocess.run([pianola, "inspect", binary], check=True, capture_output=True, text=True).stdout
    assert "reshard" in inspected and "prologue" in inspected.lower(), inspected
