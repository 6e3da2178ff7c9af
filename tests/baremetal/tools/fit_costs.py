#!/usr/bin/env python3
"""Coefficients of a core's cost model, fitted to counted instructions.

    fit_costs.py MODEL COUNTS.jsonl ... [--layers COUNTS.jsonl ...] [--kernel NAME ...] [--margin RATIO] [--write]
    fit_costs.py MODEL COUNTS.jsonl ... --check
    fit_costs.py MODEL COMMANDS.jsonl ... --commands [--write | --check]

COUNTS are what launch_counts.py writes for the model's board. For each kernel, a linear program finds the coefficients
that make every bound at least its count times the margin, and the sum of bound / count the least. Launches of --layers,
those of whole models, together weigh LAYERS_SHARE of the others in this sum. --write puts the coefficients in
hal/devices/refdev/costs/MODEL.inc; a kernel's version there rises by one where its row changes. --check fits nothing:
it compares the bounds of the present model with the counts, prints the launches that are worst, and ends with 1 where
one is outside of the limits, which LARGER widens upwards for some kernels. docs/evidence/costs.md has the commands of
the campaign. The host's release build of pianola_launch_work must be up to date; fitting needs SciPy
(python3-scipy).
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCALE = 256
KIBIBYTE = 1024
LINE = 120
MARGIN = 1.03
LAYERS_SHARE = 0.3
# A bound is from its count to LARGEST times it; LEAST_INSTRUCTIONS more are permitted to small launches.
LARGEST, LEAST_INSTRUCTIONS = 1.6, 200
# Kernels of which some launches take far less than their words say: how far a bound may be above a count, and why.
_ALIGNED = "memcpy copies aligned rows by words, and a bound does not depend on addresses"
LARGER = {
    "add": (2.0, "a rounding shift of 0 is skipped"),
    "conv2d": (2.0, "few output channels, which fill a part of a block"),
    "conv2d_int16": (1.9, "patches with padding on both sides, or that are padding alone"),
    "depthwise_conv2d": (2.3, "filters of one tap, of which rescaling is most"),
    "fully_connected": (1.7, "rows of few taps, of which rescaling is most"),
    "gather": (1.8, _ALIGNED),
    "take": (1.8, _ALIGNED),
    "view": (1.8, _ALIGNED),
    "requantize": (1.8, "values that saturate are not rounded"),
    "rescale": (1.8, "values that saturate are not rounded"),
}


def read_rows(files):
    """Rows of the files."""
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def with_bounds(model, rows):
    """The rows; those of kernels with turns and bounds, those of commands with bounds."""
    done = subprocess.run([ROOT / "build/release/bin/pianola_launch_work", model], check=True, encoding="utf-8",
                          input="".join(json.dumps(row) + "\n" for row in rows), stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def with_work(model, files, kernels):
    """Rows of the files with turns and bounds, by kernel."""
    rows = {}
    for row in with_bounds(model, read_rows(files)):
        if "turns" in row and (not kernels or row["kernel"] in kernels):
            rows.setdefault(row["kernel"], []).append(row)
    return rows


def fitted(rows, margin=MARGIN, layers=()):
    """Coefficients times SCALE, rounded up."""
    import numpy  # pylint: disable=import-outside-toplevel
    from scipy.optimize import linprog  # pylint: disable=import-outside-toplevel

    weights = numpy.ones(len(rows) + len(layers))
    weights[len(rows):] = LAYERS_SHARE * len(rows) / max(len(layers), 1)
    rows = [*rows, *layers]
    counts = numpy.array([row["instructions"] for row in rows], dtype=float)
    turns = numpy.array([row["turns"] for row in rows], dtype=float) / counts[:, None]
    largest = turns.max(axis=0)
    used = largest > 0
    scaled = turns[:, used] / largest[used]
    solved = linprog(weights @ scaled, A_ub=-scaled, b_ub=-numpy.full(len(rows), margin), method="highs")
    if solved.status != 0:
        raise RuntimeError(solved.message)
    result = numpy.zeros(turns.shape[1], dtype=int)
    result[used] = numpy.ceil(solved.x / largest[used] * SCALE - 1e-6)
    return result.tolist()


def bound_of(row, coefficients):
    """The bound of a launch, as cost_model.cpp computes it."""
    return -(-sum(turns * each for turns, each in zip(row["turns"], coefficients)) // SCALE)


def is_outside(count, bound, kernel=None):
    """Whether a bound is none, or too far above its count."""
    largest = LARGER[kernel][0] if kernel in LARGER else LARGEST
    return bound < count or bound > largest * count + LEAST_INSTRUCTIONS


def outside(rows):
    """What is wrong with rows that have bounds."""
    return [f"{row['kernel']}: {row['instructions']} instructions, bound {row['bound']}, words {row['words']}, "
            f"{row['data']}" for row in rows if is_outside(row["instructions"], row["bound"], row["kernel"])]


def report(kernel, rows, bounds, worst):
    """Prints how tight the bounds are; returns how many launches are outside of the limits."""
    ratios = sorted(((bound / row["instructions"], row, bound) for row, bound in zip(rows, bounds)),
                    key=lambda entry: entry[0])
    wrong = [entry for entry in ratios if is_outside(entry[1]["instructions"], entry[2], kernel)]
    middle = ratios[len(ratios) // 2][0]
    print(f"{kernel:24} {len(rows):6} launches, bound / count {ratios[0][0]:.3f} to {ratios[-1][0]:.3f}, "
          f"median {middle:.3f}, {len(wrong)} outside")
    for ratio, row, bound in (wrong[:worst] + wrong[-worst:])[:2 * worst]:
        print(f"    {ratio:.3f} {row['instructions']} {bound} turns {row.get('turns')} words {row['words']} "
              f"{row['data']}")
    return len(wrong)


def write(model, found):
    """Replaces the rows of the kernels in the model's table."""
    file = ROOT / "hal/devices/refdev/costs" / (re.sub(r"\W", "_", model) + ".inc")
    names = {name: enumerator for enumerator, name in re.findall(
        r'^PIANOLA_KERNEL\(\d+U, (\w+), "(\w+)"',
        (ROOT / "hal/devices/refdev/kernels/kernels.inc").read_text(encoding="utf-8"), re.M)}
    text = file.read_text(encoding="utf-8")
    for kernel, coefficients in found.items():
        while len(coefficients) > 1 and coefficients[-1] == 0:
            coefficients = coefficients[:-1]
        row = ", ".join(f"{each}U" for each in coefficients)
        match = re.search(rf"^PIANOLA_COST\({names[kernel]}, (\d+)U,\s([^)]*)\)$", text, re.M)
        if re.sub(r"\s+", " ", match[2]) != row:
            version = int(match[1]) if match[2] == "0U" else int(match[1]) + 1
            lines = textwrap.wrap(f"PIANOLA_COST({names[kernel]}, {version}U, {row})", LINE,
                                  subsequent_indent=" " * len("PIANOLA_COST("))
            text = text.replace(match[0], "\n".join(lines))
    file.write_text(text, encoding="utf-8")


