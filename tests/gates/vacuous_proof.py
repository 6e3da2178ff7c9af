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
             "EXPECT_EQ(sizeof(x), sizeof(x));", "EXPECT_NEAR(x, x, 0.1);", "EXPECT_EQ(nullptr, nullptr);",
             "EXPECT_EQ(static_cast<int>(3), 3);", 'EXPECT_EQ(std::string("a"), "a");', "EXPECT_TRUE((f() || true));",
             'EXPECT_EQ("a", std::string_view{"a"});', "EXPECT_EQ(1 + 1, 2);", "EXPECT_EQ(0x10U, 16);",
             "constexpr bool kOk = true;\nEXPECT_TRUE(kOk);", "const bool no{false};\nEXPECT_FALSE(no && f());",
             "constexpr int kA = 3;\nconstexpr int kB = kA + 1;\nEXPECT_LT(kA, kB);", "EXPECT_TRUE((x == x));",
             "EXPECT_TRUE(x >= x);", "EXPECT_FALSE(x != x);", "EXPECT_FALSE(x < x);", "EXPECT_TRUE(x || !x);",
             "EXPECT_FALSE(x && !x);", "EXPECT_EQ(x, (x));", "EXPECT_EQ(x->y, x -> y);", "EXPECT_EQ(x+1, x + (1));",
             "EXPECT_TRUE(!(x != x));", "EXPECT_TRUE(x.at[1] == x . at[ 1 ]);", "EXPECT_TRUE(true ? true : f());",
             "EXPECT_EQ(x, /* again */ x);", "EXPECT_TRUE(not false);", "bool const kA = true;\nEXPECT_TRUE(kA);"),
    NEVER: ("return;\nEXPECT_EQ(f(), 1);", "if (false) {\nEXPECT_EQ(f(), 1);\n}", "if (0) { g(); ASSERT_TRUE(f()); }",
            "while (false) { EXPECT_EQ(f(), 1); }", "for (;;) { break; EXPECT_EQ(f(), 1); }",
            "throw std::runtime_error{\"x\"};\nFAIL();", "if (g()) { return 1; EXPECT_EQ(f(), 1); }",
            "for (;;) {\ncontinue;\nEXPECT_EQ(f(), 1);\n}", "if (false) EXPECT_EQ(f(), 1);",
            "if (false && g()) { EXPECT_EQ(f(), 1); }", "if (1 == 2)\n    EXPECT_EQ(f(), 1);",
            "if (true) { g(); } else { EXPECT_EQ(f(), 1); }", "if (true) g(); else EXPECT_EQ(f(), 1);",
            "for (; false;) { EXPECT_EQ(f(), 1); }", "for (; false;) EXPECT_EQ(f(), 1);",
            "GTEST_SKIP() << 1;\nEXPECT_EQ(f(), 1);", "std::exit(0);\nEXPECT_EQ(f(), 1);",
            "#if 0\nEXPECT_EQ(f(), 1);\n#endif", "#if 1\ng();\n#else\nEXPECT_EQ(f(), 1);\n#endif",
            "#if 0\n#ifdef A\n#endif\nEXPECT_EQ(f(), 1);\n#endif", "if (true) { return; }\nEXPECT_EQ(f(), 1);",
            "if (false) for (;;) { EXPECT_EQ(f(), 1); }",
            "constexpr bool kOn = false;\nif (kOn) { EXPECT_EQ(f(), 1); }"),
    SWALLOWED: ("try { g(); EXPECT_EQ(f(), 1); } catch (...) {}", "try { g(); } catch (...) { }",
                "try { g(); } catch (...) {\n// never mind\n}",
                "try { g(); EXPECT_EQ(f(), 1); } catch (const std::exception&) {}",
                "try { EXPECT_EQ(f(), 1); } catch (const Known&) { h(); } catch (const std::exception& e) { return; }",
                "try { EXPECT_EQ(f(), 1); } catch (const std::exception& e) { static_cast<void>(e); }",
                "try { EXPECT_EQ(f(), 1); } catch (const std::exception& e) { std::cerr << e.what(); }",
                "try { g(); EXPECT_TRUE(f()); } catch (const Known&) { }",
                "try { EXPECT_TRUE(f()); g(); } catch (const Known& e) { (void)e; }",
                "try { EXPECT_TRUE(f()); n += 1; } catch (const Known&) { }"),
    NOTHING: ("for (const auto& each : {}) { EXPECT_EQ(f(each), 1); }",
              "for (const int each : std::vector<int>{}) { EXPECT_EQ(f(each), 1); }",
              "for (int i = 0; i < 0; ++i) { EXPECT_EQ(f(i), 1); }",
              "for (int i = 5; i < 5; ++i) { EXPECT_EQ(f(i), 1); }", "for (int i{3}; i != 3; ++i) EXPECT_EQ(f(i), 1);",
              "for (std::size_t i = 0U; i > 0U; --i) { EXPECT_EQ(f(i), 1); }",
              "constexpr int kN = 0;\nfor (int i = 0; i < kN; ++i) { EXPECT_EQ(f(i), 1); }",
              "INSTANTIATE_TEST_SUITE_P(A, B, ::testing::ValuesIn(std::vector<int>{}));"),
}
CPP_GOOD = ("EXPECT_EQ(f(1), f(1));", "EXPECT_EQ(x, y);", 'EXPECT_EQ(names["a"], names["b"]);', "EXPECT_TRUE(x);",
            "EXPECT_EQ(i++, i++);", 'EXPECT_EQ(text, "true");', "EXPECT_LT(0U, x);", "EXPECT_TRUE(f(true));",
            "bool thrown = false;\ntry { g(); } catch (...) { thrown = true; }\nEXPECT_TRUE(thrown);",
            "try { g(); } catch (...) { ADD_FAILURE(); }", "try { f(); FAIL(); } catch (const std::runtime_error&) {}",
            "try { f(); ADD_FAILURE() << 1; } catch (const Known&) { }",
            "int n = 0;\ntry { EXPECT_TRUE(f()); n += 1; } catch (const Known&) { }\nEXPECT_EQ(n, 1);",
            "EXPECT_FALSE(nan == nan);", "EXPECT_FALSE(x <= x);", "EXPECT_EQ(1, 2);", "EXPECT_TRUE(false);",
            "const bool ok = f();\nEXPECT_TRUE(ok);", "bool ok = true;\nok = f();\nEXPECT_TRUE(ok);",
            "constexpr int kN = 3;\nEXPECT_EQ(f(), kN);", "EXPECT_EQ(x->y, x->z);", "EXPECT_EQ(x, -x);",
            "EXPECT_TRUE(f() && true);", "if (f() && true) { EXPECT_EQ(g(), 1); }", "EXPECT_TRUE(x || !y);",
            "if (x != x) { EXPECT_EQ(f(), 1); }", "if (false) g();\nEXPECT_EQ(f(), 1);",
            "#if 1\nEXPECT_EQ(f(), 1);\n#endif", "#ifdef A\nEXPECT_EQ(f(), 1);\n#else\nEXPECT_EQ(f(), 2);\n#endif",
            "#if 0\n#else\nEXPECT_EQ(f(), 1);\n#endif", "for (int i = 5; i < 6; ++i) { EXPECT_EQ(f(i), 1); }",
            "if (x) { GTEST_SKIP(); }\nEXPECT_EQ(f(), 1);", "if (x) { std::exit(1); }\nEXPECT_EQ(f(), 1);",
            "if (true) { EXPECT_EQ(f(), 1); } else { g(); }", 'EXPECT_EQ(std::string("a"), f("a"));',
            "do { EXPECT_EQ(f(), 1); } while (false);",
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
             "self.assertIsNotNone(1)", "numpy.testing.assert_array_equal(x, x)", 'assert f"{x}!"',
             "assert 1 + 1 == 2", "assert -1 < 0", "assert 1 < 2 < 3", "assert 'a' in 'abc'", "assert all([])",
             "self.assertTrue(expr=True)", "self.assertIn(1, [1])", "ok = True\nassert ok", "n = 2\nassert n + 1 == 3",
             "ok: bool = True\nself.assertTrue(ok)", "with g():\n    ok = True\nassert ok", "assert not (x != x)",
             "self.assertFalse(x != x)", "assert (x == x) is True", "assert x == x == x", "assert x in [x]",
             "self.assertEqual(first=x, second=x)", "self.assertIn(member=1, container=[1])", "assert x or not x",
             "self.assertIn(x, (y, x))", "self.assertGreaterEqual(a=x, b=x)", "assert x is x", "assert len([]) == 0",
             "self.assertEqual(x, second=x)", "self.assertTrue(x == x, msg=y)", "assert (ok := True)",
             "assert abs(-1) == 1", "assert True if f() else True"),
    NEVER: ("return\nassert f()", "if False:\n    assert f()", "if 0:\n    self.assertEqual(f(), 1)",
            "raise ValueError\nself.fail()", "while False:\n    assert f()",
            "for x in y:\n    continue\n    assert f(x)",
            "if True:\n    g()\nelse:\n    assert f()", "if not True:\n    assert f()",
            "if 1 == 2:\n    assert f()", "if True:\n    return\nassert f()", "while True:\n    break\n    assert f()",
            "while True:\n    break\nelse:\n    assert f()", "self.skipTest('no')\nassert f()",
            "sys.exit()\nassert f()", "def inner():\n    assert f()\ng()", "async def inner():\n    assert f()",
            "return\nraise AssertionError(f())", "if x:\n    return\nelse:\n    raise ValueError\nassert f()",
            "on = False\nif on:\n    assert f()", "pytest.skip('no')\nassert f()",
            "with self.subTest():\n    return\nassert f()"),
    SWALLOWED: ("try:\n    assert f()\nexcept:\n    pass",
                "try:\n    self.assertEqual(f(), 1)\nexcept Exception:\n    pass",
                "try:\n    assert f()\nexcept AssertionError:\n    return",
                "try:\n    assert f()\nexcept (KeyError, AssertionError) as error:\n    print(error)",
                "for x in y:\n    try:\n        assert f(x)\n    except BaseException:\n        continue",
                "with contextlib.suppress(AssertionError):\n    assert f()",
                "with suppress(ValueError, Exception):\n    self.assertTrue(f())",
                "try:\n    assert f()\nexcept AssertionError as e:\n    _ = e",
                "try:\n    assert f()\nexcept AssertionError as e:\n    text = str(e)",
                "try:\n    assert f()\nexcept Exception:\n    log.info('no')",
                "for x in y:\n    try:\n        assert f(x)\n    finally:\n        break",
                "try:\n    assert f()\nfinally:\n    return",
                "try:\n    assert f()\nexcept* AssertionError:\n    pass",
                "try:\n    raise AssertionError(f())\nexcept AssertionError:\n    pass",
                "with self.assertRaises(AssertionError):\n    self.assertEqual(f(), 1)",
                "with pytest.raises(Exception):\n    assert f()"),
    NOTHING: ("for x in ():\n    assert f(x)", "for x in []:\n    assert f(x)", "for x in {}:\n    assert f(x)",
              "for x in range(0):\n    assert f(x)", 'for x in "":\n    assert f(x)', "assert all([f(x) for x in []])",
              "for x in range(0, 0):\n    assert f(x)", "for x in list():\n    assert f(x)",
              "for x in set():\n    assert f(x)", "for i, x in enumerate([]):\n    assert f(x)",
              "for x in reversed([]):\n    assert f(x)", "cases = []\nfor x in cases:\n    assert f(x)",
              "cases = ()\nfor i, x in enumerate(cases):\n    assert f(x)", "for x in range(3, 1):\n    assert f(x)",
              "for x in [] or ():\n    assert f(x)", "[self.assertTrue(x) for x in y if False]"),
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
               "while True:\n    assert f()\n    break", "self.assertLess(1, x)", "assert (*x, )",
               "assert {**x}", "assert 1 == 2", "self.assertFalse(x == x)", "self.assertEqual(1, 2)", "assert x in [y]",
               "ok = True\nok = f()\nassert ok", "if x:\n    ok = True\nassert ok", "ok = f()\nassert ok",
               "try:\n    g()\n    ok = True\nexcept KeyError:\n    ok = False\nassert ok",
               "if x != x:\n    assert f()", "cases = []\ncases.append(g())\nfor x in cases:\n    assert f(x)",
               "for x in range(0, 1):\n    assert f(x)", "def inner():\n    assert f()\ninner()",
               "def inner():\n    assert f()\ng(inner)", "if x:\n    self.skipTest('no')\nassert f()",
               "while True:\n    if f():\n        break\nassert g()", "if f():\n    raise AssertionError(x)",
               "with self.assertRaises(AssertionError):\n    self.assertMine(f())",
               "with self.assertRaises(AssertionError):\n    g()", "self.assertTrue(expr=f())",
               "try:\n    assert f()\nexcept AssertionError as e:\n    text = str(e)\nassert text == x",
               "try:\n    assert f()\nfinally:\n    g()", "self.assertEqual(first=x, second=y, msg=x)",
               "n = 0\nfor x in y:\n    n += 1\nassert n == 0", "assert x == x + 1", "assert 1 < x < 3",
               "with self.assertRaises(KeyError):\n    raise f()\nassert g()")


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
                    self.assertEqual(python_findings(self.script(seed).replace(" def test", " async def test")), found)
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
