"""What one board's builds measure: sizes by layer, RAM, stack and instructions, as one dictionary of plain numbers."""
import collections
import json
import os
import re
import subprocess

import baremetal_support as support
import instruction_counts
import link_map
import signatures
import stack_bounds
import symbols_gate
from baremetal_support import OPTIONS

CONFIGURATIONS = {"O2": "Release", "Os": "MinSizeRel"}
EXAMPLE, TESTS = "pianola_example_board", "pianola_baremetal"
SMALL = "pianola_example_small"  # an application that leaves out what it can
# Which of an image's sections count as what. Stacks, the device's memories and the load area are chosen by the board,
# not needed by the code; they are not counted.
KINDS = {".vectors": "text", ".text": "text", ".rodata": "rodata", ".windows": "rodata", ".data": "data", ".bss": "bss",
         ".shared": "bss"}
CHOSEN = re.compile(r"\.(stack|trap_stacks|device_|load_area|init_array|a53|rela)")
COUNTED_MODELS = ("hello_world_int8", "kws_ref_model", "vww_96_int8")
# What a board tells of itself beyond the defaults.
DEVICE = support.DEVICE
# Objects of the example application, by the names that `pianola size` predicts their sizes under.
PREDICTED = {"session_bytes": "::session", "plan_workspace_bytes": "::workspace", "verdict_bytes": "::verdict",
             "driver_bytes": "::device", "shared_state_bytes": "::g_shared_state"}
HEAP = [pattern for pattern, reason in symbols_gate.FORBIDDEN if reason == "heap"]
HEAP.append(re.compile(r"_?_?(s?brk)(_r)?|_(malloc|free|realloc|calloc)_r|__malloc_\w+"))
COUNTED_LOOP = re.compile(r"^\s*([0-9a-f]+):\s+(?:le|letp|lctp|dls|dlstp|wls|wlstp)(?:\.\w+)?\s", re.MULTILINE)


def image(configuration, name=EXAMPLE):
    """An image of this board's build."""
    path = OPTIONS.image.parents[1] / CONFIGURATIONS[configuration] / f"{name}.elf"
    if not path.is_file():
        raise RuntimeError(f"{path}: not built; cmake --workflow --preset {OPTIONS.board} builds all that is measured")
    return path


def images():
    """Every image of both configurations."""
    return sorted(path for configuration in CONFIGURATIONS.values()
                  for path in (OPTIONS.image.parents[1] / configuration).glob("*.elf"))


def sizes(configuration, name=EXAMPLE):
    """{layer: {kind: bytes}} of an application, with a row "alignment" for what belongs to no layer."""
    linked = link_map.read(image(configuration, name))
    rows = collections.defaultdict(collections.Counter)
    for piece in linked.pieces:
        if piece.output in KINDS:
            rows[piece.layer][KINDS[piece.output]] += piece.size_bytes
        elif not CHOSEN.match(piece.output) and not link_map.NOT_LOADED.match(piece.output):
            raise RuntimeError(f"{piece.output}: a section of unknown kind")
    for output, kind in KINDS.items():
        pieces = sum(piece.size_bytes for piece in linked.inside(output))
        rows["alignment"][kind] += linked.sections.get(output, (0, 0))[1] - pieces
    return {layer: dict(sorted(row.items())) for layer, row in rows.items()}


def small_texts():
    """{layer: bytes of text} at -Os of the application that leaves out what it can."""
    rows = sizes("Os", SMALL)
    return {layer: rows[layer]["text"] for layer in ("validator", "session")}


def kernels(configuration, name):
    """Names of the kernels' functions that an image has: "compute_add"."""
    table = link_map.symbols(image(configuration, name), OPTIONS.board)
    found = (re.match(r"pianola::refdev::(compute_\w+)", each) for each in link_map.readable(list(table)))
    return {each.group(1) for each in found if each}


