#!/usr/bin/env python3
"""A model of MobileNet's size: the default device's memory is too small, the refusal says in one line what to pass, and
with that the model is captured, verified, and replayed as the interpreter computes it."""
import argparse
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy

import mobilenet
import writer
from interpreter import Interpreter
from product import Product, differing

PROGRAM = None


class MobileNet(unittest.TestCase):
    """From the file to a record's scores."""

    def test_it_is_captured_with_what_the_refusal_says(self):
        """And not with less."""
        model = mobilenet.model()
        constants = [tensor.content for tensor in model.subgraphs[0].tensors if tensor.content is not None]
        self.assertGreater(sum(content.size for content in constants), 4_200_000)
        layers = [each.name for each in model.subgraphs[0].operators if each.name.endswith("CONV_2D")]
        self.assertEqual(len(layers), 28)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "model.tflite"
            file.write_bytes(writer.write(model))
            refusal = subprocess.run([PROGRAM, "capture", file, "-o", file.with_suffix(".ptb")], check=False,
                                     capture_output=True, text=True)
            self.assertEqual((refusal.returncode, len(refusal.stderr.splitlines())), (5, 2), refusal.stderr)
            option, size = re.search(r"\n  remedy  pass (--dram) (\d+),", refusal.stderr).groups()
            product = Product(PROGRAM, folder, [option, size])
            binary = product.capture(file)
            subprocess.run([PROGRAM, "verify", binary], check=True, stdout=subprocess.DEVNULL)
            record = [numpy.random.default_rng(1).integers(-128, 128, (1, 224, 224, 3)).astype(numpy.int8)]
            want = numpy.asarray(Interpreter(model).invoke(record)[0])
            self.assertGreater(len(numpy.unique(want)), 5, "scores that say little")
            self.assertEqual(differing(product.run(binary, model, [record])[0][0], want.tobytes())[0], 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    PROGRAM = str(options.pianola)
    unittest.main(argv=[__file__, *rest])
