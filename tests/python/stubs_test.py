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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "toolchains"))
import package_stub  # noqa: E402 -- it is no part of the package

STUB = pathlib.Path(pianola.__file__).with_suffix(".pyi")
# What pybind11 gives to every class or enumeration, and Python to every class.
GIVEN = set(dir(object)) | {"__module__", "__dict__", "__weakref__", "__doc__", "__annotations__"}
OPERATORS = re.compile(r"__(add|sub|mul|matmul|neg|array|enter|exit|init)__")
PROGRAM = """
import pathlib
import numpy.typing
import pianola as p
import pianola.compat

Bytes = numpy.typing.NDArray[numpy.int8]

def use(d: p.Device, t: p.Tensor, i: p.TraceId, c: p.PipelineConfig, g: p.CoreGrid, a: Bytes) -> None:
    s = p.ShardSpec(g, (1, 2))
    with p.capture(d, name="x", refused_file=pathlib.Path("a")) as workload:
        pass
"""
# Expressions, and what mypy says their types are.
TYPES = {
    "p.manage_device(trace_region_size=32768).__enter__()": "pianola.Device",
    "p.from_numpy(a, device=d)": "pianola.Tensor",
    "t.shape": "builtins.tuple[builtins.int, ...]",
    "t.device()": "Union[pianola.Device, pianola.MeshDevice, None]",
    "p.open_mesh_device(p.MeshShape(1, 2)).create_submesh(p.MeshShape([1, 1]))": "pianola.MeshDevice",
    "p.get_device_tensors(t)": "builtins.list[pianola.Tensor]",
    "t.to_numpy()": "numpy.ndarray[Any, numpy.dtype[Any]]",
    "-(t @ t)": "pianola.Tensor",
    "p.int8": "pianola.DataType",
    "p.DataType.INT8.value": "builtins.int",
    "s.shape": "Tuple[builtins.int, builtins.int]",
    "p.MemoryConfig(shard_spec=s).shard_spec": "Union[pianola.ShardSpec, None]",
    "p.CoreRangeSet({p.CoreRange(p.CoreCoord(1, 2), p.CoreCoord(1, y=2))}).ranges()":
        "builtins.list[pianola.CoreRange]",
    "p.allocate_tensor_on_device((1, 2), p.int8, p.ROW_MAJOR_LAYOUT, d)": "pianola.Tensor",
    "p.allocate_tensor_on_device(p.TensorSpec([1], p.int8), d)": "pianola.Tensor",
    "d.memory_report()": "builtins.dict[builtins.str, builtins.dict[builtins.str, builtins.int]]",
    "d.log()": "builtins.list[builtins.dict[builtins.str, Any]]",
    "p.full((1,), 3, p.int8, device=d)": "pianola.Tensor",
    "p.load_trace(d, p.collect_trace(d, i, {'a': t}), tensors=(t,))": "pianola.TraceId",
    "p.create_pipeline_from_config(c, lambda x: (x, x), d).enqueue([t])": "pianola.Pipeline",
    "workload": "pianola.capture",
    "workload.result": "Union[pianola.CapturedWorkload, None]",
    "p.Session(pathlib.Path('a'), threaded=True).inputs": "builtins.list[builtins.dict[builtins.str, Any]]",
    "p.to_layout(t, p.TILE_LAYOUT).padded_shape": "builtins.tuple[builtins.int, ...]",
    "p.from_torch(a, p.bfloat16, device=d)": "pianola.Tensor",
    "p.to_torch(t)": "Any",
    "p.slice(t, (0, 0), [1, 1])": "pianola.Tensor",
    "p.concat((t, t), dim=-1)": "pianola.Tensor",
    "p.from_tiles(p.to_tiles(a), t.shape)": "numpy.ndarray[Any, numpy.dtype[Any]]",
    "p.L1_BLOCK_SHARDED_MEMORY_CONFIG": "pianola.MemoryConfig",
    "pianola.compat.path()": "builtins.str",
    "p.inspect('a')": "pianola.Inspection",
    "p.timeline(b'', mode='traced').html": "builtins.str",
    "p.verify(pathlib.Path('a'), device={'profile': 'host'})": "builtins.dict[builtins.str, Any]",
    "p.capture_tflite('a', queues=2).file": "builtins.bytes",
    "p.Session(b'').run([{'x': a}])[0]['y']": "numpy.ndarray[Any, numpy.dtype[Any]]",
    "p.Session(b'').run([[a, a], (a, a)])[0][1]": "numpy.ndarray[Any, numpy.dtype[Any]]",
    "p.replay(b'', [{'x': a}])[0]['y']": "numpy.ndarray[Any, numpy.dtype[Any]]",
}
# Expressions that mypy refuses, and with which words.
ERRORS = {
    "p.relu(3)": 'incompatible type "int"; expected "Tensor"',
    "p.slice(t, 0, (1,))": 'expected "Sequence[int]"',
    "p.CoreGrid(1, 2)": "Too many positional arguments",
    "p.open_device(nonsense=1)": 'Unexpected keyword argument "nonsense"',
    "p.capture(d, nonsense=1)": 'Unexpected keyword argument "nonsense"',
    "p.full((1,), 3, p.int8)": 'Missing named argument "device"',
    "p.Session(3)": 'expected "Union[bytes, str, PathLike[str]]"',
    "p.TensorSpec(3, p.int8)": 'expected "Sequence[int]"',
    "p.create_pipeline_from_config(c, len, d)": '"Callable[[Tensor], Union[Tensor, Sequence[Tensor]]]"',
    "p.create_sharded_memory_config((1,), 3, p.ShardStrategy.WIDTH)":
        'expected "Union[CoreGrid, CoreRange, CoreRangeSet]"',
    "t.to(None)": 'incompatible type "None"; expected "Union[Device, MeshDevice]"',
    "p.capture_tflite('a', 2)": 'Too many positional arguments for "capture_tflite"',
    "p.verify('a', keys='k.pem', device=3)": 'expected "Union[str, PathLike[str], Mapping[str, Any], None]"',
    "p.Session('a').run([3])": 'incompatible type "int"',
    "p.replay('a', [{'x': 3}])": 'expected "str": "ndarray[Any, dtype[Any]]"',
}


