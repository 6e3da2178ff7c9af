#!/usr/bin/env python3
"""libpianola.so from Python, by ctypes alone, and from C: verdicts and JSON beside those of the command line, mistakes,
threads, and what it exports.

Usage: shared_library_test.py LIBRARY HEADER_FOLDER PIANOLA_SAMPLE PIANOLA C_COMPILER
"""
import concurrent.futures
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

LIBRARY, HEADERS, SAMPLE, PIANOLA, COMPILER = sys.argv[1:6]
DONE, INTERNAL_ERROR, USAGE, REFUSED = range(4)
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include "pianola_host.h"
int main(int argc, char** argv) {
    static unsigned char bytes[1U << 20];
    FILE* const file = fopen(argv[argc - 1], "rb");
    size_t size = 0U;
    pianola_result* result = NULL;
    unsigned status = 0U;
    if (file == NULL) { return 100; }
    size = fread(bytes, 1U, sizeof(bytes), file);
    (void)fclose(file);
    result = pianola_verify(bytes, size);
    status = pianola_result_status(result);
    (void)printf("%s %s\n", pianola_version(), pianola_result_rule(result));
    pianola_result_free(result);
    return (pianola_api_version() >= PIANOLA_HOST_API_VERSION) ? (int)status : 101;
}
"""
WARNINGS = ("-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Wstrict-prototypes", "-Werror")


def load_library():
    """The library with the signatures of its header."""
    library = ctypes.CDLL(LIBRARY)
    for name in ("verify", "inspect_json"):
        function = getattr(library, f"pianola_{name}")
        function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_size_t), ctypes.c_void_p
    for name, kind in (("status", ctypes.c_uint32), ("rule", ctypes.c_char_p), ("field", ctypes.c_char_p),
                       ("offset", ctypes.c_uint32), ("actual", ctypes.c_uint64), ("limit", ctypes.c_uint64),
                       ("text", ctypes.c_char_p), ("free", None)):
        function = getattr(library, f"pianola_result_{name}")
        function.argtypes, function.restype = (ctypes.c_void_p,), kind
    library.pianola_version.restype = ctypes.c_char_p
    library.pianola_api_version.restype = ctypes.c_uint32
    return library


class SharedLibrary(unittest.TestCase):
    """On a sample that was trained for a moment only."""

    @classmethod
    def setUpClass(cls):
        cls.library = load_library()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        subprocess.run([SAMPLE, "--out", cls.folder, "--steps", "1"], check=True, capture_output=True)
        cls.file = cls.folder / "signs.ptb"
        subprocess.run([PIANOLA, "capture", cls.folder / "road_signs.tflite", "-o", cls.file], check=True,
                       capture_output=True)
        cls.binary = cls.file.read_bytes()

    def ask(self, what, data, size=None):
        """All that a result says, as a dictionary."""
        result = getattr(self.library, f"pianola_{what}")(data, len(data) if size is None else size)
        self.assertTrue(result)
        try:
            said = {name: getattr(self.library, f"pianola_result_{name}")(result)
                    for name in ("status", "rule", "field", "offset", "actual", "limit", "text")}
        finally:
            self.library.pianola_result_free(result)
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in said.items()}

    def command(self, name, file, code):
        """What the command line says of the same file."""
        run = subprocess.run([PIANOLA, name, file, "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, code, run)
        return json.loads(run.stdout)

    def test_a_good_binary_is_accepted(self):
        said = self.ask("verify", self.binary)
        self.assertEqual((said["status"], said["rule"], said["text"]), (DONE, "", ""))

    def test_refusals_are_those_of_the_command_line(self):
        damages = {"magic": (0, b"\0"), "version": (8, b"\2"), "size": (16, b"\xff"), "weight": (8192, b"\x55"),
                   "manifest": (300, b"\xff\xff\xff\xff")}
        for name, (offset, put) in damages.items():
            with self.subTest(damage=name):
                damaged = bytearray(self.binary)
                damaged[offset:offset + len(put)] = put
                file = self.folder / "damaged.ptb"
                file.write_bytes(damaged)
                told = self.command("verify", file, REFUSED)
                said = self.ask("verify", bytes(damaged))
                self.assertEqual(said["status"], REFUSED)
                self.assertEqual(said["rule"], told["rule"])
                self.assertEqual(said["offset"], told["offset"])
                self.assertEqual(said["field"], told["field"])
                self.assertTrue(said["text"])
                self.assertEqual(self.ask("inspect_json", bytes(damaged))["rule"], told["rule"])

    def test_inspect_says_what_the_command_line_says(self):
        said = self.ask("inspect_json", self.binary)
        self.assertEqual(said["status"], DONE)
        shown, told = json.loads(said["text"]), self.command("inspect", self.file, DONE)
        self.assertEqual(shown.pop("schema"), 1)
        for name in ("file", "packed", "self_test_vectors", "state", "views"):
            del told[name]
        self.assertEqual(shown, told)
        self.assertEqual(len(shown["inputs"]), 1)

    def test_what_is_no_file(self):
        for data in (b"", b"\0" * 10, b"x" * 192):
            self.assertEqual(self.ask("verify", data)["status"], REFUSED)
        self.assertEqual(self.ask("verify", None, 0)["rule"], "ENV-FILE-SIZE")
        self.assertEqual(self.ask("verify", None, 64)["status"], USAGE)
        self.assertEqual(self.ask("inspect_json", None, 64)["status"], USAGE)
        self.assertEqual(self.library.pianola_result_status(None), INTERNAL_ERROR)
        self.assertEqual(self.library.pianola_result_text(None), b"")
        self.library.pianola_result_free(None)

    def test_calls_from_several_threads(self):
        damaged = bytearray(self.binary)
        damaged[8192] ^= 1
        files = [self.binary, bytes(damaged)] * 8
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            rules = list(pool.map(lambda data: self.ask("verify", data)["rule"], files))
        self.assertEqual(rules, ["", "ENV-DIGEST"] * 8)

    def test_exports_are_the_functions_of_the_header_with_a_version(self):
        header = (pathlib.Path(HEADERS) / "pianola_host.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"PIANOLA_HOST_API [\w\s*]*?(pianola_\w+)\(", header))
        names = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY], check=True,
                               capture_output=True, text=True).stdout.split("\n")
        exported = {line.split()[-1] for line in names if " T " in line or " W " in line or " V " in line}
        self.assertEqual(exported, {f"{name}@@PIANOLA_0" for name in declared})
        dynamic = subprocess.run(["readelf", "-d", LIBRARY], check=True, capture_output=True, text=True).stdout
        self.assertIn("[libpianola.so.0]", dynamic)

    def test_the_code_of_the_page(self):
        root = pathlib.Path(HEADERS).parents[1]
        page = (root / "docs/guide/c_api.md").read_text(encoding="utf-8")
        python, = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
        code = python.replace('"libpianola.so.0"', repr(LIBRARY)).replace('"signs.ptb"', repr(str(self.file)))
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout, "b''\n")
        session, platform = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
        source = self.folder / "page.c"
        made, call = platform.rsplit("pnl_status_t made =", 1)
        source.write_text(
            session.replace("pnl_status_t load(", "pnl_status_t load(const pnl_session_config_t* config, const uint8_t*"
                            " binary, size_t binary_bytes);\npnl_status_t load(")
            + "extern uint64_t now_us(void* c);\nextern void idle(void* c);\nextern void serve_watchdog(void* c);\n"
            "extern pnl_status_t lowest_version(void* c, uint32_t* v);\n"
            "extern pnl_status_t raise_version(void* c, uint32_t v);\n"
            "extern void enter_safe_state(void* c, const pnl_fault_t* f);\nstatic int ecu;\n"
            + made + "pnl_status_t use(void);\npnl_status_t use(void) { return" + call.rstrip()[:-1] + "; }\n"
            "pnl_status_t cycle(const pnl_bytes_t* input, const pnl_memory_t* output);\n", encoding="utf-8")
        subprocess.run([COMPILER, "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                        f"-I{root / 'runtime/c'}", f"-I{root / 'runtime/c/bootstrap'}", source], check=True)

    def test_a_program_in_c(self):
        source, program = self.folder / "user.c", self.folder / "user"
        source.write_text(PROGRAM, encoding="utf-8")
        folder = pathlib.Path(LIBRARY).parent
        subprocess.run([COMPILER, *WARNINGS, "-I", HEADERS, source, "-o", program, f"-L{folder}", "-lpianola",
                        f"-Wl,-rpath,{folder}"], check=True)
        run = subprocess.run([program, self.file], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout.split()), (DONE, [self.library.pianola_version().decode()]))
        run = subprocess.run([program, source], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, REFUSED)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
