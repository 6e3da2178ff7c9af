#!/usr/bin/env python3
"""Each check of the Zephyr module finds what is seeded into its files. Usage: zephyr_proof.py SOURCE"""
import pathlib
import shutil
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import checks
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)

SOURCE = pathlib.Path(sys.argv.pop())
SAMPLE = "zephyr/samples/replay"
OVERLAY = f"{SAMPLE}/boards/mps2_an521_cpu0.overlay"
CORE = "zephyr/dts/bindings/pianola/pianola,core.yaml"


class Proof(unittest.TestCase):
    """Each case changes one file of a copy of the module."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(SOURCE / "zephyr", self.root / "zephyr")

    def change(self, name, old, new):
        """Replaces text of a file, which must be there."""
        text = (self.root / name).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new, 1), encoding="utf-8")
        return self.root / name

    def assert_finds(self, findings, text):
        """Some finding contains `text`."""
        self.assertTrue(any(text in each for each in findings), f"{text!r} is not among {findings}")

    def tree(self):
        """Findings of the overlay."""
        bindings = sorted((self.root / "zephyr/dts/bindings").rglob("*.yaml"))
        return checks.tree_findings(self.root / OVERLAY, bindings)

    def test_module_yml(self):
        self.assert_finds(checks.yaml_findings(self.change("zephyr/module.yml", "kconfig:", "kconfigs:"), "module"),
                          "kconfigs")
        self.change("zephyr/module.yml", "kconfigs:", "kconfig:")
        self.change("zephyr/module.yml", "zephyr/samples", "zephyr/example")
        self.assert_finds(checks.path_findings(self.root), "zephyr/example is not there")

    def test_tests_yaml(self):
        file = self.change(f"{SAMPLE}/tests.yaml", "type: one_line", "type: some_lines")
        self.assert_finds(checks.yaml_findings(file, "tests"), "some_lines")

    def test_a_binding(self):
        self.assert_finds(checks.yaml_findings(self.change(CORE, "type: phandles", "type: pointers"), "binding"),
                          "pointers")

    def test_kconfig(self):
        configuration = self.root / SAMPLE / "prj.conf"
        self.assertEqual(checks.kconfig(self.root, configuration)[1], [])
        self.change(f"{SAMPLE}/prj.conf", "CONFIG_PIANOLA=y", "CONFIG_PIANOLA=y\nCONFIG_PIANOLO=y")
        self.assert_finds(checks.kconfig(self.root, configuration)[1], "PIANOLO")

    def test_kconfig_whose_dependencies_are_not_met(self):
        configuration = self.change(f"{SAMPLE}/prj.conf", "CONFIG_STD_CPP17=y\n", "")
        self.assert_finds(checks.kconfig(self.root, configuration)[1], "PIANOLA is asked for and cannot be had")

    def test_kconfig_out_of_range_and_undefined(self):
        configuration = self.change(f"{SAMPLE}/prj.conf", "CONFIG_CPP=y", "CONFIG_CPP=y\nCONFIG_PIANOLA_IDLE_US=0")
        self.assert_finds(checks.kconfig(self.root, configuration)[1], "PIANOLA_IDLE_US")
        self.change("zephyr/Kconfig", "depends on CPP", "depends on CPP(")
        self.assertNotEqual(checks.kconfig(self.root, configuration)[1], [])

    def test_an_overlay_that_dtc_refuses(self):
        self.change(OVERLAY, "queues = <2>;", "queues = <2>")
        self.assert_finds(self.tree(), "syntax error")

    def test_an_overlay_that_the_bindings_refuse(self):
        self.assertEqual(self.tree(), [])
        self.change(OVERLAY, "clock-khz = <500000>;", "clock-mhz = <500>;")
        self.assert_finds(self.tree(), "clock-khz is required")
        self.assert_finds(self.tree(), "clock-mhz is in no binding")
        self.change(OVERLAY, "queues = <2>;", "queues = <3>;")
        self.assert_finds(self.tree(), "none of [1, 2]")


if __name__ == "__main__":
    unittest.main()
