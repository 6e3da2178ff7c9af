"""Proof that the gate for assertions finds those that assert nothing, and leaves those that do."""
import pathlib
import tempfile
import textwrap
import unittest

from assertions_gate import judge
from proof_support import GateProof
from vacuous import cpp_findings, python_findings

ALWAYS, NEVER, SWALLOWED, NOTHING = "whatever the product does", "nothing reaches", "swallowed", "loop over nothing"

CPP_SEEDS = {
    ALWAYS: ("EXPECT_TRUE(true);", "ASSERT_TRUE(1);", "EXPECT_FALSE(false);", "EXPECT_TRUE(!false);",
             "EXPECT_TRUE(1 < 2);",
             "EXPECT_TRUE(f() || true);", "EXPECT_FALSE(f() && false);", 'EXPECT_TRUE("text");', "EXPECT_EQ(x, x);",
             "EXPECT_EQ(x.y[1],\n    x.y[1]) << f();", "ASSERT_LE(x, x);", "EXPECT_NE(1, 2);", "EXPECT_LT(3U, 4U);",
             'EXPECT_STREQ("a", "a");', "EXPECT_EQ(static_cast<int>(x), static_cast<int>(x));", "EXPECT_TRUE(x == x);",
             "EXPECT_EQ(sizeof(x), sizeof(x));", "EXPECT_NEAR(x, x, 0.1);", "EXPECT_EQ(nullptr, nullptr);"),
    NEVER: ("return;\nEXPECT_EQ(f(), 1);", "if (false) {\nEXPECT_EQ(f(), 1);\n}", "if (0) { g(); ASSERT_TRUE(f()); }",
            "while (false) { EXPECT_EQ(f(), 1); }", "for (;;) { break; EXPECT_EQ(f(), 1); }",
            "throw std::runtime_error{\"x\"};\nFAIL();", "if (g()) { return 1; EXPECT_EQ(f(), 1); }",
            "for (;;) {\ncontinue;\nEXPECT_EQ(f(), 1);\n}"),
    SWALLOWED: ("try { g(); EXPECT_EQ(f(), 1); } catch (...) {}", "try { g(); } catch (...) { }",
                "try { g(); } catch (...) {\n// never mind\n}",
                "try { g(); EXPECT_EQ(f(), 1); } catch (const std::exception&) {}",
                "try { EXPECT_EQ(f(), 1); } catch (const Known&) { h(); } catch (const std::exception& e) { return; }"),
    NOTHING: ("for (const auto& each : {}) { EXPECT_EQ(f(each), 1); }",
              "for (const int each : std::vector<int>{}) { EXPECT_EQ(f(each), 1); }",
              "for (int i = 0; i < 0; ++i) { EXPECT_EQ(f(i), 1); }",
              "INSTANTIATE_TEST_SUITE_P(A, B, ::testing::ValuesIn(std::vector<int>{}));"),
}
CPP_GOOD = ("EXPECT_EQ(f(1), f(1));", "EXPECT_EQ(x, y);", 'EXPECT_EQ(names["a"], names["b"]);', "EXPECT_TRUE(x);",
            "EXPECT_EQ(i++, i++);", 'EXPECT_EQ(text, "true");', "EXPECT_LT(0U, x);", "EXPECT_TRUE(f(true));",
            "bool thrown = false;\ntry { g(); } catch (...) { thrown = true; }\nEXPECT_TRUE(thrown);",
            "try { g(); } catch (...) { ADD_FAILURE(); }", "try { g(); EXPECT_TRUE(f()); } catch (const Known&) { }",
            "try { g(); } catch (...) { throw; }", "if (g()) { return; }\nEXPECT_EQ(f(), 1);",
            "switch (x) { case 1: return 1; default: EXPECT_EQ(f(), 1); }",
            "for (int i = 0; i < 2; ++i) { EXPECT_EQ(f(i), 1); }",
            "for (const int each : {1}) { EXPECT_EQ(f(each), 1); }", "// EXPECT_TRUE(true);",
            'g("EXPECT_TRUE(true);");',
            "const auto one = [] { return 1; };\nEXPECT_EQ(one(), 1);", "EXPECT_EQ((std::pair<int, int>{x, y}), z);",
            "static_assert(sizeof(x) == sizeof(x));")

