#!/usr/bin/env python3
"""Session.performance(): a program of two operations, against what the page says of the columns."""
import unittest

import numpy

import pianola
from python_support import TRACE_REGION, main

COLUMNS = ("host", "dispatch", "kernel", "host_to_device", "device_to_host", "gap")
DISPATCH_NS = 20000
CYCLES_PER_US = 500


def captured(cores=2):
    """A loop of two operations, captured on a grid of as many cores each way."""
    grid = pianola.CoreGrid(y=cores, x=cores)
    with pianola.manage_device(trace_region_size=TRACE_REGION, core_grid=grid) as device:
        with pianola.capture(device) as workload:
            for i in range(4):
                x = pianola.from_numpy(numpy.full((8, 64), i, numpy.int8), device=device)
                pianola.relu(pianola.add(x, x)).cpu()
    return pianola.Session(workload.result.file)


class Performance(unittest.TestCase):
    """What each operation takes, mode by mode."""

    def test_columns(self):
        # On one core, so that no operation begins before the one in front of it has ended.
        modes = {entry["mode"]: entry for entry in captured(1).performance(dispatch_ns=DISPATCH_NS)}
        self.assertEqual(list(modes), ["eager", "traced", "as-captured"])
        for mode in ("eager", "traced"):
            entry = modes[mode]
            self.assertEqual(len([each for each in entry["operations"] if each["kernel"] > 0]), 2, mode)
            self.assertAlmostEqual(entry["cycles_per_step"], sum(entry[column] for column in COLUMNS[1:]))
            for column in COLUMNS:
                self.assertAlmostEqual(entry[column], sum(each[column] for each in entry["operations"]))

    def test_an_operation_on_four_cores_is_dispatched_once(self):
        eager = captured().performance(dispatch_ns=DISPATCH_NS, replay_ns=0)[0]
        self.assertEqual(eager["host"], 2 * DISPATCH_NS * CYCLES_PER_US / 1000)

    def test_a_trace_takes_the_hosts_time_away(self):
        eager, traced, _ = captured().performance(dispatch_ns=DISPATCH_NS)
        self.assertGreater(traced["gain"], 2.0)
        self.assertEqual(eager["gain"], 1.0)
        self.assertEqual(eager["kernel"], traced["kernel"])
        self.assertGreater(eager["gap"], traced["gap"])

    def test_refusals(self):
        with self.assertRaises(ValueError):
            captured().performance(dispatch_ns=-1)


if __name__ == "__main__":
    main()