# Of CommandCosts, in its order. MOVES have two numbers, and the word that is their size.
MOVES = {"copy": 3, "fill": 2, "write": 2, "read": 2}
COMMAND_COSTS = ["launch", "dispatch", "barrier", "end", *MOVES, "replay", "record", "wait", "notify"]
COMMAND_NAMES = {"record": "record_event", "wait": "wait_event"}
COMMANDS = re.compile(r"CommandCosts kCommands\{([^;]*),\s+(true|false)\};")


def command_rows(counts):
    """Rows by member of CommandCosts. A dispatch is the first one, less the same launch, and with what the next command
    takes to join the cores."""
    rows = {}
    for name in COMMAND_COSTS:
        title = "command." + COMMAND_NAMES.get(name, name)
        rows[name] = [row for row in counts if row["kernel"] == title]
    first, launch, joining, barrier = (
        [row["instructions"] for row in counts if row["kernel"] == title]
        for title in ("first dispatch.fill", "launch.fill", "joining command.barrier", "command.barrier"))
    rows["dispatch"] = [{"kernel": "command.dispatch", "words": [], "data": "none",
                         "instructions": dispatched - launched + joined - alone}
                        for dispatched, launched, joined, alone in zip(first, launch, joining, barrier)]
    return rows


def fitted_command(name, rows):
    """Numbers of a command in CommandCosts: one, or two for a move."""
    if name == "launch":
        return [0]  # a kernel's first term is the launch
    if name not in MOVES:
        return [math.ceil(MARGIN * max(row["instructions"] for row in rows))]
    moves = [{"instructions": row["instructions"], "turns": [1, row["words"][MOVES[name]] / KIBIBYTE]} for row in rows]
    return [-(-each // SCALE) for each in fitted(moves)]


def bound_of_command(name, row, costs):
    """The bound of a command, as cost_model.cpp computes it."""
    return costs[0] + (-(-row["words"][MOVES[name]] * costs[1] // KIBIBYTE) if name in MOVES else 0)


def commands(options):
    """Returns how many commands are outside of the limits."""
    file = ROOT / "hal/devices/refdev/costs" / (re.sub(r"\W", "_", options.model) + ".cpp")
    text = file.read_text(encoding="utf-8")
    present = [int(each) for each in re.findall(r"(\d+)U", COMMANDS.search(text)[1])]
    wrong = 0
    found = []
    for name, rows in command_rows(read_rows(options.counts)).items():
        numbers = 2 if name in MOVES else 1
        costs, present = present[:numbers], present[numbers:]
        if not options.check:
            costs = fitted_command(name, rows)
        found.append("{%dU, %dU}" % tuple(costs) if name in MOVES else f"{costs[0]}U")
        if rows:
            wrong += report(name, rows, [bound_of_command(name, row, costs) for row in rows], options.worst)
    if options.write:
        row = ", ".join(found)
        file.write_text(COMMANDS.sub(lambda match: f"CommandCosts kCommands{{{row}, {match[2]}}};", text),
                        encoding="utf-8")
    return wrong


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("counts", nargs="+", type=pathlib.Path)
    parser.add_argument("--layers", action="append", default=[], type=pathlib.Path, metavar="COUNTS",
                        help="launches of whole models, as `binary` of launch_counts.py counts them")
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME", help="all if left out")
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="RATIO",
                        help=f"of bound / count; default {MARGIN}")
    parser.add_argument("--write", action="store_true", help="into the model's table")
    parser.add_argument("--check", action="store_true", help="the present model, without fitting")
    parser.add_argument("--commands", action="store_true", help="that launch nothing, instead of kernels")
    parser.add_argument("--worst", type=int, default=3, metavar="N", help="launches to show of each end; default 3")
    options = parser.parse_args(words)
    if options.commands:
        return 1 if commands(options) else 0
    wrong = 0
    found = {}
    layers = with_work(options.model, options.layers, options.kernel)
    for kernel, rows in with_work(options.model, options.counts, options.kernel).items():
        if options.check:
            bounds = [row["bound"] for row in rows]
        else:
            found[kernel] = fitted(rows, options.margin, layers.get(kernel, []))
            bounds = [bound_of(row, found[kernel]) for row in rows]
        wrong += report(kernel, rows, bounds, options.worst)
    if options.write:
        write(options.model, found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
