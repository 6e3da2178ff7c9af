#!/usr/bin/env python3
"""Workloads of the guides' kinds become trace binaries: eager run, traced run, and replays of the binary give the same
bytes.

The binary is replayed in this process, with a thread for each queue, and by the command line in another process, on
inputs that the captured run has not seen as well as on its own. What is right is what NumPy computes.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, fields_of_target, int8_array, main
from workloads import (
    GRID, SHAPE, Eager, RecordInThePrologue, SeparateTransfers, SeparateWrites, Traced, WithoutEvents, reference)

STEPS = 4


KINDS = (Eager, Traced, SeparateWrites, SeparateTransfers)


class Capture(unittest.TestCase):
    """One workload after the other."""

    def setUp(self):
        self.rng = numpy.random.default_rng(23)
        self.weight = int8_array(self.rng, SHAPE)
        self.seen = [int8_array(self.rng, SHAPE) for _ in range(STEPS)]
        self.unseen = [int8_array(self.rng, SHAPE) for _ in range(7)]

    def assert_right(self, outputs, arrays):
        """Outputs are what NumPy computes."""
        self.assertEqual(len(outputs), len(arrays))
        for output, array in zip(outputs, arrays):
            numpy.testing.assert_array_equal(output, reference(array, self.weight))

    def capture(self, kind):
        """A workload's binary; the captured run is right as well."""
        workload = kind()
        with pianola.capture(workload.device, name=kind.__name__) as capture:
            outputs = workload.run(self.weight, self.seen, capture)
        self.assert_right(outputs, self.seen)
        pianola.close_device(workload.device)
        return capture.result

    def run_program(self, workload, arrays):
        """Outputs of `pianola run`, in a process of its own."""
        program = os.environ["PIANOLA_PROGRAM"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            workload.save(str(folder / "a.ptb"))
            (folder / "device.json").write_text(json.dumps(workload.device), encoding="utf-8")
            (folder / "x.bin").write_bytes(b"".join(array.tobytes() for array in arrays))
            call = [program, "run", "a.ptb", "--device", "device.json", "--batch", "--self-test"]
            call += ["--input", "x.bin", "--output", "y.bin"]
            run = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("self-tests passed", run.stdout)
            return list(numpy.frombuffer((folder / "y.bin").read_bytes(), numpy.int8).reshape(-1, *SHAPE))

    def test_without_capture(self):
        for kind in KINDS:
            with self.subTest(kind.__name__):
                for threaded in (False, True):
                    workload = kind(threaded)
                    self.assert_right(workload.run(self.weight, self.unseen), self.unseen)
                    pianola.close_device(workload.device)

    def test_replay_here_and_with_a_thread_for_each_queue(self):
        for kind in KINDS:
            with self.subTest(kind.__name__):
                result = self.capture(kind)
                self.assertEqual(result.steps, STEPS - 1 if kind is SeparateTransfers else STEPS)
                for arrays in (self.seen, self.unseen, self.unseen[:2], self.unseen[:1]):
                    for threaded in (False, True):
                        session = pianola.Session(result.file, threaded=threaded)
                        self.assertEqual([entry["name"] for entry in (*session.inputs, *session.outputs)], ["x", "y"])
                        for _ in range(2):
                            records = session.run([{"x": array} for array in arrays])
                            self.assert_right([record["y"] for record in records], arrays)
                self.assertGreater(pianola.Session(result.file).self_test(), 0)

    def test_replay_in_another_process(self):
        if "PIANOLA_PROGRAM" not in os.environ:
            self.skipTest("no program; set PIANOLA_PROGRAM")
        for kind in KINDS:
            with self.subTest(kind.__name__):
                self.assert_right(self.run_program(self.capture(kind), self.unseen), self.unseen)

    def test_the_same_run_gives_the_same_bytes(self):
        for kind in KINDS:
            with self.subTest(kind.__name__):
                self.assertEqual(self.capture(kind).file, self.capture(kind).file)

    def test_a_workload_is_saved_over_no_key(self):
        workload = self.capture(Traced)
        with tempfile.TemporaryDirectory() as name:
            key = pathlib.Path(name) / "key.pem"
            key.write_text("-----BEGIN PRIVATE KEY-----\n", encoding="utf-8")
            with self.assertRaisesRegex(OSError, "it holds a key"):
                workload.save(str(key))
            self.assertEqual(key.read_text(encoding="utf-8"), "-----BEGIN PRIVATE KEY-----\n")
            self.assertEqual([path.name for path in pathlib.Path(name).iterdir()], ["key.pem"])

    def test_a_refused_capture_keeps_its_file_where_asked(self):
        for asked in (True, False):
            with self.subTest(asked=asked), tempfile.TemporaryDirectory() as name:
                kept = pathlib.Path(name) / "refused.ptb"
                workload = WithoutEvents()
                with self.assertRaises(pianola.Error) as raised:
                    with pianola.capture(workload.device, refused_file=kept if asked else None) as capture:
                        workload.run(self.weight, self.seen, capture)
                self.assertEqual(raised.exception.rule, "API-CAPTURE-REFUSED")
                self.assertIn("both touch 'x 0', 'x 1', 'x 2', 'x 3', and no event", str(raised.exception))
                self.assertEqual(kept.is_file(), asked)
                if asked:
                    with self.assertRaises(pianola.Error) as raised:
                        pianola.Session(str(kept))
                    self.assertEqual(raised.exception.rule, "ORD-RACE")
                pianola.close_device(workload.device)

    def test_an_exception_ends_the_capture(self):
        workload = Eager()
        with self.assertRaises(ZeroDivisionError):
            with pianola.capture(workload.device) as capture:
                raise ZeroDivisionError
        self.assertIsNone(capture.result)
        with pianola.capture(workload.device, name="Eager") as capture:
            workload.run(self.weight, self.seen, capture)
        self.assertGreater(len(capture.result.file), 0)
        pianola.close_device(workload.device)

    def test_a_workload_with_state_has_no_vectors(self):
        x = numpy.full((1, 64), 1, numpy.int8)
        for keeps in (True, False):
            with self.subTest(keeps=keeps), pianola.manage_device(trace_region_size=TRACE_REGION) as device:
                here, kept, there = (pianola.zeros((1, 64), pianola.int8, device=device) for _ in range(3))
                with pianola.capture(device) as capture:
                    capture.declare_input(here, "x")
                    capture.declare_output(there, "y")
                    capture.begin_prologue()
                    pianola.fill(kept, 0)
                    for _ in range(3):
                        capture.begin_step()
                        pianola.copy_host_to_device_tensor(pianola.from_numpy(x), here)
                        if not keeps:
                            pianola.fill(kept, 0)
                        pianola.add(kept, here, output_tensor=kept)
                        pianola.copy(kept, there)
                        there.cpu(blocking=False)
                result = capture.result
                self.assertEqual(["depend on earlier steps" in text for text in result.warnings],
                                 [True] if keeps else [])
                session = pianola.Session(result.file)
                for turn in range(1, 5):
                    self.assertEqual(session.run([{"x": x}])[0]["y"].max(), turn if keeps else 1)
                    # Where vectors are, they hold after any step and as often as one likes.
                    self.assertEqual(session.self_test(), 0 if keeps else 3)

    def test_a_record_that_nobody_waits_for_is_named(self):
        for waits in (True, False):
            workload = RecordInThePrologue()
            workload.waits = waits
            with self.subTest(waits=waits):
                with pianola.capture(workload.device) as capture:
                    self.assert_right(workload.run(self.weight, self.seen, capture), self.seen)
                self.assertEqual(capture.result.steps_in_flight, 2 if waits else 1)
                event = repr(workload.taken)[len("Event("):-1]
                named = [f"a record of event {event} on queue 0" in text for text in capture.result.warnings]
                self.assertEqual(named, [] if waits else [True])
            pianola.close_device(workload.device)

    def test_many_steps_in_flight(self):
        """As many as are asked for; the values are the same. With scattered transfers the rings hold fewer."""
        arrays = [int8_array(self.rng, SHAPE) for _ in range(20)]

        def captured(kind, steps):
            workload = kind()
            try:
                with pianola.capture(workload.device, steps_in_flight=steps) as capture:
                    workload.run(self.weight, self.seen, capture)
            finally:
                pianola.close_device(workload.device)
            return capture.result

        for kind, most in ((SeparateWrites, 16), (SeparateTransfers, 9)):
            for steps in (1, 3, min(10, most), most):
                with self.subTest(kind.__name__, steps=steps):
                    result = captured(kind, steps)
                    self.assertEqual((result.steps_in_flight, result.warnings), (steps, []))
                    for threaded in (False, True):
                        session = pianola.Session(result.file, threaded=threaded)
                        records = session.run([{"x": array} for array in arrays])
                        self.assert_right([record["y"] for record in records], arrays)
        for kind, steps, text in ((SeparateWrites, 17, "API-CAPTURE-LIMIT: 17 steps in flight are needed, 16 fit"),
                                  (SeparateTransfers, 10, "API-CAPTURE-REFUSED.*BUD-RING")):
            with self.assertRaisesRegex(pianola.Error, text):
                captured(kind, steps)

    def test_cores_of_two_queues(self):
        array = int8_array(self.rng, SHAPE)
        for apart in (True, False):
            options = {"core_grid": GRID, "trace_region_size": TRACE_REGION, "num_command_queues": 2}
            with self.subTest(apart=apart), pianola.manage_device(**options) as device:
                tensors = []
                for column in (0, 1):
                    cores = pianola.CoreRangeSet(
                        {pianola.CoreRange(pianola.CoreCoord(column, 0), pianola.CoreCoord(column, 1))})
                    own = pianola.create_sharded_memory_config(SHAPE, cores, pianola.ShardStrategy.HEIGHT)
                    place = own if apart else pianola.DRAM_MEMORY_CONFIG
                    tensors.append(
                        [pianola.zeros(SHAPE, pianola.int8, device=device, memory_config=place) for _ in range(2)])
                pianola.synchronize_device(device)
                capture = pianola.WorkloadCapture(device)
                for queue, (here, there) in enumerate(tensors):
                    capture.declare_input(here, f"x{queue}")
                    capture.declare_output(there, f"y{queue}")
                    pianola.copy_host_to_device_tensor(pianola.from_numpy(array), here, cq_id=queue)
                    pianola.relu(here, output_tensor=there, cq_id=queue)
                    there.cpu(blocking=False, cq_id=queue)
                if apart:
                    outputs = pianola.replay(capture.end().file, [{"x0": array, "x1": array}])[0]
                    for output in outputs.values():
                        numpy.testing.assert_array_equal(output, numpy.maximum(array, 0))
                else:
                    with self.assertRaisesRegex(pianola.Error, "ORD-CORES.* both use .*core.*event.*other core ranges"):
                        capture.end()

    def test_names_of_files_hold_no_nul(self):
        result = self.capture(Eager)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            result.save(folder / "a")
            self.assertEqual((folder / "a").read_bytes(), result.file)
            for there in (f"{folder}/a\0b", folder / "a\0b"):
                workload = WithoutEvents()
                for call in (
                    lambda: pianola.Session(there), lambda: pianola.replay(there, []), lambda: result.save(there),
                    lambda: pianola.WorkloadCapture(workload.device, refused_file=there),
                ):
                    with self.assertRaisesRegex(ValueError, "NUL"):
                        call()
                pianola.close_device(workload.device)
            self.assertEqual([path.name for path in folder.iterdir()], ["a"])

    def test_names_of_files_need_not_be_utf8(self):
        result = self.capture(Eager)
        with tempfile.TemporaryDirectory() as name:
            for there in (pathlib.Path(name) / "no\udcffutf.ptb", f"{name}/\udcfe.ptb"):
                with self.assertRaises(OSError):
                    pianola.Session(there)
                result.save(there)
                pianola.Session(there)

    def test_values_that_are_no_arrays(self):
        """What NumPy or the tensor itself says of them, and no end of the process."""
        session = pianola.Session(self.capture(Eager).file)
        [name] = (each["name"] for each in session.inputs)
        freed = pianola.from_numpy(numpy.zeros(session.inputs[0]["shape"], numpy.int8), device=pianola.open_device())
        freed.deallocate()
        for error, value in ((ValueError, [[1], [1, 2]]), (pianola.Error, freed), (pianola.Error, None),
                             (MemoryError, numpy.broadcast_to(numpy.int8(1), (1 << 20, 1 << 20)))):
            with self.assertRaises(error):
                session.run([{name: value}])
        with self.assertRaises(ValueError):
            pianola.compare_to_golden([{"a": [[1], [1, 2]]}], [{"a": [1]}])

    def test_parameters(self):
        with pianola.manage_device(trace_region_size=TRACE_REGION) as device:
            here, term, there = (pianola.zeros((1, 64), pianola.int32, device=device) for _ in range(3))

            def work():
                pianola.fill(term, 3)
                pianola.add(here, term, output_tensor=there)

            work()
            trace = pianola.begin_trace_capture(device)
            work()
            pianola.end_trace_capture(device, trace)
            words = pianola.argument_words(device, trace, 0, 0, 2)  # of fill: what it fills with
            pianola.declare_parameter(device, trace, "term", words, minimum=0, maximum=100)
            x = numpy.arange(64, dtype=numpy.int32).reshape(1, 64)
            pianola.copy_host_to_device_tensor(pianola.from_numpy(x), here)
            pianola.set_parameter(device, trace, "term", 7)
            pianola.execute_trace(device, trace)
            numpy.testing.assert_array_equal(there.cpu().to_numpy(), x + 7)
            place = pianola.address_words(device, trace, here)
            first, second = here.buffer_address(), term.buffer_address()  # neighbours: nothing else lies between
            pianola.declare_parameter(device, trace, "x", place, minimum=first, maximum=second,
                                      alignment=second - first, is_address=True)
            for address, result in ((second, numpy.full_like(x, 14)), (first, x + 7)):
                pianola.set_parameter(device, trace, "x", address)
                pianola.execute_trace(device, trace)
                numpy.testing.assert_array_equal(there.cpu().to_numpy(), result)
            for value, name in ((101, "term"), (1, "other"), (first + 4, "x")):
                with self.assertRaises(pianola.Error) as raised:
                    pianola.set_parameter(device, trace, name, value)
                self.assertEqual(raised.exception.rule, "API-TRACE-PARAMETER")
            with self.assertRaises(ValueError):
                pianola.declare_parameter(device, trace, "more", words, minimum=-1, maximum=1)
            with pianola.capture(device) as capture:
                capture.declare_input(here, "x")
                capture.declare_output(there, "y")
                capture.declare_parameter(trace, "term", words, minimum=0, maximum=100)
                pianola.copy_host_to_device_tensor(pianola.from_numpy(x), here)
                pianola.execute_trace(device, trace)
                there.cpu(blocking=False)
        session = pianola.Session(capture.result.file)
        self.assertEqual(session.parameters, [{"name": "term", "minimum": 0, "maximum": 100, "alignment": 1}])
        self.assertEqual(session.self_test(), 1)
        for value in (0, 7, 100):
            session.set_parameter("term", value)
            numpy.testing.assert_array_equal(session.run([{"x": x}])[0]["y"], x + value)
        self.run_with_parameter(capture.result.file, x)
        with self.assertRaisesRegex(pianola.Error,
                                    r"PLAYER-FAULT: self-test vector 0 of 1 .*\(kIntegrity\).*set those first"):
            session.self_test()
        with self.assertRaisesRegex(pianola.Error, "PLAYER-FAULT: .*kFaultLatched"):
            session.run([{"x": x}])

    def run_with_parameter(self, file, array):
        """`pianola run --set` on a binary that adds `term`."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("binary.ptb", "x.bin", "y.bin")]
            for path, contents in zip(paths, (file, array.tobytes())):
                with open(path, "wb") as stream:
                    stream.write(contents)

            def run(*options):
                return subprocess.run([os.environ["PIANOLA_PROGRAM"], "run", paths[0], "--input", paths[1], "--output",
                                       paths[2], *options], capture_output=True, text=True, check=False)

            for value in (0, 7, 100):
                self.assertEqual(run("--self-test", "--set", f"term={value}").returncode, 0)
                numpy.testing.assert_array_equal(numpy.fromfile(paths[2], array.dtype).reshape(array.shape),
                                                 array + value)
            for text, what in (("term=101", "takes multiples of 1 from 0 to 100, not 101"), ("term", "NAME=VALUE"),
                               ("=3", "NAME=VALUE"), ("term=-1", "NAME=VALUE"), ("term=4294967296", "NAME=VALUE"),
                               ("other=1", "declares no parameter other; it has term")):
                refused = run("--set", text)
                self.assertEqual(refused.returncode, 2, text)
                self.assertIn(what, refused.stderr)
            refused = run("--set", "term=1", "--set", "term=2")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--set term=2: term is set twice", refused.stderr)

    def test_a_device_that_the_simulator_can_not_be(self):
        file = self.capture(SeparateWrites).file
        target = fields_of_target(file)
        for name, value, text in (("queue_count", 3, "queue_count must be 1 to 2"), ("queue_count", 0, "queue_count"),
                                  ("dram_banks", 0, "dram_banks"), ("grid_rows", 9, "grid_rows"),
                                  ("l1_base", target["dram_base"][2], "overlap"),
                                  ("dram_bytes", 0xFFFFFFC0, "at most 1 GiB"), ("l1_bytes", 64, "multiple of 256"),
                                  ("clock_khz", 0, "clock_khz"), ("trace_region_bytes", 1 << 30, "must fit into DRAM"),
                                  ):
            with self.subTest(name, value=value):
                offset, size, _ = target[name]
                changed = bytearray(file)
                changed[offset:offset + size] = value.to_bytes(size, "little")
                changed[160:192] = hashlib.sha256(changed[:160] + changed[192:]).digest()
                with self.assertRaises(pianola.Error) as raised:
                    pianola.Session(bytes(changed))
                self.assertEqual(raised.exception.rule, "PLAYER-TARGET")
                self.assertIn(text, str(raised.exception))

    def test_refusals(self):
        file = self.capture(Eager).file
        damaged = bytearray(file)
        damaged[len(file) // 2] ^= 1
        session = pianola.Session(file)
        good = self.seen[0]
        for rule, call in (
            ("ENV-DIGEST", lambda: pianola.Session(bytes(damaged))),
            ("PLAYER-INPUT", lambda: session.run([{"y": good}])),
            ("PLAYER-INPUT", lambda: session.run([{"x": good, "z": good}])),
            ("PLAYER-INPUT", lambda: session.run([{"x": good.astype(numpy.int32)}])),
            ("PLAYER-INPUT", lambda: session.run([{"x": good.T}])),
            ("PLAYER-PARAMETER", lambda: session.set_parameter("none", 1)),
        ):
            with self.assertRaises(pianola.Error) as raised:
                call()
            self.assertEqual(raised.exception.rule, rule)
        with self.assertRaises(pianola.Error):
            pianola.Session(b"")
        with self.assertRaises(OSError):
            pianola.Session("no such file.ptb")
        self.assert_right([record["y"] for record in pianola.replay(file, [{"x": good}])], [good])


if __name__ == "__main__":
    main()
