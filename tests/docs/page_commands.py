#!/usr/bin/env python3
"""Runs the commands of a page as a reader would type them, and compares what the page shows of their output.

    page_commands.py PAGE [--folder DIR] [--path DIR] [--before COMMAND ...] [--skip REGEX ...] [--section HEADING]
                          [--most N]

Commands are the lines of ```console blocks that begin with "$ ", continued after a backslash. Lines that follow are
what a terminal shows then, standard output and errors alike: nothing shown means that any output will do; "..." stands
for any number of lines, and within a line for any text. Blocks of one page run in order, in one folder and one shell
each, with --path in front of PATH. Every command has to end with 0, or with N where a comment "# exit code N" follows.

--before runs first, for what the reader already has. --skip says which commands are not run (git clone, cd): the reason
stands where the test is registered. --most N: the page has at most N commands, those that are skipped included.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT_CODE = re.compile(r"\s+# exit code (\d+)$")


def commands_of(text):
    """(command, lines that are shown after it) of every console block, in order."""
    found = []
    for block in BLOCK.findall(text):
        lines = iter(block.splitlines())
        for line in lines:
            if line.startswith("$ "):
                command = line[2:]
                while command.endswith("\\"):
                    command = command[:-1] + next(lines).lstrip()
                found.append((command, []))
            elif found:
                found[-1][1].append(line)
    return found


def matches(shown, printed):
    """Whether the output is what the page shows."""
    if not shown:
        return True
    pattern = ""
    for line in shown:
        pattern += r"(?:.*\n)*" if line == "..." else ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return re.fullmatch(pattern, printed) is not None


def section_of(text, heading):
    """The part of the page below a heading, up to the next of the same level; all of it where none is named."""
    if heading is None:
        return text
    begin = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert begin, f"no section '{heading}'"
    end = re.search(rf"^#{{1,{len(begin[1])}}} ", text[begin.end():], re.MULTILINE)
    return text[begin.end():][:end.start() if end else None]


def run_page(text, folder, path, skip=()):
    """Runs all commands; returns how many were run."""
    environment = {**os.environ, "PATH": os.pathsep.join([*path, os.environ["PATH"]]), "LC_ALL": "C.UTF-8"}
    count = 0
    for command, shown in commands_of(text):
        if any(re.search(pattern, command) for pattern in skip):
            print(f"not run: {command}")
            continue
        code = EXIT_CODE.search(command)
        wanted = int(code[1]) if code else 0
        print(f"$ {command}", flush=True)
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != wanted:
            sys.exit(f"{command}\nends with {done.returncode}, not {wanted}:\n{done.stdout[-4000:]}")
        if not matches(shown, done.stdout):
            sys.exit(f"{command}\nprints:\n{done.stdout[-4000:]}\nThe page shows:\n" + "\n".join(shown))
        count += 1
    return count


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--before", action="append", default=[])
    parser.add_argument("--skip", action="append", default=[])
    parser.add_argument("--section")
    parser.add_argument("--most", type=int)
    options = parser.parse_args(words)
    text = section_of(options.page.read_text(encoding="utf-8"), options.section)
    options.folder.mkdir(parents=True, exist_ok=True)
    total = len(commands_of(text))
    if options.most is not None and total > options.most:
        sys.exit(f"{options.page} has {total} commands, at most {options.most} are admitted")
    for command in options.before:
        subprocess.run(["bash", "-e", "-c", command], cwd=options.folder, check=True,
                       env={**os.environ, "PATH": os.pathsep.join([*options.path, os.environ["PATH"]])})
    count = run_page(text, options.folder, options.path, options.skip)
    print(f"{count} of {total} commands run")
    return 0 if count else 1  # a page without commands shows nothing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
