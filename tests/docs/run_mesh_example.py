#!/usr/bin/env python3
"""What docs/guide/integration.md shows of several devices is the application that runs here, with the binary that the
example of docs/guide/mesh.md captures; and what docs/guide/boards.md shows is the one that runs on boards.

Usage: run_mesh_example.py SOURCE CAPTURE_MESH PIANOLA ECU_MESH
"""
import pathlib
import subprocess
import sys
import tempfile

source, capture, pianola, application = sys.argv[1:]


def run(*command, code=0):
    """What a program prints, which must end with that code."""
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True)
    assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_page(page, example):
    """What a page's section of several devices shows must be lines of an example."""
    text = (pathlib.Path(source) / "docs/guide" / page).read_text(encoding="utf-8")
    shown = text.split("## Several devices", 1)[1].split("```cpp\n", 1)[1].split("```", 1)[0].splitlines()
    code = (pathlib.Path(source) / "docs/examples" / example).read_text(encoding="utf-8")
    lines = [line.strip() for line in code.splitlines()]
    assert shown and all(line.strip() in lines for line in shown), f"{page} shows other lines than {example}"


check_page("integration.md", "ecu_mesh.cpp")
check_page("boards.md", "board/two_devices.cpp")

with tempfile.TemporaryDirectory() as name:
    binary = pathlib.Path(name) / "mesh.ptb"
    assert run(capture, binary) == "3 steps captured, for 1 x 2 devices, outputs right\n"
    run(pianola, "verify", binary)
    (pathlib.Path(name) / "in").write_bytes(bytes(range(100)) + bytes(28))
    run(pianola, "run", binary, "--input", pathlib.Path(name) / "in", "--output", pathlib.Path(name) / "out")
    assert (pathlib.Path(name) / "out").read_bytes() == bytes(range(1, 101)) + bytes([1] * 28)
    assert run(application, binary) == "two devices, right\n"
    contents = bytearray(binary.read_bytes())
    contents[300] ^= 0xFF
    binary.write_bytes(contents)
    assert "ENV-DIGEST" in run(application, binary, code=3)
