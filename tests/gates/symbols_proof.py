"""Proof that the symbols gate can fail: each example compiles, and has one thing that target objects must not have."""
import unittest

from proof_support import GateProof
from symbols_gate import judge

BAD = {
    "heap": "int* f() { return new int{1}; }",
    "mutable data in .data": "int counter = 1; int f() { return ++counter; }",
    "mutable data in .bss": "int f() { static int counter; return ++counter; }",
    "stdio": '#include <cstdio>\nvoid f(int v) { std::printf("%d", v); }',
    "iostream": '#include <iostream>\nvoid f(int v) { std::cout << v; }',
    "leaves the fault path": "#include <cstdlib>\nvoid f() { std::abort(); }",
    "defined by no target object": "int elsewhere(); int f() { return elsewhere(); }",
    "start-up code": "int g(); extern const int value; const int value = g();",
}
BAD_WITH_FLAGS = {
    "exceptions": ("void f(int v) { if (v > 0) { throw v; } }", ["-fexceptions"]),
    "RTTI": ("struct A { virtual void f(); }; void A::f() {}", ["-frtti"]),
    "static with start-up code": (
        "int g(); struct A { A() : value{g()} {} int value; }; int f() { static A a; return a.value; }",
        ["-fthreadsafe-statics"],
    ),
}


class SymbolsProof(GateProof):
    """Compiles each example and expects its finding."""

    def test_accepts_good(self):
        text = """#include <cstring>
            namespace { int twice(int v) { return v * 2; } using F = int (*)(int); constexpr F kTable[] = {&twice}; }
            int f(int v, char* to, const char* from) { std::memcpy(to, from, 999); return kTable[v % 1](v); }"""
        self.assertEqual(judge([self.compile(text)]), [])

    def test_refuses_bad(self):
        examples = {**{reason: (text, []) for reason, text in BAD.items()}, **BAD_WITH_FLAGS}
        for reason, (text, flags) in examples.items():
            with self.subTest(reason=reason):
                self.assert_finds(judge([self.compile(text, flags)]), reason)


if __name__ == "__main__":
    unittest.main()
