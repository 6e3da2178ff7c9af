#!/usr/bin/env python3
"""Prints docs/evidence/measured.md from what the boards' builds have measured: tests/baremetal/measured/*.json."""
import json
import pathlib
import textwrap

from boards import boards

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "baremetal"
COLUMNS = 120
KINDS = ("text", "rodata", "data", "bss")
LAYERS = ("validator", "session", "rule texts", "digest", "signatures", "command set", "driver", "device side",
          "kernels", "arch", "board", "toolchain", "application", "trace binary", "alignment")
RAM = {"session_bytes": "`Session`", "plan_workspace_bytes": "`PlanWorkspace`, free after `load()`",
       "verdict_bytes": "`Verdict`", "driver_bytes": "driver", "shared_state_bytes": "`SharedState`"}

HEAD = """# Boards: what was measured

Made by `toolchains/measured_page.py`; do not edit. The test `<board>.facts` fails where a build gives another number.
To renew: build and test the boards with `PIANOLA_UPDATE_MEASURED=1` in the environment, then write the script's output
here. GCC 12.2, QEMU 7.2 with counted instructions (`-icount shift=0,sleep=off`), so numbers repeat.
"""

INSTRUCTIONS = """
## Instructions of the ECU core, at -O2

One inference with zero-copy I/O: `input_view()`, `submit()`, `wait()`, `output_view()`. Not counted are the
application's use of the views, waiting, and a device that shares the core: it finishes between `submit()` and `wait()`,
and its work inside `wait()` is left out. The count does not depend on the length of the trace:
hello_world has 3 operators, vww 31. One validation's SHA-256, with the C library's part, is a separate column. `load()`
is two validations, programming and read-back, without its three digests; of its two waits (reset, set-up) only the
polls before and after count. Inferences are those of `Release::kAtCompletion`; verified release adds "a slice" for each
16,384 bytes of traces and weights, by `wait()`. `poll()` checks the seals of the session's state for each slice too.
"""

STACK = """
## Stack of the ECU core

Bounds from GCC's frame sizes and the call graph, with virtual calls into the board's classes; 512 bytes are for the
application's safe state. They include the kernels of a device that shares the core. "used" is the deepest mark in
painted stack, at -O2, of kws.
"""

SIGNATURES = """
## Verifying a signature

`BearSslVerifier`: ECDSA on P-256. Sizes in bytes are of BearSSL's files and the class that calls it, as
linked into the test application; data and bss are empty. Stack as above; "used" includes an interrupt where the core
has a tick. Instructions at -O2, of a valid signature; an invalid one takes as many, or fewer if r or s is out of range.
"""

RAM_HEAD = """
## RAM

Bytes of the application's objects; the test compares them with what `pianola size` predicts. No image has a heap.
"""

SIZES = """
## Sizes by layer

Bytes of the linked ECU application of `docs/examples/board`, with both sides of the device in one image. "validator"
judges a binary, without digest and rule texts; "session" loads, replays and monitors; "driver" and "command set" are
the ECU's side of the reference device, "device side" and "kernels" the device's; "toolchain" is the C library's and the
compiler's. Stacks, the device's memories and the load area are the board's choice and not counted.
"""


