#!/usr/bin/env python3
"""The ECU core lacks the DSP extension, which the device's core has, and one image is for both. The extension's
instructions lie in the kernels' inner loops alone, in functions that no other object may define. A core without them
faults there: the other tests of this board, which pass, show that the ECU core does not come across one."""
import re
import subprocess

import baremetal_support as support
import board_facts
import dsp_instructions
from baremetal_support import OPTIONS


KERNELS = support.ROOT / "hal/devices/refdev/kernels"
# A file that the folder above has as well cannot be told apart in a map, and so may not have them.
SOURCES = sorted({path.stem for path in KERNELS.glob("dsp/*.cpp")} - {path.stem for path in KERNELS.glob("*.cpp")})
INNER_LOOPS = re.compile(rf"libpianola_kernels\.a\(({'|'.join(SOURCES)})\.cpp\.")
# From hal/boards/common/core_fault.cpp.
FAULT_EXIT = 70
FAULT = re.compile(r"^core fault: UsageFault at (0x[0-9A-F]+),", re.MULTILINE)
REFUSED = re.compile(r"^\S*instructions\.s:(\d+): Error: selected processor does not support", re.MULTILINE)


class EcuCore(support.BareMetalTest):
    """What images hold, what the core does with it, and that the scan sees it."""

    def test_only_inner_loops_have_the_instructions(self):
        for image in board_facts.images():
            with self.subTest(image=image):
                findings, found = dsp_instructions.judge_image(image, INNER_LOOPS)
                self.assertEqual(findings, [])
                self.assertGreater(len(found), 5, "the device's loops have few of the instructions, or none")

    def test_the_ecu_core_faults_there(self):
        _, found = dsp_instructions.judge_image(OPTIONS.image, INNER_LOOPS)
        run = support.Run("kernels", 1).require(FAULT_EXIT)
        address = int(FAULT.search(run.output)[1], 16)
        self.assertTrue(any(piece.address <= address < piece.address + piece.size_bytes for piece in found), run.output)

    def assembled(self, architecture):
        """(the object, lines that were refused) of one instruction of each kind."""
        source, target = self.folder / "instructions.s", self.folder / "instructions.o"
        source.write_text("\n".join([".syntax unified", *dsp_instructions.EXAMPLES, ""]), encoding="utf-8")
        run = subprocess.run([support.board().arch.binutils + "as", "-mthumb", f"-march={architecture}", "-o", target,
                              source], check=False, capture_output=True, text=True)
        return target, sorted(int(line) for line in REFUSED.findall(run.stderr))

    def test_the_scan_sees_each_of_them(self):
        lines = range(2, len(dsp_instructions.EXAMPLES) + 2)
        self.assertEqual(self.assembled("armv8-m.main")[1], list(lines), "a core without the extension has some")
        target, refused = self.assembled("armv8-m.main+dsp")
        self.assertEqual(refused, [])
        seen = dsp_instructions.places(dsp_instructions.disassembly(target))
        self.assertEqual([name for _, name in seen], [example.split()[0] for example in dsp_instructions.EXAMPLES])


if __name__ == "__main__":
    support.parse()
    support.main()
