#!/usr/bin/env python3
"""Instructions of one inference beside those of CMSIS-NN, on a board under QEMU, in one run, with outputs compared.

    toolchains/compare_cmsis_nn.py --include CMSIS-NN/Include --library BOARD=libcmsis-nn.a MODEL_FOLDER...

It needs a build of each board (cmake --workflow --preset BOARD) and a library that you have built for the board's core
and calling convention (toolchains/cmake/cortex-*.cmake): a static library with all int8 kernels of CMSIS-NN, and the
folder of its header arm_nnfunctions.h. A model is a folder with model.tflite, input_0_<tensor>.bin and, for the
comparison, golden_0_<tensor>.bin; without goldens the simulator's outputs take their place.

One image has both sides. The device's side is what the test device_counts counts: kernels and the device's front. The
library's side is a driver that is made for the model (toolchains/cmsis_nn_driver.py) and calls its kernels layer by
layer. An operator that the library has no kernel for, or that the driver does not call, is listed as not driven; it is
in neither sum, and its output comes from the simulator. What is on by default, the session with verified release, is
counted in the same run, for a separate inference.

Exit codes: 0 done; 1 an output is wrong; 2 usage; 3 a library, its header, a model or a build is missing; 4 a tool has
failed: its message says why.
"""
import argparse
import collections
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys
import typing
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "toolchains"), str(ROOT / "tests/baremetal/tools")]
import baremetal_support as support  # noqa: E402  pylint: disable=wrong-import-position
import cmsis_nn_driver  # noqa: E402  pylint: disable=wrong-import-position
import instruction_counts  # noqa: E402  pylint: disable=wrong-import-position
import tflite_layers  # noqa: E402  pylint: disable=wrong-import-position
from boards import boards  # noqa: E402  pylint: disable=wrong-import-position

WRONG, MISSING, TOOL = 1, 3, 4
IMAGE = "bin/Release/pianola_baremetal_peer.elf"
OF_RELEASE = 2  # sections of each policy of release: verified, and within an interval
MAX_OUTPUTS = 8  # of a binary
TABLE = re.compile(r"(<!-- made by toolchains/compare_cmsis_nn\.py -->\n).*?(<!-- end -->)", re.DOTALL)


class Stop(Exception):
    """Ends the script with a message and an exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


@dataclasses.dataclass
class Counts:
    """Instructions of one model on one board. Layers are numbers of operators."""

    board: str
    model: str
    device: typing.Mapping[int, int]
    front: int  # what belongs to no layer
    library: typing.Mapping[int, int]
    names: typing.Mapping[int, str]
    not_driven: typing.Mapping[int, str]
    releases: typing.Sequence[int]  # the session with verified release, and within an interval

    @property
    def ours(self):
        """The device's sum, without layers that are not driven."""
        return self.front + sum(count for layer, count in self.device.items() if layer not in self.not_driven)

    @property
    def theirs(self):
        """The library's."""
        return sum(self.library.values())


