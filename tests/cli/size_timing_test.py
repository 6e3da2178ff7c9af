#!/usr/bin/env python3
"""pianola size --ftti-us: every addend is its formula, the sums are theirs, and the exit code says whether it fits."""
import json
import re
import unittest

import cli_support
from cli_support import DONE, USAGE

DOES_NOT_FIT = 1
ECU = {"--clock-hz": 400_000_000, "--cycles-per-instruction": 3, "--period-us": 20_000, "--poll-us": 1000,
       "--reset-us": 20_000}


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
