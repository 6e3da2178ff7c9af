#!/usr/bin/env python3
"""Fails where a Markdown page names a file that is not there. Usage: links.py ROOT

Checked are links, and names in code style that have a folder and an ending: `runtime/include/pianola/config.h`.
"""
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
NAME = re.compile(r"`((?:schema|runtime|hal|capture_host|tests|toolchains|misra|docs)/[\w/.-]+\.\w+)`")


def broken(root):
    found = []
    pages = [page for page in sorted(root.rglob("*.md")) if "build" not in page.relative_to(root).parts]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for target in LINK.findall(text):
            if not (page.parent / target).exists():
                found.append(f"{page.relative_to(root)}: {target}")
        for name in NAME.findall(text):
            if not (root / name).exists():
                found.append(f"{page.relative_to(root)}: {name}")
    return pages, found


if __name__ == "__main__":
    pages, found = broken(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else f"{len(pages)} pages, no broken link")
    sys.exit(1 if found or not pages else 0)
