#!/usr/bin/env python3
"""RAM of models on a board with a Cortex-M7 beside the arenas of TensorFlow Lite Micro with CMSIS-NN; sizes of files.

    toolchains/compare_tflm_memory.py --pianola build/release/bin/pianola --models ../shared
    toolchains/compare_tflm_memory.py ... --write docs/evidence/performance.md     puts the table into its page
    toolchains/compare_tflm_memory.py ... --check docs/evidence/performance.md     compares it, and the limits

RAM is all that `pianola size` names: session, verdict, driver, device, state that both share; inputs, outputs and
traces; activations; and as much of load()'s workspace as does not fit where the activations will be. Arenas and limits
are in tests/bench/tflm_arenas.json.

Exit codes: 0; 1 the page has another table, or a limit is exceeded; 77 there are no models.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEER = json.loads((ROOT / "tests/bench/tflm_arenas.json").read_text(encoding="utf-8"))
TABLE = re.compile(r"(<!-- made by toolchains/compare_tflm_memory\.py -->\n).*?(<!-- end -->)", re.DOTALL)
SKIPPED = 77


def board():
    """The board with the core that the arenas were measured on."""
    descriptions = sorted(ROOT.glob("hal/boards/*/board.json"))
    return next(file.parent.name for file in descriptions
                if json.loads(file.read_text(encoding="utf-8")).get("core", {}).get("cost_model") == PEER["core"])


def captured(options, model, packing, folder):
    """(the binary, what `pianola size` says of it)."""
    binary = folder / f"{model.parent.name}.{packing}.ptb"
    subprocess.run([options.pianola, "capture", model, "--board", board(), "--pack", packing, "-o", binary],
                   check=True, capture_output=True)
    size = subprocess.run([options.pianola, "size", "--json", binary], check=True, capture_output=True, text=True)
    return binary, json.loads(size.stdout)


def row(options, model, folder):
    """The numbers of a model: (activations, inputs with outputs and traces, runtime, workspace beyond, file, model)."""
    binary, _ = captured(options, model, "portable", folder)
    _, size = captured(options, model, "dsp", folder)
    activations = sum(region["bytes"] for region in size["regions"] if region["kind"] == "activation")
    device = size["device"]["dram_bytes"] + size["device"]["l1_bytes"]
    workspace = size["ram"].pop("plan_workspace_bytes")
    return (activations, device - activations, sum(size["ram"].values()), max(workspace - activations, 0),
            binary.stat().st_size, model.stat().st_size)


def table(rows):
    """Lines of the page."""
    heads = ("model", "activations", "inputs, outputs, traces", "runtime", "workspace beyond", "in all", "TFLM's arena",
             "file", "model")
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * 8
    for name, numbers in rows.items():
        ram = numbers[:4]
        cells = (*ram, sum(ram), PEER["models"][name]["cmsis_nn"], *numbers[4:])
        yield f"| {name} | " + " | ".join(f"{cell:,}" for cell in cells) + " |"


def exceeded(rows):
    """Limits that do not hold, in words."""
    limits = PEER["limits"]
    for name, (*ram, file_bytes, model_bytes) in rows.items():
        limit = limits.get(f"ram_of_{name}", PEER["models"][name]["cmsis_nn"] + limits["ram_beyond_the_arena"])
        if sum(ram) > limit:
            yield f"{name}: {sum(ram)} bytes of RAM, {limit} are admitted"
        if file_bytes > limits["file_of_model"] * model_bytes:
            yield f"{name}: a file of {file_bytes} bytes for a model of {model_bytes}"


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True,
                        help="folder of their folders; PIANOLA_SHARED is another")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    options = parser.parse_args(words)
    options.models = pathlib.Path(os.environ.get("PIANOLA_SHARED", options.models))
    models = {name: next(iter(sorted(options.models.glob(f"*/{name}/model.tflite"))), None) for name in PEER["models"]}
    if None in models.values():
        print(f"no model {', '.join(name for name, model in models.items() if model is None)}", file=sys.stderr)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        rows = {name: row(options, model, pathlib.Path(folder)) for name, model in models.items()}
    text = "\n".join(table(rows)) + "\n"
    print(text, end="")
    problems = list(exceeded(rows))
    for page in filter(None, (options.write, options.check)):
        old = page.read_text(encoding="utf-8")
        new = TABLE.sub(lambda match: match[1] + text + match[2], old)
        if options.write:
            page.write_text(new, encoding="utf-8")
        elif new != old or not TABLE.search(old):
            problems.append(f"{page}: not this table")
    for problem in problems:
        print(f"compare_tflm_memory.py: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
