#!/usr/bin/env python3
"""Gate: what one adds touches few files.

tests/gates/additions has a patch for each kind of addition: a rule, an operator with and without a kernel, a command, a
device. A patch begins with lines "At most: N files" and, for what has a folder of its own, "Copy: FOLDER as FOLDER":
the gate makes the folder of another one by its name. The gate finds that each patch applies, counts its files of the
product and of hand-written pages (tests, and what scripts write, count as none), and with --build compiles the objects
of the sources that the patches touch, in a copy of the tree that has them all.

Usage: additions_gate.py ROOT [--build WORK]
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

from new_board import copy_tree
from own_sources import report

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from compile_commands import compiled_together  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = "tests/gates/additions"
LIMIT = re.compile(r"^At most: (\d+) files?$", re.MULTILINE)
COPY = re.compile(r"^Copy: (\S+) as (\S+)$", re.MULTILINE)
TOUCHED = re.compile(r"^diff --git a/\S+ b/(\S+)$", re.MULTILINE)
WRITTEN_BY_SCRIPTS = re.compile(r"(?i)<!-- written by|do not edit")


def is_counted(root, name):
    """Whether a touched file is one that an author has to know of."""
    if name.startswith("tests/"):
        return False
    path = root / name
    head = path.read_text(encoding="utf-8")[:600] if path.suffix == ".md" and path.is_file() else ""
    return not WRITTEN_BY_SCRIPTS.search(head)


def applies(root, patch):
    """What git says against a patch, or nothing."""
    done = subprocess.run(["git", "apply", "--check", str(patch.resolve())], cwd=root, capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() if done.returncode else ""


def judge(root, patch):
    """Findings over one patch, and the files that it touches."""
    text = patch.read_text(encoding="utf-8")
    limit = LIMIT.search(text)
    touched = TOUCHED.findall(text)
    if limit is None or not touched:
        return [f"{patch.name}: needs a line 'At most: N files' and a change"], touched
    counted = [name for name in touched if is_counted(root, name)]
    findings = []
    if len(counted) > int(limit[1]):
        findings.append(f"{patch.name}: touches {len(counted)} files, at most {limit[1]}: {', '.join(counted)}")
    problem = applies(root, patch)
    if problem:
        findings.append(f"{patch.name}: does not apply: {problem}")
    return findings, touched


def objects_of(build, tree, touched):
    """The build's outputs that the touched sources are compiled into, with what unity builds compile together."""
    sources = {(tree / name).resolve() for name in touched}
    return sorted({words[words.index("-o") + 1] for together, words in compiled_together(build)
                   if sources & set(together)})


def copy_folder(tree, model, copy):
    """A folder of a patch: the model with its name changed in files and their names; returns its files."""
    old, new = pathlib.Path(model).name, pathlib.Path(copy).name
    made = []
    for file in sorted(path for path in (tree / model).rglob("*") if path.is_file()):
        name = f"{copy}/{str(file.relative_to(tree / model)).replace(old, new)}"
        text = file.read_text(encoding="utf-8").replace(old, new)
        text = text.replace(old.capitalize(), new.title().replace("_", ""))
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
        made.append(name)
    return made


def compile_touched(root, work, patches, touched):
    """Compiles in a copy of the tree with all patches; findings, and how many objects were made."""
    shutil.rmtree(work, ignore_errors=True)
    tree = work.resolve() / "tree"
    copy_tree(root, tree)
    for patch in patches:
        subprocess.run(["git", "apply", str(patch.resolve())], cwd=tree, check=True)
        for model, copy in COPY.findall(patch.read_text(encoding="utf-8")):
            touched = [*touched, *copy_folder(tree, model, copy)]
    build = tree / "build/additions"
    subprocess.run(["cmake", "--preset", "release", "-B", str(build), "--log-level=WARNING"], cwd=tree, check=True)
    objects = objects_of(build, tree, touched)
    findings = [] if objects else ["no object belongs to what the patches touch"]
    if objects and subprocess.run(["cmake", "--build", str(build), "--parallel", "2", "--target", *objects],
                                  check=False).returncode:
        findings.append("the patches' objects do not compile")
    if not findings:
        shutil.rmtree(work)
    return findings, len(objects)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, metavar="WORK", help="a folder that is emptied first")
    options = parser.parse_args()
    root = options.root.resolve()
    patches = sorted((root / FOLDER).glob("*.patch"))
    findings, touched = [], []
    for patch in patches:
        found, names = judge(root, patch)
        findings += found
        touched += names
    if options.build and not findings:
        found, _ = compile_touched(root, options.build, patches, touched)
        findings += found
    return report("additions", len(patches), findings)


if __name__ == "__main__":
    sys.exit(main())
