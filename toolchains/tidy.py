#!/usr/bin/env python3
"""Runs clang-tidy on one source, unless nothing that it would read has changed since it last found nothing.

Two ways in:
  tidy.py [--cache DIR] [--config-hash TEXT] [clang-tidy options] SOURCE -- COMPILER ARGUMENTS...   (from CMake)
  tidy.py [--cache DIR] --build DIR SOURCE                                                      (from lint.sh)

The key covers the version of clang-tidy, every .clang-tidy from the source's folder up, the compile command, and the
content of every file that the source includes. Only a clean result is remembered, so a finding can never be hidden.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

CLANG_TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-19")


def command_from_database(build_dir, source):
    """The compiler call for `source` in the build's compile_commands.json."""
    wanted = source.resolve()
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        if (pathlib.Path(entry["directory"]) / entry["file"]).resolve() == wanted:
            return shlex.split(entry["command"]), pathlib.Path(entry["directory"])
    sys.exit(f"tidy.py: {source}: not in {build_dir}/compile_commands.json; is it part of a target?")


def preprocessing_only(command):
    """`command` without what names outputs, so that it can be asked for its dependencies."""
    kept = []
    words = iter(command)
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(words, None)
        elif word not in ("-c", "-MD", "-MMD"):
            kept.append(word)
    return kept


def dependencies(command, directory):
    """Every file that the source includes, system headers too; None where the compiler cannot tell."""
    result = subprocess.run(
        [*preprocessing_only(command), "-M"], cwd=directory, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        return None
    _, _, names = result.stdout.partition(":")
    return sorted(set(names.replace("\\\n", " ").split()))


def key_of(source, command, directory, tool_arguments):
    """A hash of all that can change the result; None where that is not known."""
    files = dependencies(command, directory)
    if files is None:
        return None
    key = hashlib.sha256()
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    for part in (version, repr(command).encode(), repr(tool_arguments).encode(), pathlib.Path(__file__).read_bytes()):
        key.update(hashlib.sha256(part).digest())
    configs = [folder / ".clang-tidy" for folder in source.resolve().parents]
    for path in [*configs, *(directory / name for name in files)]:
        if path.is_file():
            key.update(hashlib.sha256(path.read_bytes()).digest())
    return key.hexdigest()


def main():
    """Returns clang-tidy's exit code."""
    arguments = sys.argv[1:]
    command = None
    if "--" in arguments:
        separator = arguments.index("--")
        arguments, command = arguments[:separator], arguments[separator + 1 :]
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--config-hash", help="part of the command line only so that a new configuration rebuilds")
    parser.add_argument("--build", type=pathlib.Path)
    options, rest = parser.parse_known_args(arguments)
    if not rest:
        parser.error("no source")
    source = pathlib.Path(rest[-1])
    tool_arguments = rest[:-1]
    directory = pathlib.Path.cwd()
    if command is None:
        if options.build is None:
            parser.error("neither -- COMMAND nor --build")
        command, directory = command_from_database(options.build, source)
        source = source.resolve()

    stamp = None
    if options.cache is not None:
        key = key_of(source, command, directory, tool_arguments)
        if key is not None:
            stamp = options.cache / key
            if stamp.exists():
                return 0
    code = subprocess.run(
        [CLANG_TIDY, "--quiet", *tool_arguments, str(source), "--", *command], cwd=directory, check=False
    ).returncode
    if code == 0 and stamp is not None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return code


if __name__ == "__main__":
    sys.exit(main())
