#!/usr/bin/env python3
"""Gate: what needs the models outside the tree is skipped where they are missing. It does not pass.

Runs, as ctest does but without models, every test that looks for them:
  - cases of GoogleTest that reach the environment's PIANOLA_SHARED through the functions that they call;
  - scripts that are given --models, or that read PIANOLA_SHARED, and do not say that they need none;
  - programs that are given here with --program and end with exit code 77.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from assertions_gate import Tree
from own_sources import own_sources, report

SKIPPED = 77
ENVIRONMENT = re.compile(r'environ(?:\.get\(|\[)"PIANOLA_SHARED"')
IMPORT = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.MULTILINE)


def script_of(command):
    """The Python script that a test's command runs, or None."""
    return next((pathlib.Path(word) for word in command if word.endswith(".py")), None)


def text_with_imports(script, seen=()):
    """The script's text and that of the scripts that it imports, from its folder or one beside it."""
    text = script.read_text(encoding="utf-8")
    for name in IMPORT.findall(text):
        module = next((path for path in (script.with_name(f"{name}.py"), *script.parent.parent.glob(f"*/{name}.py"))
                       if path.is_file()), None)
        if module is not None and module not in seen:
            text += text_with_imports(module, (*seen, script))
    return text


def needs_models(command):
    """Whether the script that a command runs cannot do without models."""
    script = script_of(command)
    if script is None or script.name.endswith("_proof.py") or "needs_models=False" in script.read_text(
            encoding="utf-8"):
        return False
    return "--models" in command or ENVIRONMENT.search(text_with_imports(script)) is not None


def names_of(tests, cases):
    """The names of ctest's tests that need models: of scripts by their command, of cases by suite and name."""
    patterns = [re.compile(rf"(?:^|[./]){suite}\.{test}(?:/|$)") for suite, test in cases]
    for test in tests:
        if needs_models(test.get("command", [])) or any(pattern.search(test["name"]) for pattern in patterns):
            yield test["name"]


def unskipped(build, names, models):
    """The tests of `names` that are not skipped without models, as ctest runs them."""
    # In a folder of its own: ctest may be running in the build just now, and keeps its log there.
    (pathlib.Path(models) / "CTestTestfile.cmake").write_text(f'subdirs("{build.resolve()}")\n', encoding="utf-8")
    result = pathlib.Path(models) / "results.xml"
    for first in range(0, len(names), 200):
        chosen = "|".join(re.escape(name) for name in names[first : first + 200])
        subprocess.run(
            ["ctest", "-R", f"^({chosen})$", "-FA", ".", "--output-junit", str(result)],
            cwd=models, env={**os.environ, "PIANOLA_SHARED": models}, capture_output=True, check=False,
        )
        outcome = {}
        for case in ElementTree.parse(result).getroot().iter("testcase"):
            skipped = case.find("skipped")
            outcome[case.get("name")] = skipped is not None and skipped.get("message", "").startswith("SKIP_")
        for name in names[first : first + 200]:
            if not outcome.get(name, False):
                yield f"{name}: not skipped without models" if name in outcome else f"{name}: did not run"


def judge(root, build, programs):
    """(findings, how many were looked at)."""
    sources = [name for name in own_sources(root) if name.parts[0] == "tests"]
    cases = set(Tree({name: (root / name).read_text(encoding="utf-8") for name in sources}).tests_of_the_outside())
    listing = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True,
                             check=True)
    tests = json.loads(listing.stdout[listing.stdout.index(b"{") :])["tests"]
    names = sorted(names_of(tests, cases))
    with tempfile.TemporaryDirectory() as models:
        found = list(unskipped(build, names, models))
        for program in programs:
            run = subprocess.run(program, env={**os.environ, "PIANOLA_SHARED": models}, capture_output=True,
                                 check=False)
            if run.returncode != SKIPPED:
                found.append(f"{' '.join(program)}: exit code {run.returncode} without models, not {SKIPPED}")
    return found, len(names) + len(programs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--program", nargs=argparse.REMAINDER, action="append", default=[], metavar="WORD",
                        help="a program and its arguments")
    options = parser.parse_args()
    findings, examined = judge(options.root, options.build, options.program)
    sys.exit(report("without_models", examined, findings))
