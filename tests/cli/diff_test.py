#!/usr/bin/env python3
"""pianola diff: exit codes, classes, text and JSON; each class by itself is in tests/diff."""
import json

import cli_support
from cli_support import DIFFERENT_BINARIES, DONE, FILE_TROUBLE, REFUSED, USAGE


class Diff(cli_support.CliTest):
    """Two captures of the project's own sample that differ in options."""

    def classes(self, before, after, code=DIFFERENT_BINARIES):
        """The classes that differ; text and JSON say the same."""
        shown = json.loads(self.run_pianola("diff", before, after, "--json", code=code).stdout)
        text = self.run_pianola("diff", before, after, code=code).stdout
        self.assertEqual(shown["equal"], code == DONE)
        self.assertEqual(shown["classes"], sorted({change["class"] for change in shown["changes"]}))
        for change in shown["changes"]:
            for member in ("where", "before", "after"):
                self.assertIn(change[member], text)
        return shown["classes"]

    def captured(self, name, *options):
        """The sample, captured with options; the sample itself is made once."""
        if not (self.folder / "signs.tflite").exists():
            self.make_sample()
            (self.folder / "sample" / "road_signs.tflite").rename(self.folder / "signs.tflite")
        self.run_pianola("capture", "signs.tflite", "-o", name, *options)
        return name

    def test_equal_files(self):
        a, b = self.captured("a.ptb"), self.captured("b.ptb")
        self.assertEqual(self.classes(a, b, DONE), [])
        self.assertEqual(self.classes(a, a, DONE), [])

    def test_options_of_a_capture(self):
        a = self.captured("a.ptb", "--deadline-us", "50000", "--setup-deadline-us", "50000")
        options = ("--setup-deadline-us", "50000")
        self.assertEqual(self.classes(a, self.captured("b.ptb", "--deadline-us", "60000", *options)), ["timing"])
        self.assertEqual(
            self.classes(a, self.captured("c.ptb", "--deadline-us", "50000", "--self-test", "2", *options)),
            ["self-tests"])
        faster = self.write("faster.json", {"clock_khz": 600000})
        self.assertEqual(
            self.classes(a, self.captured("d.ptb", "--deadline-us", "50000", "--device", faster, *options)),
            ["target"])

    def test_enumerators_have_names(self):
        small = self.write("small.json", {"profile": "small_ecu"})
        a, b = self.captured("a.ptb"), self.captured("b.ptb", "--device", small)
        self.classes(a, b)
        text = self.run_pianola("diff", a, b, code=DIFFERENT_BINARIES).stdout
        self.assertRegex(text, r"profile\n    - default\n    \+ small_ecu\n")

    def test_packed_weights_are_the_same_model_in_another_form(self):
        plain, packed = self.captured("plain.ptb"), self.captured("packed.ptb", "--pack", "mve")
        classes = self.classes(plain, packed)
        for wanted in ("commands", "weights"):
            self.assertIn(wanted, classes)
        for other in ("tensors", "parameters", "self-tests", "operators", "provenance", "security-version",
                      "signature"):
            self.assertNotIn(other, classes)
        shown = json.loads(self.run_pianola("diff", plain, packed, "--json", code=DIFFERENT_BINARIES).stdout)
        weights = [change["where"] for change in shown["changes"] if change["class"] == "weights"]
        self.assertIn("0 CONV_2D: conv2d filter", weights)
        self.assertFalse([where for where in weights if "SOFTMAX" in where])

    def test_another_model_is_another_source(self):
        a = self.captured("a.ptb")
        self.run_pianola("capture", "signs.tflite", "-o", "queues.ptb", "--queues", "2")
        classes = self.classes(a, "queues.ptb")
        self.assertIn("commands", classes)
        self.assertNotIn("provenance", classes)
        self.assertNotIn("weights", classes)

    def test_fail_on_is_about_the_exit_code_alone(self):
        a, b = self.captured("a.ptb", "--deadline-us", "50000"), self.captured("b.ptb", "--deadline-us", "60000")
        for fail_on, code in (("timing", DIFFERENT_BINARIES), ("memory,timing", DIFFERENT_BINARIES),
                              ("memory,weights", DONE)):
            run = self.run_pianola("diff", a, b, "--fail-on", fail_on, code=code)
            self.assertIn("step_deadline_us", run.stdout)
        self.run_pianola("diff", a, b, "--fail-on", "memory", "--fail-on", "timing", code=DIFFERENT_BINARIES)
        self.assertIn("timing", self.run_pianola("diff", a, b, "--fail-on", "timming", code=USAGE).stderr)

    def test_bytes_that_no_class_is_about(self):
        """A manifest in another form."""
        a, folder = self.captured("a.ptb"), self.folder / "mutants"
        self.run_pianola("mutate", a, "-o", folder, "--kind", "semantic", code=None)
        (mutant, ) = list(folder.glob("HST-CANONICAL.*.ptb"))[:1]
        self.assertEqual(self.classes(a, mutant), ["other"])

    def test_a_file_that_is_not_whole_is_refused(self):
        a = self.captured("a.ptb")
        contents = (self.folder / a).read_bytes()
        self.assertIn("ENV-", self.run_pianola("diff", a, self.write("cut.ptb", contents[:-1]), code=REFUSED).stderr)
        self.run_pianola("diff", a, "missing.ptb", code=FILE_TROUBLE)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
