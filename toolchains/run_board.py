#!/usr/bin/env python3
"""Runs an application of a board's build under QEMU, as the tests do.

    toolchains/run_board.py BOARD build/BOARD/bin/Release/pianola_baremetal.elf --arg replay --arg model.ptb \\
        --arg inputs.bin --arg outputs.bin --arg execution.log

What the application prints through semihosting is shown, and its exit code is this script's. --arg hands the
application a word of its command line; files that it names are the host's, relative to the current folder. The tests'
application takes a test and its words, as the first lines of tests/baremetal/board_tests/*_test.cpp say; where words
are missing it ends with 2. The application runs with the rights of whoever starts it: semihosting can read and write
every file that you can.

  --icount   Counts instructions instead of time: the same run, instruction by instruction, every time, and no cores in
             parallel. Without it each core is a thread of the host.
  --load     Puts a file into memory before reset, as a flash tool would: --load model.ptb@0x81000000
  --plugin   A TCG plugin, with its options: --plugin ./counter.so,from=0x80000100
  --qemu     An option for QEMU itself, as it stands: --qemu=-S --qemu=-gdb --qemu=tcp::1234

Exit code 124: the time was up. Boards: toolchains/boards.py.
"""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys

from boards import boards

TIMED_OUT = 124
# No window, no sound, nothing on the serial ports; semihosting is the way in and out. Debian's QEMU has a sound card in
# some of these machines and complains where the host has none.
COMMON = ["-display", "none", "-serial", "null", "-monitor", "none"]
ENVIRONMENT = {"QEMU_AUDIO_DRV": "none"}


@dataclasses.dataclass(frozen=True)
class Result:
    """How a run ended: exit code of the application (TIMED_OUT where it had to be ended), and what it printed."""

    returncode: int
    output: str

    @property
    def stdout(self):
        """The same text under the name that subprocess gives it."""
        return self.output


def quoted(value):
    """`value` inside an option of QEMU, where a comma separates and two stand for one."""
    return str(value).replace(",", ",,")


def load_option(file, address):
    """QEMU's option that puts the bytes of a file into memory before reset."""
    return ["-device", f"loader,file={quoted(file)},addr={address:#x},force-raw=on"]


def command(board, image, arguments=(), icount=False, extra=(), loads=()):
    """The command line of QEMU. `loads` are (file, address) pairs, `extra` are options of QEMU."""
    chosen = boards()[board]
    image = pathlib.Path(image).resolve()
    semihosting = ["enable=on", "target=native", *(f"arg={quoted(word)}" for word in arguments)]
    line = [*chosen.emulator, *COMMON, "-semihosting-config", ",".join(semihosting)]
    if icount:
        line += ["-icount", "shift=0,sleep=off"]
    for file, address in loads:
        line += load_option(file, address)
    if chosen.starter:
        option, value = load_option(image.parent / chosen.starter.file, chosen.starter.address)
        line += [option, f"{value},cpu-num={chosen.starter.core}"]
    line += ["-device", f"loader,file={quoted(image)}"] if chosen.image_by == "loader" else ["-kernel", str(image)]
    return [*line, *extra]


def qemu_environment(changes=None):
    """The environment that QEMU gets."""
    return {**os.environ, **ENVIRONMENT, **(changes or {})}


def run(board, image, arguments=(), icount=False, timeout_s=300, extra=(), loads=(), cwd=None, environment=None):
    """Runs an image to its end and returns a Result, whatever its exit code. QEMU's own messages are part of the
    output."""
    line = command(board, image, arguments, icount, extra, loads)
    try:
        done = subprocess.run(line, cwd=cwd, env=qemu_environment(environment), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired as error:
        return Result(TIMED_OUT, (error.stdout or b"").decode(errors="replace"))
    return Result(done.returncode, done.stdout.decode(errors="replace"))


def load_argument(text):
    """FILE@ADDRESS as (file, address)."""
    file, at, address = text.rpartition("@")
    try:
        return pathlib.Path(file if at else ""), int(address, 0)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: write FILE@ADDRESS") from error


def parse(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="run_board.py BOARD IMAGE [--arg A ...] [--icount] [--timeout S] [...]")
    parser.add_argument("board", choices=boards())
    parser.add_argument("image", type=pathlib.Path, help="an .elf file of the board's build")
    parser.add_argument("--arg", action="append", default=[], help="a word for the application; repeat for more")
    parser.add_argument("--icount", action="store_true", help="deterministic: time is instructions")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="seconds; default 300")
    parser.add_argument("--load", action="append", default=[], type=load_argument, metavar="FILE@ADDRESS")
    parser.add_argument("--plugin", action="append", default=[], help="a TCG plugin, with its options behind commas")
    parser.add_argument("--qemu", action="append", default=[], metavar="OPTION", help="an option for QEMU itself")
    parser.add_argument("--show", action="store_true", help="print QEMU's command line instead of running it")
    options = parser.parse_args(words)
    if not options.image.is_file():
        parser.error(f"{options.image}: no such file; cmake --workflow --preset {options.board} makes the images")
    return options


def main(words):
    """Returns the exit code. The application's output goes straight to the terminal."""
    options = parse(words)
    extra = [word for plugin in options.plugin for word in ("-plugin", plugin)] + options.qemu
    line = command(options.board, options.image, options.arg, options.icount, extra, options.load)
    if options.show:
        print(" ".join(line))
        return 0
    try:
        return subprocess.run(line, env=qemu_environment(), timeout=options.timeout, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"run_board: no end after {options.timeout:g} s", file=sys.stderr)
        return TIMED_OUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
