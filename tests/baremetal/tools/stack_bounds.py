"""Upper bounds of the stack that Session's calls and a verifier's need on a board, from the call graphs of its build;
see tests/gates/stack_gate.py."""
import json
import pathlib

import baremetal_support as support
import stack_gate

FOLDER = pathlib.Path(__file__).resolve().parent
RULES = (support.ROOT / "tests" / "gates" / "stack_calls.txt", FOLDER / "board_ports.txt")
OWN_RULES = "stack_calls.txt"  # in a board's folder, where it has any
# Cortex-M: the handler of the system tick, and what the core itself pushes in front of it: eight words, and one to
# align them.
TICK, EXCEPTION_FRAME_BYTES = "pianola_tick", 36
LIMITS = json.loads((FOLDER.parent / "thresholds.json").read_text(encoding="utf-8"))["stack"]


def rules():
    """The rules for all boards, and those of this one."""
    own = support.ROOT / "hal/boards" / support.OPTIONS.board / OWN_RULES
    return stack_gate.rules_of((*RULES, own) if own.is_file() else RULES)


def judge(object_list):
    """(findings, lines of the report) for one configuration's objects."""
    findings, lines, _ = stack_gate.judge(stack_gate.graphs_of(object_list), rules(), LIMITS)
    return findings, lines


def bounds(object_list):
    """{call: bytes} of the calls that have a limit, without their namespace."""
    analysis = stack_gate.analyse(stack_gate.graphs_of(object_list), rules())
    return {root.rsplit("::", 1)[1]: depth for root, (depth, _) in
            stack_gate.root_depths(analysis, LIMITS["roots"]).items()}


def interrupt_bound(object_list):
    """Bytes that an interrupt may take of the same stack at any time; 0 on boards where none comes on its own."""
    analysis = stack_gate.analyse(stack_gate.graphs_of(object_list), rules())
    depth, title = stack_gate.root_depths(analysis, [TICK])[TICK]
    return 0 if title is None else depth + EXCEPTION_FRAME_BYTES


def painted(model, folder):
    """{call: bytes} that the same calls used, as the paint of the stack shows it."""
    records = folder / "input"
    records.write_bytes(model.records(1))
    return painted_by("stack", model.file, records)


def painted_by(*arguments):
    """The same of one start of the test application."""
    values = support.Run(*arguments).require().values
    return {call: values[f"{call}_stack"] for call in ("load", "submit", "poll")}
