#!/usr/bin/env python3
"""A model of each operator with each element type that random graphs have, int16 LSTM and BATCH_MATMUL among them, and
random graphs of several: on one Vulkan device each gives what the interpreter of tests/crosscheck computes.

Usage: operators.py PIANOLA REPLAY_FOLDER SOURCE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
LEAST = 120  # models; fewer would mean that something was lost
GRAPHS = 30
MUST = (("UNIDIRECTIONAL_SEQUENCE_LSTM", "INT16"), ("UNIDIRECTIONAL_SEQUENCE_LSTM", "INT8"), ("BATCH_MATMUL", "INT8"),
        ("BATCH_MATMUL", "INT16"))


def main(pianola, replay, source):
    """Captures, writes records and goldens, and has all replayed by one process."""
    executor = f"vulkan:{os.environ.get('PIANOLA_VULKAN_DEVICE', 0)}"
    listed = json.loads(subprocess.run([pianola, "devices", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    if not any(entry["device"] == executor and not entry.get("missing") for entry in listed["devices"]):
        print(f"skipped: there is no {executor}")
        return SKIPPED
    sys.path.insert(0, str(pathlib.Path(source) / "tests/crosscheck"))
    import generator  # pylint: disable=import-outside-toplevel,import-error
    import models  # pylint: disable=import-outside-toplevel,import-error
    import writer  # pylint: disable=import-outside-toplevel,import-error
    from interpreter import Interpreter  # pylint: disable=import-outside-toplevel,import-error
    from product import Product, Refused  # pylint: disable=import-outside-toplevel,import-error
    made = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        product = Product(pianola, folder)

        def add(label, model):
            data = writer.write(model)
            (folder / "model.tflite").write_bytes(data)
            try:
                product.capture(folder / "model.tflite").rename(folder / f"{label}.ptb")
            except Refused:
                return False
            records = generator.records(model, 3, count=5)
            interpreter = Interpreter(models.read(data))
            (folder / f"{label}.in").write_bytes(b"".join(each.tobytes() for record in records for each in record))
            (folder / f"{label}.out").write_bytes(
                b"".join(output.tobytes() for record in records for output in interpreter.invoke(record)))
            return True

        for operator, kind in generator.PAIRS:
            if any(add(f"{operator}.{kind}", generator.one_operator(operator, kind, seed)) for seed in range(6)):
                made.add((operator, kind))
        graphs = sum(add(f"graph.{seed}", generator.random_graph(seed, frozenset(made))) for seed in range(GRAPHS))
        run = subprocess.run([replay, name], check=False, stdout=subprocess.PIPE, text=True)
    print(run.stdout)
    missing = [pair for pair in MUST if pair in generator.PAIRS and pair not in made]
    print(f"{len(made)} operators with a type, {graphs} graphs; not captured of those that must be: {missing}")
    whole = run.stdout.endswith(f"{len(made) + graphs} binaries, 0 differ\n")
    return 0 if run.returncode == 0 and whole and not missing and len(made) + graphs >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
