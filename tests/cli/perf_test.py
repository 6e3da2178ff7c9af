#!/usr/bin/env python3
"""pianola perf: columns that add up, on each device; the same figures as the timeline's, and refusals."""
import json
import re

import cli_support
from cli_support import REFUSED, USAGE, sealed

COLUMNS = ("host", "dispatch", "kernel", "host_to_device", "device_to_host", "gap")
MODELS = ("hello_world_int8", "ad01_int8")


class Perf(cli_support.CliTest):
    """Figures and text."""

    def modes(self, binary, *arguments):
        """What --json shows, by mode."""
        shown = json.loads(self.run_pianola("perf", binary, "--json", *arguments).stdout)
        return {mode["mode"]: mode for mode in shown["modes"]}

    def test_columns_add_up_to_the_step(self):
        for model in MODELS:
            for mode, shown in self.modes(self.capture(model)).items():
                for column in COLUMNS:
                    self.assertAlmostEqual(shown[column], sum(each[column] for each in shown["operations"]), places=6)
                if mode in ("eager", "traced"):
                    self.assertAlmostEqual(shown["cycles_per_step"], sum(shown[column] for column in COLUMNS[1:]))

    def test_figures_are_the_timelines(self):
        binary = self.capture("hello_world_int8")
        timeline = json.loads(self.run_pianola("timeline", binary, "--json").stdout)["modes"]
        shown = self.modes(binary)
        self.assertEqual({row["mode"]: row["cycles_per_step"] for row in timeline},
                         {name: mode["cycles_per_step"] for name, mode in shown.items()})
        for row in timeline:
            self.assertAlmostEqual(row["gain"], shown[row["mode"]]["gain"])

    def test_an_eager_host_needs_its_time_for_every_operation(self):
        shown = self.modes(self.capture("hello_world_int8"), "--dispatch-ns", 40000, "--replay-ns", 1000)["eager"]
        kernels = [each for each in shown["operations"] if each["kernel"] > 0.0]
        clock_khz = json.loads(self.run_pianola("perf", self.capture("hello_world_int8"), "--json").stdout)["clock_khz"]
        self.assertGreater(len(kernels), 1)
        for each in kernels:
            self.assertEqual(each["host"], -(-40000 * clock_khz // 1_000_000))

    def test_text_shows_the_chosen_mode(self):
        binary = self.capture("hello_world_int8", "--queues", 2)
        for mode in ("eager", "traced", "two-queues", "two-queues-split", "as-captured"):
            text = self.run_pianola("perf", binary, "--mode", mode).stdout
            self.assertIn(f"{mode}, operation by operation", text)
            self.assertIn("FULLY_CONNECTED", text.upper())

    def test_random_binaries(self):
        binaries, device = self.random_binaries(12)
        for binary, _ in binaries:
            for mode, shown in self.modes(binary, *device).items():
                self.assertAlmostEqual(shown["kernel"], sum(each["kernel"] for each in shown["operations"]), msg=mode)
                self.assertGreater(shown["cycles_per_step"], 0.0, mode)

    def test_what_is_refused_is_not_measured(self):
        contents = bytearray(self.capture("hello_world_int8").read_bytes())
        contents[-70] ^= 0x5A
        for damaged in (bytes(contents), sealed(bytes(contents)), b""):
            self.run_pianola("perf", self.write("damaged.ptb", damaged), code=REFUSED)

    def test_a_device_with_one_queue(self):
        binary = self.capture("hello_world_int8", "--device", self.write("one.json", {"queue_count": 1}))
        self.assertEqual(list(self.modes(binary)), ["eager", "traced", "as-captured"])
        run = self.run_pianola("perf", binary, "--mode", "two-queues", code=USAGE)
        self.assertIn("--mode two-queues", run.stderr)

    def test_devices_of_a_mesh_add_up_and_are_what_each_is_alone(self):
        for mesh in ((1, 2), (2, 2)):
            binaries, device = self.random_binaries(12, mesh=mesh)
            places = [{"row": row, "column": column} for row in range(mesh[0]) for column in range(mesh[1])]
            for binary, _ in binaries:
                for free in ((), ("--dispatch-ns", 0, "--replay-ns", 0)):
                    shown = json.loads(self.run_pianola("perf", binary, "--json", *free, *device).stdout)["modes"]
                    for number, place in enumerate(places):
                        own = {mode["mode"]: mode for mode in shown if mode["device"] == place}
                        self.assertEqual(len(own) * len(places), len(shown))
                        for mode in ("eager", "traced"):
                            self.assertAlmostEqual(own[mode]["cycles_per_step"],
                                                   sum(own[mode][column] for column in COLUMNS[1:]), places=6)
                        if free:
                            alone = self.modes(binary.with_suffix(".alone") / f"{number}.ptb", *free, *device)
                            self.assertEqual(list(own), list(alone))
                            for mode, entry in own.items():
                                self.assertEqual({**entry, "device": places[0]}, alone[mode], f"{binary} {mode}")

    def test_one_host_works_for_all_devices_of_a_mesh(self):
        (binary, _), *_ = self.random_binaries(6, mesh=(1, 2), most=1)[0]
        slow = ("--dispatch-ns", 40000, "--replay-ns", 40000)
        alone = self.modes(binary.with_suffix(".alone") / "0.ptb", *slow)
        shown = json.loads(self.run_pianola("perf", binary, "--json", *slow).stdout)["modes"]
        for mode in ("eager", "traced", "two-queues", "two-queues-split"):
            own = [each for each in shown if each["mode"] == mode]
            self.assertEqual(len(own), 2)
            for each in own:
                self.assertEqual(each["host"], alone[mode]["host"])
                self.assertEqual(each["cycles_per_step"], 2 * alone[mode]["cycles_per_step"])

    def test_text_has_each_device_of_a_mesh(self):
        (binary, _), *_ = self.random_binaries(6, mesh=(1, 2), most=1)[0]
        text = self.run_pianola("perf", binary, "--mode", "two-queues-split").stdout
        for place in ("(0, 0)", "(0, 1)"):
            for mode in ("eager", "traced", "two-queues", "two-queues-split", "as-captured"):
                self.assertRegex(text, rf"(?m)^  {mode} {re.escape(place)} +\d")
            self.assertIn(f"\ntwo-queues-split {place}, operation by operation\n", text)

    def test_a_damaged_binary_for_a_mesh_is_not_measured(self):
        (binary, _), *_ = self.random_binaries(6, mesh=(1, 2), most=1)[0]
        contents = bytearray(binary.read_bytes())
        contents[len(contents) // 2] ^= 1
        self.run_pianola("perf", self.write("bad.ptb", bytes(contents)), code=REFUSED)
        self.run_pianola("perf", binary, "--mode", "fast", code=USAGE)


if __name__ == "__main__":
    cli_support.main()
