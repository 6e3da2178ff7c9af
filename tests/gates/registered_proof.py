"""Proof that the gate on registrations names gates and proofs that no list of CMake makes tests of."""
import unittest

from proof_support import GateProof
from registered_gate import judge

LIST = "pianola_add_gate(stack gate ARGS\n    --more)\nforeach(name trace tools)\n" \
       "    add_test(NAME gates.${name}.proof COMMAND python3 ${name}_proof.py)\nendforeach()\n" \
       "add_test(NAME other COMMAND python3 -B ${FOLDER}/other_proof.py)\n"
NAMES = ("stack_gate.py", "stack_proof.py", "trace_proof.py", "tools_proof.py", "other_proof.py")


class RegisteredProof(GateProof):
    """A tree of some gates."""

    def findings(self, text, results=""):
        """What is wrong with a list of CMake, and with results."""
        names = [self.write("tests/CMakeLists.txt", text)]
        names += [self.write(f"tests/{name}", "") for name in NAMES]
        paths = [self.root / self.write("results.xml", f"<testsuite>{results}</testsuite>")] if results else []
        return judge(self.root, names, paths)[0]

    def test_accepts_what_is_registered(self):
        self.assertEqual(self.findings(LIST), [])

    def test_names_what_is_not(self):
        for line, finding in (("pianola_add_gate(stack", "tests/stack_gate.py: no CMakeLists.txt"),
                              ("pianola_add_gate(stack", "tests/stack_proof.py: no CMakeLists.txt"),
                              ("foreach(name trace tools", "tests/tools_proof.py: no CMakeLists.txt"),
                              ("add_test(NAME other", "tests/other_proof.py: no CMakeLists.txt")):
            with self.subTest(line=line):
                self.assert_finds(self.findings(LIST.replace(line, f"# {line}")), finding)

    def test_a_gate_has_a_proof(self):
        names = [self.write("tests/CMakeLists.txt", "pianola_add_gate(stack gate)\n"),
                 self.write("tests/stack_gate.py", "")]
        self.assertEqual(judge(self.root, names)[0], ["tests/stack_gate.py: a gate without a proof"])

    def test_results_decide(self):
        cases = [f'<testcase name="{name}" status="run"/>' for name in ("gates.stack", "gates.stack.proof")]
        self.assertEqual(self.findings(LIST, "".join(cases)), [])
        self.assertEqual(self.findings(LIST, cases[0]), ["gates.stack.proof has not passed"])


if __name__ == "__main__":
    unittest.main()
