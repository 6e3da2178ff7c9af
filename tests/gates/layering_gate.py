#!/usr/bin/env python3
"""Gate: the arrows between layers point one way, in #include lines and in CMake's link edges.

    schema <- runtime <- hal <- capture_host        tests may use everything, nothing may use tests
    within hal: kernels below devices; devices and arch side by side, boards/common above them, each board on top;
    a board's folder tests is of the tests
    hal/host is what host tools know of any device, hal/devices/<device>/host what they know of one, and hal/registry
    the list of these. Of capture_host, only what lowers models and programs to one device's commands may name that
    device.

Below layers, folders of the product form no circle: what two need of each other lies in a third, below both.

The table in hal/README.md has these arrows of every folder of hal, and no others.

The table in capture_host/README.md lists the rooms of capture_host, lowest first: at most 14 rooms, at most 45 arrows
between them, no arrow upwards.

Link edges come from the file that CMake writes while configuring (target|folder|library;library), so they are the
evaluated ones, whatever variables or functions a CMakeLists.txt used.
"""
import argparse
import pathlib
import re
import sys

from own_sources import own_sources, report

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Boards: each stands alone, on what all boards share.
BOARDS = sorted(path.name for path in (ROOT / "hal" / "boards").iterdir() if path.name != "common")
# Devices; and below each of them what executes its commands on the host, and what the host's tools know of it.
DEVICES = [f"hal/devices/{path.name}" for path in sorted((ROOT / "hal" / "devices").iterdir()) if path.is_dir()]
TARGETS = [f"{device}/host" for device in DEVICES]
KERNELS, SIMULATOR, VULKAN = (f"hal/devices/refdev/{folder}" for folder in ("kernels", "sim", "vulkan"))
REFDEV = ["hal/devices/refdev", KERNELS]
# What turns models and programs into commands of the reference device. Nothing else of capture_host knows a device but
# by its target.
LOWERING = [f"capture_host/{folder}"
            for folder in ("capture", "decompile", "host/program", "host/tensor", "operators", "tflite")]
HOST = ["schema", "runtime", "hal/crypto", "hal/host", "hal/registry", "capture_host", "capture_host/include",
        "capture_host/capture/lowering", *LOWERING]
