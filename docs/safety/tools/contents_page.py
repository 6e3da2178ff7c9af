#!/usr/bin/env python3
"""Prints docs/safety/contents.md: what the safety package is about, by version and digest.

A digest of a folder is SHA-256 over the lines "<SHA-256 of the file>  <path>" of its files, sorted by path: what
`find FOLDER -type f | LC_ALL=C sort | xargs sha256sum | sha256sum` prints in a checkout.
"""
import hashlib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEAD = """# Contents

Made by `tools/contents_page.py`; do not edit. What the safety package is about: version {version}, not released.
`tools/safety_pack.py --check` fails where a file of these folders is another one than the digests say. To look at
a delivery by other means, in its folder, for each row:

    find runtime/plan -type f | LC_ALL=C sort | xargs sha256sum | sha256sum

Objects depend on compiler and options, which an integrator chooses: keep `sha256sum` of the library that is linked, and
the digest of each trace binary (`pianola verify` prints it), beside these.

| folder | files | SHA-256 |
|---|---:|---|"""


def folders():
    """The runtime as a whole, its folders, and the schema."""
    below = [path for path in (ROOT / "runtime").rglob("*") if path.is_dir()]
    return sorted({path.relative_to(ROOT) for path in below if any(entry.is_file() for entry in path.iterdir())
                   and path.parent == ROOT / "runtime"} | {pathlib.Path("runtime"), pathlib.Path("runtime/include"),
                                                            pathlib.Path("schema")})


def digest(folder):
    """(number of files, digest over all of them)."""
    names = sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*") if path.is_file())
    lines = "".join(f"{hashlib.sha256((ROOT / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    return len(names), hashlib.sha256(lines.encode()).hexdigest()


def main():
    """Prints the page."""
    listed = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    print(HEAD.format(version=re.search(r"project\(pianola VERSION (\d+\.\d+\.\d+)", listed)[1]))
    for folder in folders():
        count, value = digest(folder)
        print(f"| `{folder}` | {count} | `{value}` |")


if __name__ == "__main__":
    main()
