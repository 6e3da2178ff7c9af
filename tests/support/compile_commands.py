"""Which source a build compiles with which command: compile_commands.json, with the sources that CMake's unity builds
compile together told apart."""
import json
import pathlib
import re
import shlex

INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)


def compiled_together(build):
    """(sources, words of the command) of every file that a build compiles: several where it includes them."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        sources = [file]
        if file.parent.name == "Unity":
            sources = [pathlib.Path(name).resolve() for name in INCLUDED.findall(file.read_text(encoding="utf-8"))]
        yield sources, shlex.split(entry["command"])


def compile_commands(build):
    """(source, words of its command) of every source. Those that are compiled together have the same words, whose
    source is the file that includes them."""
    for sources, words in compiled_together(build):
        yield from ((source, words) for source in sources)
