"""python3 -m pianola.compat PROGRAM [ARGUMENT...]: runs a program that finds pianola under other names."""
import pathlib
import runpy
import sys

from . import enable, path

USAGE = """usage: python3 -m pianola.compat PROGRAM [ARGUMENT...]
       python3 -m pianola.compat --path

Runs a Python program that finds pianola as `ttnn`, and its pipeline as `models.tt_cnn.tt.pipeline`.
--path prints the folder to put on PYTHONPATH instead."""


def main() -> int:
    """Runs the program as __main__; 2 for a call that is not understood."""
    arguments = sys.argv[1:]
    if arguments == ["--path"]:
        print(path())
        return 0
    if arguments in (["--help"], ["-h"]):
        print(USAGE)
        return 0
    if not arguments or arguments[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    program = pathlib.Path(arguments[0])
    if not program.is_file():
        print(f"pianola.compat: {program}: no such file", file=sys.stderr)
        return 2
    enable()
    sys.argv = arguments
    sys.path[0] = str(program.resolve().parent)
    runpy.run_path(str(program), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