def ram():
    """{name: (measured, predicted)} in bytes."""
    predicted = json.loads(
        support.checked(OPTIONS.pianola, "size", "--json", "--device", DEVICE,
                        support.Model(support.SAMPLE).file))["ram"]
    table = link_map.symbols(image("O2"), OPTIONS.board)
    readable = dict(zip(link_map.readable(list(table)), table.values()))
    result = {}
    for name, suffix in PREDICTED.items():
        found = [size for symbol, (_, size) in readable.items()
                 if symbol.endswith(suffix) and not symbol.startswith("guard variable")]
        if len(found) != 1:
            raise RuntimeError(f"{suffix}: {len(found)} objects of that name in the image")
        result[name] = (found[0], predicted[name])
    return result


def heap_names(names):
    """Those of the names that belong to a heap."""
    return [name for name in names if any(pattern.fullmatch(name) for pattern in HEAP)]


def heap_in(path):
    """Names of a heap in an image, defined or referred to."""
    mangled = [*link_map.symbols(path, OPTIONS.board), *link_map.undefined(path, OPTIONS.board)]
    return heap_names([*mangled, *link_map.readable(mangled)])


def counted_loops(listing):
    """Addresses of the instructions of loops that an Armv8.1-M core counts, in a disassembly."""
    return [int(address, 16) for address in COUNTED_LOOP.findall(listing)]


def layers_with_counted_loops(path):
    """Layers of an image that have such loops. In a handler they would meet the vector length of what it interrupts."""
    pieces = link_map.read(path).inside(".text")
    run = subprocess.run([support.board().arch.binutils + "objdump", "--disassemble", "--no-show-raw-insn", path],
                         check=True, capture_output=True, text=True)
    return {piece.layer for address in counted_loops(run.stdout) for piece in pieces
            if piece.address <= address < piece.address + piece.size_bytes}


def instructions(folder):
    """{model: {what: instructions}} at -O2."""
    result = {}
    for name in COUNTED_MODELS:
        counts = instruction_counts.measure(support.Model(name), folder)
        validation = instruction_counts.without_digest(counts.validation)
        result[name] = {"validation": validation, "digest": counts.validation.total - validation,
                        "load": instruction_counts.without_digest(counts.load),
                        "inference": max(inference.total for inference in counts.inferences),
                        "slices": counts.slices, "slice": counts.per_slice}
    return result


def signature_sizes(configuration):
    """{kind: bytes} of what verifying a signature brings into an image: BearSSL, and the class in front of it."""
    row = collections.Counter({kind: 0 for kind in KINDS.values()})
    for piece in link_map.read(image(configuration, TESTS)).pieces:
        if piece.output in KINDS and piece.layer == "signatures":
            row[KINDS[piece.output]] += piece.size_bytes
    return dict(row)


def signature_cost(folder):
    """Sizes of both configurations; stack and instructions, of a signature that holds, at -O2."""
    records, answers = folder / "records.bin", folder / "answers.bin"
    records.write_bytes(signatures.fixed())
    sections, values = instruction_counts.counted(folder, "signature", records, answers)
    return {"sizes": {configuration: signature_sizes(configuration) for configuration in CONFIGURATIONS},
            "stack_used": values["verify_stack"], "instructions": sections[0].total}


def stack(folder):
    """Bounds of both configurations, and what was used at -O2."""
    bounds = {name: stack_bounds.bounds(objects) for name, objects in zip(CONFIGURATIONS, OPTIONS.objects)}
    return {**bounds, "used": stack_bounds.painted(support.Model("kws_ref_model"), folder)}


def collect(folder):
    """All of it."""
    return {"sizes": {configuration: sizes(configuration) for configuration in CONFIGURATIONS}, "small": small_texts(),
            "ram": {name: measured for name, (measured, _) in ram().items()},
            "stack": stack(folder), "instructions": instructions(folder), "signatures": signature_cost(folder)}


def kept_and_made(made):
    """The record of this board, and what was made. Writes the record first where PIANOLA_UPDATE_MEASURED is 1."""
    text = json.dumps(made, indent=2) + "\n"
    record = support.ROOT / "tests/baremetal/measured" / f"{OPTIONS.board}.json"
    if os.environ.get("PIANOLA_UPDATE_MEASURED") == "1":
        record.parent.mkdir(exist_ok=True)
        record.write_text(text, encoding="utf-8")
    kept = record.read_text(encoding="utf-8") if record.is_file() else "{}\n"
    return json.loads(kept), json.loads(text)
