#!/usr/bin/env python3
"""docs/reference/support.md has every board, and the versions that it names of tools are this machine's, where that has
Debian 12. Usage: support_page.py SOURCE
"""
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(sys.argv[1])
sys.path.append(str(SOURCE / "toolchains"))
from boards import boards  # noqa: E402  pylint: disable=wrong-import-position

VERSIONS = {"GCC": ("g++", "-dumpfullversion"), "CMake, ninja": ("cmake", "--version"),
            "FlatBuffers": ("flatc", "--version")}


def main():
    """Prints what is missing."""
    page = (SOURCE / "docs/reference/support.md").read_text(encoding="utf-8")
    wrong = [f"{board} is not on the page" for board in boards() if f"| `{board}` |" not in page]
    release = pathlib.Path("/etc/os-release")
    if release.exists() and 'VERSION_ID="12"' in release.read_text(encoding="utf-8"):
        for row, command in VERSIONS.items():
            said = re.search(rf"^\| {re.escape(row)} \| ([\d.]+)", page, re.MULTILINE)
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if not said or not re.search(rf"(?<![\d.]){re.escape(said[1])}(?!\d)", printed):
                wrong.append(f"{row}: the page says {said and said[1]}, {command[0]} {printed.splitlines()[0]}")
    print("\n".join(wrong) or f"{len(boards())} boards, {len(VERSIONS)} versions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
