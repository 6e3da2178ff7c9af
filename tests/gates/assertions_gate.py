#!/usr/bin/env python3
"""Gate: every test can fail, and none passes for want of what it tests.

Test by test, through the functions of tests/ that it calls:
  - a test reaches an assertion. One that only calls something would pass whatever that does.
  - a test that looks for models outside the tree reaches a skip, so that it is not passed without them.
  - a test does not return early on its own: that passes what was not tried. GTEST_SKIP() does not.
  - no assertion holds whatever the product does, or is never reached, and nothing swallows a failure: vacuous.py.
And of what has to be asserted somewhere: every stage of a fault (runtime/include/pianola/fault.h) stands in an
assertion of a test.

Functions are told apart by name. Of several with one name, those of the same file count; where it has none, all of them
must assert, so that a namesake elsewhere is no excuse.
"""
import argparse
import ast
import pathlib
import re
import sys

import vacuous
from own_sources import own_sources, report
from vacuous_python import is_failure

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*\{", re.MULTILINE)
FUNCTION = re.compile(
    r"\b([A-Za-z_]\w*)\s*(?:\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)[^;{}()=]*?"
    r"|=\s*\[[^\]{}]*\]\s*(?:\([^;{}]*?\))?[^;{}()]*)\{"
)
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[\w:, ]*>\s*)?[({]")
ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT)_[A-Z_]+\s*\(|\bADD_FAILURE\(|\bFAIL\(\)")
SKIP = re.compile(r"\bGTEST_SKIP\(")
OUTSIDE = re.compile(r'\bgetenv\("PIANOLA_SHARED"\)')
RETURN = re.compile(r"\breturn\s*;")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
LAMBDA = re.compile(r"\[[^\]\[{}]*\]\s*(?:\([^{};]*?\))?\s*(?:mutable\s*)?(?:noexcept\s*)?(?:->\s*[\w:<>&* ]+)?\{")
KEYWORDS = {"if", "for", "while", "switch", "catch", "do", "else", "try", "return", "sizeof"}
STAGE = re.compile(r"^\s*(k\w+)\b[^/\n]*,", re.MULTILINE)
PYTHON_ASSERTION = re.compile(r"assert|^fail$|^require$|^check_call$")


def blanked(text):
    """The text with comments gone and strings emptied, but for the one that names the outside; line numbers stay."""
    def blank(match):
        word = match.group()
        return word if word == '"PIANOLA_SHARED"' else re.sub(
            r"[^\n]", " ", word) if word[0] == "/" else '""' + "\n" * word.count("\n")
    return NOT_CODE.sub(blank, text)


def body_from(text, opening):
    """What stands between the brace at `opening` and its partner."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening + 1 : at]
    return text[opening + 1 :]


def without_lambdas(text):
    """The body without those of its lambdas, which return for themselves."""
    match = LAMBDA.search(text)
    while match:
        inner = body_from(text, match.end() - 1)
        text = text[: match.start()] + "lambda" + text[match.end() + len(inner) + 1 :]
        match = LAMBDA.search(text)
    return text


class Tree:
    """The C++ functions of tests/, by name and by file."""

    def __init__(self, files):
        """files: {name: text}."""
        self.texts = {name: blanked(text) for name, text in files.items()}
        self.functions, self.by_file = {}, {}
        for name, text in self.texts.items():
            own = self.by_file[name] = {}
            for match in FUNCTION.finditer(text):
                if match.group(1) not in KEYWORDS and not match.group(1).startswith("TEST"):
                    entry = (name, body_from(text, match.end() - 1))
                    own.setdefault(match.group(1), []).append(entry)
                    self.functions.setdefault(match.group(1), []).append(entry)
        self.known = {}

    def reaches(self, wanted, file, body, among=all):
        """Whether the body, or a function that it calls, has what the expression `wanted` finds."""
        if wanted.search(body):
            return True
        for name in sorted(set(CALL.findall(body)) - KEYWORDS):
            if self.function_reaches(wanted, file, name, among):
                return True
        return False

    def function_reaches(self, wanted, file, name, among):
        own = self.by_file[file].get(name)
        entries = own or [entry for entry in self.functions.get(name, []) if not str(entry[0]).endswith("_test.cpp")]
        if not entries:
            return False
        key = (wanted, file if own else None, name, among)
        if key not in self.known:
            self.known[key] = False  # a function that calls itself adds nothing
            self.known[key] = (any if own else among)(self.reaches(wanted, *entry, among) for entry in entries)
        return self.known[key]

    def tests(self):
        """(file, line, suite, test, body) of each."""
        for name, text in sorted(self.texts.items()):
            for match in TEST.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                yield name, line, match.group(1), match.group(2), body_from(text, match.end() - 1)

    def set_up(self, file):
        """What fixtures of the file do before a test."""
        return "\n".join(body for _, body in self.by_file[file].get("SetUp", []))

    def tests_of_the_outside(self):
        """(suite, test) of each that looks for models outside the tree: what must be skipped where there are none."""
        for name, _, suite, test, body in self.tests():
            if self.reaches(OUTSIDE, name, body + self.set_up(name), any):
                yield suite, test

    def findings(self):
        for name, line, suite, test, body in self.tests():
            place = f"{name}:{line}: {suite}.{test}"
            if not self.reaches(ASSERTION, name, body):
                yield f"{place} asserts nothing"
            before = self.set_up(name)
            if self.reaches(OUTSIDE, name, body + before, any) and not self.reaches(SKIP, name, body + before):
                yield f"{place} needs what lies outside the tree, and does not skip without it"
            if RETURN.search(without_lambdas(body)):
                yield f"{place} returns early: what was not tried would pass"


def called_names(node):
    """The names of all that is called below a node."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            target = call.func
            yield target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def python_findings(files):
    """The same of Python's test cases: {name: text} of a folder's scripts."""
    trees = {name: ast.parse(text) for name, text in files.items()}
    functions, found = {}, []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                functions.setdefault(node.name, []).append((name, node))

    def asserts(node, file, seen):
        # What was looked at in vain once for a test is not looked at again: calls branch, and meet.
        seen.add(node)
        if any(isinstance(inner, ast.Assert) or is_failure(inner) for inner in ast.walk(node)):
            return True
        for called in set(called_names(node)):
            if PYTHON_ASSERTION.search(called):
                return True
            known = functions.get(called, [])
            own = [entry for entry in known if entry[0] == file]
            if any(inner not in seen and asserts(inner, where, seen) for where, inner in own or known):
                return True
        return False

    for name, tree in trees.items():
        for node in ast.walk(tree):
            is_test = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
            if is_test and node.args.args[:1] and not asserts(node, name, set()):
                found.append(f"{name}:{node.lineno}: {node.name} asserts nothing")
    return found


def unasserted_stages(header, texts):
    """The stages of faults that no test's assertion names."""
    listing = re.search(r"enum class FaultStage[^{]*\{(.*?)\};", header, re.DOTALL).group(1)
    stages = set(STAGE.findall(NOT_CODE.sub("", listing)))
    tests = "\n".join(texts)
    return [f"FaultStage::{stage}: no test asserts it" for stage in sorted(stages)
            if not re.search(rf"\bFaultStage::{stage}\b", tests)], len(stages)


def judge(root):
    """(findings, how many tests were looked at)."""
    names = [name for name in own_sources(root) if name.parts[0] == "tests"]
    sources = {name: (root / name).read_text(encoding="utf-8") for name in names}
    tree = Tree(sources)
    found = list(tree.findings())
    found += [f"{name}:{line}: {what}" for name, text in sources.items() for line, what in vacuous.cpp_findings(text)]
    count = sum(1 for _ in tree.tests())
    folders = {}
    for name in own_sources(root, (".py",)):
        if name.parts[0] == "tests":
            folders.setdefault(name.parent, {})[name] = (root / name).read_text(encoding="utf-8")
    for files in folders.values():
        found += python_findings(files)
        found += [f"{name}:{line}: {what}" for name, text in files.items()
                  for line, what in vacuous.python_findings(text)]
    header = root / "runtime/include/pianola/fault.h"
    if header.is_file():
        missing, _ = unasserted_stages(header.read_text(encoding="utf-8"),
                                       [text for name, text in tree.texts.items() if name.name.endswith("_test.cpp")])
        found += missing
    return found, count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    findings, examined = judge(parser.parse_args().root)
    sys.exit(report("assertions", examined, findings))
