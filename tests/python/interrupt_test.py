#!/usr/bin/env python3
"""Long calls end soon after an interrupt, and leave something to go on with.

Signals come at fixed intervals; the handler raises at one of them, so that a slow machine needs more of them and no
test depends on how long work takes. Without the look for signals every call here reaches its end first.
"""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

import pianola
from pipeline_test import EXECUTORS, PipelineTest, reference
from python_support import TRACE_REGION, main

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "crosscheck"))
import generator  # noqa: E402  pylint: disable=wrong-import-position
import writer  # noqa: E402  pylint: disable=wrong-import-position

SHAPE = (256, 256)
VECTORS = 100
RECORDS = 20_000  # take minutes
ENDLESS = """
import pianola, sys
session = pianola.Session(sys.argv[1])
record = [memoryview(bytes({size})).cast("b", {shape})]
print("ready", flush=True)
try:
    session.run([record] * {records})
    print("ended")
except KeyboardInterrupt:
    print("interrupted")
"""


@contextlib.contextmanager
def signals(which=5, seconds=0.001):
    """Sends a signal again and again; the handler raises KeyboardInterrupt at one of them, the first being 1."""
    seen = []

    def handle(_number, _frame):
        seen.append(1)
        if len(seen) == which:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def model(operator, seed):
    """A model of one operator, of int8."""
    return bytes(writer.write(generator.one_operator(operator, "INT8", seed)))


def ones(shape=SHAPE):
    """What adds up, and multiplies."""
    return numpy.ones(shape, numpy.int8)


def captured(keeps=False, ends=False, steps=3):
    """A step that multiplies matrices for a while. It counts its records in `kept`, and gives the count; where it
    `keeps` nothing, the count begins anew in each. With an epilogue where it `ends`."""
    with pianola.manage_device(trace_region_size=TRACE_REGION, l1_bytes=1 << 21) as device:
        here, there = (pianola.zeros(SHAPE, kind, device=device) for kind in (pianola.int8, pianola.int32))
        one, kept, count = (pianola.zeros((1, 64), pianola.int32, device=device) for _ in range(3))
        with pianola.capture(device) as capture:
            capture.declare_input(here, "x")
            capture.declare_output(count, "n")
            capture.begin_prologue()
            pianola.fill(kept, 0)
            pianola.fill(one, 1)
            for _ in range(steps):
                capture.begin_step()
                pianola.copy_host_to_device_tensor(pianola.from_numpy(ones()), here)
                if not keeps:
                    pianola.fill(kept, 0)
                pianola.matmul(here, here, output_tensor=there)
                pianola.add(kept, one, output_tensor=kept)
                pianola.copy(kept, count)
                count.cpu(blocking=False)
            if ends:
                capture.begin_epilogue()
                pianola.fill(one, 1)
    return capture.result


