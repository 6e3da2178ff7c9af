#!/usr/bin/env python3
"""Gate: every gate and every proof is a test of CTest, and has passed where results are given.

A gate whose call is lost from a CMakeLists.txt fails nothing: it is not run. Gates are the files *_gate.py of tests/,
proofs the files *_proof.py: a list of CMake has to name each, or to give its name to pianola_add_gate().

Usage: registered_gate.py ROOT [--results build/*/test_results.xml]
"""
import argparse
import pathlib
import re
import sys

from own_sources import own_files, report

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "docs/safety/tools"))
from evidence import passed_tests  # noqa: E402  pylint: disable=wrong-import-position

COMMENT = re.compile(r"#[^\n]*")
GATE = re.compile(r"pianola_add_gate\(\s*(\w+)\s")
LOOP = re.compile(r"foreach\((\w+) (?:IN ITEMS )?([^)]*)\)(.*?)endforeach\(", re.DOTALL)


def registered(texts):
    """(names of files in CMake's lists, names of gates that pianola_add_gate() or a loop makes of gates.<name>)."""
    files, gates = set(), set()
    for text in texts:
        text = COMMENT.sub("", text)
        for variable, values, body in LOOP.findall(text):
            one = f"${{{variable}}}"
            for value in values.split():
                files |= set(re.findall(r"[\w-]+\.py", body.replace(one, value)))
        files |= set(re.findall(r"(?<![\w}])[\w-]+\.py", text))
        gates |= set(GATE.findall(text))
    return files | {f"{name}{kind}.py" for name in gates for kind in ("_gate", "_proof")}, gates


def judge(root, names, results=()):
    """Findings over the files `names` of `root`, and how many gates and proofs there are."""
    lists = [name for name in names if name.name == "CMakeLists.txt" or name.suffix == ".cmake"]
    files, gates = registered((root / name).read_text(encoding="utf-8") for name in lists)
    programs = [name for name in names if name.parts[0] == "tests" and name.name.endswith(("_gate.py", "_proof.py"))]
    findings = [f"{name}: no CMakeLists.txt makes a test of it" for name in programs if name.name not in files]
    findings += [f"{name}: a gate without a proof" for name in programs if name.name.endswith("_gate.py") and
                 not (root / name.parent / name.name.replace("_gate.py", "_proof.py")).exists()]
    if results:
        passed = passed_tests(results)
        findings += [f"{test} has not passed" for gate in sorted(gates)
                     for test in (f"gates.{gate}", f"gates.{gate}.proof") if test not in passed]
    return findings, len(programs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path, nargs="+", default=[])
    options = parser.parse_args()
    found, count = judge(options.root, own_files(options.root), options.results)
    sys.exit(report("registered", count, found))
