"""Proof that the coverage gate can fail: on small exports, and on the real one with one test left out."""
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

import coverage_gate as gate

# The test that is left out, and what then must be named: the only execution of run() that ends with its prologue.
# The tests that alone reach a line, by program.
LEFT_OUT = {"pianola_runtime_test": "StartedSession.RunStopsWhereThePrologueFails",
            "pianola_device_set_test": "MeshState.*"}
NAMED = ("pianola::Session::run", ": started")
OPTIONS = None

SOURCE = "int f(bool a, bool b) {\n    if (a && b) {\n        return 1;\n    }\n    return 0;\n}\n"
FUNCTION = {
    "name": "_ZN7pianola1fEbb",
    "count": 3,
    "filenames": ["runtime/core/f.cpp"],
    "regions": [[1, 23, 6, 2, 3, 0, 0, 0], [2, 17, 4, 6, 1, 0, 0, 0]],
    "branches": [[2, 9, 2, 10, 2, 1, 0, 0, 6], [2, 14, 2, 15, 1, 1, 0, 0, 6]],
    "mcdc_records": [[2, 9, 2, 15, 0, 5, [True, True]]],
}


class CoverageProof(unittest.TestCase):
    """Feeds the gate exports that miss something."""

    def judge(self, change=lambda function: None, rows=(), symbols=(), copies=1, defined=(FUNCTION["name"],)):
        functions = [copy.deepcopy(FUNCTION) for _ in range(copies)]
        change(functions[0])
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "runtime/core").mkdir(parents=True)
            (root / "runtime/core/f.cpp").write_text(SOURCE, encoding="utf-8")
            found = gate.findings_of({"data": [{"functions": functions}]},
                                     lambda name: "pianola::f(bool, bool)" if "1f" in name else name,
                                     gate.Sources(root), symbols, defined)
            return gate.judge(list(found), list(rows))

    def row(self, kinds, text="    if (a && b) {"):
        return gate.Row("pianola::f", gate.line_hash(text), kinds, "reason")

    def test_accepts_what_is_covered(self):
        self.assertEqual(self.judge(symbols=["_ZN7pianola1fEbb"]), [])

    def test_names_what_is_missing(self):
        for change, text in (
            (lambda f: f.update(count=0), "f.cpp:1: function of pianola::f"),
            (lambda f: f["regions"][1].__setitem__(4, 0), "f.cpp:2: line"),
            (lambda f: f["branches"][1].__setitem__(4, 0), "f.cpp:2: branch"),
            (lambda f: f["branches"][0].__setitem__(5, 0), "f.cpp:2: branch"),
            (lambda f: f["mcdc_records"][0].__setitem__(-1, [True, False]), "f.cpp:2: condition 2"),
        ):
            complaints = self.judge(change)
            self.assertEqual(len(complaints), 1, complaints)
            self.assertIn(text, complaints[0])

    def test_instantiations_count_together(self):
        self.assertEqual(self.judge(lambda f: f["branches"][1].__setitem__(4, 0), copies=2), [])

    def test_an_inline_function_that_the_library_does_not_use_is_left_to_its_callers(self):
        self.assertEqual(self.judge(lambda function: function.update(count=0), defined=()), [])
        self.assertNotEqual(self.judge(lambda function: function.update(count=0)), [])

    def test_a_function_that_nothing_links_is_missing(self):
        self.assertIn("_ZN7pianola1gEv", self.judge(symbols=["_ZN7pianola1fEbb", "_ZN7pianola1gEv"])[0])

    def test_a_function_that_one_program_does_not_use_must_be_in_another(self):
        said = "warning: 1 functions have mismatched data\n"
        line = "hash-mismatch: No profile record found for 'a.cpp:_ZN7pianola1fEbb' with hash = 0x0\n"
        self.assertEqual(gate.unused(said, line + said), {"_ZN7pianola1fEbb"})
        self.assertEqual(gate.unused("", ""), set())
        for other_said, other_line in (
            (said, line + line),
            (said, ""),
            (said + "warning: more\n", line),
            ("error\n", line),
            (said, line.replace("0x0", "0x1")),
            (said, line + "more\n"),
        ):
            with self.assertRaises(SystemExit):
                gate.unused(other_said, other_line)

    def test_instantiations_of_other_shapes_are_no_instantiations(self):
        with self.assertRaises(ValueError):
            self.judge(lambda f: f["regions"].pop(), copies=2)

    def test_a_constant_is_no_condition(self):
        def constant(function, shown):
            del function["branches"][0]
            function["regions"].append([2, 14, 2, 15, 1, 0, 0, 0])
            function["mcdc_records"][0][-1] = [False, shown]

        self.assertEqual(self.judge(lambda f: constant(f, True)), [])
        self.assertIn("condition 2", self.judge(lambda f: constant(f, False))[0])

    @unittest.skipIf(OPTIONS is None and len(sys.argv) < 3, "no build")
    def test_a_decision_that_cannot_be_counted_does_not_compile(self):
        counted = pathlib.Path(__file__).with_name("counted.sh")
        flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]
        for source, code in (
            ("bool f(bool a, bool b) { return a && b; }", 0),
            ("bool g(bool); bool f(bool a, bool b) { return a && g(a || b); }", 1),
            ("int f( {", 1),
        ):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "f.cpp"
                path.write_text(source, encoding="utf-8")
                command = [counted, f"clang++{OPTIONS.suffix}", *flags, "-c", path, "-o", path.with_suffix(".o")]
                run = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, code, run.stderr)

    def test_rows(self):
        def never(function):
            function["branches"][1][4] = 0

        self.assertEqual(self.judge(never, [self.row(("branch",))]), [])
        self.assertIn("stale", self.judge(rows=[self.row(("branch",))])[0], "covered by now")
        self.assertIn("stale", self.judge(never, [self.row(("branch", "condition 1"))])[0], "a kind too many")
        complaints = self.judge(never, [self.row(("branch",), "    if (a || b) {")])
        self.assertEqual(len(complaints), 2, "the line has changed: neither justified nor needed")

    def test_rows_are_read_strictly(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "justified.csv"
            path.write_text("header\nf,0,branch,\nf,0,bend,x\nf,0\nf,0,condition,x\n", encoding="utf-8")
            self.assertEqual(len(gate.read_rows(path)[1]), 4)
            rows = "".join(f"f,{i},branch,x\n" for i in range(gate.MOST_ROWS + 1))
            path.write_text("header\n" + rows, encoding="utf-8")
            self.assertEqual(len(gate.read_rows(path)[1]), 1)
            path.write_text("header\nf,0,branch,x\nf,0,branch,x\n", encoding="utf-8")
            self.assertEqual(len(gate.read_rows(path)[1]), 1)

    @unittest.skipIf(OPTIONS is None and len(sys.argv) < 3, "no build")
    def test_with_its_tests_left_out_it_names_the_line(self):
        tools = gate.Tools(OPTIONS.suffix)
        profiles = [gate.execute(program, OPTIONS.work, LEFT_OUT[program.name]) if program.name in LEFT_OUT
                    else OPTIONS.work / f"{program.name}.profraw" for program in OPTIONS.program]
        export, elsewhere = tools.export(OPTIONS.program, profiles, OPTIONS.work)
        sources = gate.Sources(OPTIONS.root)
        defined = tools.symbols(OPTIONS.library)
        found = gate.findings_of(export, tools.demangler(export), sources, defined | elsewhere, defined)
        named = [finding for finding in found if finding.function == NAMED[0] and finding.kind == "line"]
        below = "\n".join(sources.line(finding.file, finding.line + more) for finding in named for more in range(4))
        self.assertIn(NAMED[1], below)


if __name__ == "__main__":
    OPTIONS = gate.parse() if len(sys.argv) > 2 else None
    unittest.main(argv=sys.argv[:1], verbosity=2)
