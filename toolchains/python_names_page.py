#!/usr/bin/env python3
"""Prints docs/reference/python_names.md from the built package. Usage: PYTHONPATH=BUILD/python python_names_page.py"""
import inspect
import re

import pianola

HEAD = """# Names of the Python package

Every public name of `pianola`, with what its docstring says; [python.md](../guide/python.md) and
[python_tensors.md](../guide/python_tensors.md) explain them, and [mesh.md](../guide/mesh.md) and
[pipeline.md](../guide/pipeline.md) two parts of them. `toolchains/python_names_page.py` writes this page; the tests
`docs.python_names_page_is_current` and `python.docs` compare it with the package. A slash separates overloads. The
type stubs have the signatures.
"""
OPERATORS = {"__add__": "+", "__sub__": "-", "__mul__": "*", "__matmul__": "@", "__getitem__": "[]"}
NO_TEXT = re.compile(r"Overloaded function\.|Members:|\(self: ")


def said(name, thing):
    """The paragraphs of a docstring that are text: no signature, no list of members. Overloads have one each."""
    signature = re.compile(rf"(?:\d+\. )?{name}\(.*\)(?: -> .*|\s+Overloaded function\.)?", re.DOTALL)
    found = []
    for paragraph in (thing.__doc__ or "").split("\n\n"):
        text = " ".join(paragraph.split()).replace("|", "\\|")
        if text and text not in found and not NO_TEXT.match(text) and not signature.fullmatch(text):
            found.append(text)
    if not found:
        raise SystemExit(f"pianola.{name} has no docstring")
    return (" / " if "Overloaded function." in thing.__doc__ else " ").join(found)


def members(kind):
    """Public members of a class in alphabetical order, then its operators."""
    own = {member for member in vars(kind) if member[0] != "_"}
    own -= {"name", "value"} if hasattr(kind, "__members__") else set()
    return ", ".join([f"`{member}`" for member in sorted(own)]
                     + [f"`{sign}`" for method, sign in OPERATORS.items() if method in vars(kind)])


def value(thing):
    """What a constant is: a member of an enumeration, or a place of tensors."""
    if isinstance(thing, pianola.MemoryConfig):
        return f"{thing.memory_layout}, {thing.buffer_type}"
    return str(thing)


def table(title, head, rows):
    """A heading, and a table below it."""
    print(f"\n## {title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |".replace("|  |", "| |"))


names = {name: getattr(pianola, name) for name in sorted(dir(pianola)) if name[0] != "_"}
names = {name: thing for name, thing in names.items() if not inspect.ismodule(thing)}
classes = {name: thing for name, thing in names.items() if inspect.isclass(thing)}
functions = {name: thing for name, thing in names.items() if callable(thing) and name not in classes}
print(HEAD, end="")
table("Classes", ("class", "is", "members"),
      [(f"`{name}`", said(name, kind), members(kind)) for name, kind in classes.items()])
table("Functions", ("function", "does, or gives"),
      [(f"`{name}`", said(name, function)) for name, function in functions.items()])
table("Values", ("name", "value"),
      [(f"`{name}`", value(thing)) for name, thing in names.items() if name not in (*classes, *functions)])
