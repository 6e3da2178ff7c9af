#!/usr/bin/env python3
"""toolchains/compare_cmsis_nn.py: with a library of our own that has CMSIS-NN's functions, and without one."""
import pathlib
import re
import shutil
import subprocess
import sys

import baremetal_support as support
import device_counts
from baremetal_support import OPTIONS

STUB = support.ROOT / "tests/baremetal/peer/stub"
OUTPUTS_WRONG, MISSING, TOOL = 1, 3, 4


def compare(*words):
    """A run of the script."""
    script = support.ROOT / "toolchains/compare_cmsis_nn.py"
    return subprocess.run([sys.executable, "-B", script, *map(str, words)], text=True, capture_output=True, check=False)


class Peer(support.BareMetalTest):
    """The sample, with goldens that the simulator makes."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / f"signs_{self._testMethodName}"
        self.source.mkdir(exist_ok=True)
        shutil.copyfile(OPTIONS.sample / f"{support.SAMPLE}.tflite", self.source / "model.tflite")
        shutil.copyfile(OPTIONS.sample / "sign_0.bin", self.source / "input_0_0.bin")
        self.golden = self.source / "golden_0_0.bin"
        support.checked(OPTIONS.pianola, "run", support.Model(support.SAMPLE).file, "--input",
                        self.source / "input_0_0.bin", "--output", self.golden)

    def library(self, *definitions):
        """The stand-in, built for the board's core."""
        build = OPTIONS.image.parents[2]
        options = (build / "tests/baremetal/peer_options.txt").read_text(encoding="utf-8").split()
        library = self.folder / "libstub.a"
        library.unlink(missing_ok=True)
        objects = []
        for source, language in (("stub.c", "-std=c11"), ("softmax.cpp", "-std=c++17")):
            objects.append(self.folder / f"{source}.o")
            compiler = support.board().arch.binutils + ("g++" if source.endswith("cpp") else "gcc")
            support.checked(compiler, *options, language, "-O1", "-Wall", "-Wextra", "-Werror", "-ffunction-sections",
                            f"-I{support.ROOT}", f"-I{support.ROOT / 'runtime/include'}", f"-I{STUB}", *definitions,
                            "-c", STUB / source, "-o", objects[-1])
        support.checked(support.board().arch.binutils + "ar", "rcs", library, *objects)
        return library

    def compared(self, library, *words):
        """A run with a library."""
        return compare("--include", STUB, "--library", f"{OPTIONS.board}={library}", *words, self.source)

    def test_the_ratio_is_printed_where_all_outputs_are_right(self):
        run = self.compared(self.library(), "--layers")
        self.assertEqual(run.returncode, 0, run.stderr)
        cells = r" \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|$"
        lines = [re.search(fr"^\| {self.source.name}{text}{cells}", run.stdout, re.MULTILINE)
                 for text in ("", r", release verified \(default\)", ", release verified within 100 ms")]
        self.assertTrue(all(lines), run.stdout)
        figures = [(*(int(line[group].replace(",", "")) for group in (1, 2)), float(line[3])) for line in lines]
        for numerator, denominator, ratio in figures:
            self.assertAlmostEqual(ratio, numerator / denominator, delta=0.006)
        (ours, theirs, _), (verified, again, _), (within, once_more, _) = figures
        self.assertTrue(ours < within < verified, figures)
        self.assertEqual((theirs, theirs), (again, once_more))
        layers = re.findall(r"^ +\d+ (\w+) +([\d,]+) +([\d,]+)  (.*)$", run.stdout, re.MULTILINE)
        self.assertEqual(sum(int(layer[2].replace(",", "")) for layer in layers), theirs)
        front = int(re.search(r"in no layer: ([\d,]+)", run.stdout)[1].replace(",", ""))
        self.assertEqual(front + sum(int(layer[1].replace(",", "")) for layer in layers if layer[3] != "not driven"),
                         ours)
        self.assertEqual([layer[0] for layer in layers if layer[3] == "not driven"], ["MEAN"])
        self.assertRegex(run.stdout, r"not driven, in neither sum.*\n.*\n\| .*: \d+ MEAN, .* \| [\d,]+ \|")

    def test_the_device_is_counted_as_by_device_counts(self):
        run = self.compared(self.library(), "--layers", "--pack", "portable")
        counted = sum(int(number.replace(",", "")) for number in re.findall(
            r"(?:in no layer:|^ +\d+ \w+) +([\d,]+)", run.stdout, re.MULTILINE))
        OPTIONS.image = OPTIONS.image.with_name("pianola_baremetal.elf")
        section = device_counts.measure(support.Model(support.SAMPLE), self.folder)
        OPTIONS.image = OPTIONS.image.with_name("pianola_baremetal_peer.elf")
        self.assertEqual(counted, section.total)

    def test_without_goldens_the_simulator_says_what_is_right(self):
        self.golden.unlink()
        run = self.compared(self.library())
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_wrong_result_of_the_library_is_found(self):
        run = self.compared(self.library("-DSTUB_MISTAKE"))
        self.assertEqual(run.returncode, OUTPUTS_WRONG, run.stdout)
        self.assertIn("the library's outputs of", run.stderr)
        self.assertNotIn("|", run.stdout)

    def test_a_wrong_golden_is_found(self):
        golden = bytearray(self.golden.read_bytes())
        golden[0] ^= 1
        self.golden.write_bytes(golden)
        run = self.compared(self.library())
        self.assertEqual(run.returncode, OUTPUTS_WRONG, run.stdout)
        self.assertIn("not the", run.stderr)

    def test_a_library_that_wants_too_much_memory_is_refused(self):
        run = self.compared(self.library("-DSTUB_BUFFER=0x100000"))
        self.assertEqual(run.returncode, TOOL, run.stdout)
        self.assertIn("peer_bytes_missing=", run.stderr)

    def test_without_a_library_it_says_what_it_needs(self):
        run = compare(self.source)
        self.assertEqual(run.returncode, MISSING)
        self.assertIn("static library", run.stderr)
        run = self.compared(self.folder / "nothing.a")
        self.assertEqual(run.returncode, MISSING)
        self.assertIn("nothing.a: no such library", run.stderr)


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}))
    support.main()
