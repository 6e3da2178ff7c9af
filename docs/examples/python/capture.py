"""From a program to a trace binary, and back: what was computed here is what the runtime on target replays.

Usage: capture.py OUTPUT.ptb. Beside it comes OUTPUT.json, the device's description: `pianola run OUTPUT.ptb --device
OUTPUT.json`.
"""
import json
import pathlib
import sys

import numpy

import pianola

RNG = numpy.random.default_rng(2)
IMAGES = RNG.integers(-128, 128, size=(4, 1, 64), dtype=numpy.int8)
WEIGHT = RNG.integers(-128, 128, size=(64, 10), dtype=numpy.int8)


def main():
    """One argument: the file to write."""
    if len(sys.argv) != 2:
        sys.exit("usage: capture.py OUTPUT.ptb")
    run(sys.argv[1])


def run(output):
    """Captures four steps of a traced model, saves them as one, and replays the file."""
    with pianola.manage_device(trace_region_size=32768) as device:
        image = pianola.zeros((1, 64), pianola.int8, device=device)
        weight = pianola.zeros((64, 10), pianola.int8, device=device)
        scores = pianola.relu(pianola.matmul(image, weight))  # compiled, and memory for the result

        with pianola.capture(device, name="one layer") as capture:
            pianola.copy_host_to_device_tensor(pianola.from_numpy(WEIGHT), weight)
            capture.declare_constant(weight, "weights")
            capture.declare_input(image, "image")
            capture.declare_output(scores, "scores")
            computed = []
            for array in IMAGES:
                capture.begin_step()
                pianola.copy_host_to_device_tensor(pianola.from_numpy(array), image)
                pianola.relu(pianola.matmul(image, weight), output_tensor=scores)
                computed.append(scores.cpu(blocking=False))
        capture.result.save(output)
        description = json.dumps(capture.result.device)
        pathlib.Path(output).with_suffix(".json").write_text(description, encoding="utf-8")

    replayed = pianola.Session(output).run([{"image": array} for array in IMAGES])
    for array, result, again in zip(IMAGES, computed, replayed):
        assert (result.to_numpy() == numpy.maximum(array.astype(numpy.int32) @ WEIGHT, 0)).all()
        assert (again["scores"] == result.to_numpy()).all()
    print(f"{capture.result.steps} steps became one of {len(capture.result.file)} bytes")


if __name__ == "__main__":
    main()
