#!/usr/bin/env python3
"""Gate: comments and hand-written pages use none of the phrases of words.toml.

    comments    of runtime, hal, schema, capture_host and docs/examples: C, C++, GLSL, assembler, linker scripts, CMake;
                string literals are not looked at
    pages       docs outside docs/safety, README.md and CONTRIBUTING.md, without code and without what scripts write:
                pages that say so at their beginning, and regions between <!-- ... made ... --> and <!-- end ... -->

A finding has the place, the phrase and what to write instead. A phrase is found across the lines of one comment.
"""
import argparse
import pathlib
import re
import sys
import tomllib

from misra_text import TOKEN
from own_sources import own_files, report
from pages_gate import FENCE, INDENTED, MADE_REGION, is_made

WORDS = pathlib.Path(__file__).parent / "words.toml"
COMMENTED = ("runtime/", "hal/", "schema/", "capture_host/", "docs/examples/")
C_LIKE = {".c", ".h", ".cpp", ".inc", ".comp", ".glsl", ".S", ".ld", ".fbs"}
PAGES = ("docs/", "README.md", "CONTRIBUTING.md")
CMAKE_TOKEN = re.compile(r'#\[(=*)\[.*?\]\1\]|#[^\n]*|"(?:\\.|[^"\\])*"|\[(=*)\[.*?\]\2\]', re.DOTALL)
MARKER = re.compile(r"^[ \t]*(?:/[/*]+[!<]*|\*+/?|#+)|\*+/$", re.MULTILINE)
HTML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE_SPAN = re.compile(r"(`+)[^`].*?\1", re.DOTALL)


def phrases():
    """(pattern, what to write instead, example) of each phrase."""
    table = tomllib.loads(WORDS.read_text(encoding="utf-8"))["phrase"]
    return [(re.compile(row["pattern"].replace(" ", r"\s+")), row["write"], row["example"]) for row in table]


def hidden(text):
    """As many lines, and nothing that a pattern finds."""
    return re.sub(r"\S", "\0", text)


def comments(text, token):
    """`text` with only the words of comments; lines stay where they are."""
    kept, end = [], 0
    for match in token.finditer(text):
        kept.append(hidden(text[end:match.start()]))
        is_comment = match[0].startswith(("//", "/*", "#"))
        kept.append(MARKER.sub(lambda mark: " " * len(mark[0]), match[0]) if is_comment else hidden(match[0]))
        end = match.end()
    return "".join([*kept, hidden(text[end:])])


def prose(text):
    """`text` of a page without code and without what scripts write; lines stay where they are."""
    if is_made(text):
        return ""
    for pattern in (MADE_REGION, FENCE, INDENTED, HTML_COMMENT, CODE_SPAN):
        text = pattern.sub(lambda match: hidden(match[0]), text)
    return text


def looked_at(name, text):
    """What of the file the gate reads; None where it reads nothing."""
    path = name.as_posix()
    if path.startswith(COMMENTED):
        if name.suffix in C_LIKE:
            return comments(text, TOKEN)
        if name.suffix == ".cmake" or name.name == "CMakeLists.txt":
            return comments(text, CMAKE_TOKEN)
    if name.suffix == ".md" and path.startswith(PAGES) and not path.startswith("docs/safety/"):
        return prose(text)
    return None


def judge(root, names):
    """Findings over the files `names` of `root`, and how many of them have comments or text that is looked at."""
    known, findings, examined = phrases(), [], 0
    for name in names:
        if not name.as_posix().startswith((*COMMENTED, *PAGES)):
            continue
        try:
            text = looked_at(name, (root / name).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # not text
        if not text:
            continue
        examined += 1
        found = [(text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), write)
                 for pattern, write, _ in known for match in pattern.finditer(text)]
        findings += [f"{name}:{line}: \"{phrase}\": write {write}" for line, phrase, write in sorted(found)]
    return findings, examined


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    everything, read = judge(root, own_files(root))
    sys.exit(report("words", read, everything))
