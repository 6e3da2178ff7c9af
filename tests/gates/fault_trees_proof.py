"""Proof that fault_trees.py names what is wrong with a tree, and that its cut sets are all there are."""
import itertools
import pathlib
import random
import re
import shutil
import sys
import unittest

from proof_support import GateProof

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import fault_trees  # noqa: E402  pylint: disable=wrong-import-position

TREES, RULES = "docs/safety/fault_trees.toml", "runtime/include/pianola/rules.inc"


class FaultTreesProof(GateProof):
    """Works on a copy of the tables."""

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "docs/safety", self.root / "docs/safety")
        self.write(RULES, (ROOT / RULES).read_text(encoding="utf-8"))

    def findings_after(self, old, new, name=TREES, results=()):
        """What is wrong once a text of the copy is another one."""
        text = self.change(name, old, new)
        trees = fault_trees.FaultTrees(self.root)
        if results:
            trees.take_results(results)
        trees.check()
        self.write(name, text)
        return trees.findings

    def test_accepts_what_is_there(self):
        self.assertEqual(self.findings_after("[[tree]]", "[[tree]]"), [])

    def test_goals_and_trees_agree(self):
        self.assert_finds(self.findings_after('[[tree]]\ngoal = "sg~reaction"\ntop = "no-reaction"\n', ""),
                          "sg~reaction: no tree")
        self.assertEqual(self.findings_after('goal = "sg~reaction"', 'goal = "sg~no-reaction"'),
                         ["sg~reaction: no tree", "sg~no-reaction: a tree, and no such goal"])
        self.assert_finds(self.findings_after('goal = "sg~reaction"', 'goal = "sg~no-wrong-output"'),
                          "sg~no-wrong-output: there are 2")
        self.assert_finds(self.findings_after('top = "no-reaction"', 'top = "nothing"'),
                          "sg~reaction: there is no nothing")

    def test_gates_are_sound(self):
        for old, new, finding in (
                ('inputs = ["file-changes", "constants-unchecked"]', 'inputs = ["file-changes", "nothing"]',
                 "file-changed: there is no nothing"),
                ('inputs = ["file-changes", "constants-unchecked"]', 'inputs = ["file-changes"]',
                 "file-changed: neither an or nor an and of two inputs at least"),
                ('kind = "and"', 'kind = "not"', "neither an or nor an and"),
                ('"views-misused", "results-misused"]', '"results-misused"]', "views-misused: in no tree"),
                ('id = "views-misused"', 'id = "results-misused"', "results-misused: there are 2"),
                ('"dma-strays", "regions-fail"', '"dma-strays", "wrong-step"',
                 "sg~no-wrong-output: a cycle through stray-access")):
            with self.subTest(finding=finding):
                self.assert_finds(self.findings_after(old, new), finding)

    def test_events_are_of_something(self):
        for old, new, finding in (
                ('of = ["dfa:views"]', "of = []", "views-misused: of nothing"),
                ('of = ["dfa:views"]', 'of = ["dfa:view"]', "views-misused: there is no dfa:view"),
                ("fmea:Device::patch_word,*", "fmea:Device::patch_words,*", "there is no fmea:Device::patch_words,*"),
                ("fmea:Device::reset,late", "fmea:Device::reset,repeated", "there is no fmea:Device::reset,repeated"),
                ("requirement:swr~unload", "requirement:swr~reload", "there is no requirement:swr~reload"),
                ("requirement:swr~unload", "requirement:tsr~faults-latch", "there is no requirement:tsr~faults-latch"),
                ('"aou:results-used"', '"aou:results"', "there is no aou:results")):
            with self.subTest(new=new):
                self.assertEqual(len(self.findings_after(old, new)), 1)
                self.assert_finds(self.findings_after(old, new), finding)

    def test_rows_are_in_trees(self):
        self.assertEqual(self.findings_after("fmea:Device::patch_word,*", "fmea:Device::patch_word,not"),
                         [f"Device::patch_word,{word}: in no tree" for word in ("wrong", "early", "late")])
        self.assertEqual(self.findings_after('of = ["dfa:interrupts"]', 'of = ["dfa:late-poll"]'),
                         ["dfa~interrupts: not in the tree of sg~reaction"])
        self.assertEqual(self.findings_after('"two-callers", "re-entered", "stack', '"two-callers", "stack'),
                         ["re-entered: in no tree"])

    def test_a_single_point_is_covered(self):
        self.assertEqual(self.findings_after('evidence = ["aou:memory"]', "evidence = []", "docs/safety/dfa.toml"),
                         ["sg~no-wrong-output: data-changes is a single point, and nothing covers dfa~data-memory"])
        # A row behind another barrier is no single point.
        path = self.root / "docs/safety/dfa.toml"
        text = path.read_text(encoding="utf-8")
        rings = re.search(r'id = "dfa~rings".*?(evidence = \[.*?\])', text, re.DOTALL)[1]
        self.assertEqual(self.findings_after(rings, "evidence = []", "docs/safety/dfa.toml"), [])

    def test_barriers_are_not_of_the_same_row(self):
        self.assert_finds(self.findings_after('of = ["requirement:swr~verified-release"]',
                                              'of = ["requirement:swr~verified-release", "dfa:device-memory"]'),
                          "device-memory-changes and release-unchecked: both of dfa~device-memory")

    def test_results_decide(self):
        trees = fault_trees.FaultTrees(self.root)
        evidence = [piece for row in [*trees.rows.values(), *(row["evidence"] for row in trees.failures.values())]
                    for piece in row]
        names = {piece[5:] for piece in evidence if piece.startswith("test:")}
        ids = " ".join(item.id for item in trees.trace.items.values())
        for left_out, expected in (
                (("nothing", "nothing"), []),
                (("gates.symbols", "nothing"), []),  # the row has other tests
                (("runtime.schemac", "runtime.Rules.", "runtime.Strictness."),
                 ["sg~no-wrong-output: bytes-unchecked is a single point, and nothing covers dfa~generated"])):
            cases = "".join(f'<testcase name="{name}" status="run"/>' for name in names
                            if not name.startswith(left_out))
            said = f'<testcase name="all" status="run"><system-out>verifies: {ids}\n</system-out></testcase>'
            path = self.root / self.write("results.xml", f"<testsuite>{cases}{said}</testsuite>")
            with self.subTest(left_out=left_out):
                self.assertEqual(self.findings_after("[[tree]]", "[[tree]]", results=[path]), expected)
        path.write_text(path.read_text(encoding="utf-8").replace("swr~latching~1", ""), encoding="utf-8")
        self.assert_finds(self.findings_after("[[tree]]", "[[tree]]", results=[path]),
                          "latch-fails is a single point, and nothing covers swr~latching")

    def test_cut_sets_are_those_of_all_sets_of_events(self):
        source = random.Random(7)
        for _ in range(200):
            trees = fault_trees.FaultTrees(self.root)
            trees.events = {f"e{i}": {} for i in range(6)}
            trees.gates = {}
            for i in reversed(range(6)):  # gates lead to later ones, so that there is no cycle
                below = [*trees.events, *trees.gates]
                trees.gates[f"g{i}"] = {"kind": source.choice(["or", "and"]),
                                        "inputs": source.sample(below, source.randint(2, 3))}
            happens = [frozenset(each) for size in range(7) for each in itertools.combinations(trees.events, size)
                       if fails(trees, "g0", each)]
            minimal = {each for each in happens if not any(other < each for other in happens)}
            self.assertEqual(set(trees.cut_sets("g0")), minimal)

    def test_too_many_sets_are_named(self):
        trees = fault_trees.FaultTrees(self.root)
        trees.events = {f"e{i}": {} for i in range(30)}
        trees.gates = {f"g{i}": {"kind": "or", "inputs": [f"e{3 * i}", f"e{3 * i + 1}", f"e{3 * i + 2}"]}
                       for i in range(10)}
        trees.gates["top"] = {"kind": "and", "inputs": [f"g{i}" for i in range(10)]}
        self.assertIsNone(trees.cut_sets("top"))
        self.assert_finds(list(trees.cut_set_findings("sg~none", "top")), "cut the tree in pieces")


def fails(trees, name, happened):
    """Whether a gate or event is true where these events happen."""
    if name in trees.events:
        return name in happened
    gate = trees.gates[name]
    return (all if gate["kind"] == "and" else any)(fails(trees, each, happened) for each in gate["inputs"])


if __name__ == "__main__":
    unittest.main()
