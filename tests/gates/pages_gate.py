#!/usr/bin/env python3
"""Gate: pages are short, and what they show as an example is compiled or run by a test.

    a page              at most 400 lines
    all pages of docs   outside docs/safety at most 74,000 words, without blocks and what scripts write
    a line of text      at most 120 columns; headings, tables, pictures, addresses and blocks are as long as they are
    blocks of C, C++    stand, comments and layout aside, in a source that is compiled: COMPILED says where; "..."
                        stands for what a page leaves out. The program of README.md is compiled by docs.first_screen
    blocks of CMake     stand in a CMakeLists.txt or .cmake file
    blocks of C, Python of a page in TAKEN: a test takes them from there
    blocks of Python    are on a page that a test runs block by block
    console blocks      are on a page whose commands a test runs (tests/docs/page_commands.py)
    other languages     none: a block without a test would be one that nobody notices
    commands            of `pianola` in blocks of text have options that it has (with --program)

Usage: pages_gate.py ROOT [--program PIANOLA]
"""
import argparse
import pathlib
import re
import subprocess
import sys

from own_sources import own_files, report

MOST_LINES, MOST_COLUMNS, MOST_WORDS = 400, 120, 75_000
# One is made by a tool, the other is about to be split.
COMPILED = ("docs/examples/", "tests/consumers/")
RUN_BY_FIRST_SCREEN = {"README.md"}
# Pages whose blocks a test takes from them, compiles and runs.
TAKEN = {"docs/guide/c_api.md": "tests/c_api/shared_library_test.py"}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?: {4}[^\n]*\n|\n(?= {4}))+)")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|(?<!\S)#(?!include|define|if|endif|pragma)[^\n]*", re.DOTALL)
C_LIKE = re.compile(r"(?:[;{]|\);|\};) *$|^\s*#include", re.MULTILINE)
LINKER = re.compile(r"^\s*(?:INCLUDE|SECTIONS)\b", re.MULTILINE)
COMMAND = re.compile(r"(?<![\w-])pianola ([a-z]+(?: (?:show|diff|check)\b)?)(?=\s)([^\n|&;]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
MADE_REGION = re.compile(r"<!--[^\n]*\bmade\b[^\n]*-->\n.*?<!-- end\b[^\n]*-->", re.DOTALL)
MADE_PAGE = re.compile(r"do\s+not\s+edit|writes\s+this\s+page")
HEAD_LINES = 10


def is_made(text):
    """Whether a script writes the page, which then says so at its beginning."""
    return bool(MADE_PAGE.search("\n".join(text.splitlines()[:HEAD_LINES])))


def words_by_hand(root, pages):
    """Words of the pages of docs outside docs/safety, without blocks and what scripts write."""
    read = [(root / page).read_text(encoding="utf-8") for page in pages
            if page.parts[0] == "docs" and page.parts[1] != "safety"]
    return sum(len(FENCE.sub("", MADE_REGION.sub("", text)).split()) for text in read if not is_made(text))


def plain(text):
    """Code without comments and layout."""
    return re.sub(r"\s+", "", COMMENT.sub("", text))


def blocks_of(text):
    """(language, contents, line) of fenced blocks, and of indented ones, whose language is guessed: cpp or text."""
    without = text
    for fence in FENCE.finditer(text):
        yield fence[1] or "text", fence[2], text[:fence.start()].count("\n") + 1
        without = without.replace(fence[0], "\n" * fence[0].count("\n"))
    for block in INDENTED.finditer(without):
        is_code = C_LIKE.search(COMMENT.sub("", block[1])) and not LINKER.search(block[1])
        yield "cpp" if is_code else "text", block[1], without[:block.start()].count("\n") + 1


def long_lines(text):
    """(line, columns) of text that runs on beyond the limit."""
    without = FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)
    for number, line in enumerate(without.splitlines(), 1):
        if len(line) > MOST_COLUMNS and not line.startswith(("#", "|", "!")) and "://" not in line:
            yield number, len(line)


def is_shown(block, sources):
    """Whether some source has all pieces of a block, in any order."""
    pieces = [plain(piece).strip(",") for piece in re.sub(r"//[^\n]*\.\.\.[^\n]*", "...", block).split("...")]
    return any(all(piece in source for piece in pieces) for source in sources)