# What a layer may use besides itself. The longest name that matches a folder decides.
MAY_USE = {
    "schema": [],
    "runtime": ["schema"],
    "hal": ["runtime"],
    "hal/crypto": ["runtime"],
    **{device: ["runtime"] for device in DEVICES},
    "hal/devices/refdev": ["runtime", KERNELS],
    KERNELS: ["runtime"],
    SIMULATOR: ["runtime", *REFDEV],
    VULKAN: ["runtime", *REFDEV, "hal/host"],
    **{target: ["runtime", "hal/host", target[: -len("/host")]] for target in TARGETS},
    "hal/devices/refdev/host": ["runtime", *REFDEV, SIMULATOR, VULKAN, "hal/host"],
    "hal/host": ["runtime"],
    "hal/registry": ["runtime", "hal/host", *TARGETS],
    "hal/arch": ["runtime"],
    "hal/boards/common": ["runtime", *REFDEV, "hal/arch"],
    **{f"hal/boards/{board}": ["runtime", KERNELS, *DEVICES, "hal/arch", "hal/boards/common"] for board in BOARDS},
    # The measuring image, and what counts for it.
    "hal/measure": ["runtime", *REFDEV, "hal/arch", "hal/boards/common"],
    # What on-target tests have of a board's own.
    **{f"hal/boards/{board}/tests": ["runtime", "hal/arch", "hal/boards/common", f"hal/boards/{board}", "tests"]
       for board in BOARDS},
    # The conformance kit, for ports in this tree and in others.
    "hal/port_kit": ["runtime"],
    "capture_host": HOST,
    "capture_host/include": ["runtime", "hal/host", "hal/registry", KERNELS],
    **{folder: [*HOST, *REFDEV, "hal/devices/refdev/host"] for folder in LOWERING},
    "capture_host/capture/lowering": [*HOST, *REFDEV, "hal/devices/pl330", "hal/devices/pl330/host"],
    "toolchains": ["runtime"],  # host tools that the build runs share code with the runtime, never the other way
    # Examples, which the tests compile and run. No application names a board.
    "docs": ["hal", KERNELS, SIMULATOR, "hal/arch", "hal/boards/common", *DEVICES, *TARGETS, *HOST, "hal/port_kit"],
    # The runtime and the reference device as a module of another build.
    "zephyr": ["runtime", "hal", *REFDEV],
}
MAY_USE["tests"] = list(MAY_USE)
# An application becomes one board's only when it is linked.
MAY_LINK_TOO = {layer: [f"hal/boards/{board}" for board in BOARDS] for layer in ("docs", "hal/measure")}
# How public headers are included: the folder of the include line, and the one that they lie in.
PUBLIC = {
    "pianola": pathlib.PurePosixPath("runtime/include/pianola"),
    "pianola_host": pathlib.PurePosixPath("capture_host/include/pianola_host"),
}
# Where no folders may form a circle.
PRODUCT = ("schema", "runtime", "hal", "capture_host")
# Headers that the build makes: the layer whose files they are made from.
GENERATED = {
    "pianola_schema_hash.h": "schema",
    "trace_binary_generated.h": "schema",
    "tflite_subset_generated.h": "capture_host",
    # What `pianola embed` and `pianola size` write about their binaries, for the example applications.
    "road_signs.h": "capture_host",
    "road_signs_unsigned.h": "capture_host",
    "road_signs_manifest.h": "capture_host",
    "two_devices.h": "capture_host",
    "two_devices_manifest.h": "capture_host",
    "fleet_key.h": "capture_host",
    "model.h": "zephyr",
    "model_manifest.h": "zephyr",
    "zephyr_tree.h": "tests",
    "own_model.h": "capture_host",
    "own_model_manifest.h": "capture_host",
    # The C API, as its users include it: these three, and the one that the build makes for them.
    "pianola.h": "runtime",
    "pianola_port.h": "runtime",
    "pianola_status.h": "runtime",
    "pianola_sizes.h": "runtime",
    # And for the projects of tests/consumers.
    "copies.h": "capture_host",
    "ecu.h": "capture_host",
    "ecu_input.h": "capture_host",
    "ecu_manifest.h": "capture_host",
    "signing_key.h": "capture_host",
}
# The table of rooms, and how many there may be.
ROOMS_PAGE, ROOM = "capture_host/README.md", re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
MOST_ROOMS, MOST_ARROWS = 14, 45
# The table of hal: a folder, and in the third column what it may include; `tests` is the project's.
HAL_PAGE, HAL_ROW = "hal/README.md", re.compile(r"^\| `([\w/<>]+)` \|[^|\n]*\|([^|\n]*)\|$", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*include\b[ \t]*(.*)$", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def layer_of(folder):
    """The layer that a path belongs to, or None."""
    parts = pathlib.PurePosixPath(folder).parts
    if parts and parts[0] in PUBLIC:
        parts = PUBLIC[parts[0]].parts
    for length in range(len(parts), 0, -1):
        layer = "/".join(parts[:length])
        if layer in MAY_USE:
            return layer
    return None


def may_use(user, used):
    """True where an arrow from layer `user` to layer `used` is permitted."""
    return user == used or used in MAY_USE[user]


def include_findings(root, name):
    """Reverse edges among the #include lines of one file."""
    layer = layer_of(name.parent)
    if layer is None:
        return [f"{name}: belongs to no layer"]
    findings = []
    text = COMMENT.sub("", (root / name).read_text(encoding="utf-8"))
    for match in DIRECTIVE.finditer(text):
        operand = match.group(1).strip()
        included = operand[1:-1]
        if operand[:1] not in ('"', "<"):
            findings.append(f"{name}: #include {operand}: cannot be judged; write the path out")
            continue
        used = GENERATED.get(included, layer_of(included))
        if operand[0] == "<" and used is None:
            continue
        if "/" not in included and (root / name.parent / included).is_file():
            continue
        if used is None:
            findings.append(f'{name}: "{included}": write the path from the project root')
        elif not may_use(layer, used):
            findings.append(f"{name}: {layer} must not use {used} ({included})")
    return findings


def included_folder(included):
    """The folder of the project that a header of the product lies in; None for any other."""
    folder = pathlib.PurePosixPath(included).parent
    if folder.parts and folder.parts[0] in PUBLIC:
        return PUBLIC[folder.parts[0]]
    return folder if folder.parts[:1] and folder.parts[0] in PRODUCT else None


def folder_edges(root, names):
    """{(folder, folder that it includes a header of): the first file that does}, among folders of the product."""
    edges = {}
    for name in names:
        if name.parts[0] not in PRODUCT:
            continue
        for match in DIRECTIVE.finditer(COMMENT.sub("", (root / name).read_text(encoding="utf-8"))):
            used = included_folder(match.group(1).strip()[1:-1])
            if used is not None and used != pathlib.PurePosixPath(name.parent):
                edges.setdefault((pathlib.PurePosixPath(name.parent), used), name)
    return edges


def circle_findings(root, names):
    """The arrows that remain where folders in which none ends, or none begins, are taken away until none is left."""
    edges = folder_edges(root, names)
    while True:
        begins, ends = {begin for begin, _ in edges}, {end for _, end in edges}
        kept = {edge: name for edge, name in edges.items() if edge[0] in ends and edge[1] in begins}
        if kept == edges:
            return [f"{name}: {begin} uses {end}, and {end} comes back to {begin}" if (end, begin) in edges
                    else f"{name}: {begin} uses {end}: part of a circle of folders"
                    for (begin, end), name in sorted(edges.items())]
        edges = kept


def rooms_of(root):
    """The rooms of capture_host, lowest first, as its README lists them."""
    return ROOM.findall((root / ROOMS_PAGE).read_text(encoding="utf-8"))


def room_findings(root, names):
    """Rooms that are not listed or not there, arrows upwards, and more rooms or arrows than are admitted."""
    rooms = rooms_of(root)
    folders = {name.parts[1] for name in names if name.parts[0] == "capture_host" and len(name.parts) > 2}
    findings = [f"{ROOMS_PAGE}: {room} is " + ("no folder" if room in rooms else "not in the table")
                for room in sorted(folders ^ set(rooms))]
    if len(rooms) > MOST_ROOMS:
        findings.append(f"{ROOMS_PAGE}: {len(rooms)} rooms, {MOST_ROOMS} are admitted")
    arrows = {}
    for (begin, end), name in folder_edges(root, names).items():
        if {begin.parts[0], end.parts[0]} == {"capture_host"} and begin.parts[1] != end.parts[1]:
            arrows.setdefault((begin.parts[1], end.parts[1]), name)
    findings += [f"{name}: an arrow upwards, from {begin} to {end}" for (begin, end), name in sorted(arrows.items())
                 if {begin, end} <= set(rooms) and rooms.index(begin) < rooms.index(end)]
    if len(arrows) > MOST_ARROWS:
        findings.append(f"capture_host: {len(arrows)} arrows between rooms, {MOST_ARROWS} are admitted")
    return findings


def hal_rows(text):
    """{folder of hal: what its row in the table says that it may use}; one for each board, and for each device."""
    rows = {}
    for row in HAL_ROW.findall(text):
        for board in BOARDS if "<board>" in row[0] else ("",):
            folder, column = (part.replace("<board>", board) for part in row)
            used = {name if name == "tests" else f"hal/{name}" for name in re.findall(r"`([^`]+)`", column)}
            for pattern, layers in (("hal/devices/*", DEVICES), ("hal/devices/*/host", TARGETS)):
                used = (used - {pattern}) | set(layers) if pattern in used else used
            rows[f"hal/{folder}"] = used
    return rows


def hal_findings(root, names):
    """Folders of hal that the table lacks, rows without a folder, and arrows that table and gate do not both admit."""
    rows = hal_rows((root / HAL_PAGE).read_text(encoding="utf-8"))
    layers = {layer for layer in MAY_USE if layer.startswith("hal/")}
    layers |= {str(name.parent) for name in names if name.parts[0] == "hal" and layer_of(name.parent) == "hal"}
    findings = [f"{HAL_PAGE}: {layer} is " + ("no folder" if layer in rows else "not in the table")
                for layer in sorted(layers ^ set(rows))]
    for layer in sorted(layers & set(rows)):
        admitted = set(MAY_USE[layer]) - {"runtime"}
        findings += [f"{HAL_PAGE}: {layer} may include {used}, which the gate refuses"
                     for used in sorted(rows[layer] - admitted)]
        findings += [f"{HAL_PAGE}: {layer} may include {used}, which the table leaves out"
                     for used in sorted(admitted - rows[layer])]
    return findings


def link_findings(lines):
    """Reverse edges among link edges; `lines` as CMake wrote them."""
    folders, links = {}, {}
    for line in lines:
        target, folder, libraries = line.rstrip("\n").split("|")
        folders[target] = folder
        links[target] = [library for library in libraries.split(";") if library]
    findings = []
    for target, libraries in links.items():
        layer = layer_of(folders[target])
        if layer is None:
            if folders[target]:  # the root defines only the rules that every target follows
                findings.append(f"target {target}: {folders[target]} belongs to no layer")
            continue
        for library in libraries:
            used = layer_of(folders.get(library, ""))
            if used is not None and not may_use(layer, used) and used not in MAY_LINK_TOO.get(layer, ()):
                findings.append(f"target {target}: {layer} must not link {used} ({library})")
    return findings, len(links)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--links", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sources = own_sources(options.root, (".h", ".cpp", ".inc"))
    found = [finding for name in sources for finding in include_findings(options.root, name)]
    found += circle_findings(options.root, sources) + room_findings(options.root, sources)
    found += hal_findings(options.root, sources)
    link_found, link_count = link_findings(options.links.read_text(encoding="utf-8").splitlines())
    sys.exit(report("layering", len(sources) if link_count else 0, found + link_found))
