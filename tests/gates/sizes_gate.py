#!/usr/bin/env python3
"""Gate: what is read at one go is short: lines, files, and functions of the product.

    a line       120 columns, in every text file; rows of Markdown tables, recorded data and a line that is one URL
                 aside; a patch's mark before the line counts as none
    a source     700 lines: C and C++, Python, CMake, shell; most have far fewer, the longest hold one idea
    a function   60 lines of Python under runtime, hal, schema and capture_host, its signature included; decorators
                 aside

Functions of C++ are measured by clang-tidy (readability-function-size in .clang-tidy), which can tell where one ends.
"""
import argparse
import ast
import pathlib
import re
import sys

from own_sources import own_files, report

MOST_COLUMNS = 120
MOST_FILE_LINES = 700
MOST_FUNCTION_LINES = 60
SOURCES = {".h", ".cpp", ".c", ".inc", ".py", ".cmake", ".sh"}
PRODUCT = {"runtime", "hal", "schema", "capture_host"}
# What programs have written, or read as it is.
DATA = {".json", ".csv", ".dict", ".ptb", ".svg", ".tflite", ".bin"}
URL = re.compile(r"\S*https?://\S+")


def is_source(name):
    """Whether people write code there."""
    return name.suffix in SOURCES or name.name == "CMakeLists.txt"


def may_be_long(name, line):
    """Whether nobody can break this line."""
    stripped = line.strip()
    return (name.suffix == ".md" and stripped.startswith("|")) or URL.fullmatch(stripped.lstrip("#/*<-> ")) is not None


def long_functions(name, text):
    """Findings over the functions of one Python source."""
    return [
        f"{name}:{node.lineno}: {node.name}() has {node.end_lineno - node.lineno + 1} lines, {MOST_FUNCTION_LINES} are"
        " admitted"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.end_lineno - node.lineno + 1 > MOST_FUNCTION_LINES
    ]


def judge(root, names):
    """Findings over the files `names` of `root`."""
    findings = []
    for name in names:
        if name.suffix in DATA:
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # not text
        lines = text.splitlines()
        most = MOST_COLUMNS + (1 if name.suffix == ".patch" else 0)
        findings += [
            f"{name}:{number}: {len(line)} columns, {most} are admitted"
            for number, line in enumerate(lines, 1)
            if len(line) > most and not may_be_long(name, line)
        ]
        if is_source(name) and len(lines) > MOST_FILE_LINES:
            findings.append(f"{name}: {len(lines)} lines, {MOST_FILE_LINES} are admitted; split it by what it is about")
        if name.suffix == ".py" and name.parts[0] in PRODUCT:
            findings += long_functions(name, text)
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    files = own_files(root)
    sys.exit(report("sizes", len(files), judge(root, files)))
