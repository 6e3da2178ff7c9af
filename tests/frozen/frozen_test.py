#!/usr/bin/env python3
"""One binary of each version, kept as that version's tools made it: today's tools verify and replay it, or refuse it by
the rule that says which part of it is another version's, with the command that captures anew.

Which of the two it must be is read from a binary that today's tools make of the same program. frozen.json lists the
files; every version that CHANGELOG.md names has one. While a version is not released, its binary may be made anew:

    build/release/bin/pianola_example_capture_workload tests/frozen/VERSION.ptb
    sha256sum tests/frozen/VERSION.ptb                  # goes into frozen.json

Usage: frozen_test.py SOURCE PIANOLA CAPTURE_WORKLOAD
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, PIANOLA, CAPTURE = (pathlib.Path(word) for word in sys.argv[1:4])
FOLDER = SOURCE / "tests/frozen"
SCHEMA_HASH = slice(48, 80)  # docs/reference/format.md
REFUSED = 3
# What differs, and by which rules a binary is refused then. An earlier check comes first.
RULES = {"schema": {"ENV-SCHEMA-HASH"}, "device": {"TGT-COMMAND-SET", "TGT-KERNEL-LIBRARY", "TGT-KERNEL", "TGT-COSTS"}}


def run(*words):
    """A finished run of the command line."""
    return subprocess.run([str(word) for word in (PIANOLA, *words)], capture_output=True, text=True, check=False)


def device_of(file):
    """What a binary says of command set, kernels and costs."""
    target = json.loads(run("inspect", file, "--json").stdout)["target"]
    return {
        key: value
        for key, value in target.items() if "command_set" in key or "kernel" in key or key == "cost_model"
    }


class Frozen(unittest.TestCase):
    """Each file of frozen.json."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.fresh = pathlib.Path(folder.name) / "fresh.ptb"
        subprocess.run([CAPTURE, cls.fresh], check=True, capture_output=True)
        cls.files = json.loads((FOLDER / "frozen.json").read_text(encoding="utf-8"))

    def expected_rules(self, file):
        """The rules of which one must refuse it; empty where it must be accepted."""
        if file.read_bytes()[SCHEMA_HASH] != self.fresh.read_bytes()[SCHEMA_HASH]:
            return RULES["schema"]
        return set() if device_of(file) == device_of(self.fresh) else RULES["device"]

    def test_each_is_what_its_version_made(self):
        self.assertEqual(sorted(path.name for path in FOLDER.glob("*.ptb")), sorted(self.files))
        for name, facts in self.files.items():
            self.assertEqual(hashlib.sha256((FOLDER / name).read_bytes()).hexdigest(), facts["sha256"], name)

    def test_each_version_of_the_changelog_has_one(self):
        changelog = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
        versions = re.findall(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)
        self.assertTrue(versions)
        for version in versions:
            self.assertIn(f"{version}.ptb", self.files)

    def test_each_is_accepted_or_refused_as_another_version(self):
        refused = 0
        for name in self.files:
            file, rules = FOLDER / name, self.expected_rules(FOLDER / name)
            done = run("verify", file, "--json")
            verdict = json.loads(done.stdout)
            if not rules:
                self.assertEqual((done.returncode, verdict["accepted"]), (0, True), f"{name}: {verdict}")
                continue
            refused += 1
            self.assertEqual(done.returncode, REFUSED, name)
            self.assertIn(verdict["rule"], rules, name)
            self.assertIn("apture the workload anew with this version", verdict["remedy"])
            self.assertIn("pianola capture MODEL -o FILE", verdict["remedy"])
        self.assertGreater(refused, 0, "no binary of an earlier schema is kept")

    def test_what_is_accepted_replays_as_before(self):
        for name, facts in self.files.items():
            if self.expected_rules(FOLDER / name):
                continue
            with tempfile.TemporaryDirectory() as folder:
                inputs, outputs = pathlib.Path(folder) / "in.bin", pathlib.Path(folder) / "out.bin"
                inputs.write_bytes(bytes(index % 251 for index in range(facts["input_bytes"])))
                done = run("run", FOLDER / name, "--self-test", "--input", inputs, "--output", outputs)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(hashlib.sha256(outputs.read_bytes()).hexdigest(), facts["output_sha256"], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