def table(head, rows):
    """Markdown; the first column is text."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for first, *others in rows:
        yield "| " + " | ".join([first, *(f"{value:,}" if isinstance(value, int) else value
                                          for value in others)]) + " |"


def instruction_rows(facts):
    """One row per board."""
    for board, fact in facts.items():
        counts = fact["instructions"]
        kws = counts["kws_ref_model"]
        yield [board, *(counts[name]["inference"] for name in ("hello_world_int8", "kws_ref_model", "vww_96_int8")),
               *(counts[name]["validation"] for name in ("hello_world_int8", "kws_ref_model", "vww_96_int8")),
               kws["digest"], kws["load"], kws["slice"], kws["slices"]]


def stack_rows(facts):
    """One row per board."""
    for board, fact in facts.items():
        stack = fact["stack"]
        yield [board, *(stack[column][call] for call in ("load", "submit", "poll") for column in ("Os", "O2", "used"))]


def signature_rows(facts):
    """One row per board."""
    for board, fact in facts.items():
        cost, stack = fact["signatures"], fact["stack"]
        yield [
            board,
            *(cost["sizes"][configuration][kind] for configuration in ("Os", "O2") for kind in ("text", "rodata")),
            stack["Os"]["verify"], stack["O2"]["verify"], cost["stack_used"], cost["instructions"]
        ]


def size_rows(sizes):
    """One row per layer, and their sum."""
    columns = [(configuration, kind) for configuration in ("Os", "O2") for kind in KINDS]
    unknown = set(sizes["Os"]) | set(sizes["O2"])
    assert unknown <= set(LAYERS), unknown - set(LAYERS)
    rows = [[layer, *(sizes[configuration].get(layer, {}).get(kind, 0) for configuration, kind in columns)]
            for layer in LAYERS]
    yield from rows
    yield ["all", *(sum(column) for column in list(zip(*rows))[1:])]


def page(facts, limits):
    """The lines of the page."""
    yield from (HEAD + INSTRUCTIONS).splitlines()
    yield ""
    yield from table([
        "board", "inference hello_world", "kws", "vww", "validation hello_world", "kws", "vww", "digest of kws",
        "load of kws", "a slice", "slices of kws"
    ], instruction_rows(facts))
    instructions = limits["instructions"]
    stack = {root.rsplit("::")[-1]: limit for root, limit in limits["stack"]["roots"].items()}
    yield from [
        "",
        f"Limits: {instructions['inference']['arm_m']:,} for an inference on Cortex-M, "
        f"{instructions['inference']['arm_r']:,} on Cortex-R, {instructions['inference']['riscv']:,} on RV32, and "
        f"{instructions['inference_spread']:.0%} between "
        f"hello_world and vww; {instructions['validation_without_digest']['arm_m']:,} for one validation of kws on "
        f"Cortex-M, {instructions['load_without_digest']['arm_m']:,} for its `load()`, "
        f"{instructions['verified_release_per_slice']['arm_m']:,} for a slice."
    ]
    yield from STACK.splitlines()
    yield ""
    yield from table(
        ["board", *(f"{call} {column}" for call in ("load", "submit", "poll") for column in ("-Os", "-O2", "used"))],
        stack_rows(facts))
    yield from [
        "", "Limits: " + ", ".join(f"{stack[call]:,} for `{call}`" for call in ("load", "submit", "poll")) + "."
    ]
    yield from SIGNATURES.splitlines()
    yield ""
    yield from table(["board", "-Os text", "rodata", "-O2 text", "rodata", "stack -Os", "-O2", "used", "instructions"],
                     signature_rows(facts))
    yield from [
        "",
        f"Limits: {limits['sizes']['signatures_text_and_rodata_at_Os']:,} bytes of text and rodata together at -Os, "
        f"{stack['verify']:,} bytes of stack."
    ]
    yield from RAM_HEAD.splitlines()
    yield ""
    yield from table(["object", *facts],
                     ([title, *(fact["ram"][name] for fact in facts.values())] for name, title in RAM.items()))
    yield from SIZES.splitlines()
    limit, least = (limits["sizes"][name] for name in ("validator_and_session_text_on_cortex_m_at_Os",
                                                       "the_same_without_features"))
    yield ""
    yield (f"Limit of text on Cortex-M at -Os: {limit:,} bytes for validator and session together; {least:,} without "
           "optional features")
    yield "(`docs/examples/board/small.cpp`)."
    small = {board: fact["small"] for board, fact in facts.items() if "small" in fact}
    if small:
        yield ""
        yield from table(["text at -Os without features", *small],
                         ([layer, *(row[layer] for row in small.values())] for layer in ("validator", "session")))
    for board, fact in facts.items():
        yield from ["", f"### {board}", ""]
        yield from table(["layer", *(f"-{c} {kind}" for c in ("Os", "O2") for kind in KINDS)], size_rows(fact["sizes"]))


OTHER = """
## {board}: another device

The device ({device}) cannot run models and the example application. The program is the exchange of `tests/pl330`:
copies and fills on two queues that wait for each other. A step is `input_view()`, `submit()`, every `poll()` up to the
one that returns `kOk`, and `output_view()`: polling includes handing the engine its programs. Stack as above. RAM is
what the compiler says. Sizes are of the product's parts in the test application, without signatures.
"""


def other(board, device, fact):
    """What a board with another device has."""
    yield from OTHER.format(board=board, device=device).splitlines()
    yield ""
    counts = ("step", "validation", "digest", "load", "slice", "slices")
    yield from table(["program", *counts], ([name, *(row[count] for count in counts)]
                                            for name, row in fact["instructions"].items()))
    yield ""
    columns = ("Os", "O2", "used")
    yield from table(["stack", "-Os", "-O2", "used"],
                     ([f"`{call}`", *(fact["stack"][column][call] for column in columns)]
                      for call in ("load", "submit", "poll")))
    yield ""
    yield from table(["object", "bytes"], ([RAM[name], size] for name, size in fact["ram"].items()))
    yield ""
    yield from table(["layer", *(f"-{c} {kind}" for c in ("Os", "O2") for kind in KINDS)],
                     (row for row in size_rows(fact["sizes"]) if any(row[1:])))


def main():
    """Prints the page."""
    records = {board: TESTS / "measured" / f"{board}.json" for board in boards()}
    facts = {board: json.loads(record.read_text(encoding="utf-8")) for board, record in records.items()
             if record.is_file()}
    limits = json.loads((TESTS / "thresholds.json").read_text(encoding="utf-8"))
    devices = {board: boards()[board].device for board in facts}
    lines = list(page({board: fact for board, fact in facts.items() if devices[board] == "refdev"}, limits))
    for board, fact in facts.items():
        if devices[board] != "refdev":
            lines += other(board, devices[board], fact)
    for line in lines:
        print(line if line.startswith("|")
              else textwrap.fill(line, COLUMNS, break_long_words=False, break_on_hyphens=False))


if __name__ == "__main__":
    main()
