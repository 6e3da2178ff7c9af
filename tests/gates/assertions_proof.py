"""Proof that the gate for tests that cannot fail can fail."""
import unittest

from assertions_gate import Tree, python_findings, unasserted_stages
from proof_support import GateProof

HELPERS = """
inline void checked(int value) { EXPECT_EQ(value, 1); }
void through(int value) { if (value > 0) { checked(value); } }
inline bool models() { return std::getenv("PIANOLA_SHARED") != nullptr; }
inline int plain(int value) { return value; }
"""


class AssertionsProof(GateProof):
    """Feeds the gate tests that can fail and tests that cannot."""

    def findings(self, body, before="", kind="TEST(Suite, Case)"):
        text = f"namespace {{\n{before}\n{kind} {{\n{body}\n}}\n}}\n"
        return list(Tree({"tests/a/a_test.cpp": text, "tests/a/helpers.h": HELPERS}).findings())

    def test_accepts_tests_that_assert(self):
        for body in ("EXPECT_TRUE(f());", "for (;;) { ASSERT_EQ(f(), 1); }", "checked(1);", "through(2);",
                     "ADD_FAILURE();", "const auto look = [](int v) { EXPECT_EQ(v, 1); };\nlook(1);",
                     "Attack{1}.go();"):
            with self.subTest(body=body):
                self.assertEqual(self.findings(body, "struct Attack { int v;\nvoid go() { ASSERT_EQ(v, 1); } };"), [])

    def test_refuses_tests_that_do_not(self):
        for body in ("f();", "// EXPECT_TRUE(f());", 'f("EXPECT_TRUE(x)");', "plain(1);", "if (f()) { return; }\ng();"):
            for kind in ("TEST(Suite, Case)", "TEST_F(Suite, Case)", "TEST_P(Suite, Case)"):
                with self.subTest(body=body, kind=kind):
                    self.assert_finds(self.findings(body, kind=kind), "Suite.Case asserts nothing")

    def test_a_namesake_elsewhere_is_no_excuse(self):
        self.assert_finds(self.findings("checked(1);", "void checked(int) {}"), "asserts nothing")

    def test_refuses_early_returns(self):
        self.assert_finds(self.findings("if (!f()) { return; }\nEXPECT_TRUE(g());"), "returns early")
        self.assertEqual(
            self.findings("const auto one = [&](int v) { if (v == 0) { return; }\ng(); };\nEXPECT_TRUE(g(one));"), [])

    def test_refuses_tests_that_need_models_and_do_not_skip(self):
        self.assert_finds(self.findings("EXPECT_TRUE(models() || true);"), "does not skip")
        self.assertEqual(self.findings("if (!models()) { GTEST_SKIP(); }\nEXPECT_TRUE(f());"), [])
        fixture = "class Suite { void SetUp() override { if (!models()) { GTEST_SKIP(); } } };"
        self.assertEqual(self.findings("EXPECT_TRUE(models());", fixture, "TEST_F(Suite, Case)"), [])

    def test_names_what_needs_models(self):
        tree = Tree({
            "tests/a_test.cpp": "TEST(A, B) {\nEXPECT_TRUE(models());\n}\nTEST(A, C) {\nEXPECT_TRUE(f());\n}\n",
            "tests/h.h": HELPERS
        })
        self.assertEqual(list(tree.tests_of_the_outside()), [("A", "B")])

    def test_python(self):
        good = ("class T:\n    def look(self):\n        self.assertEqual(1, 1)\n    def test_a(self):\n        "
                "self.look()\n")
        bad = "class T:\n    def look(self):\n        print(1)\n    def test_b(self):\n        self.look()\n"
        self.assertEqual(python_findings({"a.py": good}), [])
        self.assert_finds(python_findings({"b.py": bad}), "b.py:4: test_b asserts nothing")
        later = bad.replace("def test", "async def test")
        self.assert_finds(python_findings({"b.py": later}), "test_b asserts nothing")
        raising = bad.replace("print(1)", "raise AssertionError(1)")
        self.assertEqual(python_findings({"b.py": raising}), [])

    def test_stages(self):
        header = "enum class FaultStage : std::uint8_t {\n    kNone = 0U,\n    kReset,  // one, two\n    kArm,\n};"
        found, count = unasserted_stages(
            header, ["EXPECT_EQ(stage, FaultStage::kNone);", "EXPECT_EQ(stage, FaultStage::kArm);"])
        self.assertEqual((found, count), (["FaultStage::kReset: no test asserts it"], 3))


if __name__ == "__main__":
    unittest.main()