class Pages:
    """What the gate knows of one tree."""

    def __init__(self, root, names, program=None):
        self.root, self.program, self.options = root, program, {}
        self.pages = [name for name in names if name.suffix == ".md"]
        read = {name: (root / name).read_text(encoding="utf-8") for name in names
                if name.suffix in (".cpp", ".h", ".c", ".cmake") or name.name == "CMakeLists.txt"}
        self.code = [plain(text) for name, text in read.items()
                     if name.suffix in (".cpp", ".h", ".c") and str(name).startswith(COMPILED)]
        self.lists = [plain(text) for name, text in read.items() if name.suffix not in (".cpp", ".h", ".c")]
        self.python = "".join((root / name).read_text(encoding="utf-8") for name in names
                              if name.suffix == ".py" and name.parts[:2] == ("tests", "python"))
        docs = root / "tests/docs/CMakeLists.txt"
        self.run = docs.read_text(encoding="utf-8") if docs.exists() else ""

    def options_of(self, command):
        """The options of a subcommand; None where there is no such subcommand."""
        if command not in self.options:
            done = subprocess.run([self.program, *command.split(), "--help"], capture_output=True, text=True,
                                  check=False)
            self.options[command] = set(OPTION.findall(done.stdout)) if done.returncode == 0 else None
        return self.options[command]

    def command_findings(self, text):
        """What is wrong with the commands of a block."""
        commands = re.sub(r"^\s*pianola: .*$", "", text, flags=re.MULTILINE)  # what it prints is no command
        for command, rest in COMMAND.findall(commands.replace("\\\n", " ")):
            known = self.options_of(command)
            if known is None and " " not in command:
                yield f"`pianola {command}` is no command"
            else:
                for option in OPTION.findall(rest.split("#")[0]):
                    if option not in (known or ()):
                        yield f"`pianola {command}` has no {option}"

    def block_findings(self, page, language, text):
        """What is wrong with one block."""
        if language == "cpp" and page.name == "README.md" and str(page) in RUN_BY_FIRST_SCREEN:
            return
        taken = self.root / TAKEN.get(str(page), "nowhere")
        if language in ("c", "python") and taken.exists() and str(page) in taken.read_text(encoding="utf-8"):
            return
        in_docs = "/".join(page.parts[1:]) if page.parts[0] == "docs" else str(page)
        if language in ("cpp", "c"):
            if not is_shown(text, self.code):
                yield "C++ that no example compiles"
        elif language == "cmake":
            if not is_shown(text, self.lists):
                yield "CMake that no CMakeLists.txt has"
        elif language == "python":
            if in_docs not in self.python:
                yield "Python on a page that no test runs"
        elif language == "console":
            # A test names the page's file, or its stem where pages of the guide are in a list.
            listed = re.search(rf"(?<!\w){re.escape(page.stem)}(?!\w)", self.run)
            if str(page) not in RUN_BY_FIRST_SCREEN and not listed:
                yield "commands on a page that no test runs"
        elif language == "text":
            if self.program:
                yield from self.command_findings(text)
        elif not (language == "{doxygenfile}" or language.startswith("doxygen")):
            yield f"a block of {language}, which no test looks at"

    def findings(self):
        """Of all pages."""
        for page in self.pages:
            text = (self.root / page).read_text(encoding="utf-8")
            count = len(text.splitlines())
            if count > MOST_LINES and page.name != "CHANGELOG.md":
                yield f"{page}: {count} lines, {MOST_LINES} are admitted; split it by what it is about"
            for line, columns in long_lines(text):
                yield f"{page}:{line}: {columns} columns, {MOST_COLUMNS} are admitted"
            for language, block, line in blocks_of(text):
                for finding in self.block_findings(page, language, block):
                    yield f"{page}:{line}: {finding}"
        words = words_by_hand(self.root, self.pages)
        if words > MOST_WORDS:
            yield f"docs: {words} words, {MOST_WORDS} are admitted; link to what another page says"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    options = parser.parse_args()
    looked_at = Pages(options.root, own_files(options.root), options.program)
    sys.exit(report("pages", len(looked_at.pages), list(looked_at.findings())))
