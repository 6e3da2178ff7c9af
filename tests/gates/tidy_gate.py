#!/usr/bin/env python3
"""Gate: the build that ran clang-tidy looked at every own source, and through them at every own header."""
import argparse
import json
import pathlib
import subprocess
import sys

from own_sources import own_sources, report


def unreached(names, compiled, included):
    """The sources that no target compiles, and the headers that no compiled source includes."""
    findings = [f"{name}: no target compiles it" for name in names if name.suffix == ".cpp" and name not in compiled]
    findings += [f"{name}: nothing includes it" for name in names if name.suffix == ".h" and name not in included]
    return findings


def relative(root, directory, path):
    """`path`, as the build names it, relative to the project's root; None outside."""
    absolute = (directory / path).resolve()
    return absolute.relative_to(root) if absolute.is_relative_to(root) else None


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--ninja", required=True)
    options = parser.parse_args()
    root = options.root.resolve()
    entries = json.loads((options.build / "compile_commands.json").read_text())
    compiled = {relative(root, pathlib.Path(entry["directory"]), entry["file"]) for entry in entries}
    deps = subprocess.run(
        [options.ninja, "-C", str(options.build), "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    included = {relative(root, options.build, line.strip()) for line in deps.splitlines() if line.startswith("    ")}
    names = own_sources(root)
    return report("tidy", len(names) if compiled else 0, unreached(names, compiled, included))


if __name__ == "__main__":
    sys.exit(main())
