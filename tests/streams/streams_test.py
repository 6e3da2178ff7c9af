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


BYTES = 64  # of a tensor


def replay(pianola, folder, line):
    """What is wrong with the binary of a line of the index; nothing where all outputs are right."""
    seed, inputs, outputs = (int(word) for word in line.split())
    return (replay_records(pianola, folder, seed, inputs, outputs, None)
            or (replay_records(pianola, folder, seed, inputs, outputs, 1) if seed % 3 == 0 else None))


def replay_records(pianola, folder, seed, inputs, outputs, count):
    """The same of the first `count` records, or of all."""
    end = None if count is None else count * BYTES
    names = [folder / f"{seed}.out{k}" for k in range(outputs)]
    command = [pianola, "run", folder / f"{seed}.ptb", "--batch"]
    for k in range(inputs):
        given = folder / f"{seed}.given{k}"
        given.write_bytes((folder / f"{seed}.in{k}").read_bytes()[:end])
        command += ["--input", given]
    for name in names:
        command += ["--output", name]
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        return f"seed {seed}: {ran.stderr}"
    for k, name in enumerate(names):
        if name.read_bytes() != (folder / f"{seed}.golden{k}").read_bytes()[:end]:
            return f"seed {seed}, {'all' if count is None else count} records: output {k} is not what the model says"
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
