#!/usr/bin/env python3
"""docs/evidence/costs.md: how far the bounds of cores' cost models are above counted instructions.

    costs_page.py                              prints the page
    costs_page.py BOARD [--counts CHECK.jsonl] counts, and writes its part of tests/baremetal/measured/costs.json

To renew: build a board's Release images pianola_baremetal and pianola_measure, count, for each board; then write the
page. Printing fails where a cost model is not the one that was checked.
"""
import argparse
import hashlib
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile
import textwrap

import baremetal_support as support
import fit_costs
import launch_counts
from baremetal_support import OPTIONS, ROOT

COLUMNS = 120
RECORD = ROOT / "tests/baremetal/measured/costs.json"
# The launches of the check, in one sample of the boards' compilers; none of the fit's has this seed.
LAUNCHES, SEED, REGIONS = 540, 41, 7
FOLDERS = ("models", "more_models")
# Folders of models of one operation.
GROUPS = ("ops", "seanet16x8")
# Bound / count of the models of the test <board>.launch_costs: packed for the core, and not packed.
MOST, MOST_PORTABLE = 1.3, 1.4


def tables(model):
    """The digest of a cost model's numbers."""
    stem = ROOT / "hal/devices/refdev/costs" / re.sub(r"\W", "_", model)
    return hashlib.sha256(b"".join(stem.with_suffix(suffix).read_bytes() for suffix in (".inc", ".cpp"))).hexdigest()


def asked(*words):
    """The JSON that pianola prints."""
    return json.loads(support.checked(OPTIONS.pianola, *words, "--json"))


def inference(model, folder, pack=None):
    """One inference on OPTIONS.board, captured for it: bound, instructions of the device, and those of each layer."""
    binary = folder / "model.ptb"
    captured = asked("capture", model, "-o", binary, "--board", OPTIONS.board, *(["--pack", pack] if pack else []))
    shown = asked("measure", binary, "--board", OPTIONS.board, "--images", OPTIONS.images, "--transfers")
    return {"bound": captured["step_cycles"], "instructions": shown["step"]["device"], "layers": shown["layers"]}


def spread(ratios):
    """[how many, smallest, median, largest], rounded away from 1."""
    return [len(ratios), math.floor(min(ratios) * 1000) / 1000, round(statistics.median(ratios), 3),
            math.ceil(max(ratios) * 1000) / 1000]


def kernels(model, counts):
    """{kernel: spread of bound / count}."""
    rows = fit_costs.with_work(model, [counts], ())
    return {kernel: spread([row["bound"] / row["instructions"] for row in of_kernel])
            for kernel, of_kernel in rows.items()}


def commands(model, board):
    """{command: spread}."""
    rows = fit_costs.command_rows(launch_counts.of_commands(board, REGIONS))
    return {name: spread([row["bound"] / row["instructions"] for row in fit_costs.with_bounds(model, of_name)])
            for name, of_name in rows.items() if of_name}


def files():
    """(name, file) of each model; what is in a group has its name first."""
    for folder in FOLDERS:
        for file in sorted((OPTIONS.models.parent / folder).rglob("*.tflite")):
            parts = file.relative_to(OPTIONS.models.parent / folder).parts
            yield "/".join(parts[:-1]) if parts[-1] == "model.tflite" else "/".join(parts), file


def models():
    """{name: [bound, instructions]}, {group: spread}, {name: why it does not run}."""
    whole, grouped, outside = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, file in files():
            try:
                done = inference(file, pathlib.Path(folder))
            except RuntimeError as error:
                outside[name] = re.search(r"^pianola: (?:\S+: )?(.*)$", str(error), re.M)[1]
                continue
            if name.split("/")[0] in GROUPS:
                grouped.setdefault(name.split("/")[0], []).append(done["bound"] / done["instructions"])
            else:
                whole[name] = [done["bound"], done["instructions"]]
    return whole, {group: spread(ratios) for group, ratios in grouped.items()}, outside


