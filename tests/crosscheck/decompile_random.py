#!/usr/bin/env python3
"""pianola decompile: random graphs, and one of each operator, are found again in their binaries."""
import argparse
import pathlib
import sys
import tempfile

import generator
import writer
from product import Failed, Product, Refused

_LEAST_CAPTURED = 100


def graphs(count):
    """Named models."""
    for name, kind in generator.PAIRS:
        yield f"{name} {kind}", generator.one_operator(name, kind, 1)
    for seed in range(1, count + 1):
        yield f"random {seed}", generator.random_graph(seed)


def main():
    """The exit code: 1 where a binary is different from its model, or too few were captured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pianola", type=pathlib.Path, required=True)
    parser.add_argument("--random", type=int, default=60)
    options = parser.parse_args()
    captured, different = 0, []
    with tempfile.TemporaryDirectory() as folder:
        product = Product(options.pianola, folder)
        file = product.folder / "model.tflite"
        for name, model in graphs(options.random):
            file.write_bytes(writer.write(model))
            try:
                binary = product.capture(file)
            except Refused:
                continue
            captured += 1
            try:
                product.decompile(binary, file)
            except Failed as failed:
                different.append(f"{name}: {failed}")
    print("\n".join([f"{captured} captured, {len(different)} different", *different]))
    return 1 if different or captured < _LEAST_CAPTURED else 0


if __name__ == "__main__":
    sys.exit(main())
