#!/usr/bin/env python3
"""Files and tables of the safety package: what would pass unseen through the programs that read them.

Fails, and names it, on a file of docs/safety, docs/evidence or misra/ with a byte order mark, a carriage return or no
last line's end; a table of TOML with a key twice; a row of CSV with more or fewer fields than its head; a text that is
empty, or that blanks begin or end; two rows of one id or name; a list that has something twice.
"""
import argparse
import csv
import pathlib
import sys
import tomllib

FOLDERS = ("docs/safety", "docs/evidence", "misra")
KEYS = ("id", "name", "goal")


def byte_findings(name, data):
    """What editors leave in a file."""
    if data.startswith(b"\xef\xbb\xbf"):
        yield f"{name}: a byte order mark"
    if b"\r" in data:
        yield f"{name}: carriage returns"
    if not data.endswith(b"\n"):
        yield f"{name}: the last line has no end"


def twice(values):
    """What a list has more than once."""
    return sorted({value for value in values if values.count(value) > 1})


def value_findings(where, value):
    """A value of TOML, and what it holds."""
    if isinstance(value, str):
        if not value or value != value.strip():
            yield f"{where}: {value!r} is no text"
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from value_findings(f"{where}, {key}", inner)
    elif isinstance(value, list) and all(isinstance(one, dict) for one in value):
        for key in KEYS:
            yield from (f"{where}: {name} is there twice" for name in twice([one.get(key) for one in value])
                        if name is not None)
        for number, inner in enumerate(value, 1):
            label = next((str(inner[key]) for key in KEYS if key in inner), f"{where} {number}")
            yield from value_findings(label, inner)
    elif isinstance(value, list):
        yield from (f"{where}: {one} is there twice" for one in twice(value))
        for inner in value:
            yield from value_findings(where, inner)


def toml_findings(name, data):
    """A table of TOML."""
    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return [f"{name}: {error}"]
    return [f"{name}: {finding}" for key, value in table.items() for finding in value_findings(key, value)]


def csv_findings(name, data):
    """A table of CSV: rows are as wide as the head, texts are texts, evidence is named once."""
    rows = list(csv.reader(data.decode().splitlines()))
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            yield f"{name}:{number}: {len(row)} fields, the head has {len(rows[0])}"
        yield from (f"{name}:{number}: {field!r} begins or ends with blanks" for field in row if field != field.strip())
        for head, field in zip(rows[0], row):
            yield from (f"{name}:{number}: {word} is there twice" for word in twice(field.split())
                        if head in ("evidence", "checks", "deviations"))


def findings(root):
    """(what is wrong, how many files were looked at)."""
    found, paths = [], [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.is_file()]
    for path in paths:
        name, data = str(path.relative_to(root)), path.read_bytes()
        found += byte_findings(name, data)
        if path.suffix == ".toml":
            found += toml_findings(name, data)
        if path.suffix == ".csv":
            found += csv_findings(name, data)
    return found, len(paths)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3])
    found, count = findings(parser.parse_args().root)
    for finding in found:
        print(f"safety_files: {finding}", file=sys.stderr)
    print(f"safety_files: {count} files, {len(found)} findings")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
