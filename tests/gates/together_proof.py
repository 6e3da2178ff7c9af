"""Proof that the gate on functions of sources that are compiled together can fail."""
import unittest

from proof_support import GateProof
from together_gate import judge

SOURCE = """namespace a {{
namespace {{

{}

}}  // namespace
}}  // namespace a
"""


class TogetherProof(GateProof):
    """Two sources that are compiled together."""

    def findings(self, first, second):
        names = [self.write("first.cpp", SOURCE.format(first)), self.write("second.cpp", SOURCE.format(second))]
        root = self.root.resolve()
        found, examined = judge(root, [[root / name for name in names]])
        self.assertGreater(examined, 0)
        return found

    def test_accepts_different_names(self):
        self.assertEqual(self.findings("int first(int x) {\n    return second(x);\n}", "int second(int x);"), [])

    def test_refuses_an_overload_of_another_source(self):
        self.assert_finds(self.findings("std::vector<int> made(unsigned x) {\n}", "std::vector<int> made(char x) {\n}"),
                          "second.cpp: made()")

    def test_refuses_attributes_pointers_and_references(self):
        for form in ("[[nodiscard]] bool made(int x) {", "const char* made(int x) {", "const A& made(int x);",
                     "std::map<int, A>::iterator made(int x);", "constexpr int made(int x) {", "A\nmade(int x) {"):
            self.assert_finds(self.findings(form + "\n}", "void made() {\n}"), "made()")

    def test_accepts_calls_members_and_text(self):
        self.assertEqual(self.findings("int first() {\n    return made(1);\n}", "int made(int x) {\n}"), [])
        self.assertEqual(self.findings("struct A {\n    int made(int x);\n};\nint b();", "int made(int x) {\n}"), [])
        self.assertEqual(self.findings('const char* kText = R"x(\nfunction made(a) {\n)x";\nint b();',
                                       "int made(int x) {\n}"), [])

    def test_accepts_functions_outside_of_unnamed_namespaces(self):
        name = self.write("third.cpp", "namespace a {\nint made(int x) {\n}\n}  // namespace a\n")
        root = self.root.resolve()
        other = self.write("fourth.cpp", SOURCE.format("int other(int x) {\n}"))
        self.assertEqual(judge(root, [[root / name, root / other]]), ([], 1))


if __name__ == "__main__":
    unittest.main()
