#!/usr/bin/env python3
"""Races between queues: what a program is told, and where in it."""
import inspect
import pathlib
import unittest

import numpy

import pianola
from python_support import main

SHAPE = (4, 16)
ONES = numpy.ones(SHAPE, numpy.int8)


def line():
    """Of the caller, as messages name it."""
    frame = inspect.currentframe().f_back
    return f"{pathlib.Path(frame.f_code.co_filename)}:{frame.f_lineno}"


class Races(unittest.TestCase):
    """A write on queue 1 and an operation on queue 0 that reads it."""

    def device(self, **options):
        """With two queues, and a tensor in it."""
        device = pianola.open_device(num_command_queues=2, **options)
        self.addCleanup(pianola.close_device, device)
        tensor = pianola.zeros(SHAPE, pianola.int8, device=device)
        pianola.synchronize_device(device)
        return device, tensor

    def test_both_calls_are_named_with_file_and_line(self):
        _, tensor = self.device()
        host = pianola.from_numpy(ONES)
        wrote = (pianola.copy_host_to_device_tensor(host, tensor, cq_id=1), line())[1]
        with self.assertRaises(pianola.Error) as raised:
            read = line()  # the line before
            pianola.relu(tensor, cq_id=0)
        read = f"{read.rpartition(':')[0]}:{int(read.rpartition(':')[2]) + 1}"
        self.assertEqual(raised.exception.rule, "API-RACE")
        for part in (f"on queue 0 ({read}) reads", f"on queue 1 ({wrote}) writes", "Record an event on queue 1"):
            self.assertIn(part, str(raised.exception))

    def test_an_event_orders_them(self):
        device, tensor = self.device()
        event = pianola.create_event(device)
        pianola.copy_host_to_device_tensor(pianola.from_numpy(ONES), tensor, cq_id=1)
        pianola.record_event(1, event)
        pianola.wait_for_event(0, event)
        numpy.testing.assert_array_equal(pianola.neg(tensor, cq_id=0).cpu(cq_id=0).to_numpy(), -ONES)

    def test_traces(self):
        device, tensor = self.device(trace_region_size=32768)
        pianola.relu(tensor)
        trace = pianola.begin_trace_capture(device)
        pianola.relu(tensor)
        pianola.end_trace_capture(device, trace)
        pianola.copy_host_to_device_tensor(pianola.from_numpy(ONES), tensor, cq_id=1)
        with self.assertRaisesRegex(pianola.Error, r"API-RACE: trace \d+ on queue 0"):
            pianola.execute_trace(device, trace)

    def test_a_warning_instead(self):
        device, tensor = self.device(races="warn")
        pianola.copy_host_to_device_tensor(pianola.from_numpy(ONES), tensor, cq_id=1)
        pianola.relu(tensor, cq_id=0)
        self.assertEqual(len(device.warnings()), 1)
        self.assertIn("API-RACE: program", device.warnings()[0])

    def test_off(self):
        device, tensor = self.device(races="off")
        pianola.copy_host_to_device_tensor(pianola.from_numpy(ONES), tensor, cq_id=1)
        pianola.relu(tensor, cq_id=0)
        self.assertEqual(device.warnings(), [])

    def test_another_word(self):
        with self.assertRaisesRegex(pianola.Error, "'raise', 'warn' and 'off' are possible"):
            pianola.open_device(races="maybe")


if __name__ == "__main__":
    main()
