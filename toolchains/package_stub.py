#!/usr/bin/env python3
"""Writes the type stub of a Python package: package_stub.py package_folder __init__.pyi

The package is the extension module _native and an __init__.py that adds to it. pybind11 writes signatures into the
docstrings of _native, from the types of the bindings; those of __init__.py are its annotations. (stubgen, which comes
with Debian's mypy, gives up every signature with a keyword-only parameter.)
"""
import ast
import importlib
import inspect
import pathlib
import re
import sys
import textwrap

HEADER = """
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, overload
import numpy.typing
"""
# What pybind11 writes where a binding does not say more: `Typed` in capture_host/python/bindings.h does.
VAGUE = re.compile(r"\b(object|handle|function|buffer|iterable|(dict|list|tuple|set|Iterable|Callable)(?!\[))\b")


def exact(types, where):
    """Types as a stub names them. A vague one is an error."""
    if VAGUE.search(types):
        sys.exit(f"package_stub: the type is too vague for a stub: {where}: {types}")
    return types.replace("numpy.ndarray", "numpy.typing.NDArray[Any]")


def parameters_of(name, text):
    """A function's parameters: a default that is no literal has no text, and what accepts a list accepts a sequence."""
    text = re.sub(r"= (<[^>]*>|\w+\([^()]*\))", "= ...", re.sub(r"\bself: [\w.]+", "self", text))
    text = re.sub(r": (?!Optional)([\w.]+) = None", r": Optional[\1] = None", text)
    if name in ("__eq__", "__ne__"):
        return "self, other: object"
    return exact(re.sub(r"\bDict\[", "Mapping[", re.sub(r"\bList\[", "Sequence[", text)), name)


def functions(name, documentation):
    """The definitions, more than one where it is overloaded, that a function's documentation holds."""
    parts = re.split(rf"^(?:\d\. )?{name}\((.*)\) -> (.*)\n", documentation or "", flags=re.MULTILINE)[1:]
    for parameters, result, text in zip(parts[::3], parts[1::3], parts[2::3]):
        yield from ["@overload"] if len(parts) > 3 else []
        yield f"def {name}({parameters_of(name, parameters)}) -> {exact(result, name)}:"
        yield textwrap.indent(f"{text.strip()!r}\n..." if text.strip() else "...", "    ")


def members(here):
    """The definitions of a class's members."""
    yield repr(inspect.getdoc(here))
    if hasattr(here, "__members__"):
        yield f"__members__: Mapping[str, {here.__name__}]"
    for name, member in vars(here).items():
        if isinstance(member, property) and not name.startswith("_"):
            yield f"@property\ndef {name}(self) -> {exact(member.fget.__doc__.split('-> ')[1].strip(), name)}: ..."
        elif callable(member):
            yield from functions(name, member.__doc__)
        elif not name.startswith("_"):
            yield f"{name}: {type(member).__name__}"


def native(module):
    """The definitions of an extension module."""
    for name, member in vars(module).items():
        if isinstance(member, type):
            bases = [base.__name__ for base in member.__bases__ if base.__module__ == "builtins"]
            yield f"class {name}({', '.join(bases)}):"
            yield textwrap.indent("\n".join(members(member)), "    ")
        elif callable(member):
            yield from functions(name, member.__doc__)
        elif not name.startswith("_"):
            yield f"{name}: {type(member).__name__}"


class Signatures(ast.NodeTransformer):
    """Leaves of a module what its users see: no bodies, no private functions, and nothing of _native, which the stub
    has already."""

    def visit_FunctionDef(self, node):  # pylint: disable=invalid-name -- ast's name
        if node.name.startswith("_") and not node.name.startswith("__"):
            return None
        documentation = [] if ast.get_docstring(node) is None else node.body[:1]
        node.body = documentation + [ast.Expr(ast.Constant(...))]
        return node

    def visit_ImportFrom(self, node):  # pylint: disable=invalid-name -- ast's name
        return node if node.level == 0 else None


def main(package, output):
    """Writes the stub."""
    package = pathlib.Path(package)
    sys.path.insert(0, str(package.parent))
    module = importlib.import_module(f"{package.name}._native")
    text = "\n".join([HEADER, *native(module)]).replace(f"{module.__name__}.", "")
    documentation, *rest = Signatures().visit(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))).body
    stub = ast.Module([documentation, *ast.parse(text).body, *rest], [])
    pathlib.Path(output).write_text(ast.unparse(stub) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
