#!/usr/bin/env python3
"""Gate: every test that is written is run: sources with tests are compiled, and scripts of tests are commands of CTest.

A list of sources loses a file where one is split or moved, and nothing else fails: what was tested simply is not.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from compile_commands import compile_commands  # noqa: E402  pylint: disable=wrong-import-position
from own_sources import own_files, report  # noqa: E402  pylint: disable=wrong-import-position

HAS_TESTS = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(", re.MULTILINE)


def compiled_sources(build):
    """The absolute path of each source that `build` compiles."""
    return {source for source, _ in compile_commands(build)}


def run_scripts(build):
    """The absolute path of each file that a test of `build` has in its command."""
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                             capture_output=True, text=True)
    words = {word for test in json.loads(listing.stdout)["tests"] for word in test.get("command", ())}
    return {pathlib.Path(word).resolve() for word in words if word.endswith(".py")}


def judge(root, names, compiled, scripts):
    """Findings over the files `names` of `root`, and how many of them are tests."""
    findings = []
    examined = 0
    root = root.resolve()
    for name in names:
        if name.suffix == ".cpp" and HAS_TESTS.search((root / name).read_text(encoding="utf-8")):
            examined += 1
            if root / name not in compiled:
                findings.append(f"{name}: has tests, and this build does not compile it")
        if name.name.endswith("_test.py"):
            examined += 1
            if root / name not in scripts:
                findings.append(f"{name}: is in no test's command")
    return findings, examined


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--not-built", type=pathlib.PurePath, nargs="*", default=[],
                        help="folders that this build leaves to others: boards, a device without its driver")
    args = parser.parse_args()
    files = [name for name in own_files(args.root) if not set(args.not_built) & set(name.parents)]
    found, count = judge(args.root, files, compiled_sources(args.build), run_scripts(args.build))
    sys.exit(report("tests", count, found))