def public(names):
    """Names that users may use."""
    return {name for name in names if not name.startswith("_")}


def defined(body):
    """Name -> nodes of what a stub's body defines."""
    nodes = {}
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            nodes.setdefault(node.name, []).append(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            nodes.setdefault(target.id, []).append(node)
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
                self.assertEqual(stub, public(vars(here)))
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
        code, output = self.check(PROGRAM + "".join(f"    reveal_type({each})\n" for each in TYPES))
        self.assertEqual(code, 0, output)
        self.assertEqual(re.findall(r'Revealed type is "(.*)"', output), list(TYPES.values()))

    def test_wrong_use_is_refused(self):
        code, output = self.check(PROGRAM + "".join(f"    {each}\n" for each in ERRORS))
        self.assertEqual(code, 1, output)
        errors = re.findall(r"error: (.*)", output)
        self.assertEqual(len(errors), len(ERRORS), output)
        for error, (expression, words) in zip(errors, ERRORS.items()):
            self.assertIn(words, error, expression)


class Stubtest(unittest.TestCase):
    """What mypy's own comparison of stub and module finds."""

    # Of every class that pybind11 makes: its metaclass, and a constructor where the class has none.
    OF_PYBIND = re.compile(r'metaclass differs|__init__ is inconsistent, stub does not have \*args argument "args"')

    def findings(self, package):
        """Those that are not pybind11's."""
        if shutil.which("mypy") is None:
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-m", "mypy.stubtest", "pianola", "--ignore-missing-stub"],
                                 env={"PYTHONPATH": str(package), "MYPYPATH": str(package), "PATH": "/usr/bin",
                                      "PYTHONDONTWRITEBYTECODE": "1"}, cwd=folder, capture_output=True, text=True,
                                 check=False)
        found = re.findall("^error: (.*)", run.stdout, re.MULTILINE)
        self.assertGreater(len(found), 20, run.stdout + run.stderr)
        return [each for each in found if not self.OF_PYBIND.search(each)]

    def test_stub_and_module_agree(self):
        self.assertEqual(self.findings(STUB.parents[1]), [])

    def test_a_difference_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "pianola"
            shutil.copytree(STUB.parent, copy, ignore=shutil.ignore_patterns("compat"))
            stub = copy / STUB.name
            stub.write_text(stub.read_text(encoding="utf-8").replace("def relu(", "def relu(first: int, ") +
                            "def nothing() -> int: ...\n", encoding="utf-8")
            found = "\n".join(self.findings(copy.parent))
        self.assertIn("pianola.nothing is not present at runtime", found)


class Generator(unittest.TestCase):
    """toolchains/package_stub.py, which makes the stubs."""

    def test_vague_types_are_refused(self):
        for vague in ("f(x: object) -> int\n", "f(x: int) -> list\n", "f(x: List[dict]) -> int\n", "f() -> function\n"):
            with self.subTest(vague), self.assertRaisesRegex(SystemExit, "too vague for a stub: f"):
                list(package_stub.functions("f", vague))

    def test_defaults(self):
        text = "f(a: pianola.A = <A.B: 0>, *, b: C = C(1, x), d: D = None, e: List[int] = []) -> None\n"
        stub = "def f(a: pianola.A = ..., *, b: C = ..., d: Optional[D] = None, e: Sequence[int] = []) -> None:"
        self.assertEqual(list(package_stub.functions("f", text))[0], stub)


if __name__ == "__main__":
    main()
