#!/usr/bin/env python3
"""Element types of tensors: every one against every operation, in NumPy's arithmetic and in bits."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy

import pianola
from operation_support import OperationTest, any_place, any_shape, array_of, places
from python_support import main

ROUNDS = 40
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")
# Which types an operation has kernels for.
SIGNED, MODULAR, BITS = {"int8", "int32"}, {"int8", "int32", "uint32"}, {"int8", "uint8", "int32", "uint32"}
BINARY = {
    "add": (MODULAR, numpy.add),
    "subtract": (MODULAR, numpy.subtract),
    "multiply": (MODULAR, numpy.multiply),
    "minimum": (SIGNED, numpy.minimum),
    "maximum": (SIGNED, numpy.maximum),
    "eq": (BITS, numpy.equal),
}
UNARY = {
    "relu": (SIGNED, lambda a: numpy.maximum(a, 0)),
    "neg": (MODULAR, numpy.negative),
    "abs": (SIGNED, numpy.abs),
    "square": (MODULAR, numpy.square),
}
REDUCTIONS = {"sum": (MODULAR, numpy.sum), "max": (SIGNED, numpy.max), "min": (SIGNED, numpy.min),
              "argmax": (SIGNED, numpy.argmax), "argmin": (SIGNED, numpy.argmin)}


def in_type(name, exact):
    """What the device makes of exact results: int8 saturates, the others wrap."""
    return numpy.clip(exact, -128, 127).astype(numpy.int8) if name == "int8" else exact.astype(name)


def rounded_to_bfloat16(array):
    """float32 numbers that bfloat16 has, by arithmetic on bits: to nearest, ties to even."""
    bits = array.view(numpy.uint32).astype(numpy.uint64)
    odd = (bits >> 16) & 1
    upper = ((bits + 0x7FFF + odd) >> 16).astype(numpy.uint32)
    upper = numpy.where(numpy.isnan(array), ((bits >> 16) | 0x40).astype(numpy.uint32), upper)
    return (upper << 16).astype(numpy.uint32).view(numpy.float32)


class Elements(OperationTest):
    """Types and operations."""

    def test_elementwise_in_every_type(self):
        """Every operation, type, layout and kind of broadcasting: NumPy's result, or a refusal that names the types."""
        for number, name in itertools.product(range(ROUNDS), (*INTEGERS, "float32", "bfloat16")):
            rng = numpy.random.default_rng([70, number])
            shape = any_shape(rng)
            shapes = [shape, tuple(1 if rng.integers(2) else size for size in shape)[int(rng.integers(len(shape))):]]
            shapes = shapes[::-1] if number % 2 else shapes
            floats = name in ("float32", "bfloat16")
            arrays = [numpy.ones(each, numpy.float32) if floats else array_of(rng, name, each) for each in shapes]
            tensors = [self.anywhere(rng, array, getattr(pianola, name)) for array in arrays]
            wide = [array.astype(numpy.int64) for array in arrays]
            for operation, (accepted, reference) in BINARY.items():
                self.check(name, operation, accepted, tensors, lambda: in_type(name, reference(*wide)))
            for operation, (accepted, reference) in UNARY.items():
                self.check(name, operation, accepted, tensors[:1], lambda: in_type(name, reference(wide[0])))
            result = "uint32" if name == "uint32" else "int32"
            for operation, (accepted, reference) in REDUCTIONS.items():
                self.check(name, operation, accepted, tensors[:1],
                           lambda: reference(wide[0], axis=-1, keepdims=True).astype(result))

    def anywhere(self, rng, array, dtype):
        """A tensor in rows in any place, or in tiles."""
        if rng.integers(3) > 0:
            return pianola.from_numpy(array, dtype, device=self.device, memory_config=any_place(rng, array.shape))
        return pianola.from_numpy(array, dtype, pianola.TILE_LAYOUT, self.device)

    def check(self, name, operation, accepted, tensors, expected):
        """One operation."""
        with self.subTest(name=name, operation=operation):
            call = getattr(pianola, operation)
            if name in accepted:
                result = numpy.asarray(call(*tensors))
                self.assertEqual(result.dtype, expected().dtype)
                numpy.testing.assert_array_equal(result, expected())
            else:
                text = self.refused("TENSOR-TYPE", call, *tensors)
                for each in accepted:
                    self.assertRegex(text, rf"\b{each}\b")

    def test_numbers_of_uint32(self):
        array = array_of(numpy.random.default_rng(71), "uint32", (5, 9))
        tensor = self.on_device(array)
        wide = array.astype(numpy.int64)
        for number in (0, 1, 2**31, 2**32 - 1):
            for call, exact in ((pianola.add, wide + number), (pianola.subtract, wide - number),
                                (pianola.eq, wide == number)):
                numpy.testing.assert_array_equal(call(tensor, number), exact.astype(numpy.uint32))
        self.refused("TENSOR-VALUE", pianola.add, tensor, -1)
        self.refused("TENSOR-VALUE", pianola.add, tensor, 2**32)

    def test_moves_in_every_type(self):
        """What goes to any place comes back, and so do its parts."""
        for number, name in enumerate(INTEGERS):
            rng = numpy.random.default_rng([72, number])
            array = array_of(rng, name, (6, 10))
            for place in places((6, 10)):
                with self.subTest(name=name, place=place):
                    tensor = self.on_device(array, place)
                    self.assertEqual(tensor.dtype, getattr(pianola, name))
                    numpy.testing.assert_array_equal(tensor, array)
                    numpy.testing.assert_array_equal(pianola.reshape(tensor, (5, 12)), array.reshape(5, 12))
                    numpy.testing.assert_array_equal(pianola.pad(tensor, [(1, 0), (2, 3)]),
                                                     numpy.pad(array, [(1, 0), (2, 3)]))
                    value = int(numpy.iinfo(name).max)
                    full = pianola.full((6, 10), value, getattr(pianola, name), device=self.device, memory_config=place)
                    numpy.testing.assert_array_equal(full, numpy.full((6, 10), value, name))
            low, high = numpy.iinfo(name).min, numpy.iinfo(name).max
            for value in (int(low) - 1, int(high) + 1):
                self.refused("TENSOR-VALUE", pianola.full, (4,), value, getattr(pianola, name), device=self.device)

    def test_floats_that_are_integers_can_be_filled(self):
        for name, largest in (("float32", 2**24), ("bfloat16", 2**8)):
            for value in (0, 1, -7, largest, -largest):
                tensor = pianola.full((3, 5), value, getattr(pianola, name), device=self.device)
                numpy.testing.assert_array_equal(tensor, numpy.full((3, 5), value, numpy.float32))
            self.refused("TENSOR-VALUE", pianola.full, (4,), largest + 1, getattr(pianola, name), device=self.device)

    def test_integer_casts(self):
        """Saturated, in every place."""
        for number, (source, target) in enumerate(itertools.product(INTEGERS, repeat=2)):
            for size in range(6):
                rng = numpy.random.default_rng([73, number, size])
                array = array_of(rng, source, any_shape(rng))
                if size % 2:  # near 0, where every type is
                    array = array % array.dtype.type(100)
                info = numpy.iinfo(target)
                expected = numpy.clip(array.astype(numpy.int64), info.min, info.max).astype(target)
                place = any_place(rng, array.shape)
                with self.subTest(source=source, target=target, shape=array.shape):
                    result = pianola.typecast(self.on_device(array, any_place(rng, array.shape)),
                                              getattr(pianola, target), memory_config=place)
                    self.assertEqual((result.memory_config(), numpy.asarray(result).dtype), (place, expected.dtype))
                    numpy.testing.assert_array_equal(result, expected)

    def test_casts_that_the_device_does_not_have(self):
        one = {name: pianola.full((4,), 1, getattr(pianola, name), device=self.device)
               for name in (*INTEGERS, "float32", "bfloat16")}
        before = self.commands()
        for name in INTEGERS:
            for floats in ("float32", "bfloat16"):
                self.refused("TENSOR-TYPE", pianola.typecast, one[name], getattr(pianola, floats))
                self.refused("TENSOR-TYPE", pianola.typecast, one[floats], getattr(pianola, name))
        self.refused("TENSOR-TYPE", pianola.typecast, one["float32"], pianola.bfloat16)
        self.assertEqual(self.commands(), before)

    def test_matrices_in_batches(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([74, number])
            batch = [int(each) for each in rng.integers(1, 4, size=int(rng.integers(1, 4)))]
            rows, depth, columns = (int(each) for each in rng.integers(1, 12, size=3))
            shapes = []
            for last in ((rows, depth), (depth, columns)):
                front = [1 if rng.integers(2) else size for size in batch]
                shapes.append((*front[int(rng.integers(len(batch))):], *last))
            if number % 5 < 2:  # a vector on one side
                shapes[number % 5] = (depth,)
            dtype = (numpy.int8, numpy.int32)[number % 2]
            left, right = (array_of(rng, dtype, shape) for shape in shapes)
            with self.subTest(shapes=shapes, dtype=dtype):
                expected = numpy.atleast_1d(left.astype(numpy.int64) @ right.astype(numpy.int64)).astype(numpy.int32)
                result = pianola.matmul(self.on_device(left, any_place(rng, left.shape)),
                                        self.on_device(right, any_place(rng, right.shape)),
                                        memory_config=any_place(rng, expected.shape))
                numpy.testing.assert_array_equal(result, expected)
        left, right = (self.on_device(numpy.zeros(shape, numpy.int8)) for shape in ((2, 4, 6), (3, 6, 2)))
        self.refused("TENSOR-SHAPE", pianola.matmul, left, right)
        self.refused("TENSOR-SHAPE", pianola.matmul, self.on_device(numpy.zeros(5, numpy.int8)), right)
        vectors = [self.on_device(array_of(rng, numpy.int8, (6,))) for _ in range(2)]
        product = numpy.asarray(pianola.matmul(*vectors))
        self.assertEqual(product.tolist(), [int(numpy.asarray(vectors[0]).astype(int) @ numpy.asarray(vectors[1]))])
        wide = self.on_device(numpy.zeros((2, 6, 2), numpy.int32))
        self.refused("TENSOR-TYPE", pianola.matmul, left, wide)


class Bfloat16(OperationTest):
    """The upper halves of floats."""

    def numbers(self):
        """Every upper half, with lower halves at and around the tie."""
        upper = numpy.arange(2**16, dtype=numpy.uint32) << 16
        lower = numpy.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], numpy.uint32)
        return (upper[:, None] | lower).reshape(-1).view(numpy.float32)

    def test_arrays_are_rounded_to_the_nearest(self):
        numbers = self.numbers()
        tensor = pianola.from_numpy(numbers, pianola.bfloat16)
        self.assertEqual((tensor.dtype, tensor.to_numpy().dtype), (pianola.bfloat16, numpy.float32))
        expected = rounded_to_bfloat16(numbers)
        numpy.testing.assert_array_equal(tensor.to_numpy().view(numpy.uint32), expected.view(numpy.uint32))

    def test_moves_and_the_cast_to_float32(self):
        for number in range(ROUNDS):
            rng = numpy.random.default_rng([75, number])
            array = rng.standard_normal(any_shape(rng)).astype(numpy.float32)
            layout = (pianola.ROW_MAJOR_LAYOUT, pianola.TILE_LAYOUT)[number % 2]
            expected = rounded_to_bfloat16(array)
            with self.subTest(shape=array.shape, layout=layout):
                tensor = pianola.from_numpy(array, pianola.bfloat16, layout, self.device)
                numpy.testing.assert_array_equal(tensor, expected)
                wide = pianola.typecast(tensor, pianola.float32)
                self.assertEqual((wide.dtype, wide.layout), (pianola.float32, layout))
                numpy.testing.assert_array_equal(wide, expected)
                joined = pianola.concat([tensor, tensor], 0)
                numpy.testing.assert_array_equal(joined, numpy.concatenate([expected, expected]))
        for dtype in (numpy.int8, numpy.uint16):
            self.refused("TENSOR-TYPE", pianola.from_numpy, numpy.zeros(4, dtype), pianola.bfloat16)

    def inspect(self, result):
        """The command line names the types, and accepts the file."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "types.ptb"
            result.save(path)
            for command, words in (("inspect", ("bfloat16", "uint16", "uint32", "float32")), ("run", ("passed",))):
                options = ["--device", path.with_suffix(".json"), "--self-test"] if command == "run" else []
                path.with_suffix(".json").write_text(json.dumps(result.device), encoding="utf-8")
                run = subprocess.run([os.environ["PIANOLA_PROGRAM"], command, path, *options], capture_output=True,
                                     text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                for word in words:
                    self.assertRegex(run.stdout, rf"\b{word}\b")

    def test_captured_binaries_have_the_new_types(self):
        rng = numpy.random.default_rng(76)
        floats = [rng.standard_normal((4, 6)).astype(numpy.float32) for _ in range(4)]
        words = [array_of(rng, numpy.uint16, (5,)) for _ in range(4)]
        with pianola.manage_device(trace_region_size=65536) as device:
            with pianola.capture(device) as capture:
                for array, word in zip(floats, words):
                    half = pianola.from_numpy(array, pianola.bfloat16, device=device)
                    wide = pianola.from_numpy(word, device=device)
                    outputs = (pianola.typecast(half, pianola.float32), pianola.reshape(half, (8, 3)),
                               pianola.typecast(wide, pianola.uint32))
                    for output in outputs:
                        output.cpu()
        self.inspect(capture.result)
        session = pianola.Session(capture.result.file)
        self.assertEqual([entry["dtype"] for entry in session.inputs], [pianola.bfloat16, pianola.uint16])
        self.assertEqual([entry["dtype"] for entry in session.outputs],
                         [pianola.float32, pianola.bfloat16, pianola.uint32])
        session.self_test()
        results = session.run([{"input 0": array, "input 1": word} for array, word in zip(floats, words)])
        for array, word, result in zip(floats, words, results):
            expected = rounded_to_bfloat16(array)
            numpy.testing.assert_array_equal(result["output 0"], expected)
            numpy.testing.assert_array_equal(result["output 1"], expected.reshape(8, 3))
            numpy.testing.assert_array_equal(result["output 2"], word.astype(numpy.uint32))


class Torch(unittest.TestCase):
    """PyTorch cannot be installed where the tests run: a stand-in has the members that are used, and no more."""

    class Stand:
        """A stand-in for torch.Tensor."""

        def __init__(self, array, dtype="torch.other"):
            self.array, self.dtype = array, dtype

        def detach(self):
            """Itself."""
            return self

        cpu = detach

        def float(self):
            """In float32."""
            return type(self)(self.array, "torch.float32")

        def to(self, dtype):
            """In another type."""
            return type(self)(self.array, dtype)

        def numpy(self):
            """What PyTorch refuses for bfloat16."""
            if self.dtype == "torch.bfloat16":
                raise TypeError("Got unsupported ScalarType BFloat16")
            return self.array

    def test_tensors_come(self):
        array = numpy.arange(-6, 6, dtype=numpy.int8).reshape(3, 4)
        tensor = pianola.from_torch(self.Stand(array), layout=pianola.TILE_LAYOUT)
        self.assertEqual((tensor.dtype, tensor.layout), (pianola.int8, pianola.TILE_LAYOUT))
        numpy.testing.assert_array_equal(tensor, array)
        with pianola.manage_device() as device:
            there = pianola.from_torch(self.Stand(array), device=device, memory_config=pianola.L1_MEMORY_CONFIG)
            self.assertEqual(there.memory_config(), pianola.L1_MEMORY_CONFIG)
        halves = self.Stand(numpy.array([1.5, -2.0], numpy.float32), "torch.bfloat16")
        self.assertEqual(pianola.from_torch(halves).dtype, pianola.bfloat16)
        self.assertEqual(pianola.from_torch(halves, pianola.float32).dtype, pianola.float32)
        with self.assertRaises(pianola.TorchError) as raised:
            pianola.from_torch(array)
        self.assertEqual(raised.exception.rule, "TENSOR-TORCH")

    def test_tensors_go(self):
        array = numpy.array([1.5, -2.0], numpy.float32)
        module = types.ModuleType("torch")
        module.from_numpy, module.bfloat16 = self.Stand, "torch.bfloat16"
        with unittest.mock.patch.dict(sys.modules, {"torch": module}):
            self.assertEqual(pianola.to_torch(pianola.from_numpy(array)).dtype, "torch.other")
            halves = pianola.to_torch(pianola.from_numpy(array, pianola.bfloat16))
        self.assertEqual(halves.dtype, "torch.bfloat16")
        numpy.testing.assert_array_equal(halves.array, array)

    def test_without_pytorch(self):
        with unittest.mock.patch.dict(sys.modules, {"torch": None}):
            with self.assertRaises(pianola.TorchError) as raised:
                pianola.to_torch(pianola.from_numpy(numpy.zeros(4, numpy.int8)))
        self.assertIsInstance(raised.exception, ImportError)
        self.assertIsInstance(raised.exception, pianola.Error)
        self.assertEqual(raised.exception.rule, "TENSOR-TORCH")
        self.assertTrue(str(raised.exception).startswith("TENSOR-TORCH: to_torch() needs PyTorch"))


if __name__ == "__main__":
    main()
