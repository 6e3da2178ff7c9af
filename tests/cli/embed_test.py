#!/usr/bin/env python3
"""pianola embed: the bytes arrive unchanged, aligned and constant, whatever the form and the compiler."""
import json
import re
import shutil
import subprocess
import unittest

import cli_support
from cli_support import FILE_TROUBLE, OPTIONS, REFUSED, USAGE

HOST_COMPILER = shutil.which("gcc") or shutil.which("cc")
CROSS = (("arm-none-eabi-gcc", ("-mcpu=cortex-m33", "-mthumb")),
         ("arm-none-eabi-gcc", ("-mcpu=cortex-r5", "-mfloat-abi=hard")), ("riscv64-unknown-elf-gcc", ("-march=rv32imac",
                                                                                                      "-mabi=ilp32")))
# Compares what was linked with the file; ends with 0 where all is well.
PROGRAM = r"""
#include <stdio.h>
#include "road_signs.h"
int main(int argc, char** argv) {
    FILE* file = fopen(argv[argc - 1], "rb");
    size_t i = 0;
    for (; i < sizeof road_signs; ++i) {
        if (fgetc(file) != road_signs[i]) return 1;
    }
    if (fgetc(file) != EOF || road_signs_size != sizeof road_signs) return 2;
    return ((size_t)&road_signs[0] % 64) ? 3 : 0;
}
"""


def flags(values):
    """The command line's way to hand flags to the compiler."""
    return [word for value in values for word in ("--compiler-flag", value)]