def count(board, counts):
    """Writes the board's part of the record."""
    launch_counts.use(board)
    OPTIONS.images = ROOT / "build" / board / "measure/Release"
    model = support.board().core["cost_model"]
    with tempfile.TemporaryDirectory() as folder:
        if counts is None:
            counts = pathlib.Path(folder) / "check.jsonl"
            launches = launch_counts.random(board, launches=LAUNCHES, seed=SEED)
            counts.write_text("".join(json.dumps(row) + "\n" for row in launch_counts.rows(board, launches, REGIONS)),
                              encoding="utf-8")
        of_kernels = kernels(model, counts)
    whole, grouped, outside = models()
    part = {"model": model, "tables": tables(model), "kernels": of_kernels, "commands": commands(model, board),
            "models": whole, "groups": grouped, "outside": outside}
    with support.one_at_a_time(OPTIONS.work.parent.parent):
        record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
        record[board] = part
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


HEAD = """# Bounds of cores: what was counted

Made by `tests/baremetal/tools/costs_page.py`; do not edit. The test `baremetal.costs_page` fails where a cost model is
not the one that was checked here.

Where a processor core executes the kernels, a binary's costs are bounds in instructions of that core
([device.md](../reference/device.md)). They are fitted to counts and checked against others, not derived from object
code.

## What a bound is

Each kernel has a function of a launch's words that says how often its loops turn. The bound is a constant and the sum
of these turns, each times a coefficient of the core. Memory and addresses are not known: data, shifts and alignment
count as in the slowest case that the samples have. A launch with more than 2^36 turns of a loop is refused. Where an
output overlaps its input, 1,024 more stand for the check of the kernel's lead. That was counted on a Cortex-M7 alone.

A linear program finds the coefficients (`fit_costs.py`): every bound is at least 1.03 times its count, the sum of bound
/ count is least; the layers of whole models weigh 0.3 of the others in it. QEMU counts what each step of the device
executes (`launch_counts.py`) in random launches: shapes, strides, types, scales, alignments, in place, uniform and
extreme contents, 0 and 7 regions of the protection unit before that of the operands.

Compilers: arm-none-eabi-gcc 12.2.1 with newlib, riscv64-unknown-elf-gcc 12.2.0 with picolibc, `-O2`; QEMU 7.2. With
others, fit anew.

## The check

540 launches of each kernel of seed 41, which the fit does not have, with 7 regions: 20,000 for each core. A device
refuses weights in layouts that its core does not read; these are not counted. Beside CI, with a board built:

```
L="/usr/bin/python3 -B tests/baremetal/tools/launch_counts.py BOARD"
F="/usr/bin/python3 -B tests/baremetal/tools/fit_costs.py MODEL"
$L random --count 540 --seed 41 --regions 7 -o check.jsonl && $F check.jsonl --check
$L commands --regions 7 -o commands.jsonl && $F commands.jsonl --commands --check
/usr/bin/python3 -B tests/baremetal/tools/costs_page.py BOARD --counts check.jsonl
```

In CI `<board>.launch_costs` counts 25 other launches of each kernel with 0 and 7 regions, all commands, and two models
by layer. It fails where a count is above its bound, or a bound above 1.6 times the count and 200 instructions, or the
factor in the table below; of the models, packed and portable, {most} times.

"""

KERNELS = """## Kernels

Bound / count: smallest, median, largest.
"""

LARGER_TEXT = """
Kernels whose bounds may be further above:
"""

COMMANDS_TEXT = """
## Commands

The same, of all sizes and alignments up to 65,000 bytes.
"""

MODELS_TEXT = """
## Models

Bound / instructions of the device in an inference, inputs and outputs by queue; captured with `--board`. Of `ops` and
`seanet16x8`, models of one operation: smallest, median, largest.
"""

