#!/usr/bin/env python3
"""What a session is given and gives: arrays by name, and in the binary's order; and what a run goes on from."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, int8_array, main, saturated
from workloads import SHAPE

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))
import generator  # noqa: E402  pylint: disable=wrong-import-position
import writer  # noqa: E402  pylint: disable=wrong-import-position


def two_by_two(names_in, names_out, arrays):
    """A captured workload that gives sum and difference of two inputs; the tensors have these names."""
    with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
        here, there = ([pianola.zeros(SHAPE, pianola.int8, device=device) for _ in range(2)] for _ in range(2))
        with pianola.capture(device) as capture:
            for tensor, name in zip(here, names_in):
                capture.declare_input(tensor, name)
            for tensor, name in zip(there, names_out):
                capture.declare_output(tensor, name)
            for _ in range(2):
                capture.begin_step()
                for tensor, array in zip(here, arrays):
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(array), tensor)
                pianola.add(*here, output_tensor=there[0])
                pianola.subtract(*here, output_tensor=there[1])
                for tensor in there:
                    tensor.cpu(blocking=False)
        return capture.result


class Session(unittest.TestCase):
    """Both forms of records."""

    def test_tensors_of_one_name(self):
        """Lists tell them apart. Dictionaries are refused before anything is lost."""
        rng = numpy.random.default_rng(23)
        here = int8_array(rng, SHAPE), int8_array(rng, SHAPE)
        for names_in, names_out in (("xx", "yz"), ("wx", "yy"), ("xx", "yy"), ("wx", "yz")):
            with self.subTest(inputs=names_in, outputs=names_out):
                result = two_by_two(names_in, names_out, here)
                session = pianola.Session(result.file)
                result.compare_to_capture()
                for records in ([list(here), here[::-1]], (here, list(here[::-1])), [numpy.stack(here), here[::-1]]):
                    outputs = session.run(records)
                    self.assertEqual([len(record) for record in outputs], [2, 2])
                    for (total, difference), (one, other) in zip(outputs, (here, here[::-1])):
                        numpy.testing.assert_array_equal(total, saturated(one.astype(int) + other))
                        numpy.testing.assert_array_equal(difference, saturated(one.astype(int) - other))
                named = [dict(zip(names_in, here))]
                alike = [kind for kind, names in (("input", names_in), ("output", names_out)) if len(set(names)) == 1]
                if not alike:
                    record, = session.run(named)
                    numpy.testing.assert_array_equal(record["y"], session.run([here])[0][0])
                else:
                    self.assert_rule("PLAYER-NAMES", lambda: session.run(named), f"two {alike[0]}s", "lists")
                for kind, records in (("input", lambda: result.inputs), ("output", lambda: result.outputs)):
                    if kind in alike:
                        self.assert_rule("PLAYER-NAMES", records, f"two {kind}s")
                    else:
                        self.assertEqual({len(record) for record in records()}, {2})
                self.assertEqual(session.run([]), [])
                for wrong in ([], here[:1], (*here, here[0]), [here[0], here[1].astype(numpy.int16)], [here[0], None]):
                    self.assert_rule("PLAYER-INPUT", lambda record=wrong: session.run([record]))
                with self.assertRaises(TypeError):
                    session.run([named[0], here])

    def assert_rule(self, rule, call, *words):
        """The call is refused by that rule, with these words."""
        with self.assertRaises(pianola.Error) as raised:
            call()
        self.assertEqual(raised.exception.rule, rule)
        for word in words:
            self.assertIn(word, str(raised.exception))


class State(unittest.TestCase):
    """What a run goes on from: the table of docs/guide/python.md, row by row."""

    RECORD = [numpy.ones((1, 64), numpy.int32)]

    def binary(self, ends=False, vectors=False):
        """A sum of its inputs; where there are `vectors`, each step begins it anew, so that they hold."""
        with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
            here, kept, there = (pianola.zeros((1, 64), pianola.int32, device=device) for _ in range(3))
            term = pianola.zeros((1, 64), pianola.int32, device=device)
            pianola.fill(term, 0)
            trace = pianola.begin_trace_capture(device)
            pianola.fill(term, 0)
            pianola.end_trace_capture(device, trace)
            words = pianola.argument_words(device, trace, 0, 0, 2)
            with pianola.capture(device) as capture:
                capture.declare_input(here, "x")
                capture.declare_output(there, "y")
                capture.declare_parameter(trace, "term", words, minimum=0, maximum=1000)
                capture.begin_prologue()
                pianola.fill(kept, 100)
                for _ in range(3):
                    capture.begin_step()
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(self.RECORD[0]), here)
                    pianola.execute_trace(device, trace)
                    if vectors:
                        pianola.fill(kept, 100)
                    pianola.add(kept, here, output_tensor=kept)
                    pianola.add(kept, term, output_tensor=there)
                    there.cpu(blocking=False)
                if ends:
                    capture.begin_epilogue()
                    pianola.fill(term, 0)
        return capture.result.file

    def sums(self, session, records=1):
        """What the records give."""
        return [int(output[0][0, 0]) for output in session.run([self.RECORD] * records)]

    def refused(self, rule, call):
        """The call is refused by that rule."""
        with self.assertRaises(pianola.Error) as raised:
            call()
        self.assertEqual(raised.exception.rule, rule)

    def test_a_run_goes_on_from_the_one_before(self):
        session = pianola.Session(self.binary())
        self.assertEqual(self.sums(session, 2), [101, 102])
        self.assertEqual(self.sums(session, 3), [103, 104, 105])
        self.assertEqual(self.sums(pianola.Session(self.binary())), [101], "after construction")

    def test_a_reset_gives_first_contents_and_leaves_parameters(self):
        session = pianola.Session(self.binary())
        session.reset_state()  # also in front of the first record
        self.assertEqual(self.sums(session, 2), [101, 102])
        session.set_parameter("term", 7)
        self.assertEqual(self.sums(session), [110], "set_parameter() leaves the state")
        for _ in range(2):
            session.reset_state()
            session.reset_state()
            self.assertEqual(self.sums(session, 2), [108, 109])

    def test_each_run_with_an_epilogue_is_a_first_one(self):
        session = pianola.Session(self.binary(ends=True))
        for _ in range(2):
            self.assertEqual(self.sums(session, 2), [101, 102])
        session.reset_state()
        self.assertEqual(self.sums(session), [101])

    def test_a_self_test_without_vectors_leaves_the_state(self):
        session = pianola.Session(self.binary())
        self.assertEqual(self.sums(session, 2), [101, 102])
        self.assertEqual(session.self_test(), 0)
        self.assertEqual(self.sums(session), [103])

    def test_a_self_test_with_vectors_gives_first_contents(self):
        """Of a model with state the vectors are the first steps of a stream, and each is computed once."""
        vectors = 12
        result = pianola.capture_tflite(bytes(writer.write(generator.one_operator("SVDF", "INT8", 2))),
                                        self_test=vectors)
        session = pianola.Session(result.file)
        rng = numpy.random.default_rng(5)
        records = [[int8_array(rng, tuple(each["shape"])) for each in session.inputs]] * 4
        stream = [output[0] for output in session.run(records)]
        self.assertFalse((stream[0] == stream[1]).all(), "the model keeps nothing")
        for count in (1, 2):
            self.assertEqual(session.self_test(), vectors)
            numpy.testing.assert_array_equal([output[0] for output in session.run(records[:count])], stream[:count])
        numpy.testing.assert_array_equal(session.run(records[2:3])[0][0], stream[2])
        with tempfile.TemporaryDirectory() as folder:
            path, log = pathlib.Path(folder) / "svdf.ptb", pathlib.Path(folder) / "svdf.log"
            result.save(path)
            program = os.environ["PIANOLA_PROGRAM"]
            subprocess.run([program, "run", path, "--self-test", "--log", log], check=True, capture_output=True)
            shown = subprocess.run([program, "log", "show", log], check=True, capture_output=True, text=True).stdout
        self.assertEqual(shown.count("launch svdf_time"), vectors)

    def test_what_is_refused_or_only_looks_leaves_the_state(self):
        session = pianola.Session(self.binary())
        self.assertEqual(self.sums(session), [101])
        wrong = [numpy.ones((1, 64), numpy.int8)]
        self.refused("PLAYER-INPUT", lambda: session.run([self.RECORD, wrong]))
        self.refused("PLAYER-PARAMETER", lambda: session.set_parameter("term", 1001))
        self.assertEqual(session.run([]), [])
        self.assertEqual((len(session.inputs), len(session.outputs), len(session.parameters)), (1, 1, 1))
        self.assertGreater(session.step_cycles, 0)
        self.assertGreater(len(session.performance()), 0)
        self.assertEqual(self.sums(session), [102])

    def test_a_fault_ends_the_session(self):
        session = pianola.Session(self.binary(vectors=True))
        self.assertEqual(session.self_test(), 3)
        self.assertEqual(self.sums(session, 2), [101, 101])
        session.set_parameter("term", 1)
        self.refused("PLAYER-FAULT", session.self_test)
        for call in (lambda: self.sums(session), session.reset_state, session.self_test,
                     lambda: session.set_parameter("term", 0)):
            self.refused("PLAYER-FAULT", call)
        self.assertGreater(len(session.performance()), 0)
        self.assertEqual(self.sums(pianola.Session(self.binary(vectors=True))), [101])

    def test_a_reset_of_what_keeps_nothing(self):
        names = "wx", "yz"
        here = numpy.ones(SHAPE, numpy.int8), numpy.zeros(SHAPE, numpy.int8)
        session = pianola.Session(two_by_two(*names, here).file)
        session.reset_state()
        self.assertEqual(int(session.run([here])[0][0].max()), 1)
        session.reset_state()
        self.assertEqual(int(session.run([here])[0][0].max()), 1)


if __name__ == "__main__":
    main()