class Embed(cli_support.CliTest):
    """Sources and objects."""

    def setUp(self):
        super().setUp()
        self.binary = self.make_sample()

    def call(self, *command):
        """Runs another program in this case's folder."""
        run = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, f"{command}\n{run.stdout}\n{run.stderr}")
        return run.stdout

    @unittest.skipIf(HOST_COMPILER is None, "no C compiler")
    def test_every_form_gives_the_bytes_of_the_file(self):
        self.write("main.c", PROGRAM)
        self.write("main.cpp", PROGRAM)
        self.run_pianola("embed", self.binary, "-o", "signs.c", "--header", "road_signs.h")
        self.call(HOST_COMPILER, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "signs.c", "-o", "c.o")
        self.call(HOST_COMPILER, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c",
                  "signs.c", "-o", "cpp.o")
        self.run_pianola("embed", self.binary, "-o", "signs.S")
        self.call(HOST_COMPILER, "-c", "-I", self.binary.parent, "signs.S", "-o", "asm.o")
        self.run_pianola("embed", self.binary, "-o", "object.o", "--compiler", HOST_COMPILER)
        for name in ("c.o", "cpp.o", "asm.o", "object.o"):
            for source in ("main.c", "main.cpp"):
                program = self.folder / f"{name}.{source}.run"
                self.call(HOST_COMPILER, "-Wall", "-Wextra", "-Werror", source, name, "-o", program)
                self.call(program, self.binary)

    @unittest.skipIf(shutil.which("readelf") is None, "no readelf")
    def test_cross_compiled_objects_are_constant_aligned_and_of_the_right_machine(self):
        seen = 0
        for compiler, wanted in CROSS:
            if shutil.which(compiler) is None:
                continue
            seen += 1
            self.run_pianola("embed", self.binary, "-o", "signs.o", "--compiler", compiler, *flags(wanted))
            text = self.call("readelf", "-hSW", "signs.o")
            self.assertRegex(text, "ARM" if compiler.startswith("arm") else "RISC-V")
            self.assertIn("ELF32", text)
            self.assertRegex(text, r"\.rodata\.road_signs\s+PROGBITS\s+0+ \w+ \w+ 00\s+A\s+0\s+0 64")
            symbols = self.call("readelf", "-sW", "signs.o")
            for name in ("road_signs", "road_signs_end", "road_signs_size"):
                self.assertRegex(symbols, rf"GLOBAL\s+DEFAULT\s+\d+ {name}\n")
            self.write("use.c", '#include "use.h"\nunsigned use(void) { return road_signs[3] + road_signs_size; }\n')
            self.run_pianola("embed", self.binary, "-o", "again.o", "--header", "use.h", "--compiler", compiler,
                             *flags(wanted))
            # The flags must make an object that links with code of the same flags.
            self.call(compiler, *wanted, "-ffreestanding", "-nostdlib", "-Wl,-e,use", "use.c", "signs.o", "-o",
                      "linked.elf")
        if seen == 0:
            self.skipTest("no cross compiler")

    def test_outputs_repeat_and_name_no_place(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        shutil.copy(self.binary, elsewhere)
        for name in ("signs.c", "signs.S"):
            self.run_pianola("embed", self.binary, "-o", name, "--header", "signs.h")
            self.run_pianola("embed", elsewhere / self.binary.name, "-o", elsewhere / name, "--header",
                             elsewhere / "signs.h")
            self.assertEqual((self.folder / name).read_bytes(), (elsewhere / name).read_bytes())
            self.assertNotIn(str(self.folder), (self.folder / name).read_text(encoding="utf-8"))
            self.assertEqual((self.folder / "signs.h").read_bytes(), (elsewhere / "signs.h").read_bytes())
        if HOST_COMPILER is not None:
            self.run_pianola("embed", self.binary, "-o", "signs.o", "--compiler", HOST_COMPILER)
            self.run_pianola("embed", elsewhere / self.binary.name, "-o", elsewhere / "signs.o", "--compiler",
                             HOST_COMPILER)
            self.assertEqual((self.folder / "signs.o").read_bytes(), (elsewhere / "signs.o").read_bytes())

    def test_symbol_section_and_format(self):
        self.run_pianola("embed", self.binary, "-o", "out.txt", "--format", "asm", "--symbol", "_slot0", "--section",
                         ".slot0.flash")
        text = (self.folder / "out.txt").read_text(encoding="utf-8")
        for part in (".section .slot0.flash,", "\n_slot0:\n", "_slot0_end:", "_slot0_size:", ".balign 64",
                     '.incbin "road_signs.ptb", 0, '):
            self.assertIn(part, text)
        self.run_pianola("embed", self.binary, "-o", "out.txt", "--format", "c", "--section", ".slot0.flash")
        self.assertIn('__attribute__((section(".slot0.flash")))', (self.folder / "out.txt").read_text(encoding="utf-8"))

    def test_symbols_come_from_the_file_name(self):
        for name, symbol in (("a-b c.ptb", "a_b_c"), ("9.ptb", "binary_9"), ("model.v2.ptb", "model_v2"),
                             ("_x", "binary__x")):
            copy = self.folder / name
            shutil.copy(self.binary, copy)
            report = json.loads(self.run_pianola("embed", copy, "-o", "out.c", "--json").stdout)
            self.assertEqual(report["symbol"], symbol)
            self.assertEqual(report["bytes"], self.binary.stat().st_size)
            self.assertEqual(sorted(report),
                             ["bytes", "format", "kernels", "output", "schema_version", "sha256", "symbol"])
            self.assertTrue(re.search(rf"\b{symbol}\[", (self.folder / "out.c").read_text(encoding="utf-8")))

    @unittest.skipIf(shutil.which("g++") is None or shutil.which("nm") is None, "no C++ compiler")
    def test_a_rom_has_the_kernels_of_its_binaries_and_no_other(self):
        def compile_rom(*words):
            """The kernels that the ROM's object refers to."""
            self.call("g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *words, "-I",
                      OPTIONS.source / "runtime/include", "-I", OPTIONS.source, "-c", "rom.cpp", "-o", "rom.o")
            symbols = self.call("nm", "-C", "rom.o")
            for name in ("kernel_rom()", "find_kernel(unsigned int)"):
                self.assertIn(f" T pianola::refdev::{name}", symbols)
            return set(re.findall(r" U pianola::refdev::compute_(\w+)", symbols))

        kernels = json.loads(self.run_pianola("embed", self.binary, "--rom", "rom.cpp", "--json").stdout)["kernels"]
        target = json.loads(self.run_pianola("inspect", self.binary, "--json").stdout)["target"]
        self.assertEqual(kernels, [{"id": each["id"], "name": each["name"]} for each in target["kernels"]])
        names = {each["name"] for each in kernels}
        self.assertGreater(len(names), 1)
        self.assertEqual(compile_rom(), names)
        # Of two binaries, in any order: all that they name.
        other = self.folder / "other.ptb"
        self.run_pianola("capture", OPTIONS.models / "hello_world_int8" / "model.tflite", "-o", other)
        lists = [json.loads(self.run_pianola("embed", *files, "--rom", "rom.cpp", "--json").stdout)["kernels"]
                 for files in ((self.binary, other), (other, self.binary))]
        self.assertEqual(*lists)
        self.assertEqual(compile_rom(), names | {each["name"] for each in json.loads(
            self.run_pianola("embed", other, "-o", "other.c", "--json").stdout)["kernels"]})
        # Sources that have another version of a kernel do not make the ROM.
        text = (self.folder / "rom.cpp").read_text(encoding="utf-8")
        self.write("rom.cpp", re.sub(r"== (\d+)U, \"", lambda found: f"== {int(found[1]) + 1}U, \"", text, count=1))
        run = subprocess.run(["g++", "-std=c++17", "-I", OPTIONS.source / "runtime/include", "-I", OPTIONS.source, "-c",
                              "rom.cpp", "-o", "rom.o"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("is of another version", run.stderr)

    def test_a_binary_that_verify_refuses_is_not_embedded(self):
        damaged = bytearray(self.binary.read_bytes())
        damaged[4096] ^= 1  # a weight
        run = self.run_pianola("embed", self.write("damaged.ptb", bytes(damaged)), "-o", "out.c", "--header", "out.h",
                               code=REFUSED)
        self.assertIn("ENV-DIGEST", run.stderr)
        run = self.run_pianola("embed", self.binary, "-o", "out.c", "--device",
                               self.write("d.json", {"l1_bytes": 65536}), code=REFUSED)
        self.assertIn("TGT-", run.stderr)
        self.assert_no_leftovers("d.json", "damaged.ptb", "road_signs.ptb", "sample")

    def test_wrong_options(self):
        self.assertIn("--rom", self.run_pianola("embed", self.binary, code=USAGE).stderr)
        self.assertIn("several are for --rom", self.run_pianola("embed", self.binary, self.binary, "-o", "out.c",
                                                                code=USAGE).stderr)
        shutil.copy(self.binary, self.folder / 'a"b.ptb')
        shutil.copy(self.binary, self.folder / "a*.ptb")
        for arguments, text in (((self.binary, "-o", "out.bin"), "--format"), ((self.binary, "-o", "out.o"),
                                                                               "--compiler"),
                                ((self.binary, "-o", "out.c", "--compiler", "cc"),
                                 "--compiler"), ((self.binary, "-o", "out.c", "--symbol", "a-b"),
                                                 "a-b"), ((self.binary, "-o", "out.c", "--symbol", "1a"),
                                                          "1a"), ((self.binary, "-o", "out.c", "--section", "a\"b"),
                                                                  "--section"),
                                (('a"b.ptb', "-o", "out.s"), "printable ASCII"),
                                (("a*.ptb", "-o", "out.S"), "printable ASCII"),
                                ((self.binary, "-o", "out.o", "--compiler", "no-such-compiler"), "no-such-compiler"),
                                ((self.binary, "-o", "out.o", "--compiler", "false"), "exit code 1")):
            run = self.run_pianola("embed", *arguments, code=USAGE)
            self.assertIn(text, run.stderr)
        for name in ("out.c", "out.o", "out.S", "out.bin"):
            self.assertFalse((self.folder / name).exists())

    def test_files_that_can_not_be_written(self):
        self.run_pianola("embed", self.binary, "-o", "missing/out.c", code=FILE_TROUBLE)
        self.run_pianola("embed", self.binary, "-o", "out.c", "--header", "missing/out.h", code=FILE_TROUBLE)

    def test_keywords_are_no_symbols(self):
        """Of C and of C++, in embed, size and pubkey; and a file of such a name gets another symbol."""
        binary = self.capture()
        self.run_pianola("keygen", "-o", "key.pem")
        for word in ("int", "_Bool", "restrict", "class", "and", "co_await", "char8_t", "typeof"):
            for arguments in (("embed", binary, "-o", "x.c"), ("size", binary, "--header"), ("pubkey", "key.pem",
                                                                                             "--format", "c")):
                run = self.run_pianola(*arguments, "--symbol", word, code=USAGE)
                self.assertIn(f"'{word}' is a keyword of C or C++", run.stderr)
        self.run_pianola("embed", binary.rename(self.folder / "int.ptb"), "-o", "x.c")
        self.assertIn("binary_int[", (self.folder / "x.c").read_text(encoding="utf-8"))


if __name__ == "__main__":
    cli_support.main(needs_models=False)
