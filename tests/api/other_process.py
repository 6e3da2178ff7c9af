#!/usr/bin/env python3
"""A trace that one process has captured runs in another one.

Usage: other_process.py TRACE_BLOB
"""
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    data = bytes((i * 7 + 3) % 256 for i in range(300))
    (folder / "input.bin").write_bytes(data)
    subprocess.run([sys.argv[1], "capture", name], check=True)
    subprocess.run([sys.argv[1], "replay", name], check=True)
    signed = [byte - 256 if byte > 127 else byte for byte in data]
    expected = bytes(min(value + 3, 127) % 256 for value in signed)
    assert (folder / "output.bin").read_bytes() == expected
    # Damage is noticed in the other process, too.
    blob = bytearray((folder / "trace.bin").read_bytes())
    blob[100] ^= 1
    (folder / "trace.bin").write_bytes(blob)
    refused = subprocess.run([sys.argv[1], "replay", name], check=False, capture_output=True, text=True)
    assert refused.returncode == 1 and "API-BLOB-DIGEST" in refused.stderr, refused
