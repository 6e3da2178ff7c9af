#!/usr/bin/env python3
"""The first screen of README.md does what it says: its commands are run, and its program is compiled and run.

The commands of the first console block run in the tree, those of the second in build/demo, where the first left its
files. Then the C++ block is compiled as it stands, with the binary that the second block embedded and the libraries of
the release build, and run: it has to end with 0. With a byte of the binary changed it has to print the rule, and end
with 1.

Usage: first_screen.py SOURCE BUILD COMPILER
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import page_commands

CODE = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIBRARIES = ("hal/devices/refdev/sim/libpianola_sim.a", "hal/devices/refdev/libpianola_refdev.a",
             "hal/devices/refdev/kernels/libpianola_kernels.a", "runtime/libpianola_runtime.a")
DEFINITIONS = re.compile(r"-DFLATBUFFERS_\S+|-DPIANOLA_PROFILE=\S+")


def definitions_of(build):
    """Those that everything which uses the runtime is compiled with, from the build's own commands."""
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    of_session = next(each["command"] for each in commands if each["file"].endswith("/refdev/sim/sim_device.cpp"))
    return [word for word in shlex.split(of_session) if DEFINITIONS.match(word)]


def compile_program(source, build, compiler, folder, binary_source):
    """The program of the page with the embedded binary; its path."""
    code = CODE.findall((source / "README.md").read_text(encoding="utf-8"))
    assert len(code) == 1, "README.md has one program"
    (folder / "readme.cpp").write_text(code[0], encoding="utf-8")
    subprocess.run(["cc", "-c", binary_source, "-o", folder / "model.o", "-I", binary_source.parent], check=True)
    libraries = [build / name for name in LIBRARIES]
    subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", *definitions_of(build), f"-I{source}",
                    f"-I{source}/runtime/include", f"-I{build}/runtime/generated", f"-I{binary_source.parent}",
                    folder / "readme.cpp", folder / "model.o", "-Wl,--start-group", *libraries, "-Wl,--end-group",
                    "-pthread", "-o", folder / "readme"], check=True)
    return folder / "readme"


def main():
    """Commands, then the program, then the program with a damaged binary."""
    source, build, compiler = map(pathlib.Path, sys.argv[1:])
    text = (source / "README.md").read_text(encoding="utf-8")
    first, second = (f"```console\n{block}```\n" for block in page_commands.BLOCK.findall(text))
    path = [str(build / "bin")]
    assert page_commands.run_page(first, source, path) == 2
    demo = source / "build/demo"
    assert page_commands.run_page(second, demo, path) == 4
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = compile_program(source, build, compiler, folder, demo / "model.c")
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, ""), done
        lines = (demo / "model.c").read_text(encoding="utf-8").splitlines()
        middle = len(lines) // 2
        byte, _, rest = lines[middle].partition(",")
        lines[middle] = f"{int(byte) ^ 1},{rest}"
        (folder / "model.c").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "model.h").write_text((demo / "model.h").read_text(encoding="utf-8"), encoding="utf-8")
        done = subprocess.run([compile_program(source, build, compiler, folder, folder / "model.c")],
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "ENV-DIGEST\n"), done
    print("commands and program of the first screen: as the page says")


if __name__ == "__main__":
    main()
