#!/usr/bin/env python3
"""embed, size and pubkey with --language c99: what they write is C99 for every compiler, says what the other forms say,
and does not compile where it is not true."""
import json
import shutil
import subprocess
import unittest

import cli_support
from cli_support import OPTIONS, USAGE

STRICT = ("-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wundef", "-Werror")
COMPILERS = [name for name in ("gcc", "clang-19", "arm-none-eabi-gcc", "riscv64-unknown-elf-gcc") if shutil.which(name)]
# What a build measures, here for a 32-bit core and the profile default; tests change single numbers.
SIZES = {"SESSION_WORDS": 4096, "WORKSPACE_WORDS": 32768, "VALIDATION_WORDS": 32768, "DEVICE_WORDS": 2,
         "PLATFORM_WORDS": 2, "COMMAND_SET_WORDS": 2, "VERIFIER_WORDS": 2, "DIGEST_ENGINE_WORDS": 2,
         "MESH_DEVICES": 8, "FAULT_RECORDS": 4, "STEPS_IN_FLIGHT": 16, "PROFILE": 2}


class C99(cli_support.CliTest):
    """With the headers of runtime/c."""

    def sizes(self, **changed):
        """The header that a build would make."""
        self.write("pianola_sizes.h",
                   "".join(f"#define PNL_{name} {number}U\n" for name, number in {**SIZES, **changed}.items()))

    def compile(self, compiler, *arguments):
        """(whether it compiles, messages)."""
        # A cross compiler's C library is not what is tried here.
        alone = ("-ffreestanding",) if "-none-" in compiler or "-unknown-" in compiler else ()
        folders = (f"-I{OPTIONS.source}/runtime/c", f"-I{self.folder}")
        run = subprocess.run([compiler, *STRICT, *alone, *folders, *arguments], cwd=self.folder, capture_output=True,
                             text=True, check=False)
        return run.returncode == 0, run.stderr

    def expect_compiles(self, *arguments):
        """By every compiler."""
        self.assertTrue(COMPILERS)
        for compiler in COMPILERS:
            compiled, messages = self.compile(compiler, *arguments)
            self.assertTrue(compiled, f"{compiler}: {messages}")

    def test_the_binary(self):
        binary = self.make_sample()
        self.run_pianola("embed", binary, "--language", "c99", "-o", "signs.c", "--header", "road_signs.h",
                         "--section", ".slot0")
        self.expect_compiles("-c", "signs.c", "-o", "signs.o")
        self.write("main.c", """
#include <stdio.h>
#include "road_signs.h"
int main(int argc, char** argv) {
    FILE* const file = fopen(argv[argc - 1], "rb");
    size_t i = 0U;
    for (; i < sizeof(road_signs); ++i) {
        if (fgetc(file) != (int)road_signs[i]) { return 1; }
    }
    if ((fgetc(file) != EOF) || (road_signs_size != sizeof(road_signs))) { return 2; }
    return (((size_t)&road_signs[0] % 64U) != 0U) ? 3 : 0;
}
""")
        compiled, messages = self.compile("gcc", "main.c", "signs.c", "-o", "main")
        self.assertTrue(compiled, messages)
        subprocess.run([self.folder / "main", binary], check=True)
        self.run_pianola("embed", binary, "--language", "c++", "-o", "signs.c", code=USAGE)

    def test_the_manifest(self):
        binary = self.make_sample()
        self.run_pianola("size", binary, "--header", "--language", "c99", "--symbol", "slot0", "-o", "manifest.h")
        told = json.loads(self.run_pianola("size", binary, "--json").stdout)
        windows = {window["name"]: window for window in told["windows"]}
        self.write("use.c", f"""
#include "manifest.h"
typedef char flash[(SLOT0_FLASH_BYTES == {told["flash"]["bytes"]}U) ? 1 : -1];
typedef char input[((SLOT0_INPUT_COUNT == 1U) && (SLOT0_INPUT_0_BYTES == {told["inputs"][0]["bytes"]}U)) ? 1 : -1];
typedef char output[(SLOT0_OUTPUTS_BYTES == {told["outputs"][0]["bytes"]}U) ? 1 : -1];
typedef char session[(SLOT0_SESSION_BYTES == {told["ram"]["session_bytes"]}U) ? 1 : -1];
typedef char deadline[(SLOT0_STEP_DEADLINE_US == {told["time"]["step_deadline_us"]}U) ? 1 : -1];
typedef char window[(SLOT0_DRAM_WINDOW_POW2_BYTES == {windows["Dram"]["pow2_bytes"]}U) ? 1 : -1];
""")
        self.sizes()
        self.expect_compiles("-fsyntax-only", "use.c")
        for wrong in ({"PROFILE": 1}, {"PROFILE": 3}):
            self.sizes(**wrong)
            compiled, messages = self.compile("gcc", "-fsyntax-only", "use.c")
            self.assertFalse(compiled)
            self.assertIn("SLOT0_PROFILE_FITS", messages)

    @unittest.skipIf("arm-none-eabi-gcc" not in COMPILERS, "no cross compiler")
    def test_storage_that_is_too_small_does_not_compile(self):
        self.run_pianola("size", self.make_sample(), "--header", "--language", "c99", "--symbol", "slot0", "-o",
                         "manifest.h")
        self.write("use.c", '#include "manifest.h"\n')
        for name, what in (("SESSION_WORDS", "SESSION_FITS"), ("WORKSPACE_WORDS", "WORKSPACE_FITS")):
            self.sizes(**{name: 16})
            compiled, messages = self.compile("arm-none-eabi-gcc", "-fsyntax-only", "use.c")
            self.assertFalse(compiled)
            self.assertIn(what, messages)

    def test_the_key(self):
        self.run_pianola("keygen", "-o", "key.pem")
        self.run_pianola("pubkey", "key.pem", "--format", "c", "--language", "c99", "--symbol", "fleet_key", "-o",
                         "fleet_key.h")
        self.sizes()
        self.write("main.c", """
#include "fleet_key.h"
#include <stdio.h>
int main(void) {
    size_t i = 0U;
    for (; i < sizeof(fleet_key.id); ++i) { (void)printf("%02x", fleet_key.id[i]); }
    for (i = 0U; i < sizeof(fleet_key.key); ++i) { (void)printf("%02x", fleet_key.key[i]); }
    return (fleet_key.state == PNL_KEY_STATE_TRUSTED) ? 0 : 1;
}
""")
        self.expect_compiles("-fsyntax-only", "-x", "c", "fleet_key.h", "-Wno-unused-variable",
                             "-Wno-unused-const-variable")
        compiled, messages = self.compile("gcc", "main.c", "-o", "main")
        self.assertTrue(compiled, messages)
        shown = subprocess.run([self.folder / "main"], check=True, capture_output=True, text=True).stdout
        told = json.loads(self.run_pianola("pubkey", "key.pem", "--format", "json").stdout)
        self.assertEqual(shown, told["id"] + told["point"])
        self.run_pianola("pubkey", "key.pem", "--format", "c", "--language", "c89", code=USAGE)


if __name__ == "__main__":
    cli_support.main(needs_models=False)
