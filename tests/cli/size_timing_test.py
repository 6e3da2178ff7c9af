#!/usr/bin/env python3
"""pianola size --ftti-us: every addend is its formula, the sums are theirs, and the exit code says whether it fits."""
import json
import re
import unittest

import cli_support
from cli_support import DONE, USAGE

DOES_NOT_FIT = 1
ECU = {"--clock-hz": 400_000_000, "--cycles-per-instruction": 3, "--period-us": 20_000, "--poll-us": 1000,
       "--reset-us": 20_000, "--port-instructions": 100}
CORE_KHZ = 480_000


class SizeTiming(cli_support.CliTest):
    """One binary, many ECUs."""

    def setUp(self):
        super().setUp()
        self.binary = self.make_sample("--self-test", "1")

    def show(self, ftti_us, *flags, code=DONE, **changed):
        """`fault_handling` of the JSON, of an ECU with changed numbers."""
        options = {**ECU, "--ftti-us": ftti_us, **{"--" + name.replace("_", "-"): value
                                                   for name, value in changed.items()}}
        words = [str(word) for pair in options.items() for word in pair]
        return json.loads(self.run_pianola("size", self.binary, *words, *flags, "--json", code=code).stdout)[
            "fault_handling"]

    @staticmethod
    def times(shown):
        """{name: microseconds}."""
        return {each["name"]: each["time_us"] for each in shown["addends"]}

    def test_sums_are_those_of_their_addends(self):
        shown = self.show(10**6, safe_state_us=700, jitter_us=30)
        for interval in ("detection", "reaction"):
            self.assertEqual(shown[f"{interval}_us"],
                             sum(each["time_us"] for each in shown["addends"] if each["interval"] == interval))
        self.assertEqual(shown["handling_us"], shown["detection_us"] + shown["reaction_us"])
        times = self.times(shown)
        self.assertEqual((times["next step"], times["deadline"], times["next poll"], times["jitter"], times["reset()"],
                          times["safe state"]), (20_000, shown["deadline_us"], 1000, 30, 20_000, 700))
        self.assertEqual(shown["deadline_us"],
                         json.loads(self.run_pianola("size", self.binary, "--json").stdout)["time"]["step_deadline_us"])

    def test_it_comes_behind_all_of_the_manifest(self):
        words = [str(word) for pair in {**ECU, "--ftti-us": 10**6}.items() for word in pair]
        manifest = self.run_pianola("size", self.binary).stdout
        features = json.loads(self.run_pianola("doctor", "--json", code=None).stdout)["features"]
        last = "objects on a Vulkan device" if features["vulkan"] else "protection windows"
        self.assertIn(last, manifest)
        self.assertTrue(self.run_pianola("size", self.binary, *words).stdout.startswith(manifest))

    def test_what_is_no_number_is_in_no_range(self):
        for value in ("nan", "-nan", "inf"):
            words = [str(word) for pair in {**ECU, "--ftti-us": 10**6, "--cycles-per-instruction": value}.items()
                     for word in pair]
            self.run_pianola("size", self.binary, *words, code=USAGE)

    def test_a_call_of_days_is_refused(self):
        """So that no sum leaves 64 bits. Calls of hours are summed up exactly."""
        slow = {"clock_hz": 1, "cycles_per_instruction": 100, "port_instructions": 10**9}
        words = [str(word) for pair in {**ECU, "--ftti-us": 10**12, **{"--" + name.replace("_", "-"): value
                                                                    for name, value in slow.items()}}.items()
                 for word in pair]
        run = self.run_pianola("size", self.binary, *words, code=USAGE)
        self.assertRegex(run.stderr, r"a call of \d+ instructions, 100 cycles each, takes [0-9.e+]+ us at 1 Hz\n")
        shown = self.show(10**12, code=DOES_NOT_FIT, clock_hz=1, cycles_per_instruction=0.1, port_instructions=100)
        self.assertGreater(self.times(shown)["poll()"], 10**9)
        for interval in ("detection", "reaction"):
            self.assertEqual(shown[f"{interval}_us"],
                             sum(each["time_us"] for each in shown["addends"] if each["interval"] == interval))

    def test_it_fits_to_the_microsecond(self):
        handling = self.show(10**6)["handling_us"]
        self.assertTrue(self.show(handling)["fits"])
        self.assertFalse(self.show(handling - 1, code=DOES_NOT_FIT)["fits"])

    def test_a_deadline_that_is_too_short_does_not_fit(self):
        shown = self.show(10**6)
        least = shown["least_deadline_us"]
        self.assertFalse(self.show(10**6, code=DOES_NOT_FIT, deadline_us=least)["deadline_suffices"])
        self.assertTrue(self.show(10**6, deadline_us=least + 1)["deadline_suffices"])
        self.assertLess(self.show(10**6, "--at-completion")["least_deadline_us"], least)

    def test_a_poll_longer_than_its_period_makes_the_next_one_late(self):
        slow = self.times(self.show(10**9, clock_hz=100_000, deadline_us=10**8))
        self.assertGreater(slow["poll()"], ECU["--poll-us"])
        self.assertEqual(slow["next poll"], slow["poll()"])

    def test_work_scales_with_the_core(self):
        work = ("poll()", "zeros in outputs", "fault record")
        slow, fast = self.times(self.show(10**6)), self.times(self.show(10**6, clock_hz=2_000_000_000))
        for name in work:
            self.assertGreaterEqual(slow[name], fast[name], name)
            self.assertLessEqual(slow[name], 10 * fast[name], name)
        self.assertGreater(self.times(self.show(10**6, port_instructions=500))["poll()"], slow["poll()"])
        self.assertLess(self.times(self.show(10**6, "--at-completion"))["poll()"], slow["poll()"])

    def test_the_formula_of_work_is_what_is_added(self):
        for each in self.show(10**6)["addends"]:
            if "instructions" in each["formula"]:
                own, calls, port = self.numbers(each["formula"])
                exact = (own + calls * port) * ECU["--cycles-per-instruction"] * 10**6 / ECU["--clock-hz"]
                self.assertTrue(exact <= each["time_us"] < exact + 1, each)

    @staticmethod
    def numbers(formula):
        """Instructions, port calls, and instructions of each."""
        inner = formula[1:formula.index(")")].split()
        return int(inner[0]), int(inner[3]), int(inner[-1])

    def binary_of_core(self, *options):
        """The binary for a core with one cycle for each instruction."""
        self.binary = self.make_sample("--cost-model", "cortex-m7.dsp", "--core-mhz", CORE_KHZ // 1000,
                                       "--cycles-per-instruction", 1, *options)
        return CORE_KHZ * 1000

    def commands(self):
        """Cycles of the trace's commands."""
        shown = json.loads(self.run_pianola("inspect", self.binary, "--commands", "--json").stdout)
        return [command["cycles"] for trace in shown["traces"] for command in trace["command_list"]]

    def test_a_device_on_the_callers_core_works_in_poll(self):
        clock_hz = self.binary_of_core()
        own = self.show(10**6, device_core="own", clock_hz=clock_hz)
        self.assertTrue(own["deadline_suffices"])
        self.assertFalse(self.show(10**6, device_core="caller", clock_hz=clock_hz, code=DOES_NOT_FIT)[
            "deadline_suffices"])
        shown = self.show(10**6, device_core="caller", clock_hz=clock_hz, deadline_us=60_000)
        self.assertEqual((own["device_core"], shown["device_core"]), ("own", "caller"))
        self.assertNotIn("step", own)
        times, commands = self.times(shown), self.commands()
        self.assertNotIn("device in poll()", self.times(own))
        # The longest of one queue is a kernel. Input, output, the replay and its record are commands of the queue.
        self.assertEqual(times["device in poll()"], -(-max(commands) * 1000 // CORE_KHZ))
        step = shown["step"]
        self.assertEqual(step["polls"], len(commands) + 4)
        self.assertGreaterEqual(step["polled_us"], step["polls"] * ECU["--poll-us"])
        self.assertGreaterEqual(step["waited_us"], sum(commands) * 1000 // CORE_KHZ)
        self.assertLess(step["waited_us"], step["polled_us"])
        self.assertGreater(shown["least_deadline_us"], step["polled_us"])
        self.assertGreater(shown["least_deadline_us"], own["least_deadline_us"])
        fast = self.show(10**6, device_core="caller", clock_hz=clock_hz, poll_us=1, deadline_us=60_000)
        times = self.times(fast)
        self.assertEqual(times["next poll"], times["poll()"] + times["device in poll()"])

    def test_text_says_which_time_of_a_step_has_the_release(self):
        clock_hz = self.binary_of_core()
        options = {**ECU, "--ftti-us": 10**6, "--clock-hz": clock_hz, "--device-core": "caller",
                   "--deadline-us": 60_000}
        words = [str(word) for pair in options.items() for word in pair]
        for flags, release in (((), "with verified release"), (("--at-completion",), "released at completion")):
            step = self.show(10**6, *flags, device_core="caller", clock_hz=clock_hz, deadline_us=60_000)["step"]
            text = self.run_pianola("size", self.binary, *words, *flags).stdout
            self.assertRegex(text, rf"(?m)^  step on this core +{step['polled_us']} us  by {step['polls']} calls of "
                             rf"poll\(\), before its release; {step['waited_us']} us by wait\(\), {release}$")

    def test_whose_core_it_is_must_be_said_and_be_possible(self):
        words = [str(word) for pair in {**ECU, "--ftti-us": 10**6}.items() for word in pair]
        self.assertIn("not those of a core", self.run_pianola("size", self.binary, *words, "--device-core", "caller",
                                                             code=USAGE).stderr)
        self.run_pianola("size", self.binary, *words, "--device-core", "own")
        self.binary_of_core()
        self.assertIn("--device-core", self.run_pianola("size", self.binary, *words, code=USAGE).stderr)
        self.assertIn("480000000 Hz", self.run_pianola("size", self.binary, *words, "--device-core", "caller",
                                                       code=USAGE).stderr)
        self.run_pianola("size", self.binary, *words, "--device-core", "other", code=USAGE)

    def test_steps_that_share_a_verification(self):
        alone = self.show(10**6)
        self.assertGreater(alone["reaction_us"], 0)
        most = (10**6 - alone["reaction_us"]) // 20_000 - 1  # what Session::load() admits
        shared = self.show(10**6, release_steps=most)
        self.assertEqual(self.times(shared)["shared release"], (most - 1) * 20_000)
        self.assertEqual(shared["least_deadline_us"], alone["least_deadline_us"])
        for ftti_us, changed in ((10**6, {"release_steps": most + 1}), (10**6, {"release_steps": 50}),
                                 (10**12, {"release_steps": 3689348815, "period_us": 5 * 10**9})):
            options = {**ECU, "--ftti-us": ftti_us, **{"--" + name.replace("_", "-"): value
                                                       for name, value in changed.items()}}
            words = [str(word) for pair in options.items() for word in pair]
            self.assertIn("Session::release_steps()", self.run_pianola("size", self.binary, *words, code=USAGE).stderr)
        words = [str(word) for pair in {**ECU, "--ftti-us": 10**6, "--release-steps": 2}.items() for word in pair]
        self.assertIn("--at-completion",
                      self.run_pianola("size", self.binary, *words, "--at-completion", code=USAGE).stderr)

    def test_text_says_the_same(self):
        shown = self.show(10**6)
        words = [str(word) for pair in {**ECU, "--ftti-us": 10**6}.items() for word in pair]
        text = self.run_pianola("size", self.binary, *words).stdout
        for each in shown["addends"]:
            name = re.escape(each["name"])
            self.assertRegex(text, rf"(?m)^    {name} +{each['time_us']} us")
        self.assertRegex(text, rf"(?m)^  handling +{shown['handling_us']} us  of 1000000 us: fits$")
        words[-1] = "1"
        self.assertIn("does not fit", self.run_pianola("size", self.binary, *words, code=DOES_NOT_FIT).stdout)

    def test_nothing_is_assumed(self):
        for missing in ECU:
            words = [str(word) for name, value in {**ECU, "--ftti-us": 1000}.items() if name != missing
                     for word in (name, value)]
            self.assertIn(missing, self.run_pianola("size", self.binary, *words, code=USAGE).stderr)
        for name in ("--jitter-us", "--poll-us", "--deadline-us"):
            self.assertIn("--ftti-us", self.run_pianola("size", self.binary, name, "1", code=USAGE).stderr)
        words = [str(word) for pair in {**ECU, "--ftti-us": 1000}.items() for word in pair]
        self.run_pianola("size", self.binary, *words, "--header", code=USAGE)
        self.run_pianola("size", self.binary, self.folder, *words, code=USAGE)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
