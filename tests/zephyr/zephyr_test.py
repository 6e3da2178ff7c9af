#!/usr/bin/env python3
"""The Zephyr module, as far as it can be checked without Zephyr: files by schemas, Kconfig by its parser, the sample's
devicetree by dtc and our bindings; and the sample is configured, compiled and run on the host against stand-ins for
Zephyr's functions and headers (stub/). No real Zephyr takes part.

Usage: zephyr_test.py SOURCE BUILD WORK COMPILER
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from overlay_header import overlay_header

SKIPPED = 77
try:
    import checks
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(SKIPPED)

SOURCE, BUILD, WORK = (pathlib.Path(word) for word in sys.argv[1:4])
COMPILER = sys.argv[4]
MODULE = SOURCE / "zephyr"
SAMPLE = MODULE / "samples/replay"
BINDINGS = sorted((MODULE / "dts/bindings").rglob("*.yaml"))
OVERLAY = SAMPLE / "boards/mps2_an521_cpu0.overlay"


def run(*words):
    """A finished command, which has to succeed."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout[-6000:]}"
    return done.stdout


def capture_of_the_page():
    """The arguments of `pianola capture` as docs/guide/zephyr.md has them, with files of this test."""
    page = (SOURCE / "docs/guide/zephyr.md").read_text(encoding="utf-8").replace("\\\n", " ")
    command, = re.findall(r"^    pianola (capture .*)$", page, re.MULTILINE)
    files = {"model.tflite": WORK / "road_signs.tflite", "model.ptb": WORK / "model.ptb",
             "hal/boards/common/device.json": SOURCE / "hal/boards/common/device.json"}
    return [files.get(word, word) for word in shlex.split(command)]


class Module(unittest.TestCase):
    """Each kind of file, then the sample."""

    def test_yaml_files_have_the_form_that_zephyr_reads(self):
        self.assertEqual(checks.yaml_findings(MODULE / "module.yml", "module"), [])
        self.assertEqual(checks.yaml_findings(SAMPLE / "tests.yaml", "tests"), [])
        self.assertEqual(len(BINDINGS), 2)
        for file in BINDINGS:
            self.assertEqual(checks.yaml_findings(file, "binding"), [])
        self.assertEqual(checks.path_findings(SOURCE), [])

    def test_kconfig_has_no_warnings_and_gives_what_the_sample_asks_for(self):
        values, findings = checks.kconfig(SOURCE, SAMPLE / "prj.conf")
        self.assertEqual(findings, [])
        self.assertEqual([values[name] for name in ("PIANOLA", "PIANOLA_PROFILE_SMALL_ECU", "PIANOLA_REFDEV",
                                                    "PIANOLA_KERNELS_PORTABLE", "REQUIRES_FULL_LIBCPP")], ["y"] * 5)
        self.assertEqual(values["PIANOLA_IDLE_US"], "100")

    def test_the_overlay_is_what_the_bindings_say(self):
        self.assertEqual(checks.tree_findings(OVERLAY, BINDINGS), [])

    def test_the_sample_compiles_and_replays_on_stand_ins(self):
        shutil.rmtree(WORK, ignore_errors=True)
        (WORK / "tree").mkdir(parents=True)
        tree = overlay_header(OVERLAY.read_text(encoding="utf-8"))
        (WORK / "tree/zephyr_tree.h").write_text(tree, encoding="utf-8")
        values, _ = checks.kconfig(SOURCE, SAMPLE / "prj.conf")
        (WORK / "config.cmake").write_text("".join(f"set(CONFIG_{name} {value})\n" for name, value in values.items()
                                                   if value not in ("n", "")), encoding="utf-8")
        run(BUILD / "bin/pianola-sample", "--out", WORK, "--steps", "1")
        run(BUILD / "bin/pianola", *capture_of_the_page())
        launcher = shutil.which("ccache")
        run("cmake", "-S", SAMPLE, "-B", WORK / "build", "-G", "Ninja",
            f"-DZephyr_DIR={pathlib.Path(__file__).resolve().parent / 'stub/cmake'}", f"-DSTUB_MODULE={SOURCE}",
            f"-DSTUB_CONFIG={WORK / 'config.cmake'}", f"-DSTUB_TREE={WORK / 'tree'}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DPIANOLA_BINARY={WORK / 'model.ptb'}",
            f"-DPIANOLA_TOOL={BUILD / 'bin/pianola'}",
            f"-DPIANOLA_GENERATED_DIR={BUILD / 'runtime/generated'}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_CXX_FLAGS_RELEASE=-O1", *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []))
        run("cmake", "--build", WORK / "build", "--parallel", "2")
        self.assertEqual(run(WORK / "build/app"), "replayed: 3 steps, every output as captured\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
