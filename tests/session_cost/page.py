"""docs/evidence/session_cost.md, made of what pianola_session_cost prints and of what was counted."""
import json
import subprocess
import textwrap

HEAD = """# Cost of a session's calls

Made by `tests/session_cost/instructions.py --print`; do not edit. Upper bounds for each public call of a `Session`:
calls of the port, bytes, and instructions, as formulas of a binary's numbers. The formulas are in
`capture_host/timeline/cost/session_cost.cpp`; `pianola size --ftti-us` uses them ([timing.md](../guide/timing.md)).
No time is measured here.

## What holds them

Sessions on the simulator run hostile binaries: those of [worst_case.md](worst_case.md) with something at its maximum,
eight inputs and outputs of a mebibyte each, a large constant, 16 steps in flight, a mesh, state. Faults occur at the
worst moment: at the last command, the last doorbell, the last queue's completion, the last byte of the constants, of
the outputs and of the parameters, at the deadline, and in the session's state.

| test | holds |
|---|---|
| `session_cost.counts` | each call of the port and each byte that is sealed, read back, digested, zeroed or \
lent is counted: none is more than its formula. Each formula is at most twice what some plan takes, and \
the sum of a largest plan too. Every public function has a formula |
| `session_cost.instructions` | callgrind's count is at most the formula, of a largest plan \
at least half of it; this page says what was counted |
| `session_cost.counts.proof`, `session_cost.instructions.proof` | they fail where a formula is \
smaller, far too large, or missing |

Counts are the same in every build. Instructions are of g++ 12.2, -O3, x86-64, repeat exactly, and are counted for the
calls in the table below. A port does not see summed and compared bytes, pieces, and looks at points; instructions check
them.

## Numbers of a binary

"commands" of a script are those of all devices; "queues" are those that it uses, with a notification each. "bound"
inputs and outputs are pieces of tensors, each bound on its device. "kept" slices are of what the set-up writes and
nothing changes, 4,096 bytes at most, and have a check each; those of "state" are summed as a whole before and after a
step. "other bytes" of the file are neither weights nor traces; "calls of a scrub" is `scrub_calls()`; a call
takes at most 64 of the kept slices, and 16,384 bytes and the rest of a slice.
"bound", "loaded" and "running" are the bytes of the session's three sealed objects, by profile and use; with
`Release::kAtCompletion` nothing is sealed but the plans of both validations, and no slice is compared before a release.

## Formulas

For one device whose memory the core does not see, one step in flight, no round of waiting, and no fault. Otherwise:

- a fault adds the last row, with the outputs of all steps in flight; the slice that differs is read back once more
  where memory is seen;
- of the queues of prologue, step and epilogue, the most of the three count, not their sum;
- each further vector of `self_test (all)` repeats all of a `run()`;
- each round of waiting adds a look, a seal of all state and `idle()`;
- a prologue adds `start()` and a wait to `run()`, and two `reset_state()` to the self-tests;
- with parameters, each read of a trace looks at each patch point;
- with `Release::kWithinInterval` each slice, and the last one of a share, reads the clock once more;
- what the core sees is summed in place: `take_from_device` instead of `read_back`, except at `load()`.

"calls" is how often a call of the session is entered, including nested ones.
"""

FOOT = """
## How to measure

    cmake --build build/release --target pianola_session_cost
    tests/session_cost/counts.py --program build/release/bin/pianola_session_cost
    tests/session_cost/instructions.py --program build/release/bin/pianola_session_cost --print

## What is not measured

Instructions of the other calls, other compilers and other cores; caches, silicon, time, and the port's methods. The C
API adds a conversion of its arguments to each call, which is not counted.
"""


def printed(program, command):
    """What the program prints, from JSON."""
    return json.loads(subprocess.run([program, command], check=True, capture_output=True, text=True).stdout)


def cells_of(text):
    """Cells of the rows of the table of instructions."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 7 and cells[4].replace(",", "").isdigit():
            yield cells


def formulas(program):
    """A table of calls; those without a loop, or call of the port, share a row."""
    lines = ["| call | counts |", "|---|---|"]
    plain = []
    for call, terms in printed(program, "formulas").items():
        if set(terms) == {"calls"}:
            plain.append(f"`{call}`")
            continue
        parts = [f"{term}: {formula}" for term, formula in terms.items() if (term, formula) != ("calls", "1")]
        lines.append(f"| `{call}` | {'; '.join(parts)} |")
    return "\n".join([*lines, f"| {', '.join(plain)} | no loop, no call of the port |"])


def hundredths(value):
    """A coefficient as a number."""
    return f"{value / 100:.2f}".rstrip("0").rstrip(".")


def coefficients(program):
    """The table of coefficients."""
    lines = ["| instructions for each | host | 32-bit core |", "|---|---:|---:|"]
    lines += [f"| {term} | {hundredths(host)} | {hundredths(ecu)} |"
              for term, host, ecu in printed(program, "coefficients") if host or ecu]
    return "\n".join(lines)


def instructions(rows):
    """The table of what was counted."""
    lines = ["| plan | call | fault | port calls | instructions | formula | used |",
             "|---|---|---|---:|---:|---:|---:|"]
    lines += [f"| {row['plan']} | {row['call']} | {row['fault']} | {row['port_calls']:,} | {row['measured']:,} | "
              f"{row['instructions']:,} | {100 * row['measured'] / row['instructions']:.0f} % |" for row in rows]
    return "\n".join(lines)


def boards_table(formula, boards):
    """What boards have measured, the most of all models, beside the formula."""
    lines = ["| board | inference | formula | slice | formula |", "|---|---:|---:|---:|---:|"]
    for board, facts in boards.items():
        models = [each for each in facts.get("instructions", {}).values() if "inference" in each]
        if models:
            most = {what: max(each[what] for each in models) for what in ("inference", "slice")}
            lines.append(f"| {board} | {most['inference']:,} | {formula['inference']:,} | {most['slice']:,} | "
                         f"{formula['slice']:,} |")
    return "\n".join(lines)


def text(program, rows, formula, boards):
    """The page."""
    say = textwrap.dedent("""
        ## Instructions

        The sum of coefficient x count, without ports' methods (`port calls` is what the formula says of them) and
        without both validations of `load()` with their digests. On a host:
        """)
    core = textwrap.dedent("""
        ## Coefficients

        The host's are measured where the count weighs most. For a 32-bit core, bytes are those of the slowest board,
        zeros those of a C library that writes byte by byte, all else the host's. Boards' measurements
        ([measured.md](measured.md)), which include the port, are below the formulas: an inference with zero-copy I/O
        at completion, and a slice of a verified release. Other calls were not counted on boards.
        """)
    return "\n".join([HEAD, formulas(program), say, instructions(rows), core, boards_table(formula, boards), "",
                      coefficients(program), FOOT])
