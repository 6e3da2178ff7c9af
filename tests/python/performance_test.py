#!/usr/bin/env python3
"""Session.performance(): a program of two operations, against what the page says of the columns; and of a mesh."""
import json
import os
import pathlib
import subprocess
import tempfile
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

    def test_the_device_is_the_only_one(self):
        self.assertEqual({entry["device"] for entry in captured().performance()}, {(0, 0)})

    def test_refusals(self):
        with self.assertRaises(ValueError):
            captured().performance(dispatch_ns=-1)


class Mesh(unittest.TestCase):
    """Devices with different programs, each with figures of its own."""

    def setUp(self):
        mesh = pianola.open_mesh_device(pianola.MeshShape(1, 3), trace_region_size=TRACE_REGION,
                                        core_grid=pianola.CoreGrid(y=1, x=1))
        self.addCleanup(pianola.close_mesh_device, mesh)
        left, middle, _ = mesh.create_submeshes(pianola.MeshShape(1, 1))
        with pianola.capture(mesh) as workload:
            for i in range(4):
                for part, operations in ((left, (self.double, pianola.relu, pianola.neg)), (middle, (pianola.neg, ))):
                    x = pianola.from_numpy(numpy.full((8, 64), i, numpy.int8), device=part)
                    for operation in operations:
                        x = operation(x)
                    x.cpu()
        self.result = workload.result

    @staticmethod
    def double(x):
        """A sum of a tensor and itself."""
        return pianola.add(x, x)

    def of_devices(self, **cost):
        """What every mode says, by device."""
        devices = {}
        for entry in pianola.Session(self.result.file).performance(**cost):
            devices.setdefault(entry["device"], {})[entry["mode"]] = entry
        return devices

    def test_every_device_has_its_own_operations(self):
        devices = self.of_devices(dispatch_ns=DISPATCH_NS)
        self.assertEqual(set(devices), {(0, 0), (0, 1)}, "the third has nothing to do")
        for place, operations in (((0, 0), 3), ((0, 1), 1)):
            self.assertEqual(list(devices[place]), ["eager", "traced", "as-captured"])
            for mode, entry in devices[place].items():
                self.assertEqual(len([each for each in entry["operations"] if each["kernel"] > 0]), operations, mode)
                self.assertAlmostEqual(entry["cycles_per_step"], sum(entry[column] for column in COLUMNS[1:]), 6)
        self.assertEqual(devices[0, 0]["eager"]["gain"], 1.0)
        self.assertEqual(devices[0, 1]["eager"]["gain"], 1.0)

    def test_the_host_makes_the_operations_of_all_devices(self):
        devices = self.of_devices(dispatch_ns=DISPATCH_NS, replay_ns=0)
        operation = DISPATCH_NS * CYCLES_PER_US / 1000
        self.assertEqual(devices[0, 0]["eager"]["host"], 3 * operation)
        self.assertEqual(devices[0, 1]["eager"]["host"], operation)
        for entry in (devices[0, 0]["eager"], devices[0, 1]["eager"]):
            self.assertEqual(entry["cycles_per_step"], 4 * operation, "the host is the bottleneck")

    def test_the_faster_device_waits_for_the_slower_one(self):
        devices = self.of_devices(dispatch_ns=0, replay_ns=0)
        for mode in ("traced", "as-captured"):
            slow, fast = devices[0, 0][mode], devices[0, 1][mode]
            self.assertEqual(slow["cycles_per_step"], fast["cycles_per_step"])
            self.assertEqual(fast["gap"] - slow["gap"], sum(slow[column] - fast[column] for column in COLUMNS[1:5]))
            self.assertGreater(fast["gap"], slow["gap"])

    def test_the_program_shows_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mesh.ptb"
            self.result.save(path)
            command = [os.environ["PIANOLA_PROGRAM"], "perf", path, "--json"]
            shown = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["modes"]
            picture = pathlib.Path(folder) / "mesh.json"
            subprocess.run([os.environ["PIANOLA_PROGRAM"], "timeline", path, "-o", picture], check=True,
                           capture_output=True)
            events = json.loads(picture.read_text(encoding="utf-8"))["traceEvents"]
        entries = pianola.Session(self.result.file).performance()
        self.assertEqual([{**each, "device": (each["device"]["row"], each["device"]["column"])} for each in shown],
                         entries)
        groups = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual(groups, {mode + device for mode in ("eager", "traced", "as-captured")
                                  for device in ("", ", device (0, 0)", ", device (0, 1)", ", device (0, 2)")})


if __name__ == "__main__":
    main()
