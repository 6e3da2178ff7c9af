"""Proof that clang-tidy, called as toolchains/lint.sh calls it and with the project's configuration, refuses bad
code."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from proof_support import GateProof
from tidy_gate import unreached

ROOT = pathlib.Path(__file__).parents[2]
CONFIGS = (".clang-tidy", "capture_host/.clang-tidy", "runtime/.clang-tidy", "hal/.clang-tidy",
           "hal/devices/refdev/sim/.clang-tidy", "tests/.clang-tidy")
HOST, TARGET = "capture_host/a.cpp", "runtime/a.cpp"

# What must be refused: where it stands, the check, and code that has nothing else wrong with it.
BAD = [
    (HOST, "cppcoreguidelines-init-variables", "static int f(int v) { int w; w = v; return w; } int (*p)(int) = &f;"),
    (HOST, "cppcoreguidelines-pro-type-reinterpret-cast",
     "const char* f(int* p) { return reinterpret_cast<char*>(p); }"),
    (HOST, "cppcoreguidelines-pro-type-const-cast", "int* f(const int* p) { return const_cast<int*>(p); }"),
    (HOST, "cppcoreguidelines-owning-memory", "int* f() { return new int{1}; }"),
    (HOST, "cppcoreguidelines-macro-usage", "#define PIANOLA_LIMIT 7\nint f() { return PIANOLA_LIMIT; }"),
    (HOST, "cppcoreguidelines-special-member-functions", "struct A { A() = default; A(const A& other); int a{0}; };"),
    (HOST, "cppcoreguidelines-pro-type-member-init", "struct A { A() {} int a; };"),
    (HOST, "google-explicit-constructor", "struct A { A(int v) : a{v} {} int a; };"),
    (HOST, "google-runtime-int", "long f(long v) { return v; }"),
    (HOST, "readability-braces-around-statements", "int f(int v) { if (v > 1) return 1; return v; }"),
    (HOST, "readability-isolate-declaration", "int f() { int a = 1, b = 2; a += b; b += a; return a * b; }"),
    (HOST, "readability-implicit-bool-conversion", "int f(int v) { if (v) { return 1; } return 0; }"),
    (HOST, "readability-math-missing-parentheses", "int f(int a, int b, int c) { return a + b * c; }"),
    (HOST, "readability-uppercase-literal-suffix", "unsigned f() { return 1u; }"),
    (HOST, "readability-identifier-naming", "int CamelFunction() { return 1; }"),
    (HOST, "modernize-use-nullptr", "int* f() { return 0; }"),
    (HOST, "modernize-use-override", "struct A { virtual int f(); }; struct B : A { virtual int f(); };"),
    (HOST, "bugprone-assignment-in-if-condition",
     "int f(int v) { int w = 0; if ((w = v) > 1) { return w; } return v; }"),
    (HOST, "bugprone-sizeof-expression", "unsigned long f(int* p) { return sizeof(p) / sizeof(int); }"),
    (HOST, "cert-flp30-c", "int f() { int n = 0; for (float x = 0.0F; x < 1.0F; x += 0.1F) { n += 1; } return n; }"),
    (HOST, "clang-analyzer-core.NullDereference",
     "int f(int v) { int* p = nullptr; if (v > 1) { return *p; } return 0; }"),
    (HOST, "misc-use-internal-linkage", "int lonely() { return 1; }"),
    (HOST, "performance-unnecessary-value-param",
     "#include <string>\nint f(std::string s) { return s.empty() ? 1 : 0; }"),
    (HOST, "readability-function-size", "int f(int v) {\n" + "    v += 1;\n" * 58 + "    return v;\n}"),
    (TARGET, "readability-function-size", "int f(int v) {\n" + "    v += 1;\n" * 58 + "    return v;\n}"),
    (TARGET, "misc-no-recursion", "int f(int v) { return v > 0 ? f(v - 1) + 1 : 0; }"),
    (TARGET, "cppcoreguidelines-avoid-c-arrays", "int f() { const int a[2] = {1, 2}; return a[0]; }"),
    (TARGET, "cppcoreguidelines-pro-bounds-pointer-arithmetic", "int f(const int* p, int i) { return *(p + i); }"),
    (TARGET, "cppcoreguidelines-avoid-non-const-global-variables", "int counter = 0;"),
    (TARGET, "hicpp-signed-bitwise", "int f(int v) { return v << 2; }"),
    (TARGET, "portability-restrict-system-includes", "#include <vector>"),
    ("hal/devices/refdev/a.cpp", "misc-no-recursion", "int f(int v) { return v > 0 ? f(v - 1) + 1 : 0; }"),
    ("hal/boards/a_board/a.cpp", "cppcoreguidelines-avoid-non-const-global-variables", "int counter = 0;"),
    ("hal/arch/riscv/a.cpp", "hicpp-no-assembler", 'void f() { asm volatile("nop"); }'),
    ("hal/devices/refdev/sim/a.cpp", "modernize-use-nullptr", "int* f() { return 0; }"),
    ("tests/a.cpp", "bugprone-use-after-move",
     "#include <string>\n#include <utility>\nunsigned long f(std::string s) { std::string t = std::move(s); return "
     "s.size(); }"
     ),
]
GOOD = "namespace pianola { namespace { constexpr bool kYes = true; } static_assert(kYes); }"


class TidyProof(GateProof):
    """Gives each example the configuration of the folder in which it claims to be."""

    def setUp(self):
        super().setUp()
        for config in CONFIGS:
            (self.root / config).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / config, self.root / config)

    def tidy(self, name, text):
        """What toolchains/lint.sh would run on this source: (exit code, output)."""
        source = self.root / self.write(name, text + "\n")
        command = [
            sys.executable,
            str(ROOT / "toolchains" / "tidy.py"), "--cache",
            str(self.root / "cache"), "--plugin", os.environ["PIANOLA_TIDY_PLUGIN"], "--record",
            str(self.root / "linted"),
            str(source), "--", "clang++-19", "-std=c++17", "-c",
            str(source)
        ]
        result = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        return result.returncode, result.stdout + result.stderr

    def test_refuses_bad(self):
        for name, check, text in BAD:
            with self.subTest(name=name, check=check):
                code, output = self.tidy(name, text)
                self.assertNotEqual(code, 0)
                self.assertIn(f"[{check}", output)

    def test_accepts_good(self):
        for name in (HOST, TARGET):
            self.assertEqual(self.tidy(name, GOOD)[0], 0)

    def test_cache_hides_nothing(self):
        for _ in range(2):
            self.assertNotEqual(self.tidy(HOST, BAD[0][2])[0], 0)
        # Clean, remembered, and looked at again as soon as an included file or the configuration changes.
        self.write("capture_host/b.h", GOOD)
        including = '#include "b.h"'
        self.assertEqual(self.tidy(HOST, including)[0], 0)
        remembered = len(list((self.root / "cache").iterdir()))
        self.assertEqual(self.tidy(HOST, including)[0], 0)
        self.assertEqual(len(list((self.root / "cache").iterdir())), remembered)
        self.write("capture_host/b.h", "inline unsigned f() { return 1u; }")
        self.assertNotEqual(self.tidy(HOST, including)[0], 0)
        self.write("capture_host/b.h", GOOD)
        self.write(".clang-tidy", "Checks: '-*,cppcoreguidelines-macro-usage'\nWarningsAsErrors: '*'\n")
        self.tidy(HOST, including)
        self.assertEqual(len(list((self.root / "cache").iterdir())), remembered + 1)

    def test_cache_knows_no_place(self):
        """A second clone finds what the first one left, and no more than that."""
        above, counts = self.root, []
        for place in ("one", "two"):
            for config in CONFIGS:
                self.root = above
                self.write(f"{place}/{config}", (ROOT / config).read_text(encoding="utf-8"))
            self.root = above / place
            self.write("capture_host/b.h", GOOD)
            if place == "two":
                shutil.copytree(above / "one" / "cache", self.root / "cache")
            self.assertEqual(self.tidy(HOST, '#include "b.h"')[0], 0)
            counts.append(len(list((self.root / "cache").iterdir())))
        self.assertEqual(counts[0], counts[1])
        self.write("capture_host/b.h", "inline unsigned f() { return 1u; }")
        self.assertNotEqual(self.tidy(HOST, '#include "b.h"')[0], 0)

    def together(self, texts):
        """What toolchains/lint.sh would run on these sources of one target: (exit code, output, names recorded)."""
        for name, text in texts.items():
            self.write(name, text + "\n")
        command = [
            sys.executable,
            str(ROOT / "toolchains" / "tidy.py"), "--together", "8", "--cache",
            str(self.root / "cache"), "--plugin", os.environ["PIANOLA_TIDY_PLUGIN"], "--record",
            str(self.root / "linted"), *(str(self.root / name) for name in texts), "--", "clang++-19", "-std=c++17",
            "-Wshadow", "-o", "a.dir/a.o", "-c"
        ]
        shutil.rmtree(self.root / "linted", ignore_errors=True)
        result = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        recorded = sorted(path.stem.replace("+", "/") for path in (self.root / "linted").glob("*.txt"))
        return result.returncode, result.stdout + result.stderr, recorded

    def test_together(self):
        """Sources read as one text: a finding names its source; sources that clash are examined one by one."""
        text = "namespace pianola { namespace { constexpr int kOne = 1; } static_assert(kOne == %d); }"
        texts = {f"capture_host/{name}.cpp": (text % 1).replace("kOne", f"k{name.upper()}") for name in "abc"}
        texts["runtime/a.cpp"] = GOOD
        code, output, recorded = self.together(texts)
        self.assertEqual((code, recorded), (0, sorted(texts)), output)
        self.assertIn("together_a.cpp", output)
        self.assertIn("runtime/a.cpp", output)
        self.assertEqual(len(list((self.root / "cache").iterdir())), 2)
        # Known, and no longer known once the last of them changes.
        self.assertEqual(self.together(texts)[::2], (0, sorted(texts)))
        self.assertEqual(len(list((self.root / "cache").iterdir())), 2)
        code, output, recorded = self.together(dict(texts, **{"capture_host/c.cpp": BAD[0][2]}))
        self.assertIn("capture_host/c.cpp:1:27: error", output)
        self.assertEqual((code, recorded), (1, ["capture_host/a.cpp", "capture_host/b.cpp", "runtime/a.cpp"]))
        clashing = {f"capture_host/{name}.cpp": text % 1 for name in "abc"}
        code, output, recorded = self.together(clashing)
        self.assertEqual((code, recorded), (0, sorted(clashing)), output)

    def test_reach(self):
        self.write("capture_host/b.h", GOOD)
        self.assertEqual(self.tidy(HOST, '#include "b.h"')[0], 0)
        self.assertNotEqual(self.tidy(TARGET, BAD[0][2])[0], 0)
        self.write("tests/e.c", '#include "e.h"\n')
        self.write("tests/e.h", '#include "f.h"\n')
        every = (HOST, TARGET, "capture_host/b.h", "d.h", "tests/e.c", "tests/e.h", "tests/f.h", "e.h")
        names = [pathlib.Path(name) for name in every]

        def findings():
            return unreached(self.root, names, self.root / "linted")

        expected = [
            f"{TARGET}: not looked at, or with findings", "d.h: nothing includes it", "e.h: nothing includes it"
        ]
        self.assertEqual(findings(), expected)
        later = (self.root / "linted").stat().st_mtime + 60
        os.utime(self.root / "capture_host/b.h", (later, later))
        self.assertEqual(findings(), [f"{HOST}: capture_host/b.h has changed since it was looked at", *expected])


if __name__ == "__main__":
    unittest.main()
