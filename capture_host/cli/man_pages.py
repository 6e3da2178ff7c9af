#!/usr/bin/env python3
"""Makes a manual page of each command of the program, by help2man: pianola.1.gz, pianola-verify.1.gz and so on.

The commands are those that --help lists, so that a new one has its page without anybody's doing.
"""
import argparse
import gzip
import pathlib
import re
import subprocess


def commands_of(pianola, words=()):
    """Each command below the words, with its description: (("log", "show"), "Prints ...")."""
    text = subprocess.run([pianola, *words, "--help"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"(?m)^Subcommands:\n((?: .*\n)+)", text + "\n")
    names = []
    for line in (found.group(1).splitlines() if found else ()):
        entry = re.match(r"^  (\S+)\s+(\S.*)$", line)
        if entry:
            names.append((words + (entry.group(1), ), entry.group(2)))
    return names + [each for name, _ in names for each in commands_of(pianola, name)]


def make_page(options, words, description, program=None):
    """One page, compressed reproducibly: of a command of pianola, or of another program."""
    name = program.name if program else "-".join(("pianola", *words))
    text = subprocess.run([
        options.help2man, "--no-info", "--section=1", f"--name={description.rstrip('.')}",
        f"--version-string=pianola {options.version}", f"--source=pianola {options.version}",
        "--manual=Pianola", " ".join((str(program or options.pianola), *words))
    ], check=True, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin",
                                                        "SOURCE_DATE_EPOCH": "0"}).stdout
    # help2man takes the program's name for the page's.
    escaped = name.replace("-", "\\-")
    text = text.replace(".TH PIANOLA ", f".TH {escaped.upper()} ", 1)
    text = re.sub(r"\.SH NAME\n\S+ \\- ", lambda _: f".SH NAME\n{escaped} \\- ", text, count=1)
    (options.out / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pianola", required=True, type=pathlib.Path)
    parser.add_argument("--sample", required=True, type=pathlib.Path)
    parser.add_argument("--help2man", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for old in options.out.glob("*.1.gz"):
        old.unlink()
    for words, description in commands_of(options.pianola):
        make_page(options, words, description)
    make_page(options, (), "captures static workloads for accelerators, verifies and replays them")
    make_page(options, (), "makes the sample model and its inputs", options.sample)


if __name__ == "__main__":
    main()