OUTSIDE_TEXT = """
Not there, because the board refuses them:
"""

FOOT = """
## What is not shown

- A launch that no sample resembles may take more than its bound. Three kinds had, and are mended: an int8 subtraction
  that saturates everywhere; a convolution with padding on both sides of a row, by 0.9 %; convolutions whose windows lie
  outside of the input, by 3.3 %. The random launches have them now.
- Launches of the samples take up to 16,384 cycles of the virtual device, some of the fit's 100,000; larger ones occur
  in the models.
- Instructions are not time: that is the integrator's measurement (`aou~core-costs`).
- No real core was counted, and no interrupts.
"""


def row(cells):
    """A line of a table."""
    return "| " + " | ".join(str(each) for each in cells) + " |"


def table(head, rows, rule="---:"):
    """A table; the first column is text."""
    return "\n".join([row(head), row(["---", *[rule] * (len(head) - 1)]).replace(" ", ""), *map(row, rows)]) + "\n"


def three(numbers):
    """A cell of a spread."""
    return " ".join(f"{each:.3f}" for each in numbers[1:]) if numbers else ""


def spreads(record, part, names):
    """A table of spreads by board."""
    return table([part[:-1], *(f"`{each['model']}`" for each in record.values())],
                 [[name, *(three(each[part].get(name)) for each in record.values())] for name in names])


def models_table(record):
    """Ratios of whole models, and spreads of groups."""
    names = sorted({name for each in record.values() for name in each["models"]})
    ratios = [[name, *(f"{each['models'][name][0] / each['models'][name][1]:.3f}" if name in each["models"] else ""
                       for each in record.values())] for name in names]
    groups = [[f"{group} ({max(each['groups'][group][0] for each in record.values())})",
               *(three(each["groups"].get(group)) for each in record.values())] for group in GROUPS]
    return table(["model", *(f"{board}" for board in record)], [*ratios, *groups])


def outside_text(record):
    """What does not run, and why."""
    by_reason = {}
    for board, each in record.items():
        for name, reason in each["outside"].items():
            by_reason.setdefault((name, re.sub(r"\d+ bytes", "so many bytes", reason)), []).append(board)
    lines = [f"- {name}, on {', '.join(found)}: {reason}" for (name, reason), found in by_reason.items()]
    return "".join(textwrap.fill(line, COLUMNS, subsequent_indent="  ") + "\n" for line in lines)


def page():
    """The page; None where a cost model is not the one that was checked."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    record = {board: record[board] for board in support.boards.boards() if board in record}
    stale = [board for board, each in record.items() if tables(each["model"]) != each["tables"]]
    missing = [board for board, each in support.boards.boards().items() if each.core and board not in record]
    if stale or missing:
        print(f"costs of {', '.join(stale + missing)} have changed: count again", file=sys.stderr)
        return None
    reasons = [[kernel, f"{factor:.1f}", why] for kernel, (factor, why) in sorted(fit_costs.LARGER.items())]
    larger = table(["kernel", "most", "why"], reasons, "---")
    names = list(launch_counts.kernel_names().values())
    titles = [name for name in fit_costs.COMMAND_COSTS if name != "launch"]
    return "\n".join([HEAD.replace("{most}", f"{MOST} and {MOST_PORTABLE}") + KERNELS,
                      spreads(record, "kernels", names) + LARGER_TEXT, larger + COMMANDS_TEXT,
                      spreads(record, "commands", titles) + MODELS_TEXT,
                      models_table(record) + OUTSIDE_TEXT, outside_text(record) + FOOT])


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("board", nargs="?", help="to count; prints the page if left out")
    parser.add_argument("--counts", type=pathlib.Path, help="of the check, as launch_counts.py has written them")
    options = parser.parse_args(words)
    if options.board is not None:
        count(options.board, options.counts)
        return 0
    made = page()
    if made is not None:
        sys.stdout.write(made)
    return 0 if made is not None else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
