#!/usr/bin/env python3
"""The project tests/consumers/c_only against the build folder, copied out of the source tree.

Usage: c_only_test.py SOURCE SIZES_FOLDER PIANOLA_SAMPLE PIANOLA LIBRARY...
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, sizes, sample, pianola = map(pathlib.Path, sys.argv[1:5])
project = source / "tests" / "consumers" / "c_only"
sys.path.insert(0, str(project))
import consumer  # noqa: E402  pylint: disable=wrong-import-position

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for file in ("Makefile", "ecu.c", "tool.c"):
        shutil.copy(project / file, folder)

    def run(*command, code=0):
        """What a program prints, which must end with `code`."""
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{command}: {done}"
        return done.stdout

    run(sample, "--out", ".", "--steps", "1")
    run(pianola, "capture", "road_signs.tflite", "-o", "signs.ptb")
    damaged = bytearray((folder / "signs.ptb").read_bytes())
    damaged[300] ^= 1  # of the manifest
    (folder / "damaged.ptb").write_bytes(damaged)
    consumer.build_and_try(run, "signs.ptb", "damaged.ptb", [source / "runtime" / "c", sizes,
                                                            source / "capture_host" / "c_library"],
                           sorted({str(pathlib.Path(library).parent) for library in sys.argv[5:]}))
