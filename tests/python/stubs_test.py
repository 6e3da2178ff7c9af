#!/usr/bin/env python3
"""The type stubs say what the package has: every public name, member and parameter, and nothing else; mypy accepts
them."""
import ast
import inspect
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import pianola
from python_support import main

STUB = pathlib.Path(pianola.__file__).with_suffix(".pyi")
# What pybind11 gives to every class or enumeration, and Python to every class.
GIVEN = set(dir(object)) | {"__module__", "__dict__", "__weakref__", "__doc__", "__annotations__"}
OPERATORS = re.compile(r"__(add|sub|mul|matmul|neg|enter|exit|init)__")
TYPED_USE = """
import numpy
import pianola

with pianola.manage_device(trace_region_size=32768) as device:
    tensor: pianola.Tensor = pianola.from_numpy(numpy.zeros((4, 4), numpy.int8), device=device)
    address: int = pianola.relu(tensor).buffer_address()
    reveal_type(tensor.shape)
"""
WRONG_USE = "import pianola\npianola.relu(3)\n"


def public(names):
    """Names that users may use."""
    return {name for name in names if not name.startswith("_")}


def defined(body):
    """Name -> nodes of what a stub's body defines."""
    nodes = {}
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            nodes.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            nodes.setdefault(node.target.id, []).append(node)
    return nodes


def parameters_of(node):
    """Names of a stub function's parameters, without self."""
    arguments = node.args
    return [
        argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if argument.arg != "self"
    ]


def parameters_in(signature):
    """Names of the parameters in a signature of pybind11's documentation, without self."""
    return [name for name in re.findall(r"[(,] ?(\w+): ", signature) if name not in ("self", "arg0", "arg1")]


class Stubs(unittest.TestCase):
    """Stub against module."""

    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse(STUB.read_text(encoding="utf-8"))
        cls.nodes = defined(cls.tree.body)

    def runtime_names(self):
        """Public names of the package, without modules that it has imported."""
        return {name for name in public(dir(pianola)) if not inspect.ismodule(getattr(pianola, name))}

    def test_names(self):
        self.assertEqual(self.runtime_names(), public(self.nodes))
        self.assertGreater(len(self.nodes), 60)

    def test_members(self):
        for name, (node, *_) in self.nodes.items():
            if not isinstance(node, ast.ClassDef) or name.startswith("_"):
                continue
            with self.subTest(name):
                here = getattr(pianola, name)
                stub = {member for member in defined(node.body) if not member.startswith("__")}
                runtime = public(vars(here)) - {"name", "value"} if "_Enum" in map(ast.unparse, node.bases) else public(
                    vars(here))
                if name == "capture":
                    runtime |= {"result"}  # set by __init__
                self.assertEqual(stub, runtime)
                for operator in filter(OPERATORS.fullmatch, defined(node.body)):
                    self.assertTrue(hasattr(here, operator), operator)
                for operator in filter(OPERATORS.fullmatch, set(vars(here)) - {"__init__"}):
                    self.assertIn(operator, defined(node.body))

    def check_parameters(self, nodes, function):
        """The stub's parameters are those of the function, over all its overloads."""
        stub = [parameters_of(node) for node in nodes]
        if inspect.isfunction(function):
            parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
            named = [each.name for each in parameters if each.kind != each.VAR_KEYWORD]
            # What is passed on by keyword may have names in the stub.
            self.assertEqual(stub, [named] if len(named) == len(parameters) else [named + stub[0][len(named):]])
            return
        name = nodes[0].name
        signatures = re.findall(rf"(?:^|\d\. ){re.escape(name)}\((.*)\) ->", function.__doc__ or "", re.MULTILINE)
        self.assertEqual(len(signatures), len(stub), function.__doc__)
        named = [parameters_in("(" + signature) for signature in signatures]
        if not name.startswith("__") or name == "__init__":
            self.assertEqual(stub, named)

    def test_parameters(self):
        seen = 0
        for name, nodes in self.nodes.items():
            if isinstance(nodes[0], ast.FunctionDef):
                with self.subTest(name):
                    self.check_parameters(nodes, getattr(pianola, name))
                    seen += 1
            elif isinstance(nodes[0], ast.ClassDef) and not name.startswith("_"):
                for member, functions in defined(nodes[0].body).items():
                    if isinstance(functions[0], ast.FunctionDef) and not functions[0].decorator_list:
                        with self.subTest(f"{name}.{member}"):
                            self.check_parameters(functions, getattr(getattr(pianola, name), member))
                            seen += 1
        self.assertGreater(seen, 60)

    def test_the_package_says_that_it_is_typed(self):
        self.assertTrue(STUB.with_name("py.typed").is_file())


class Mypy(unittest.TestCase):
    """What mypy makes of the stubs."""

    def setUp(self):
        if shutil.which("mypy") is None:
            self.skipTest("no mypy")

    def check(self, source):
        """mypy's exit code and output for a program."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "use.py"
            path.write_text(source, encoding="utf-8")
            # The distribution's mypy, and the NumPy that is its neighbour.
            run = subprocess.run([
                shutil.which("mypy"), "--strict", "--cache-dir", folder, "--python-executable", sys.executable,
                str(path)
            ], env={"MYPYPATH": str(STUB.parents[1]), "PATH": "/usr/bin"}, capture_output=True, text=True, check=False,
                                 )
            return run.returncode, run.stdout

    def test_right_use_is_accepted(self):
        code, output = self.check(TYPED_USE)
        self.assertEqual(code, 0, output)
        self.assertIn("builtins.int", output)

    def test_wrong_use_is_refused(self):
        code, output = self.check(WRONG_USE)
        self.assertEqual(code, 1, output)
        self.assertIn('incompatible type "int"; expected "Tensor"', output)


if __name__ == "__main__":
    main()