PYTHON_SEEDS = {
    ALWAYS: ("assert True", "assert 1", 'assert "text"', 'assert (x, "message")', "assert [x]", "assert x == x",
             "assert x.y[0] <= x.y[0]", "assert not False", "assert f() or True", "assert lambda: x", "assert 1 == 1",
             "self.assertTrue(True)", "self.assertFalse(0)", "self.assertTrue((f(), 1))", "self.assertEqual(x, x)",
             "self.assertEqual(1, 1)", "self.assertIs(x, x)", "self.assertNotEqual(1, 2)", "self.assertLess(1, 2)",
             "self.assertIsNotNone(1)", "numpy.testing.assert_array_equal(x, x)", 'assert f"{x}!"'),
    NEVER: ("return\nassert f()", "if False:\n    assert f()", "if 0:\n    self.assertEqual(f(), 1)",
            "raise ValueError\nself.fail()", "while False:\n    assert f()",
            "for x in y:\n    continue\n    assert f(x)",
            "if True:\n    g()\nelse:\n    assert f()", "if not True:\n    assert f()"),
    SWALLOWED: ("try:\n    assert f()\nexcept:\n    pass",
                "try:\n    self.assertEqual(f(), 1)\nexcept Exception:\n    pass",
                "try:\n    assert f()\nexcept AssertionError:\n    return",
                "try:\n    assert f()\nexcept (KeyError, AssertionError) as error:\n    print(error)",
                "for x in y:\n    try:\n        assert f(x)\n    except BaseException:\n        continue",
                "with contextlib.suppress(AssertionError):\n    assert f()",
                "with suppress(ValueError, Exception):\n    self.assertTrue(f())"),
    NOTHING: ("for x in ():\n    assert f(x)", "for x in []:\n    assert f(x)", "for x in {}:\n    assert f(x)",
              "for x in range(0):\n    assert f(x)", 'for x in "":\n    assert f(x)', "assert all([f(x) for x in []])"),
}
PYTHON_GOOD = ("assert f(1) == f(1)", "assert x == y", "assert x", "assert x in (1, 2)", "self.assertEqual(f(), f())",
               "self.assertEqual(x, 1)", "self.assertTrue(x)", "self.assertTrue(f(True))", "assert (x), 'message'",
               "failed = False\ntry:\n    assert f()\nexcept AssertionError:\n    failed = True\nassert failed",
               "try:\n    assert f()\nexcept KeyError:\n    pass",
               "try:\n    assert f()\nexcept Exception:\n    self.fail()",
               "try:\n    g()\nexcept Exception:\n    pass\nassert f()",
               "try:\n    assert f()\nexcept Exception:\n    raise",
               "with contextlib.suppress(OSError):\n    assert f()",
               "with contextlib.suppress(Exception):\n    g()\nassert f()",
               "if x:\n    return\nassert f()", "for x in (1, ):\n    assert f(x)",
               "for x in range(3):\n    assert f(x)",
               "while True:\n    assert f()\n    break", "self.assertLess(1, x)", "assert (*x, )")


class VacuousProof(GateProof):
    """Each seed is found, by its kind and line; near misses are not."""

    def test_cpp(self):
        for kind, seeds in CPP_SEEDS.items():
            for seed in seeds:
                with self.subTest(seed):
                    found = cpp_findings(f"TEST(A, B) {{\ng();\n{seed}\n}}\n")
                    self.assertEqual([kind in what for _, what in found], [True], found)
                    self.assertGreaterEqual(found[0][0], 3)
        for seed in CPP_GOOD:
            with self.subTest(seed):
                self.assertEqual(cpp_findings(f"TEST(A, B) {{\ng();\n{seed}\n}}\n"), [])

    def test_python(self):
        for kind, seeds in PYTHON_SEEDS.items():
            for seed in seeds:
                with self.subTest(seed):
                    found = python_findings(self.script(seed))
                    self.assertEqual([kind in what for _, what in found], [True], found)
                    self.assertGreaterEqual(found[0][0], 4)
        for seed in PYTHON_GOOD:
            with self.subTest(seed):
                self.assertEqual(python_findings(self.script(seed)), [])

    def test_the_gate_looks(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder) / "tests/a"
            tests.mkdir(parents=True)
            (tests / "a_test.cpp").write_text("TEST(A, B) {\nEXPECT_TRUE(true);\n}\n", encoding="utf-8")
            (tests / "b_test.py").write_text(self.script("assert True"), encoding="utf-8")
            found, _ = judge(pathlib.Path(folder))
        self.assertEqual([each.split(": an")[0] for each in found], ["tests/a/a_test.cpp:2", "tests/a/b_test.py:4"])

    @staticmethod
    def script(seed):
        """A test case with these statements."""
        return "class T:\n    def test_a(self):\n        g()\n" + textwrap.indent(seed, " " * 8) + "\n"


if __name__ == "__main__":
    unittest.main()
