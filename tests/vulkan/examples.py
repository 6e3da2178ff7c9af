#!/usr/bin/env python3
"""The guides' examples in C++ print on a Vulkan device what they print on the simulator, and capture the same binaries,
which then give the same outputs on both.

Usage: examples.py PIANOLA EXAMPLE... -- CAPTURING_EXAMPLE...
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
EXECUTOR = f"vulkan:{os.environ.get('PIANOLA_VULKAN_DEVICE', 0)}"


def run(*command):
    """What a program prints."""
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def outputs_of(pianola, binary, *words):
    """All outputs of a binary's replay of some inputs."""
    shown = json.loads(run(pianola, "inspect", binary, "--json"))
    arguments = []
    for i, tensor in enumerate(shown["inputs"]):
        arguments += ["--input", binary.with_suffix(f".in{i}")]
        arguments[-1].write_bytes(bytes((37 * k + 11 * i) % 251 for k in range(tensor["bytes"])))
    outputs = [binary.with_suffix(f".out{i}") for i in range(len(shown["outputs"]))]
    for output in outputs:
        arguments += ["--output", output]
    run(pianola, "run", binary, *arguments, *words)
    return [output.read_bytes() for output in outputs]


def main(pianola, *examples):
    """Every example on both."""
    listed = json.loads(run(pianola, "devices", "--json"))
    if not any(entry["device"] == EXECUTOR and not entry.get("missing") for entry in listed["devices"]):
        print(f"skipped: there is no {EXECUTOR}")
        return SKIPPED
    end = examples.index("--")
    for example in examples[:end]:
        assert run(example, EXECUTOR) == run(example), example
    for example in examples[end + 1:]:
        with tempfile.TemporaryDirectory() as folder:
            here, there = pathlib.Path(folder) / "here.ptb", pathlib.Path(folder) / "there.ptb"
            assert run(example, there, EXECUTOR) == run(example, here), example
            assert there.read_bytes() == here.read_bytes(), example
            assert outputs_of(pianola, here) == outputs_of(pianola, there, "--device", EXECUTOR), example
    refused = subprocess.run([examples[0], "vulkan0"], check=False, capture_output=True, text=True)
    assert refused.returncode == 2 and "vulkan0 is no device" in refused.stderr, refused
    print(f"{len(examples) - 1} examples on {EXECUTOR} as on the simulator")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