def tool(*command):
    """Runs a program that must succeed; what it printed."""
    try:
        run = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False)
    except OSError as error:
        raise Stop(TOOL, f"{command[0]}: {error.strerror}") from error
    if run.returncode != 0:
        raise Stop(TOOL, f"{' '.join(map(str, command[:3]))} ...: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout


# --- The image ---


def link_words(build):
    """The words of the build's own command that links the image."""
    line = tool("ninja", "-C", build, "-f", "build-Release.ninja", "-t", "commands", IMAGE).splitlines()[-1]
    words = shlex.split(line)
    return words[words.index("&&") + 1:len(words) - words[::-1].index("&&") - 1]


def compile_options(build):
    """The options of kernels in a board's build."""
    return (build / "tests/baremetal/peer_options.txt").read_text(encoding="utf-8")


def link(build, folder, library, include, driver):
    """The image with a driver in place of that without layers."""
    object_file, image = folder / "driver.o", folder / "compare.elf"
    compiler = support.board().arch.binutils + "gcc"
    tool(compiler, *compile_options(build).split(), "-std=c11", "-O2", "-ffunction-sections", "-fdata-sections",
         f"-I{ROOT}", f"-I{include}", "-c", driver, "-o", object_file)
    archive = folder / "libpeer.a"
    archive.unlink(missing_ok=True)
    archive.symlink_to(library)
    words = []
    for word in link_words(build):
        if word.endswith("no_layers.c.obj"):
            words += [str(object_file), str(archive)]
        elif word.startswith("-Wl,-Map="):
            words.append(f"-Wl,-Map={image.with_suffix('.map')}")
        elif word == IMAGE:
            words.append(str(image))
        else:
            words.append(word if word.startswith("-") or not (build / word).is_file() else str(build / word))
    tool(*words)
    return image


# --- One model ---


def plan(model):
    """{number of an operator: why it is not driven}."""
    trial = cmsis_nn_driver.Driver(model)
    reasons = {}
    for operator in model.operators:
        try:
            trial.add(operator)
        except (cmsis_nn_driver.NotDriven, ValueError) as reason:
            reasons[operator.number] = str(reason)
    return reasons


def boundaries(model, not_driven):
    """(tensors that driven layers read and no layer makes, tensors of driven layers that something else reads)."""
    renamed = {operator.outputs[0]: operator.inputs[0] for operator in model.operators
               if operator.name in cmsis_nn_driver.RENAMES and operator.number not in not_driven}

    def root(number):
        while number in renamed:
            number = renamed[number]
        return number

    made_by = {number: operator.number for operator in model.operators for number in operator.outputs
               if number not in renamed}
    read, shown = set(), set(model.outputs)
    for operator in model.operators:
        (shown if operator.number in not_driven else read).update(number for number in operator.inputs if number >= 0)
    supplied = {root(number) for number in read if made_by.get(root(number)) in not_driven}
    checked = {root(number) for number in shown if made_by.get(root(number), -1) not in (-1, *not_driven)}
    return supplied, checked


def simulated(model, folder, tensors, inputs):
    """{tensor: its bytes}, from the simulator."""
    tensors, binary, values = sorted(tensors), folder / "boundary.ptb", {}
    for first in range(0, len(tensors), MAX_OUTPUTS):
        files = {number: folder / f"boundary_{number}.bin" for number in tensors[first:first + MAX_OUTPUTS]}
        source = model.with_outputs(files, folder / "boundary.tflite")
        tool(support.OPTIONS.pianola, "capture", source, "-o", binary)
        words = [(option, path) for option, paths in (("--input", inputs), ("--output", files.values()))
                 for path in paths]
        tool(support.OPTIONS.pianola, "run", binary, *(word for pair in words for word in pair))
        values.update((number, path.read_bytes()) for number, path in files.items())
    return values


def expected(model, folder, source, not_driven):
    """({tensor: bytes} that the driver is given, that it must compute, the model's outputs one after another)."""
    inputs = sorted(source.glob("input_0_*.bin"))
    goldens = sorted(source.glob("golden_0_*.bin"))
    if len(inputs) != len(model.inputs):
        raise Stop(MISSING, f"{source}: {len(inputs)} files input_0_<tensor>.bin, and the model has "
                   f"{len(model.inputs)} inputs")
    supplied, checked = boundaries(model, not_driven)
    known = dict(zip(model.outputs, (path.read_bytes() for path in goldens)))
    unknown = (supplied | checked | set(model.outputs)) - set(known)
    if unknown:
        values = simulated(model, folder, unknown | set(model.outputs), inputs)
        wrong = [number for number in known if known[number] != values[number]]
        if wrong:
            raise Stop(WRONG, f"{source.name}: outputs {wrong} of the simulator are not the goldens")
        known = {**values, **known}
    given = {number: known[number] for number in supplied}
    given.update(zip(model.inputs, (path.read_bytes() for path in inputs)))
    return given, {number: known[number] for number in checked}, b"".join(known[number] for number in model.outputs)


def owners(captured):
    """The operator of each command of a step that computes or moves bytes; None where it has none."""
    file = json.loads(tool(support.OPTIONS.pianola, "inspect", captured, "--json", "--commands"))
    step = next(script["commands"] for script in file["scripts"] if script["kind"] == "step")
    result = []
    for trace in (file["traces"][each["object"]] for each in step if each["command"] == "replay_trace"):
        names = [program["name"] for program in trace["programs"] for _ in range(program["commands"])]
        for number, command in enumerate(trace["command_list"]):
            if command["extents"]:
                name = names[number].split()[0] if number < len(names) else ""
                result.append(int(name) if name.isdecimal() else None)
    return result


def run(model, folder, layers):
    """(instructions of the ECU for each policy of release, sections of the device, kinds of their commands, sections of
    the layers) of a start."""
    records = folder / "input"
    records.write_bytes(model.records(1))
    for name in ("outputs", "workspace"):
        (folder / name).unlink(missing_ok=True)
    try:
        sections, values = instruction_counts.counted(folder, "compare", model.file, records, folder / "commands",
                                                      folder / "outputs", folder / "constants", folder / "workspace",
                                                      extra=support.board().ecu_as_device)
    except AssertionError as error:
        raise Stop(TOOL, f"{model.name} on {support.OPTIONS.board}: {error}") from error
    totals = [section.total for section in sections]
    first = 2 * OF_RELEASE
    device, of_layers = totals[first:len(totals) - layers], totals[len(totals) - layers:]
    releases = sum(totals[:OF_RELEASE]), sum(totals[OF_RELEASE:first])
    return releases, device, values["executed"][-(len(device) - 1):], of_layers


def compare(model, library, include):
    """The Counts of one captured model on the board of OPTIONS."""
    options = support.OPTIONS
    folder = options.work
    layers = tflite_layers.Model(model.source, folder)
    not_driven = plan(layers)
    given, wanted, outputs = expected(layers, folder, model.source.parent, not_driven)
    driver = cmsis_nn_driver.Driver(layers, given)
    for operator in layers.operators:
        if operator.number not in not_driven:
            driver.add(operator)
    if not driver.layers:
        reasons = "; ".join(f"{number} {layers.operators[number].name}: {why}" for number, why in not_driven.items())
        raise Stop(TOOL, f"{model.name}: no operator is driven: {reasons}")
    (folder / "driver.c").write_text(driver.text(), encoding="utf-8")
    (folder / "constants").write_bytes(driver.constants)
    options.image = link(options.build, folder, library, include, folder / "driver.c")
    releases, sections, kinds, library_counts = run(model, folder, len(driver.layers))

    if (folder / "outputs").read_bytes() != outputs:
        raise Stop(WRONG, f"{model.name} on {options.board}: the device's outputs are not the expected ones")
    workspace = (folder / "workspace").read_bytes()
    wrong = [layers.operators[layer].name + f" {layer}" for layer in driver.layers
             for number in layers.operators[layer].outputs
             if number in wanted and driver.result(number, workspace) != wanted[number]]
    if wrong:
        raise Stop(WRONG, f"{model.name} on {options.board}: the library's outputs of {', '.join(wrong)} are not the "
                   "expected ones")
    commands = owners(model.file)
    if kinds.count("T") != len(commands):
        raise Stop(TOOL, f"{model.name}: {kinds.count('T')} commands were counted, the binary has {len(commands)}")
    device, front = collections.Counter(), sections[-1]
    remaining = iter(commands)
    for section, kind in zip(sections, kinds):
        owner = next(remaining) if kind == "T" else None
        if owner is None:
            front += section
        else:
            device[owner] += section
    return Counts(options.board, label(model.name), device, front, dict(zip(driver.layers, library_counts)),
                  {operator.number: operator.name for operator in layers.operators},
                  {number: reason for number, reason in not_driven.items() if device[number] > 0}, releases)


# --- What is said ---


def label(name):
    """A model's name without what says how it is quantised.

    >>> label("ad01_int8"), label("kws_ref_model"), label("vww_96_int8"), label("pretrainedResnet_quant")
    ('ad01', 'kws', 'vww', 'pretrainedResnet')
    """
    return re.sub(r"(_96)?_(int8|ref_model|quant|quantized)$", "", name)


def core(board):
    """The core that a board's code is compiled for, as a column's head has it."""
    return re.search(r"-mcpu=([\w-]+)", compile_options(ROOT / "build" / board))[1].title()


def rows(by_board):
    """The table's lines: of each model its kernels, and an inference with each policy that verifies."""
    yield "| | " + " | ".join(f"{core(board)}: Pianola | CMSIS-NN | ratio" for board in by_board) + " |"
    yield "|---|" + "---:|" * (3 * len(by_board))
    for of_model in zip(*by_board.values()):
        for text, policy in (("", None), (", release verified (default)", 0), (", release verified within 100 ms", 1)):
            cells = []
            for counts in of_model:
                ours = counts.ours + (counts.releases[policy] if policy is not None else 0)
                cells += [f"{ours:,}", f"{counts.theirs:,}", f"{ours / counts.theirs:.2f}"]
            yield f"| {of_model[0].model}{text} | " + " | ".join(cells) + " |"


def not_driven_rows(by_board):
    """A table of the operators that are in neither sum, empty where there is none."""
    lines = []
    for of_model in zip(*by_board.values()):
        first = of_model[0]
        for number, reason in first.not_driven.items():
            ours = " | ".join(f"{counts.device[number]:,}" for counts in of_model)
            lines.append(f"| {first.model}: {number} {first.names[number]}, {reason} | {ours} |")
    head = "| not driven, in neither sum | " + " | ".join(f"{core(board)}: Pianola" for board in by_board) + " |"
    return ["", head, "|---|" + "---:|" * len(by_board), *lines] if lines else []


def layer_lines(counts):
    """Layer by layer."""
    yield f"{counts.model} on {counts.board}; in no layer: {counts.front:,}"
    for number in sorted(counts.device.keys() | counts.library.keys()):
        ours, theirs = counts.device.get(number, 0), counts.library.get(number)
        ratio = "not driven" if theirs is None else f"{ours / theirs:.2f}"
        yield f"  {number:3} {counts.names[number]:20} {ours:12,} {theirs or 0:12,}  {ratio}"


def write_page(page, lines):
    """Puts lines into the region of a page that is for them."""
    text, count = TABLE.subn(lambda match: match[1] + "\n".join(lines) + "\n" + match[2],
                             page.read_text(encoding="utf-8"))
    if count != 1:
        raise Stop(TOOL, f"{page}: {count} places for the table")
    page.write_text(text, encoding="utf-8")


# --- The command line ---


def packing(board):
    """What weights are packed for, for the board's core."""
    presets = json.loads((ROOT / "hal/boards" / board / "presets.json").read_text(encoding="utf-8"))
    chain = presets["configurePresets"][0]["toolchainFile"].replace("${sourceDir}", str(ROOT))
    found = re.search(r"set\(PIANOLA_KERNELS (\w+)\)", pathlib.Path(chain).read_text(encoding="utf-8"))
    return found[1] if found else "portable"


def board_library(text):
    """BOARD=FILE as (board, file)."""
    board, equals, file = text.partition("=")
    if not equals or board not in boards():
        raise argparse.ArgumentTypeError(f"{text}: write BOARD=FILE, with a board of toolchains/boards.py")
    return board, pathlib.Path(file).resolve()


def parse(words):
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path, help="folders of models")
    parser.add_argument("--library", action="append", default=[], type=board_library, metavar="BOARD=FILE",
                        help="a static library of CMSIS-NN for a board's core; repeat for more boards")
    parser.add_argument("--include", type=pathlib.Path, help="the folder of arm_nnfunctions.h")
    parser.add_argument("--pack", choices=("portable", "dsp", "mve"), help="default: for the core of the board")
    parser.add_argument("--layers", action="store_true", help="show each layer as well")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the tables into a page's region")
    return parser.parse_args(words)


