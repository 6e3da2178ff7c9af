"""What the package has of the command line: `pianola capture`, `verify`, `inspect` and `timeline`.

The program of this package's own build does the work, so that verdicts, members and bytes are those of the command
line. Its words come as lists, never through a shell.
"""
import functools as _functools
import html as _html
import json as _json
import os as _os
import pathlib as _pathlib
import shutil as _shutil
import re as _re
import subprocess as _subprocess
import tempfile as _tempfile
import typing as _typing

FileLike = _typing.Union[bytes, str, "_os.PathLike[str]"]
Json = dict[str, _typing.Any]

_USAGE, _REFUSED, _FILE_TROUBLE = 2, 3, 6  # exit codes: docs/reference/cli.md
_FROM_BYTES = "<bytes>"  # what results say instead of the name of a temporary file
_STYLE = (".pianola{font:13px sans-serif}.pianola table{border-collapse:collapse;margin:.5em 0}"
          ".pianola td,.pianola th{border:1px solid #8886;padding:2px 8px;text-align:left}"
          ".pianola caption{text-align:left;font-weight:bold}.pianola .n{text-align:right}")


class Refusal(Exception):
    """The validator refuses the binary; `verdict` is what `pianola verify --json` says."""

    def __init__(self, verdict: Json) -> None:
        super().__init__()
        self.verdict = verdict


@_functools.lru_cache(maxsize=None)
def _program() -> str:
    """The command line's program: that of the package's own wheel, build folder or installation, else in the PATH."""
    package = _pathlib.Path(__file__).resolve().parent
    # build/release/python/pianola, /usr/lib/python3/dist-packages/pianola
    above = [folder / "bin/pianola" for folder in list(package.parents)[1:4:2]]
    for candidate in (package / "_bin/pianola", *above):
        if candidate.is_file():
            return str(candidate)
    found = _shutil.which("pianola")
    if found is None:
        raise FileNotFoundError("pianola: the program is neither beside the package nor in the PATH; install package "
                                "pianola")
    return found


def _complaint(stderr: str) -> str:
    """The first line of a complaint, without the program's and the command's name."""
    lines = stderr.strip().splitlines() or ["the program has ended without a word"]
    return _re.sub(r"^(pianola: )?(pianola \w+: )?", "", lines[0])


def _call(words: _typing.Sequence[str], shown: _typing.Mapping[str, str], error: type[Exception]) -> str:
    """What a command prints. Raises LookupError with what it prints where the validator refuses the binary, else
    ValueError, OSError or `error`, in which the names of temporary files are replaced by what is `shown` for them."""
    ended = _subprocess.run([_program(), *words], stdin=_subprocess.DEVNULL, capture_output=True, check=False)
    if ended.returncode == 0:
        return ended.stdout.decode()
    text = _complaint(ended.stderr.decode(errors="replace"))
    text = text if ended.returncode > 0 else f"the program was ended by signal {-ended.returncode}"
    for name, instead in shown.items():
        text = text.replace(name, instead)
    if ended.returncode == _REFUSED:
        raise LookupError(ended.stdout.decode(errors="replace"))
    if ended.returncode == _USAGE:
        raise ValueError(text)
    if ended.returncode == _FILE_TROUBLE:
        raise OSError(text)
    raise error(text)


class Files:
    """The files of one call: names as they are given, and bytes in a folder that goes with the call. `error` is raised
    where nothing else fits."""

    def __init__(self, error: type[Exception]) -> None:
        self._error = error
        self._folder = _tempfile.TemporaryDirectory(prefix="pianola")
        self.folder = _pathlib.Path(self._folder.name)
        self._shown: dict[str, str] = {}

    def call(self, *words: str) -> str:
        """What a command prints; _call() says what is raised."""
        return _call(words, self._shown, self._error)

    def __enter__(self) -> "Files":
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def name(self, file: FileLike, suffix: str = ".ptb", shown: str = _FROM_BYTES) -> str:
        """The name of a file that has these contents. `./` keeps a name from being taken for an option or a list."""
        if isinstance(file, (bytes, bytearray, memoryview)):
            path = self.folder / f"bytes{suffix}"
            path.write_bytes(file)
            self._shown[str(path)] = shown
            return str(path)
        name = _os.fsdecode(file)
        return f"./{name}" if name.startswith(("-", "@")) else name

    def device(self, device: _typing.Union[FileLike, _typing.Mapping[str, _typing.Any], None]) -> list[str]:
        """The words for a device: a description as a dictionary, or the name of a file with one."""
        if device is None:
            return []
        if isinstance(device, _typing.Mapping):
            device = _json.dumps(dict(device)).encode()
        return ["--device", self.name(device, ".json", "<device>")]

    def load(self, command: str, file: FileLike, *words: str) -> Json:
        """What a command prints as JSON of a trace binary. Raises Refusal where the validator refuses it."""
        name = self.name(file)
        try:
            report: Json = _json.loads(self.call(command, name, "--json", *words))
        except LookupError as refused:
            text = str(refused.args[0])
            verdict = _json.loads(text) if command == "verify" else self._verdict(name, words)
            raise Refusal(self._named(verdict, file)) from None
        return self._named(report, file)

    def _verdict(self, name: str, words: _typing.Sequence[str]) -> Json:
        """What verify says, for the device that another command was called for."""
        device = words[words.index("--device"):][:2] if "--device" in words else ()
        try:
            self.call("verify", name, "--json", *device)
        except LookupError as refused:
            return _typing.cast(Json, _json.loads(refused.args[0]))
        raise self._error(f"{name}: refused, and accepted when it was looked at again: the file changes")

    @staticmethod
    def _named(report: Json, file: FileLike) -> Json:
        if not isinstance(file, (str, _os.PathLike)) and "file" in report:
            report["file"] = _FROM_BYTES
        return report


def table(caption: str, rows: _typing.Sequence[_typing.Mapping[str, _typing.Any]], members: str) -> str:
    """A table of some members, by name. Every text is escaped: names come from whoever made the binary."""
    names = members.split()

    def cell(value: _typing.Any) -> str:
        if isinstance(value, float):
            value = f"{value:.6g}"
        kind = ' class="n"' if isinstance(value, int) else ""
        return f"<td{kind}>{_html.escape(str(value))}</td>"

    head = "".join(f"<th>{_html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(cell(row.get(name, '')) for name in names)}</tr>" for row in rows)
    return f"<table><caption>{_html.escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def page(*tables: str) -> str:
    """Tables with their style, complete in itself."""
    return f'<div class="pianola"><style>{_STYLE}</style>{"".join(tables)}</div>'


def frame(document: str, height: int = 480) -> str:
    """A whole HTML page within a notebook. Its scripts run, but reach neither the notebook nor its origin."""
    return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
            f'srcdoc="{_html.escape(document, quote=True)}"></iframe>')
