#!/usr/bin/env python3
"""Random programs are captured in one process and replayed in others, on other inputs than they were captured with.

Usage: streams_test.py --streams PROGRAM --pianola PROGRAM [--seed N] [--count N]
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile


def replay(pianola, folder, line):
    """What is wrong with the binary of a line of the index; nothing where all outputs are right."""
    seed, inputs, outputs = (int(word) for word in line.split())
    names = [folder / f"{seed}.out{k}" for k in range(outputs)]
    command = [pianola, "run", folder / f"{seed}.ptb", "--batch"]
    for k in range(inputs):
        command += ["--input", folder / f"{seed}.in{k}"]
    for name in names:
        command += ["--output", name]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        return f"seed {seed}: {ran.stderr}"
    for k, name in enumerate(names):
        if name.read_bytes() != (folder / f"{seed}.golden{k}").read_bytes():
            return f"seed {seed}: output {k} is not what the model says"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", required=True)
    parser.add_argument("--pianola", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        captured = subprocess.run([
            arguments.streams, "--seed",
            str(arguments.seed), "--count",
            str(arguments.count), "--folder", folder
        ], check=False)
        lines = (folder / "index").read_text(encoding="utf-8").splitlines()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(lambda line: replay(arguments.pianola, folder, line), lines) if text]
        print(f"replayed in other processes {len(lines)}, wrong {len(wrong)}")
        for text in wrong[:10]:
            print(text, file=sys.stderr)
        return 1 if wrong or captured.returncode != 0 or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
