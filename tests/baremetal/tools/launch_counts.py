#!/usr/bin/env python3
"""Instructions that a board's device takes for single commands, counted exactly, many in one run of the emulator.

    launch_counts.py BOARD random [--kernel NAME ...] [--count N] [--seed N] [-o FILE]
    launch_counts.py BOARD binary FILE.ptb [--input FILE] [-o FILE]
    launch_counts.py BOARD commands [-o FILE]
    launch_counts.py BOARD count LAUNCHES.jsonl [-o FILE]

Output: a JSON object per line: kernel (or command), words (a kernel's arguments; all of a command), data (what the
operands held), cycles (the virtual device's), instructions. `count` takes lines as pianola_random_launches writes them;
`random` calls that. A count is what one step of the device takes: the command's front, its kernel, and the look at the
other queue. The board's Release build of pianola_baremetal and the host's release build must be up to date.
"""
import argparse
import json
import os
import pathlib
import re
import struct
import sys
import tempfile

import baremetal_support as support
import instruction_counts
from baremetal_support import OPTIONS, ROOT

# Records of launch_counts_test.cpp.
FILL, PATTERN, TRACE, QUEUE, RESET, IDLE = range(1, 7)
LAUNCH, DISPATCH, COPY_COMMAND, FILL_COMMAND, BARRIER, END = 0x17, 0xC3, 0x2B, 0x3C, 0x4D, 0x5A
WRITE, READ, REPLAY, RECORD_EVENT, WAIT_EVENT, NOTIFY = 0x66, 0x71, 0x8E, 0x99, 0xA5, 0xB2
COMMANDS = {COPY_COMMAND: "command.copy", FILL_COMMAND: "command.fill", BARRIER: "command.barrier", END: "command.end",
            WRITE: "command.write", READ: "command.read", REPLAY: "command.replay",
            RECORD_EVENT: "command.record_event", WAIT_EVENT: "command.wait_event", NOTIFY: "command.notify"}
DRAM = 0x8000_0000
HOST_BYTES = 64 * 1024
MAX_REGIONS = 8
FAILED_RECORD = 0xFF
# The load area has 8 MiB, of which results take one.
BATCH_BYTES = 4 * 1024 * 1024
BATCH_RECORDS = 200_000


def use(board):
    """Points OPTIONS at the board's build in this source tree, unless they are about that board already."""
    if getattr(OPTIONS, "board", None) == board:
        return
    build = ROOT / "build" / board
    OPTIONS.board = board
    OPTIONS.image = build / "bin/Release/pianola_baremetal.elf"
    OPTIONS.plugin = build / "hal/measure/instruction_counter.so"
    OPTIONS.pianola = ROOT / "build/release/bin/pianola"
    OPTIONS.sample = ROOT / "build/sample"
    OPTIONS.work = build / "work"
    OPTIONS.models = pathlib.Path(os.environ.get("PIANOLA_SHARED", ROOT.parent / "shared")) / "models"
    OPTIONS.has_models = OPTIONS.models.is_dir()
    OPTIONS.work.mkdir(parents=True, exist_ok=True)


def kernel_names():
    """{id: name} of kernels.inc."""
    text = (ROOT / "hal/devices/refdev/kernels/kernels.inc").read_text(encoding="utf-8")
    return {int(number): name for number, name in re.findall(r'^PIANOLA_KERNEL\((\d+)U, \w+, "(\w+)"', text, re.M)}


def command(opcode, *operands):
    """Words of a command of a trace or queue."""
    return [opcode | ((1 + len(operands)) << 16), *operands]


