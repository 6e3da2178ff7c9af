"""Lists the project's own files: what every gate looks at.

Tracked and untracked files alike, without what is ignored, so that a gate judges a file before it is committed.
"""
import pathlib
import subprocess
import sys

NOT_OWN = {".git", "build"}


def own_files(root):
    """Every own file under `root`, as sorted paths relative to it."""
    root = pathlib.Path(root)
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    # The proofs, and an unpacked archive, have no repository of their own.
    if listing.returncode == 0 and (root / ".git").exists():
        names = [pathlib.Path(name) for name in listing.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(root) for path in root.rglob("*")]
        names = [name for name in names if not NOT_OWN & set(name.parts)]
    return sorted({name for name in names if (root / name).is_file()})


def own_sources(root, suffixes=(".h", ".cpp")):
    """The own files with one of `suffixes`."""
    return [name for name in own_files(root) if name.suffix in suffixes]


def report(gate, examined, findings):
    """Prints what was found and returns the exit code. Looking at nothing is a failure, not a success."""
    for finding in findings:
        print(f"{gate}: {finding}", file=sys.stderr)
    print(f"{gate}: {examined} examined, {len(findings)} findings")
    if examined == 0:
        print(f"{gate}: nothing was examined, so nothing was shown", file=sys.stderr)
        return 1
    return 1 if findings else 0
