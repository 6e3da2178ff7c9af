"""A small integer network on the simulated device, eager and traced."""
import numpy

import pianola

RNG = numpy.random.default_rng(1)
IMAGE = RNG.integers(-128, 128, size=(1, 64), dtype=numpy.int8)
WEIGHT = RNG.integers(-128, 128, size=(64, 10), dtype=numpy.int8)
BIAS = RNG.integers(-1000, 1000, size=(10,), dtype=numpy.int32)


def network(image, weight, bias):
    """One layer and its activation."""
    return pianola.relu(pianola.linear(image, weight, bias=bias))


def main():
    """Runs the network eagerly, then from a trace, and compares both with NumPy."""
    expected = numpy.maximum(IMAGE.astype(numpy.int32) @ WEIGHT + BIAS, 0)
    with pianola.manage_device(trace_region_size=32768) as device:
        image = pianola.from_numpy(IMAGE, device=device)
        weight = pianola.from_numpy(WEIGHT, device=device)
        bias = pianola.from_numpy(BIAS, device=device)
        scores = network(image, weight, bias).cpu().to_numpy()
        assert (scores == expected).all()

        tid = pianola.begin_trace_capture(device)
        output = network(image, weight, bias)
        pianola.end_trace_capture(device, tid)
        pianola.execute_trace(device, tid)
        assert (output.cpu().to_numpy() == expected).all()
        print(
            f"{scores.size} scores, eager and traced alike; {pianola.trace_info(device, tid)['bytes']} bytes of trace")


if __name__ == "__main__":
    main()