def require(options):
    """Stops where something is missing that the user must make."""
    if not options.library:
        raise Stop(MISSING, "no library: build CMSIS-NN as a static library for the board's core, and name it with "
                   "--library BOARD=FILE, its headers with --include FOLDER")
    needed = [(file, "no such library") for _, file in options.library]
    needed.append(((options.include or pathlib.Path(".")) / "arm_nnfunctions.h", "no such header; --include names its "
                   "folder"))
    needed += [(model / "model.tflite", "no such model") for model in options.models]
    for board, _ in options.library:
        if "peer" not in boards()[board].tests:
            raise Stop(MISSING, f"{board}: has no image for this; its board.json does not list the test peer")
        how = f"cmake --workflow --preset {board} builds it"
        needed += [(ROOT / "build" / board / file, how) for file in (IMAGE, "hal/measure/instruction_counter.so")]
    for file, why in needed:
        if not file.is_file():
            raise Stop(MISSING, f"{file}: {why}")


def counts_of(board, library, options):
    """The Counts of every model on a board."""
    build = ROOT / "build" / board
    result = []
    for source in options.models:
        source = source.resolve()
        vars(support.OPTIONS).update(
            board=board, build=build, pianola=ROOT / "build/release/bin/pianola", sample=ROOT / "build/sample",
            plugin=build / "hal/measure/instruction_counter.so", models=source.parent, has_models=True,
            work=build / "work/peer" / f"{zlib.crc32(bytes(source)):08x}")  # models may have the same name
        support.OPTIONS.work.mkdir(parents=True, exist_ok=True)
        model = support.Model(source.name, pack=options.pack or packing(board))
        counts = compare(model, library, options.include.resolve())
        if options.layers:
            print("\n".join(layer_lines(counts)))
        result.append(counts)
    return result


def main(words):
    """Returns the exit code."""
    options = parse(words)
    try:
        require(options)
        by_board = {board: counts_of(board, library, options) for board, library in options.library}
        table, left_out = list(rows(by_board)), not_driven_rows(by_board)
        print("\n".join(table + left_out))
        if options.write:
            write_page(options.write, table + left_out)
    except Stop as stop:
        print(f"compare_cmsis_nn: {stop}", file=sys.stderr)
        return stop.code
    except (AssertionError, OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"compare_cmsis_nn: {error}", file=sys.stderr)
        return TOOL
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
