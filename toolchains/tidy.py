#!/usr/bin/env python3
"""Runs clang-tidy on sources, unless nothing that it would read of one has changed since it last found nothing there.

Two ways in:
  tidy.py [--cache DIR] [--record DIR] [--together N] --plugin FILE --build DIR SOURCE...   (from lint.sh)
  tidy.py [--cache DIR] --plugin FILE SOURCE... -- COMPILER ARGUMENTS...                    (from its proof)

The key covers the version of clang-tidy, the plugin, every .clang-tidy from the source's folder up, the compile
command, and name and content of every file that the source includes. Only a clean result is remembered, so a finding
can never be hidden. Where the working folder lies is not part of the key, so that a second clone finds what the first
one left. A record says of a clean source which files of the working folder were read with it: the gate looks there
whether all were.

With --together, up to N sources of one target and one compile command are first read as one text, because most of the
time goes into the headers that they share. Where that text is clean, they are; where it is not, each is looked at
alone, and only what is found then counts. Sources of target code are always looked at alone.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

CLANG_TIDY = os.environ.get("CLANG_TIDY", "clang-tidy-19")
TARGET_CODE = ("runtime", "hal")


def commands_from_database(build_dir):
    """{source: (compiler call, its folder)}, from the build's compile_commands.json. Of several calls for a source, the
    first."""
    commands = {}
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        directory = pathlib.Path(entry["directory"])
        commands.setdefault((directory / entry["file"]).resolve(), (shlex.split(entry["command"]), directory))
    return commands


class Unit:
    """One source, or several that are read as one text, as the file `together_FIRST` in the folder of the first."""

    def __init__(self, sources, command, directory):
        self.sources = sources
        self.command = command
        self.directory = directory
        self.path = sources[0] if len(sources) == 1 else sources[0].with_name(f"together_{sources[0].name}")

    def alone(self):
        """A unit for each source. The command of the first is that of all, but for names."""
        def command(source):
            return [str(source) if word == str(self.sources[0]) else word for word in self.command]

        return [Unit([source], command(source), self.directory) for source in self.sources]


def text_together(sources):
    """The text of several sources. What an earlier one has included is not included again: that would be a finding."""
    lines, included = [], set()
    for source in sources:
        own = []
        for line in source.read_text(encoding="utf-8").splitlines():
            is_include = re.match(r'#include (<.*>|".*\.h")', line) is not None
            lines.append("" if is_include and line in included else line)
            own += [line] if is_include else []
        included.update(own)
    return "\n".join(lines) + "\n"


def units_of(sources, commands, together):
    """Units of up to `together` sources of one target, in the order in which its build reads them together."""
    groups, units = {}, []
    for source in commands:
        command, directory = commands[source]
        top = source.relative_to(pathlib.Path.cwd()).parts[0] if together > 1 else None
        if source not in sources:
            continue
        if top is None or top in TARGET_CODE:
            units.append(Unit([source], command, directory))
        else:
            target = command[command.index("-o") + 1].partition(".dir/")[0]
            words = preprocessing_only([word for word in command if word != str(source)])
            groups.setdefault((target, top, *words), []).append(source)
    for group in groups.values():
        parts = [group[first:first + together] for first in range(0, len(group), together)]
        units += [Unit(part, *commands[part[0]]) for part in parts]
    return sorted(units, key=lambda unit: -len(unit.sources))


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


def names_in_rule(text):
    """The files that a rule for make names behind its colon."""
    _, _, names = text.partition(":")
    return sorted(set(names.replace("\\\n", " ").split()))


def dependencies(command, directory):
    """Every file that the source includes, system headers too; None where the compiler cannot tell."""
    result = subprocess.run(
        [*preprocessing_only(command), "-M"], cwd=directory, capture_output=True, text=True, check=False
    )
    return names_in_rule(result.stdout) if result.returncode == 0 else None


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
    text = "".join(f"{path.relative_to(root)}\n" for path in own)
    (folder / f"{name_of(source)}.txt").write_text(text, encoding="utf-8")


def name_of(source):
    """A source's name as one of a file."""
    return str(source.relative_to(pathlib.Path.cwd())).replace("/", "+")


def lint(unit, plugin):
    """(exit code, output, files that were read) of a run of clang-tidy. None in place of files that are not known, or
    of which one has changed since."""
    started = time.time()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rule, overlay, text = folder / "rule.d", folder / "overlay.json", folder / unit.path.name
        options = []
        if len(unit.sources) > 1:
            # Under its name in the folder, so that the folder's configuration and includes are found.
            text.write_text(text_together(unit.sources), encoding="utf-8")
            roots = [{"type": "file", "name": str(unit.path), "external-contents": str(text)}]
            overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
            options = [f"--vfsoverlay={overlay}"]
        # clang-tidy removes -MD, but leaves options of the preprocessor.
        run = subprocess.run([
            CLANG_TIDY, "--quiet", *options, f"--load={plugin.resolve()}", "--checks=pianola-own-code",
            str(unit.path), "--", *unit.command, f"-Wp,-MD,{rule}"
        ], cwd=unit.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        files = names_in_rule(rule.read_text(encoding="utf-8")) if rule.exists() else None
    if files is not None:
        files = [file for file in files if file != str(unit.path)] + [str(source) for source in unit.sources]
    if files is not None and any((unit.directory / name).stat().st_mtime >= started for name in files):
        files = None
    return run.returncode, run.stdout, files


def files_of(unit):
    """Every file that a unit reads, itself too."""
    found = set()
    for single in unit.alone():
        files = dependencies(single.command, single.directory)
        if files is None:
            return None
        found.update(files)
    return sorted(found)


def examine(unit, options, remembered):
    """(exit code, output) of one unit. `remembered` has the names of the stamps in the cache."""
    def stamp_of(files):
        if options.cache is None or files is None:
            return None
        key = key_of(unit.path, unit.command, unit.directory, files, options.plugin)
        return options.cache / f"{name_of(unit.path)}.{key}"

    # Without a stamp of the source there is nothing to look up, and clang-tidy itself says what it reads.
    is_known = name_of(unit.path) in remembered
    files = files_of(unit) if is_known else None
    stamp = stamp_of(files)
    code, output = 0, ""
    if stamp is None or not stamp.exists():
        code, output, files = lint(unit, options.plugin)
        stamp = stamp_of(files)
    if code != 0 and len(unit.sources) > 1:
        alone = [examine(single, options, remembered) for single in unit.alone()]
        return max(code for code, _ in alone), "".join(output for _, output in alone)
    if code == 0 and stamp is not None:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    if code == 0 and options.record is not None and files is not None:
        for source in unit.sources:
            record(options.record, source, unit.directory, files)
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
    parser.add_argument("--together", type=int, default=1, metavar="N", help="the most sources to read as one text")
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
    known = options.cache is not None and options.cache.is_dir()
    remembered = {stamp.name.rpartition(".")[0] for stamp in options.cache.iterdir()} if known else set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        units = units_of(set(sources), commands, options.together)
        jobs = {pool.submit(examine, unit, options, remembered): unit for unit in units}
        done = 0
        for job in concurrent.futures.as_completed(jobs):
            code, output = job.result()
            failed += code != 0
            done += len(jobs[job].sources)
            if len(sources) > 1:
                print(f"[{done}/{len(sources)}] {os.path.relpath(jobs[job].path)}", flush=True)
            if code != 0:
                print(output, flush=True)
    forget_old(options.cache)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
