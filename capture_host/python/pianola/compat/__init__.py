"""Names under which programs for other packages import what pianola has: `ttnn` and `models.tt_cnn.tt.pipeline`.

Nobody gets them without asking. `python3 -m pianola.compat PROGRAM [ARGUMENT...]` runs a program that has them;
enable() makes them importable from then on; `path()` is the folder, for PYTHONPATH. What is installed under these names
comes first.
"""
import pathlib
import sys


def path() -> str:
    """The folder that holds the packages."""
    return str(pathlib.Path(__file__).resolve().parent)


def enable() -> None:
    """Makes the names importable in this process, after everything that is on the path already."""
    if path() not in sys.path:
        sys.path.append(path())
