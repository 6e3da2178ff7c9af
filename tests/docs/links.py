#!/usr/bin/env python3
"""Fails where something names a file that is not there. Usage: links.py ROOT

Checked are, in Markdown pages, links with their headings, and names in code style that have a folder and an ending, as
in `runtime/include/pianola/config.h`; and in every own text file each path that begins with docs/. Proofs of gates may
name what is not there.
"""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "gates"))
from own_sources import own_files  # noqa: E402  pylint: disable=wrong-import-position

LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
NAME = re.compile(r"`((?:schema|runtime|hal|capture_host|tests|toolchains|misra|docs)/[\w/.-]+\.\w+)`")
PAGE_PATH = re.compile(r"(?<![\w./}-])docs/[\w./-]*\w")
HEADING = re.compile(r"^#+ (.*?) *$", re.MULTILINE)
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
NOT_TEXT = {".bin", ".tflite", ".ptb", ".png"}


def anchors(page):
    """What a link may say behind #: headings in lower case, hyphens for spaces, without punctuation."""
    headings = HEADING.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "]", heading)).lower().replace(" ", "-")
        for heading in headings
    }


def broken_links(root, page):
    """Of one Markdown page."""
    found, text = [], (root / page).read_text(encoding="utf-8")
    for target, anchor in LINK.findall(CODE.sub("", text)):
        file = (root / page).parent / target if target else root / page
        if not file.exists():
            found.append(f"{page}: {target}")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            found.append(f"{page}: {target}#{anchor}")
    return found + [f"{page}: {name}" for name in NAME.findall(text) if not (root / name).exists()]


def broken(root):
    """(how many files were looked at, what is not there)."""
    names = [name for name in own_files(root) if name.suffix not in NOT_TEXT and not name.name.endswith("_proof.py")]
    found = []
    for name in names:
        if name.suffix == ".md":
            found += broken_links(root, name)
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        found += [f"{name}: {path}" for path in PAGE_PATH.findall(text) if not (root / path).exists()]
    return len(names), sorted(set(found))


if __name__ == "__main__":
    examined, missing = broken(pathlib.Path(sys.argv[1]))
    print("\n".join(missing) if missing else f"{examined} files, no broken link")
    sys.exit(1 if missing or not examined else 0)