def _record(kind, words, tail=b""):
    tail += bytes(-len(tail) % 4)
    masked = [word & 0xFFFF_FFFF for word in words]
    return struct.pack(f"<{2 + len(masked)}I", kind, len(masked) + len(tail) // 4, *masked) + tail


def memory_record(fill):
    """The record of {"address", "size", "seed"} or {"address", "size", "bytes": hexadecimal}."""
    if "seed" in fill:
        return _record(FILL, [fill["address"], fill["size"], fill["seed"]])
    pattern = bytes.fromhex(fill["bytes"])
    return _record(PATTERN, [fill["address"], fill["size"], len(pattern)], pattern)


def trace_record(*commands):
    """The record of a trace of these commands, each a list of words; the end is added."""
    return _record(TRACE, [word for words in (*commands, command(END)) for word in words])


def queue_record(words):
    """The record of a queue command."""
    return _record(QUEUE, words)


def reset_record(other_regions=0):
    """The record of a reset; the protection unit then has that many regions before that of all operands."""
    return _record(RESET, [other_regions])


def _steps_of_batch(records, folder):
    """Per record: (fault, [instructions of each step])."""
    file, result = folder / "records.bin", folder / "result.bin"
    file.write_bytes(b"".join(records))
    parts, _ = instruction_counts.counted_parts(folder, "launch_counts", file, result,
                                                extra=support.board().ecu_as_device)
    words = [word for (word,) in struct.iter_unpack("<I", result.read_bytes())]
    if len(words) != len(records) or sum(word >> 8 for word in words) != len(parts):
        raise RuntimeError(f"{len(records)} records, {len(words)} results, {len(parts)} parts")
    steps = []
    at = 0
    for word in words:
        steps.append((word & 0xFF, parts[at:at + (word >> 8)]))
        at += word >> 8
    return steps


def steps(board, groups, other_regions=0):
    """For each group of records, which stay together: [(fault, [instructions of each step])] of its records."""
    use(board)
    results = []
    with tempfile.TemporaryDirectory(dir=OPTIONS.work) as name:
        batch, sizes, filled = [reset_record(other_regions)], [], 0
        for i, group in enumerate(groups):
            batch += group
            sizes.append(len(group))
            filled += sum(len(record) for record in group)
            if filled >= BATCH_BYTES or len(batch) >= BATCH_RECORDS or i + 1 == len(groups):
                done = _steps_of_batch(batch, pathlib.Path(name))[1:]
                for size in sizes:
                    results.append(done[:size])
                    done = done[size:]
                batch, sizes, filled = [reset_record(other_regions)], [], 0
    return results


def count(board, launches, other_regions=0):
    """For each launch, {"id", "words", "fills"}, its instructions; None where the device refused it."""
    groups = [[*(memory_record(fill) for fill in launch.get("fills", [])),
               trace_record(command(LAUNCH, launch["id"], 0, *launch["words"]))] for launch in launches]
    counts = []
    for group in steps(board, groups, other_regions):
        if any(fault == FAILED_RECORD for fault, _ in group):
            raise RuntimeError(f"launch {len(counts)}: wrong record")
        fault, parts = group[-1]
        counts.append(parts[1] if fault == 0 else None)  # replay, launch, end
    return counts


def rows(board, launches, other_regions=0):
    """The objects of the output, without refused launches."""
    result = []
    for launch, instructions in zip(launches, count(board, launches, other_regions)):
        if instructions is not None:
            kept = {key: launch[key] for key in ("kernel", "words", "data", "cycles") if key in launch}
            result.append({**kept, "instructions": instructions})
    return result


def random(board, kernels=(), launches=1000, seed=1, limit_cycles=None):
    """Launches of pianola_random_launches: so many of each kernel that is named, or of all."""
    use(board)
    words = ["--count", launches, "--seed", seed, *(["--limit-cycles", limit_cycles] if limit_cycles else [])]
    for kernel in kernels:
        words += ["--kernel", kernel]
    text = support.checked(OPTIONS.pianola.parent / "pianola_random_launches", *words)
    return [json.loads(line) for line in text.splitlines()]


def _named(words, names):
    """(name, words) of a command: a kernel's arguments, or all words."""
    opcode = words[0] & 0xFF
    if opcode == LAUNCH:
        return names[words[1]], words[3:]
    if opcode == DISPATCH:
        return names[words[2]], words[4:]
    return COMMANDS[opcode], words


def of_binary(board, file, inputs=None):
    """(rows, section): every step of one inference of a binary with one queue, in order, and what the whole takes. The
    sum of the rows, and of the few instructions at the edges of the section, is the section."""
    use(board)
    names = kernel_names()
    with tempfile.TemporaryDirectory(dir=OPTIONS.work) as name:
        folder = pathlib.Path(name)
        given, kept = folder / "input", folder / "commands.bin"
        given.write_bytes(inputs if inputs is not None else bytes(range(256)) * 256)
        binary = folder / "model.ptb"
        binary.write_bytes(pathlib.Path(file).read_bytes())
        parts, edges = instruction_counts.counted_parts(folder, "device_count", binary, given, kept,
                                                        extra=support.board().ecu_as_device)
        words = [word for (word,) in struct.iter_unpack("<I", kept.read_bytes())]
    result = []
    at = 0
    for part in parts:
        length = words[at]
        title, arguments = _named(words[at + 1:at + 1 + length], names) if length else ("idle", [])
        result.append({"kernel": title, "words": arguments, "data": "binary", "instructions": part})
        at += 1 + length
    if at != len(words):
        raise RuntimeError(f"{len(parts)} parts, but more commands")
    return result, sum(parts) + sum(edges)


def _sizes():
    small = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257]
    return [*small, 511, 513, 1000, 1023, 1025, 4095, 4096, 4097, 10_000, 32_767, 32_768, 65_000]


