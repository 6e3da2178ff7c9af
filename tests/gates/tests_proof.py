"""Proof that the gate on tests that are not run can fail."""
import json
import unittest

from proof_support import GateProof
from tests_gate import compiled_sources, judge


class TestsProof(GateProof):
    """A test source and a test script, each in the build or left out."""

    def findings(self, compiled, scripts):
        names = [self.write("tests/a_test.cpp", "TEST(A, Holds) {}\n"), self.write("tests/b.cpp", "int b();\n"),
                 self.write("tests/c_test.py", "pass\n")]
        root = self.root.resolve()
        found, examined = judge(self.root, names, {root / name for name in compiled}, {root / name for name in scripts})
        self.assertEqual(examined, 2)
        return found

    def test_accepts_what_runs(self):
        self.assertEqual(self.findings(["tests/a_test.cpp"], ["tests/c_test.py"]), [])

    def test_refuses_a_source_that_is_not_compiled(self):
        self.assert_finds(self.findings(["tests/b.cpp"], ["tests/c_test.py"]), "tests/a_test.cpp")

    def test_refuses_a_script_that_is_not_run(self):
        self.assert_finds(self.findings(["tests/a_test.cpp"], []), "tests/c_test.py")

    def test_sources_that_are_compiled_together_are_told_apart(self):
        names = [self.write(f"tests/{name}.cpp", "int a();\n") for name in ("alone", "first", "second", "left_out")]
        paths = [(self.root / name).resolve() for name in names]
        both = self.write("build/Unity/unity_0_cxx.cxx", f'#include "{paths[1]}"\n\n#include "{paths[2]}"\n')
        commands = [{"directory": str(self.root), "file": str(file), "command": f"c++ -c {file}"}
                    for file in (names[0], both)]
        self.write("build/compile_commands.json", json.dumps(commands))
        self.assertEqual(compiled_sources(self.root / "build"), set(paths[:3]))


if __name__ == "__main__":
    unittest.main()
