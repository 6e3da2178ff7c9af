"""Proof that the stack gate can fail, and that its sum is right."""
import unittest

from proof_support import GateProof
from stack_gate import judge

FLAGS = ["-fstack-usage", "-fcallgraph-info=su,da"]
LIMITS = {"largest_frame_bytes": 1024, "deepest_chain_bytes": 4096}
NOINLINE = "__attribute__((noinline))"


class StackProof(GateProof):
    """Compiles each example and reads its call graph."""

    def judge(self, text, rules="", limits=None):
        graph = self.compile(text, FLAGS).with_suffix(".ci").read_text()
        findings, lines, _ = judge([graph], rules, limits or LIMITS)
        return findings, "\n".join(lines)

    def test_accepts_good(self):
        findings, _ = self.judge("int f(int v) { return v; }")
        self.assertEqual(findings, [])

    def test_sums_a_chain(self):
        graph = """node: { title: "a" label: "a\\nx:1\\n100 bytes (static)\\n0 dynamic objects" }
node: { title: "b" label: "b\\nx:1\\n20 bytes (static)\\n0 dynamic objects" }
node: { title: "c" label: "c\\nx:1\\n3 bytes (static)\\n0 dynamic objects" }
edge: { sourcename: "a" targetname: "b" label: "x" }
edge: { sourcename: "a" targetname: "c" label: "x" }
edge: { sourcename: "b" targetname: "memcpy" label: "x" }"""
        findings, lines, count = judge([graph], "external memcpy 7", LIMITS)
        self.assertEqual((findings, count), ([], 3))
        self.assertIn("deepest chain: 127 of at most 4096", "\n".join(lines))
        self.assertIn("largest frame: 100 of at most 1024", "\n".join(lines))

    def test_refuses_recursion(self):
        findings, _ = self.judge(f"""int g(int v); {NOINLINE} int f(int v) {{ return v > 0 ? g(v - 1) + v : 0; }}
            {NOINLINE} int g(int v) {{ return v > 1 ? f(v - 1) * v : 1; }}""")
        self.assert_finds(findings, "recursion")

    def test_refuses_recursion_through_a_virtual_call(self):
        text = f"""struct D {{ virtual int poll(int) = 0; }};
            struct E final : D {{ D* d; int poll(int v) override; }};
            {NOINLINE} int E::poll(int v) {{ return d->poll(v - 1) + v; }}"""
        findings, _ = self.judge(text)
        self.assert_finds(findings, "indirect call without a rule")
        findings, _ = self.judge(text, "indirect d->poll( -> E::poll")
        self.assert_finds(findings, "recursion")
        findings, lines = self.judge(text, "boundary d->poll( -> D::poll 500")
        self.assertEqual(findings, [])
        self.assertRegex(lines, "deepest chain: 5[0-9][0-9] ")

    def test_refuses_variable_frames(self):
        findings, _ = self.judge("void g(char*); void f(int v) { char* p = (char*)__builtin_alloca(v); g(p); }",
                                 "external _Z1gPc 8")
        self.assert_finds(findings, "variable size")

    def test_refuses_unknown_callees(self):
        findings, _ = self.judge("void g(); int f(int v) { g(); return v; }")
        self.assert_finds(findings, "not known")

    def test_refuses_large_frames_and_deep_chains(self):
        text = "void f() { volatile char bytes[2000]; bytes[1] = 1; }"
        findings, _ = self.judge(text)
        self.assert_finds(findings, "f: frame of ")
        findings, _ = self.judge(text, limits={"largest_frame_bytes": 4000, "deepest_chain_bytes": 1000})
        self.assert_finds(findings, "f: chain of ")
        self.assertEqual(len(findings), 1)

    def test_refuses_a_deep_chain_from_a_root(self):
        text = f"""struct S {{ {NOINLINE} int load(int v) {{
    volatile char bytes[500]; bytes[1] = char(v); return bytes[1]; }} }};
            {NOINLINE} int f(S& s) {{ return s.load(1) + 1; }}"""
        findings, lines = self.judge(text, limits={**LIMITS, "roots": {"S::load": 600}})
        self.assertEqual(findings, [])
        self.assertRegex(lines, "from S::load: [45][0-9][0-9] of at most 600 bytes")
        findings, _ = self.judge(text, limits={**LIMITS, "roots": {"S::load": 400}})
        self.assert_finds(findings, "S::load: chain of ")
        findings, _ = self.judge(text, limits={**LIMITS, "roots": {"S::gone": 400}})
        self.assert_finds(findings, "S::gone: no such function")

    def test_refuses_bad_rules(self):
        findings, _ = self.judge("void f() {}", "sometimes f -> g")
        self.assert_finds(findings, "not a rule")
        findings, _ = self.judge("void f() {}", "indirect call( -> gone::*")
        self.assert_finds(findings, "no function matches")
        self.assert_finds(findings, "no indirect call contains call(")


if __name__ == "__main__":
    unittest.main()
