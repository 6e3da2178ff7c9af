#!/usr/bin/env python3
"""Every test that a page names exists: `file`, or `file` `name`, `name`. A name is a whole word of that file."""
import pathlib
import re
import sys

ITEM = re.compile(r"`([^`]+)`")
FILE = re.compile(r"tests/[\w/]+\.(cpp|py)")


def findings(text, root):
    """What the page names and the tree does not have, and how many names there were."""
    missing, named = [], 0
    for row in text.splitlines():
        contents = None
        for item in ITEM.findall(row):
            if FILE.fullmatch(item):
                path = root / item
                contents = path.read_text() if path.is_file() else None
                named += 1
                if contents is None:
                    missing.append(f"{item}: no such file")
            elif contents is not None:
                named += 1
                if not re.search(rf"\b{re.escape(item)}\b", contents):
                    missing.append(f"{item}: not in the file named before it")
    return missing, named


def main():
    root = pathlib.Path(sys.argv[1])
    # The comparison can fail.
    for wrong in ("`tests/docs/no_such_file.py`", "`tests/docs/named_tests.py` `no_such_" "name`"):
        if len(findings(wrong, root)[0]) != 1:
            sys.exit(f"named_tests: {wrong} was not noticed")
    failed = False
    for page in sys.argv[2:]:
        missing, named = findings(pathlib.Path(page).read_text(), root)
        for finding in missing:
            print(f"{page}: {finding}")
        failed = failed or bool(missing) or named == 0
        print(f"{page}: {named} tests named, {len(missing)} missing")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