def _transfers():
    """Copies, fills, writes and reads of all sizes and alignments: (titles of the steps, None for others; records)."""
    for size in _sizes():
        for shift in range(4):
            for other in range(4):
                to, source = DRAM + shift, DRAM + 0x10_0000 + other
                yield [None, "command.copy", None], trace_record(command(COPY_COMMAND, to, source, size))
                for transfer in (WRITE, READ) if size + other <= HOST_BYTES else ():
                    yield [COMMANDS[transfer]], queue_record(command(transfer, to, size, 0, other))
            yield [None, "command.fill", None], trace_record(command(FILL_COMMAND, DRAM + shift, size, 0xA5))


def _fixed():
    """The other commands, likewise."""
    yield ["command.replay", "command.barrier", "command.end"], trace_record(command(BARRIER))
    # A dispatch is a launch's front and the cores' times; the next command joins the cores.
    fills = [command(DISPATCH, core, 12, 0, DRAM, 4, 0) for core in range(2)]
    yield ([None, "first dispatch.fill", "later dispatch.fill", "joining command.barrier", None],
           trace_record(*fills, command(BARRIER)))
    yield [None, "launch.fill", None], trace_record(command(LAUNCH, 12, 0, DRAM, 4, 0))
    yield ["idle"], _record(IDLE, [])
    for value in range(1, 4):
        yield ["command.record_event"], queue_record(command(RECORD_EVENT, 0, value))
        yield ["command.wait_event"], queue_record(command(WAIT_EVENT, 0, value))
        yield ["command.notify"], queue_record(command(NOTIFY, value))
    yield ["waiting command.wait_event"], queue_record(command(WAIT_EVENT, 1, 1))


def of_commands(board, other_regions=0):
    """Rows of every command that launches nothing, in traces and queues, and of a fill launched and dispatched."""
    cases = [*_transfers(), *_fixed()]
    result = []
    for (titles, record), group in zip(cases, steps(board, [[record] for _, record in cases], other_regions)):
        (fault, parts), = group
        if fault != 0 or len(parts) != len(titles):
            raise RuntimeError(f"{titles}: fault {fault}, {len(parts)} steps")
        words = [word for (word,) in struct.iter_unpack("<I", record)][2:]
        result += [{"kernel": title, "words": words, "data": "none", "instructions": part}
                   for title, part in zip(titles, parts) if title is not None]
    return result


def _arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board")
    parser.add_argument("source", choices=("random", "binary", "commands", "count"))
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME", help="all if left out")
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="launches of each kernel; default 1000")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--limit-cycles", type=int, metavar="N", help="the largest launch, in virtual cycles")
    parser.add_argument("--regions", type=int, default=0, metavar="N", choices=range(MAX_REGIONS),
                        help="regions before that of the operands; default 0")
    parser.add_argument("--input", type=pathlib.Path, help="of the binary; some bytes if left out")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args(words)
    if (options.source in ("binary", "count")) != (options.file is not None):
        parser.error("binary and count take a file, the others none")
    return options


def main(words):
    """Returns the exit code."""
    options = _arguments(words)
    if options.source == "random":
        launches = random(options.board, options.kernel, options.count, options.seed, options.limit_cycles)
        result = rows(options.board, launches, options.regions)
    elif options.source == "count":
        lines = options.file.read_text(encoding="utf-8").splitlines()
        result = rows(options.board, [json.loads(line) for line in lines], options.regions)
    elif options.source == "binary":
        result, section = of_binary(options.board, options.file,
                                    options.input.read_bytes() if options.input else None)
        print(f"{section} instructions in all", file=sys.stderr)
    else:
        result = of_commands(options.board, options.regions)
    text = "".join(json.dumps(row) + "\n" for row in result)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
