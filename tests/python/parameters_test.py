#!/usr/bin/env python3
"""Several parameters of one binary, and one of 256 words: set in this process and by `pianola run --set`, each replay
compared with what NumPy computes of the values."""
import itertools
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, int8_array, main, saturated

ROWS, BYTES = 4, 64
LAUNCHES = 256  # of fill: as many words as one parameter may set
# Arguments of kernels: docs/reference/device.md.
FILL_PATTERN = 2
REQUANTIZE_INPUT_ZERO_POINT, REQUANTIZE_OUTPUT_ZERO_POINT = 3, 6
REPEATED = 0x01010101  # a pattern of fill has four elements of int8


def open_one_core(**options):
    """A device on which every operation is one launch."""
    return pianola.manage_device(core_grid=pianola.CoreGrid(y=1, x=1), **options)


def captured_trace(device, work):
    """A trace of operations that have been compiled."""
    work()
    trace = pianola.begin_trace_capture(device)
    work()
    pianola.end_trace_capture(device, trace)
    return trace


def run_program(file, inputs, outputs, values):
    """`pianola run --set` in a process of its own: what it did, and its outputs, one after the other."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.ptb").write_bytes(file)
        call = [os.environ["PIANOLA_PROGRAM"], "run", "a.ptb", "--self-test"]
        for i, array in enumerate(inputs):
            (folder / f"x{i}").write_bytes(array.tobytes())
            call += ["--input", f"x{i}"]
        for i in range(outputs):
            call += ["--output", f"y{i}"]
        for text in values:
            call += ["--set", text]
        run = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
        there = [folder / f"y{i}" for i in range(outputs)]
        return run, b"".join(path.read_bytes() for path in there if path.is_file())


class Parameters(unittest.TestCase):
    """Of captured programs."""

    def setUp(self):
        self.rng = numpy.random.default_rng(31)

    def move(self):
        """A binary that fills four rows, and then writes one row of four, with other zero points, over one of them:
        its file, and the bounds of its parameters. The first four set words of one command, the last one word of each
        of four others."""
        with open_one_core(trace_region_size=TRACE_REGION) as device:
            rows, results = ([pianola.zeros((1, BYTES), pianola.int8, device=device) for _ in range(ROWS)]
                             for _ in range(2))
            addresses = [[tensor.buffer_address() for tensor in tensors] for tensors in (rows, results)]
            for here in addresses:
                self.assertEqual(here, list(range(here[0], here[0] + ROWS * BYTES, BYTES)))

            def work():
                for result in results:
                    pianola.fill(result, 0)
                pianola.requantize(rows[0], 1.0, 0, 1.0, 0, output_tensor=results[0])

            trace = captured_trace(device, work)

            def argument(program, number):
                return pianola.argument_words(device, trace, program, 0, number)

            fills = [word for program in range(ROWS) for word in argument(program, FILL_PATTERN)]
            # Of the first row of results only requantize's word moves, not that of its fill.
            to = pianola.address_words(device, trace, results[0])
            self.assertEqual((len(to), len(fills)), (2, ROWS))
            declared = {
                "from": (pianola.address_words(device, trace, rows[0]), addresses[0][0], addresses[0][-1], BYTES, True),
                "to": ([max(to)], addresses[1][0], addresses[1][-1], BYTES, True),
                "minus": (argument(ROWS, REQUANTIZE_INPUT_ZERO_POINT), 0, 100, 1, False),
                "plus": (argument(ROWS, REQUANTIZE_OUTPUT_ZERO_POINT), 0, 120, 5, False),
                "pattern": (fills, 0, 127 * REPEATED, REPEATED, False),
            }
            with pianola.capture(device) as capture:
                for i in range(ROWS):
                    capture.declare_input(rows[i], f"row {i}")
                    capture.declare_output(results[i], f"result {i}")
                for name, (words, minimum, maximum, alignment, is_address) in declared.items():
                    capture.declare_parameter(trace, name, words, minimum=minimum, maximum=maximum,
                                              alignment=alignment, is_address=is_address)
                for row in rows:
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(int8_array(self.rng, (1, BYTES))), row)
                pianola.execute_trace(device, trace)
                for result in results:
                    result.cpu(blocking=False)
        return capture.result.file, {name: bounds[1:4] for name, bounds in declared.items()}

    def sets(self, bounds):
        """Values: all pairs of rows, and with each of them others of the rest."""
        sources, targets = (range(low, high + 1, step) for low, high, step in (bounds["from"], bounds["to"]))
        for source, target in itertools.product(sources, targets):
            yield {
                "from": source,
                "to": target,
                "minus": int(self.rng.integers(0, 101)),
                "plus": 5 * int(self.rng.integers(0, 25)),
                "pattern": REPEATED * int(self.rng.integers(0, 128)),
            }

    def moved(self, rows, values, bounds):
        """What the binary gives, by NumPy."""
        results = numpy.full((ROWS, BYTES), values["pattern"] // REPEATED, numpy.int8)
        source, target = ((values[name] - bounds[name][0]) // BYTES for name in ("from", "to"))
        results[target] = saturated(rows[source].astype(int) - values["minus"] + values["plus"])
        return results

    def test_several_of_one_command(self):
        file, bounds = self.move()
        session = pianola.Session(file)
        self.assertEqual([(entry["name"], entry["minimum"], entry["maximum"], entry["alignment"])
                          for entry in session.parameters], [(name, *entry) for name, entry in bounds.items()])
        self.assertEqual(session.self_test(), 1)
        for values in self.sets(bounds):
            for name, value in values.items():
                session.set_parameter(name, value)
            rows = int8_array(self.rng, (ROWS, BYTES))
            outputs = session.run([{f"row {i}": rows[i:i + 1] for i in range(ROWS)}])[0]
            numpy.testing.assert_array_equal(numpy.concatenate([outputs[f"result {i}"] for i in range(ROWS)]),
                                             self.moved(rows, values, bounds), str(values))

    def test_several_on_the_command_line(self):
        file, bounds = self.move()
        rows = int8_array(self.rng, (ROWS, BYTES))
        first = dict.fromkeys(bounds, 0) | {name: bounds[name][0] for name in ("from", "to")}
        chosen = list(self.sets(bounds))[::5]
        # All of them, in either order, and one alone: the others keep the values that were captured.
        for values in (*chosen, {"plus": 35}, {}):
            for order in (1, -1):
                texts = [f"{name}={value}" for name, value in values.items()][::order]
                run, outputs = run_program(file, rows, ROWS, texts)
                self.assertEqual(run.returncode, 0, run.stderr)
                numpy.testing.assert_array_equal(numpy.frombuffer(outputs, numpy.int8).reshape(ROWS, BYTES),
                                                 self.moved(rows, first | values, bounds), str(texts))
        low, high, _ = bounds["to"]
        for text, what in (("plus=7", "takes multiples of 5 from 0 to 120, not 7"),
                           (f"to={high + BYTES}", f"takes multiples of {BYTES} from {low} to {high}, not"),
                           (f"to={low + 4}", f"not {low + 4}"),
                           ("pattern=1", f"multiples of {REPEATED}"),
                           ("background=0", "declares no parameter background; it has from, to, minus, plus, pattern")):
            run, outputs = run_program(file, rows, ROWS, ["minus=1", text])
            self.assertEqual((run.returncode, outputs), (2, b""), text)
            self.assertIn(what, run.stderr)

    def count(self, launches, profile="default"):
        """A binary that adds a number to its input, with one fill for each time."""
        with open_one_core(trace_region_size=512 * 1024, profile=profile) as device:
            here, term, total = (pianola.zeros((1, 16), pianola.int32, device=device) for _ in range(3))

            def work():
                pianola.copy(here, total)
                for _ in range(launches):
                    pianola.fill(term, 3)
                    pianola.add(total, term, output_tensor=total)

            trace = captured_trace(device, work)
            words = [word for program in range(1, 2 * launches, 2)
                     for word in pianola.argument_words(device, trace, program, 0, FILL_PATTERN)]
            self.assertEqual(len(set(words)), launches)
            with pianola.capture(device) as capture:
                capture.declare_input(here, "x")
                capture.declare_output(total, "y")
                capture.declare_parameter(trace, "term", words, minimum=0, maximum=1000)
                pianola.copy_host_to_device_tensor(
                    pianola.from_numpy(numpy.arange(16, dtype=numpy.int32).reshape(1, 16)), here)
                pianola.execute_trace(device, trace)
                total.cpu(blocking=False)
        return capture.result.file

    def test_256_words(self):
        file = self.count(LAUNCHES)
        session = pianola.Session(file)
        self.assertEqual(session.parameters, [{"name": "term", "minimum": 0, "maximum": 1000, "alignment": 1}])
        self.assertEqual(session.self_test(), 1)
        # A word that kept its value would be seen: it adds another number.
        for value in (0, 1, 1000, 3, 517):
            array = self.rng.integers(-1000, 1000, (1, 16), numpy.int32)
            session.set_parameter("term", value)
            for _ in range(2):
                numpy.testing.assert_array_equal(session.run([{"x": array}])[0]["y"], array + LAUNCHES * value)
            run, outputs = run_program(file, [array], 1, [f"term={value}"])
            self.assertEqual(run.returncode, 0, run.stderr)
            numpy.testing.assert_array_equal(numpy.frombuffer(outputs, numpy.int32).reshape(1, 16),
                                             array + LAUNCHES * value)
        run, _ = run_program(file, [array], 1, ["term=1001"])
        self.assertEqual(run.returncode, 2)
        self.assertIn("takes multiples of 1 from 0 to 1000, not 1001", run.stderr)

    def test_a_word_too_many_is_refused(self):
        for profile, most in (("default", LAUNCHES), ("small_ecu", 16)):
            self.assertEqual(pianola.Session(self.count(most, profile)).self_test(), 1)
            with self.assertRaisesRegex(
                    pianola.Error, f"API-CAPTURE-LIMIT: {most + 1} words that parameters set are needed, {most} fit"):
                self.count(most + 1, profile)


if __name__ == "__main__":
    main()