class Runs(unittest.TestCase):
    """Session.run(), whose records count themselves."""

    def count(self, session, records=1):
        """What the last of some records gives."""
        return int(session.run([[ones()]] * records)[-1][0][0, 0])

    def interrupted(self, session):
        """A run of more records than anybody waits for."""
        with self.assertRaises(KeyboardInterrupt), signals():
            session.run([[ones()]] * RECORDS)

    def test_ctrl_c(self):
        """The signal of a terminal, from another process."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "count.ptb"
            captured(keeps=True).save(path)
            program = ENDLESS.format(size=SHAPE[0] * SHAPE[1], shape=SHAPE, records=RECORDS)
            with subprocess.Popen([sys.executable, "-B", "-c", program, path], stdout=subprocess.PIPE,
                                  text=True) as child:
                self.addCleanup(child.kill)
                self.assertEqual(child.stdout.readline(), "ready\n")
                with self.assertRaises(subprocess.TimeoutExpired):
                    child.wait(1)  # so that it is at work
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=120)[0], "interrupted\n")

    def test_the_state_is_that_after_the_last_whole_record(self):
        session = pianola.Session(captured(keeps=True).file)
        before = self.count(session, 2)
        self.assertEqual(before, 2)
        self.interrupted(session)
        count = self.count(session)
        self.assertGreater(count - 1, before)
        self.assertLess(count, RECORDS)
        self.assertEqual(self.count(session, 3), count + 3)
        session.reset_state()
        self.assertEqual(self.count(session), 1)

    def test_an_epilogue_follows(self):
        session = pianola.Session(captured(keeps=True, ends=True).file)
        for _ in range(2):
            self.interrupted(session)
            self.assertEqual(self.count(session, 3), 3)

    def test_what_is_under_way_is_completed(self):
        """A pipelined binary goes from its prologue to its epilogue again."""
        with pianola.manage_device(trace_region_size=TRACE_REGION, num_command_queues=2) as device:
            here, middle, there = (pianola.zeros((64, 64), pianola.int8, device=device) for _ in range(3))
            host = pianola.from_numpy(ones((64, 64)))

            def take():
                pianola.copy_host_to_device_tensor(host, here)
                pianola.add(here, here, output_tensor=middle)

            with pianola.capture(device) as capture:
                take()
                for _ in range(4):
                    pianola.copy(middle, there)
                    take()
                    there.cpu()
                pianola.copy(middle, there)
                there.cpu()
        session = pianola.Session(capture.result.file)
        for _ in range(2):
            with self.assertRaises(KeyboardInterrupt), signals():
                session.run([[ones((64, 64))]] * (10 * RECORDS))
            for count in (1, 3):
                records = [[numpy.full((64, 64), i, numpy.int8)] for i in range(count)]
                outputs = session.run(records)
                self.assertEqual([int(output[0].max()) for output in outputs], [2 * i for i in range(count)])

    def test_self_test(self):
        session = pianola.Session(captured(steps=VECTORS).file)
        with self.assertRaises(KeyboardInterrupt), signals():
            session.self_test()
        self.assertEqual(self.count(session, 2), 1)
        self.assertEqual(session.self_test(), VECTORS)

    def test_self_test_of_a_stream(self):
        """State has its first contents afterwards, as it has after all vectors."""
        session = pianola.Session(pianola.capture_tflite(model("SVDF", 2), self_test=256).file)
        record = [numpy.full(tuple(each["shape"]), 50, numpy.int8) for each in session.inputs]
        first, second = (output[0] for output in session.run([record] * 2))
        self.assertFalse((first == second).all(), "the model keeps nothing")
        for _ in range(10):
            with self.assertRaises(KeyboardInterrupt), signals(which=2):
                while True:  # it is interrupted within a stream nearly always
                    session.self_test()
            numpy.testing.assert_array_equal(session.run([record])[0][0], first)


class Captures(unittest.TestCase):
    """Captures of programs and of models, and what is done with their results."""

    def test_a_program(self):
        with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
            array = ones((32, 32))
            for is_interrupted in (True, False):
                capture = pianola.capture(device)
                for _ in range(2000):
                    pianola.neg(pianola.from_numpy(array, device=device)).cpu()
                if is_interrupted:
                    with self.assertRaises(KeyboardInterrupt), signals():
                        capture.end()
                    self.assertFalse(capture.is_active())
                    self.assertIsNone(capture.result)
                else:
                    capture.end()
        with self.assertRaises(KeyboardInterrupt), signals():
            capture.result.compare_to_capture()
        capture.result.compare_to_capture()

    def test_a_model(self):
        """The program that does the work ends, too, and no file is left."""
        convolution = model("CONV_2D", 1)
        with tempfile.TemporaryDirectory() as folder:
            before = tempfile.tempdir
            tempfile.tempdir = folder
            try:
                with self.assertRaises(KeyboardInterrupt), signals(which=1):
                    while True:  # a signal may come while nothing is under way
                        pianola.capture_tflite(convolution, self_test=256)
            finally:
                tempfile.tempdir = before
            self.assertEqual(os.listdir(folder), [])


class Devices(PipelineTest):
    """Pipelines, and devices that are waited for."""

    def test_a_pipeline_delivers_what_has_gone_through(self):
        for executor in EXECUTORS:
            with self.subTest(executor=executor):
                pipe = self.make(executor)
                arrays, inputs = self.batch(8)
                pipe.compile(inputs[0])
                with self.assertRaises(KeyboardInterrupt), signals():
                    pipe.enqueue(inputs * RECORDS)
                outputs = pipe.pop_all()
                self.assertLess(len(outputs), len(inputs) * RECORDS)
                self.assertGreater(len(outputs), 0)
                for _ in range(2):
                    for i, output in enumerate(outputs):
                        numpy.testing.assert_array_equal(output.to_numpy(), reference(arrays[i % len(arrays)]))
                    outputs = pipe.enqueue(inputs).pop_all()
                    self.assertEqual(len(outputs), len(inputs))

    def test_waiting_for_a_device_that_works_by_itself(self):
        with pianola.manage_device(trace_region_size=TRACE_REGION, l1_bytes=1 << 21, threaded=True) as device:
            here = pianola.from_numpy(ones(SHAPE), device=device)
            there = pianola.matmul(here, here)
            for _ in range(200):
                pianola.matmul(here, here, output_tensor=there)
            with self.assertRaises(KeyboardInterrupt), signals():
                pianola.synchronize_device(device)
            pianola.synchronize_device(device)
            self.assertTrue((there.cpu().to_numpy() == SHAPE[0]).all())


if __name__ == "__main__":
    main()
