#!/usr/bin/env python3
"""What images link of components that others have written: tests/baremetal/measured/linked_symbols.csv, and a gate
over a board's images.

  docs/safety/tools/linked_symbols.py --board <board> --build build/<board>    the gate, with both configurations built
  docs/safety/tools/linked_symbols.py --record build/<board> ...               writes the rows of these boards anew

A board's build in which each device core is a device is named as its preset is, with _mesh behind the board.

Of a library, the linker's map says which global symbol of which member is in the image. Of headers, only functions
that the compiler has not inlined have a section of their own; components.toml says by `sections` which are whose.
"""
import argparse
import collections
import csv
import functools
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tomllib

import tools

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "toolchains"))
import link_map  # noqa: E402 pylint: disable=wrong-import-position

TABLE, COMPONENTS = "tests/baremetal/measured/linked_symbols.csv", "docs/safety/components.toml"
FIELDS = ("component", "member", "symbol", "applications", "tests")
MESH = "_mesh"
CONFIGURATIONS = ("Release", "MinSizeRel")
APPLICATION = "pianola_example_"
LIBRARY = re.compile(r"^(.*\.a)\((.*)\)$")
MANGLED = re.compile(r"\.(_Z\w+)")
NO_SYMBOL = "-"  # a member of which only local code or data is linked


def components(root):
    """The rows of components.toml."""
    with open(root / COMPONENTS, "rb") as file:
        return tomllib.load(file)["component"]


def read_table(root):
    """{(component, member, symbol): {"applications": boards, "tests": boards}}."""
    with open(root / TABLE, encoding="utf-8", newline="") as file:
        return {tuple(row[field] for field in FIELDS[:3]): {field: set(row[field].split()) for field in FIELDS[3:]}
                for row in csv.DictReader(file)}


def table_text(rows):
    """The table as it is written."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows((*key, *(" ".join(sorted(rows[key][field])) for field in FIELDS[3:])) for key in sorted(rows)
                     if any(rows[key].values()))
    return text.getvalue()


def owner(rows, piece):
    """The component that a piece of an image is of; None where it is the project's own."""
    for row in rows:
        if "archive" in row and re.search(row["archive"], piece.origin):
            return row["id"]
        if "sections" in row and re.search(row["sections"], piece.name):
            return row["id"]
    return None


def of_piece(piece, is_library):
    """(member, symbols) of a piece of a component."""
    member = LIBRARY.match(piece.origin).group(2) if is_library else ""
    if is_library:
        return re.sub(r"\.obj?$|\.o$", "", member), piece.names
    return member, link_map.readable(MANGLED.findall(piece.name)[:1])


def linked(rows, image):
    """({(component, member, symbol)}, {library: component}, findings) of one image."""
    found, libraries, findings = collections.defaultdict(set), {}, []
    by_id = {row["id"]: row for row in rows}
    for piece in link_map.read(image).pieces:
        if link_map.NOT_LOADED.match(piece.output):
            continue
        name = owner(rows, piece)
        if name is None:
            if piece.layer == "toolchain" and LIBRARY.match(piece.origin):
                findings.append(f"{image.name}: {piece.origin}: of no component of {COMPONENTS}")
            continue
        is_library = "archive" in by_id[name]
        member, symbols = of_piece(piece, is_library)
        found[name, member].update(symbols)
        if is_library:
            libraries[LIBRARY.match(piece.origin).group(1)] = name
    keys = {(name, member, symbol) for (name, member), symbols in found.items() for symbol in symbols or [NO_SYMBOL]}
    return keys, libraries, findings


def linked_of(rows, images):
    """The same of several: {key: fields of the table}, libraries, findings."""
    keys, libraries, findings = collections.defaultdict(set), {}, []
    for image in images:
        of_image, named, found = linked(rows, image)
        field = "applications" if image.name.startswith(APPLICATION) else "tests"
        for key in of_image:
            keys[key].add(field)
        libraries.update(named)
        findings += found
    return {key: "applications" if "applications" in fields else "tests" for key, fields in keys.items()}, \
        libraries, sorted(set(findings))


def images_of(build, board):
    """(images, findings): all of a build. In a board's build both configurations must be there."""
    images, findings = [], []
    for configuration in CONFIGURATIONS[:1] if board.endswith(MESH) else CONFIGURATIONS:
        in_it = sorted((build / "bin" / configuration).glob("*.elf"))
        if not in_it:
            findings.append(f"{build / 'bin' / configuration}: no image; build both configurations of {board}")
        images += in_it
    return images, findings


@functools.lru_cache(maxsize=None)
def recorded_digests(package):
    """{path: MD5} of a package's files, from the package database."""
    lines = (tools.list_of_files(package) or b"").decode("utf-8").splitlines()
    return {"/" + path: digest for digest, _, path in (line.partition("  ") for line in lines)}


def check_library(path, package):
    """Findings over a library that was linked: the package's own, unchanged."""
    resolved = pathlib.Path(path).resolve()
    recorded = recorded_digests(package).get(str(resolved))
    if recorded is None:
        return [f"{resolved}: linked, and not a file of {package}"]
    if hashlib.md5(resolved.read_bytes(), usedforsecurity=False).hexdigest() != recorded:
        return [f"{resolved}: not the file that {package} has installed"]
    return []


def judge(root, board, build):
    """Findings over a board's images."""
    rows = components(root)
    images, findings = images_of(build, board)
    found, libraries, more = linked_of(rows, images)
    findings += more
    recorded = {(*key, field) for key, fields in read_table(root).items() for field in FIELDS[3:]
                if board in fields[field]}
    now = {(*key, field) for key, field in found.items()}
    findings += [f"{name}: {member} {symbol}: linked for {board} ({field}), and no row of {TABLE} says so"
                 for name, member, symbol, field in sorted(now - recorded)]
    findings += [f"{name}: {member} {symbol}: a row of {TABLE}, and in no image of {board} ({field})"
                 for name, member, symbol, field in sorted(recorded - now)]
    packages = {row["id"]: row["package"] for row in rows if "package" in row}
    for path, name in sorted(libraries.items()):
        if name in packages:
            findings += check_library(path, packages[name])
    return len(found), findings


def record(root, builds):
    """Writes the table with the rows of some boards made anew; findings."""
    rows = components(root)
    table = read_table(root) if (root / TABLE).exists() else {}
    findings = []
    for build in builds:
        board = build.resolve().name
        images, missing = images_of(build, board)
        found, _, more = linked_of(rows, images)
        findings += missing + more
        for fields in table.values():
            for boards in fields.values():
                boards.discard(board)
        for key, field in found.items():
            table.setdefault(key, {name: set() for name in FIELDS[3:]})[field].add(board)
    (root / TABLE).write_text(table_text(table), encoding="utf-8")
    return len(table), findings


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3])
    parser.add_argument("--board", help="as its preset is named")
    parser.add_argument("--build", type=pathlib.Path, help="the board's build folder")
    parser.add_argument("--record", type=pathlib.Path, nargs="+", help="build folders, named as their presets are")
    options = parser.parse_args()
    if options.record:
        examined, findings = record(options.root, options.record)
    elif options.board and options.build:
        examined, findings = judge(options.root, options.board, options.build)
    else:
        parser.error("--board and --build, or --record")
    for finding in findings:
        print(f"linked_symbols: {finding}", file=sys.stderr)
    print(f"linked_symbols: {examined} symbols, {len(findings)} findings")
    return 1 if findings or not examined else 0


if __name__ == "__main__":
    sys.exit(main())
