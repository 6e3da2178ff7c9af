#!/usr/bin/env python3
"""Counts instructions of a session's calls under callgrind, and holds them against the formulas of
capture_host/timeline/cost.

  instructions.py --program PIANOLA_SESSION_COST [--page docs/evidence/session_cost.md]

What a port does is left out, and of load() both validations (tests/worst_case has those). Counts repeat exactly for the
same build; no clock is involved. Fails, and names it, on: a call that takes more than its formula gives; a formula of a
largest plan that is more than twice what its call takes; an inference or a slice that a board has measured and that the
formula of a 32-bit core does not cover; a page that says something else.

  --print   writes the page
"""
import argparse
import concurrent.futures
import difflib
import json
import pathlib
import subprocess
import sys

import page

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import callgrind  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTED, VALIDATION = ("*pianola_counted_call*", "*uncounted*"), ("pianola::validate_same_file(*", )
# Plan, call, and what goes wrong in it.
RUNS = (
    ("typical", "Session", "none"), ("typical", "load", "none"), ("typical", "submit (transfers)", "none"),
    ("typical", "poll", "none"), ("typical", "poll", "last_constant"), ("typical", "poll", "state"),
    ("typical", "wait", "none"), ("typical", "run", "none"), ("typical", "self_test (one)", "none"),
    ("typical", "self_test (one)", "last_output"), ("typical", "self_test (all)", "none"),
    ("typical", "scrub", "none"), ("typical", "scrub_calls", "none"), ("typical", "confirm_start", "none"),
    ("typical", "unload", "none"), ("typical", "output_bytes", "none"), ("typical", "is_loaded", "none"),
    ("typical_seen", "input_view", "none"), ("typical_seen", "output_view", "none"),
    ("typical_seen", "submit (views)", "none"), ("typical_seen", "poll", "none"), ("typical_seen", "load", "none"),
    ("mesh", "load", "none"), ("mesh", "submit (transfers)", "none"), ("mesh", "unload", "reset"),
    ("setup_commands", "load", "none"), ("setup_commands", "scrub", "none"),
    ("step_commands", "submit (transfers)", "none"), ("step_commands", "submit (transfers)", "last_command"),
    ("tensor_buffers", "submit (transfers)", "none"), ("parameters", "set_parameters", "none"),
    ("parameters", "set_parameters", "last_word"), ("parameters", "scrub", "none"),
    ("pipelined", "start", "none"), ("pipelined", "stop", "none"), ("pipelined", "submit (transfers)", "none"),
    ("pipelined", "poll", "timeout"), ("pipelined_mesh", "submit (transfers)", "none"),
    ("pipelined_mesh", "set_parameters", "none"), ("pipelined_mesh", "start", "none"),
    ("pipelined_mesh", "poll", "timeout"), ("stateful", "reset_state", "none"),
    ("large_weights", "load", "none"), ("large_weights", "poll", "none"), ("large_weights", "wait", "none"),
    ("large_weights", "scrub", "none"), ("large_weights_seen", "poll", "none"), ("large_weights_seen", "scrub", "none"),
    ("large_tensors", "submit (transfers)", "none"), ("large_tensors", "submit (transfers)", "last_command"),
    ("large_tensors", "poll", "timeout"), ("large_tensors", "poll", "wrong_digest"),
    ("large_tensors", "poll", "device_fault"))
PORT_INSTRUCTIONS = 100  # the default of --port-instructions
MOST_OF_BOARDS = 4       # times what a board takes; the port's calls are in it at 100 instructions each
MOST_OF_SLOWEST = 1.5    # times what the slowest board takes for a slice, whose bytes are in the formula


def collected(options, run, toggles):
    """(what the program prints, instructions inside functions of these names)."""
    printed, counted = callgrind.collected((options.program, "run", *run), inside=toggles)
    return json.loads(printed), counted


def count(options, run):
    """The row of one run."""
    row, measured = collected(options, run, COUNTED)
    if not row or measured == 0:
        raise RuntimeError(f"{' '.join(run)}: nothing was counted")
    if run[1] == "load":
        before = collected(options, (run[0], "is_loaded", "none"), VALIDATION)[1]
        measured -= collected(options, run, VALIDATION)[1] - before
    return {**row, "measured": measured}


def judge(rows):
    """What exceeds a formula, and which formula says nothing, in words."""
    found = [f"{row['call']} of {row['plan']}, fault {row['fault']}: {row['measured']} instructions, the formula gives "
             f"{row['instructions']}" for row in rows if row["measured"] > row["instructions"]]
    found += [f"{row['call']} of {row['plan']}, fault {row['fault']}: the formula gives {row['instructions']}, more "
              f"than twice {row['measured']}" for row in rows
              if row["largest"] and row["instructions"] > 2 * row["measured"]]
    return found + [f"{row['call']} of {row['plan']}: no fault has latched" for row in rows
                    if row["fault"] != "none" and not row["latched"]]


def judge_boards(formula, boards):
    """What boards have measured, against the formulas of a 32-bit core, in words."""
    found = []
    long_slices = []
    given = {what: formula[what] + formula[f"{what}_port_calls"] * PORT_INSTRUCTIONS for what in ("inference", "slice")}
    for board, facts in boards.items():
        for model, measured in facts.get("instructions", {}).items():
            found += [f"{board}, {model}: {what} takes {measured[what]}, the formula gives {most}"
                      for what, most in given.items() if what in measured and most < measured[what]]
            if given["inference"] > MOST_OF_BOARDS * measured.get("inference", given["inference"]):
                found.append(f"{board}, {model}: the formula of inference gives {given['inference']}, far more than "
                             f"{measured['inference']}")
            if measured["slices"] > 2:
                long_slices.append(measured["slice"])
    if long_slices and given["slice"] > MOST_OF_SLOWEST * max(long_slices):
        found.append(f"the formula of slice gives {given['slice']}, far more than the {max(long_slices)} of the "
                     "slowest board")
    return found


def adopted(rows, kept):
    """The rows, with the instructions that a page says where they differ by a thousandth at most: the place of an
    object in memory makes a few more or less."""
    said = {tuple(cells[:3]): int(cells[4].replace(",", "")) for cells in page.cells_of(kept)}
    for row in rows:
        old = said.get((row["plan"], row["call"], row["fault"]), 0)
        near = abs(old - row["measured"]) * 1000 <= row["measured"]
        yield {**row, "measured": old if near else row["measured"]}


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the program pianola_session_cost")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args(words)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            rows = list(pool.map(lambda run: count(options, run), RUNS))
        formula = json.loads(subprocess.run([options.program, "ecu"], check=True, capture_output=True,
                                            text=True).stdout)
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        print(f"session_cost: {error}", file=sys.stderr)
        return 2
    boards = {path.stem: json.loads(path.read_text(encoding="utf-8"))
              for path in sorted((ROOT / "tests/baremetal/measured").glob("*.json"))}
    found = judge(rows) + judge_boards(formula, boards)
    if options.page:
        kept = options.page.read_text(encoding="utf-8")
        made = page.text(options.program, list(adopted(rows, kept)), formula, boards)
        if made != kept:
            sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept", "made"))
            found.append(f"{options.page} is not what --print writes")
    if options.print:
        print(page.text(options.program, rows, formula, boards), end="")
    for line in found:
        print(f"session_cost: {line}", file=sys.stderr)
    print(f"session_cost: {len(rows)} calls, {len(boards)} boards, {len(found)} findings", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
