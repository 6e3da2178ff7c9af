#!/usr/bin/env python3
"""Runs clang-tidy on sources, unless nothing that it would read of one has changed since it last found nothing there.

Two ways in:
  tidy.py [--cache DIR] [--record DIR] --plugin FILE --build DIR SOURCE...   (from lint.sh, which is what to call)
  tidy.py [--cache DIR] --plugin FILE SOURCE -- COMPILER ARGUMENTS...        (from the proof that it finds something)

The key covers the version of clang-tidy, the plugin, every .clang-tidy from the source's folder up, the compile
command, and name and content of every file that the source includes. Only a clean result is remembered, so a finding
can never be hidden. Where the working folder lies is not part of the key, so that a second clone finds what the first
one left. A record says of a clean source which files of the working folder were read with it: the gate looks there
whether all were.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

CLANG_TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-19")


def commands_from_database(build_dir):
    """{source: (compiler call, its folder)}, from the build's compile_commands.json. Of several calls for a source, the
    first."""
    commands = {}
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        directory = pathlib.Path(entry["directory"])
        commands.setdefault((directory / entry["file"]).resolve(), (shlex.split(entry["command"]), directory))
    return commands


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


@functools.lru_cache(maxsize=None)
def content_hash(path):
    """A hash of a file's content, once per run: most system headers are in most sources. Empty where there is no such
    file."""
    return hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""


@functools.lru_cache(maxsize=None)
def version():
    """What clang-tidy says of itself."""
    return subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout


def key_of(source, command, directory, files, plugin):
    """A hash of all that can change the result. Names are relative to the working folder, which is the project's
    root."""
    root = str(pathlib.Path.cwd())

    def relative(text):
        return text.replace(root, ".")

    key = hashlib.sha256()
    for part in (version(), relative(repr([str(directory), *command])).encode(), content_hash(pathlib.Path(__file__)),
                 content_hash(plugin)):
        key.update(hashlib.sha256(part).digest())
    configs = [folder / ".clang-tidy" for folder in source.resolve().parents]
    for path in [*configs, *(pathlib.Path(os.path.normpath(directory / name)) for name in files)]:
        content = content_hash(path)
        if content:
            key.update(hashlib.sha256(relative(str(path)).encode()).digest() + content)
    return key.hexdigest()


def forget_old(cache):
    """Removes what has not been asked for in two months: sources change, and their keys with them."""
    oldest = time.time() - 60 * 24 * 3600
    for stamp in cache.iterdir() if cache is not None and cache.is_dir() else ():
        if stamp.stat().st_mtime < oldest:
            stamp.unlink(missing_ok=True)


def record(folder, source, directory, files):
    """Writes down that the source is clean, and what was read with it."""
    root = pathlib.Path.cwd()
    own = sorted({path for path in ((directory / name).resolve() for name in files) if path.is_relative_to(root)})
    folder.mkdir(parents=True, exist_ok=True)
    name = str(source.relative_to(root)).replace("/", "+") + ".txt"
    (folder / name).write_text("".join(f"{path.relative_to(root)}\n" for path in own), encoding="utf-8")


def examine(source, command, directory, options):
    """(exit code, output) of one source."""
    files = dependencies(command, directory)
    stamp = None
    if options.cache is not None and files is not None:
        stamp = options.cache / key_of(source, command, directory, files, options.plugin)
    code, output = 0, ""
    if stamp is None or not stamp.exists():
        run = subprocess.run([
            CLANG_TIDY, "--quiet", f"--load={options.plugin.resolve()}", "--checks=pianola-own-code",
            str(source), "--", *command
        ], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        code, output = run.returncode, run.stdout
    if code == 0 and stamp is not None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    if code == 0 and options.record is not None and files is not None:
        record(options.record, source, directory, files)
    return code, output


def main():
    """Returns the exit code: 0 where no source has findings."""
    arguments = sys.argv[1:]
    command = None
    if "--" in arguments:
        separator = arguments.index("--")
        arguments, command = arguments[:separator], arguments[separator + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--cache", type=pathlib.Path, help="where clean results are remembered")
    parser.add_argument("--record", type=pathlib.Path, help="where it is written down which sources are clean")
    parser.add_argument("--plugin", type=pathlib.Path, required=True, help="built from toolchains/tidy_plugin")
    parser.add_argument("--build", type=pathlib.Path, help="a build with compile_commands.json")
    parser.add_argument("sources", type=pathlib.Path, nargs="+", metavar="SOURCE")
    options = parser.parse_args(arguments)
    sources = [source.resolve() for source in options.sources]
    if command is not None:
        commands = dict.fromkeys(sources, (command, pathlib.Path.cwd()))
    elif options.build is not None:
        commands = commands_from_database(options.build)
    else:
        parser.error("neither -- COMMAND nor --build")
    unknown = [source for source in sources if source not in commands]
    for source in unknown:
        print(f"tidy.py: {source}: no target compiles it", file=sys.stderr)
    failed = len(unknown)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = {
            pool.submit(examine, source, *commands[source], options): source
            for source in sources if source in commands
        }
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            code, output = job.result()
            failed += code != 0
            if len(jobs) > 1:
                print(f"[{number}/{len(jobs)}] {os.path.relpath(jobs[job])}", flush=True)
            if code != 0:
                print(output, flush=True)
    forget_old(options.cache)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
