#!/usr/bin/env python3
"""Gate: functions that only their source may call have names that no other source compiled together with it has.

CMake's unity builds compile several sources of a library as one. There a function in the unnamed namespace of one
source takes calls of another source's function of the same name where its parameters fit better, and no compiler says
so. Functions are found by how they are written: definitions and declarations at the beginning of a line.

Usage: together_gate.py ROOT --build BUILD
"""
import argparse
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from compile_commands import compiled_together  # noqa: E402  pylint: disable=wrong-import-position
from own_sources import report  # noqa: E402  pylint: disable=wrong-import-position

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
OTHERS = r"using |class |struct |enum |namespace |return |template|static_assert|typedef |friend |TEST|INSTANTIATE"
FUNCTION = re.compile(rf"^(?!{OTHERS})(?:\[\[[^\]]*\]\] )?[A-Za-z_][\w:<>,&*\[\] ]*?[\s&*](\w+)\(", re.MULTILINE)
# GoogleTest chooses these by the type that they print.
CHOSEN_BY_TYPE = {"PrintTo"}


def own_functions(text):
    """Names of the functions in the unnamed namespaces of a source."""
    return {name for part in UNNAMED.findall(RAW_TEXT.sub("", text)) for name in FUNCTION.findall(part)}


def judge(root, batches):
    """Findings over lists of sources that are compiled together, and how many functions were looked at."""
    findings, examined = [], 0
    for sources in batches:
        places = collections.defaultdict(list)
        for source in sources:
            for name in own_functions(source.read_text(encoding="utf-8")) - CHOSEN_BY_TYPE:
                places[name].append(source.relative_to(root))
        examined += len(places)
        findings += [f"{where[-1]}: {name}() is a function of {where[0]} too, which is compiled together with it"
                     for name, where in sorted(places.items()) if len(where) > 1]
    return findings, examined


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    made = options.build.resolve()  # what the build makes itself is there only after it
    found, count = judge(options.root.resolve(),
                         [[source for source in sources if not source.is_relative_to(made)]
                          for sources, _ in compiled_together(options.build) if len(sources) > 1])
    sys.exit(report("together", count, found))
