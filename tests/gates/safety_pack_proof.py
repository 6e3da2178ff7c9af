"""Proof that safety_pack.py names gaps of the safety package: each row of seeded_gaps.toml is made in a copy
of the tree, or in the results that it is given, and the check has to fail and to name it.

  safety_pack_proof.py          all of it
  safety_pack_proof.py --page   prints docs/safety/seeded_gaps.md

Results are made up here: every test that the package asks for, all passed. Whether they really did is asked of real
results, at the end of toolchains/test.sh.
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from own_sources import own_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/safety/tools"))
import safety_pack  # noqa: E402  pylint: disable=wrong-import-position
from analyses import Analyses  # noqa: E402  pylint: disable=wrong-import-position
from clauses import Clauses  # noqa: E402  pylint: disable=wrong-import-position
from components import Components  # noqa: E402  pylint: disable=wrong-import-position
from dfa import Failures  # noqa: E402  pylint: disable=wrong-import-position
from registered_gate import registered  # noqa: E402  pylint: disable=wrong-import-position
from safety_ids import NAMED, Ids  # noqa: E402  pylint: disable=wrong-import-position
from tools import Tools  # noqa: E402  pylint: disable=wrong-import-position

GAPS = "tests/gates/seeded_gaps.toml"
EVERYTHING = "made.Up.EveryRequirement"


def read_gaps(root):
    """The rows of seeded_gaps.toml."""
    with open(root / GAPS, "rb") as file:
        return tomllib.load(file)["gap"]


def asked_tests(root):
    """Every test that the package wants to have passed."""
    names = {evidence[5:] for row in Analyses(root).rows for evidence in row["evidence"].split()
             if evidence.startswith("test:")}
    names |= {piece[5:] for row in Failures(root).rows for piece in row.get("evidence", [])
              if piece.startswith("test:")}
    names |= {measure for row in Tools(root).rows for measure in row["measures"]}
    names |= set(Components(root).tests())
    names |= {evidence[5:] for row in Clauses(root).rows for evidence in row["evidence"].split()
              if evidence.startswith("test:")}
    names |= {test for part in safety_pack.PARTS for test in part.tests}
    lists = [name for name in own_files(root) if name.name == "CMakeLists.txt" or name.suffix == ".cmake"]
    gates = registered((root / name).read_text(encoding="utf-8") for name in lists)[1]
    names |= {f"gates.{gate}{kind}" for gate in gates for kind in ("", ".proof")}
    texts = [path.read_text(encoding="utf-8") for path in (root / "docs/safety").glob("*.md")]
    return names | {named[5:] for text in texts for named in NAMED.findall(text) if named.startswith("test:")}


def results(digests, tests, verified):
    """CTest's results: tests that passed, and one that says of which tree it is and verifies these requirements."""
    said = safety_pack.tree_line(digests) + "\n" + "".join(f"verifies: {identifier}\n" for identifier in verified)
    cases = "".join(f'<testcase name="{name}" status="run"/>' for name in sorted(tests))
    last = f'<testcase name="{EVERYTHING}" status="run"><system-out>{said}</system-out></testcase>'
    return f'<testsuite timestamp="2020-01-01T00:00:00">{cases}{last}</testsuite>'


def copy_tree(target):
    """The project's own files."""
    for name in own_files(ROOT):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name)


def made_in(text, gap):
    """A file's text with the gap in it."""
    if "begin" in gap:
        changed = gap["begin"] + text
    elif "append" in gap:
        changed = text + gap["append"]
    elif "without_lines" in gap:
        changed = "".join(line for line in text.splitlines(keepends=True) if not re.match(gap["without_lines"], line))
    elif "without_block" in gap:
        blocks = re.split(r"(?m)^(?=\[\[)", text)
        changed = "".join(block for block in blocks if gap["without_block"] not in block)
    else:
        changed = text.replace(gap["old"], gap.get("new", ""), 1)
    if changed == text:
        raise AssertionError(f"{gap['name']}: changes nothing")
    return changed


class Copy:
    """A copy of the tree, in which one gap is made at a time."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / "tree"
        self.results = pathlib.Path(folder) / "results.xml"
        copy_tree(self.root)
        self.digests = safety_pack.file_digests(self.root)
        self.tests = asked_tests(self.root)
        self.verified = [identifier for name, identifier in Ids(self.root).revisions.items()
                         if name.split("~")[0] in ("swr", "rule")]
        self.write_results()

    def write_results(self, digests=None):
        """Results of the copy, or of a tree with these digests."""
        text = results(digests or self.digests, self.tests, self.verified)
        self.results.write_text(text, encoding="utf-8")

    def digests_with(self, name):
        """The digests of the copy where one file has changed, or is there or gone."""
        digests = dict(self.digests)
        digests.pop(pathlib.Path(name), None)
        if (self.root / name).exists():
            digests[pathlib.Path(name)] = hashlib.sha256((self.root / name).read_bytes()).hexdigest()
        return digests

    def pack(self, *words):
        """(exit code, all that it says)."""
        done = subprocess.run([sys.executable, "-B", str(self.root / "docs/safety/tools/safety_pack.py"), *words],
                              capture_output=True, text=True, check=False, cwd=self.root)
        return done.returncode, done.stdout + done.stderr

    def check(self, parts, paths=()):
        """What --check says of some parts."""
        asked = ["--results", *map(str, paths or [self.results])]
        return self.pack("--check", *asked, *(["--only", *parts] if parts else []))

    def check_results_with(self, gap):
        """What --check says where the results have the gap."""
        text = results(self.digests, self.tests - {gap.get("without_test")},
                       [one for one in self.verified if one != gap.get("without_verified")])
        if "old" in gap:
            text = made_in(text, gap)
        path, second = self.results.with_suffix(".gap.xml"), self.results.with_suffix(".second.xml")
        path.write_text(text, encoding="utf-8")
        second.write_text(gap.get("second", ""), encoding="utf-8")
        return self.check(gap["parts"], [path, second] if "second" in gap else [path])

    def check_tree_with(self, gap):
        """What --check says where the tree has the gap; the tree is as before afterwards."""
        path = self.root / gap["file"]
        kept = path.read_bytes() if path.exists() else None
        try:
            if "text" in gap:
                path.write_text(gap["text"], encoding="utf-8")
            elif gap.get("removed"):
                path.unlink()
            else:
                path.write_bytes(made_in(kept.decode(), gap).encode())
            self.write_results(self.digests_with(gap["file"]))
            return self.check(gap["parts"])
        finally:
            if kept is None:
                path.unlink()
            else:
                path.write_bytes(kept)
            self.write_results()

    def said_with(self, gap):
        """(exit code, what is said) with a gap."""
        return self.check_tree_with(gap) if "file" in gap else self.check_results_with(gap)


class SafetyPackProof(unittest.TestCase):
    """One copy for each process; each test leaves it as it was."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.copy = Copy(folder.name)

    def test_accepts_what_is_there(self):
        code, said = self.copy.check([])
        self.assertEqual((code, said), (0, f"safety_pack: {len(safety_pack.PARTS)} parts, with results, 0 failed\n"))

    def test_every_gap_is_named(self):
        gaps = read_gaps(ROOT)
        self.assertGreaterEqual(len(gaps), 25)
        self.assertEqual(len({gap["name"] for gap in gaps}), len(gaps))
        for gap in gaps:
            with self.subTest(gap=gap["name"]):
                code, said = self.copy.said_with(gap)
                self.assertEqual(code, 1, said)
                self.assertIn(gap["said"], said)
                self.assertTrue(any(line.startswith(f"{part}: ") for part in (*gap["parts"], "results")
                                    for line in said.splitlines()), said)

    def test_every_part_with_a_check_has_a_gap(self):
        seeded = {part for gap in read_gaps(ROOT) for part in gap["parts"]}
        self.assertEqual({part.name for part in safety_pack.PARTS} - seeded, set())

    def test_pages_are_made_anew_and_the_same_each_time(self):
        pages = [self.copy.root / page for part in safety_pack.PARTS for page, _ in part.pages]
        kept = [page.read_bytes() for page in pages]
        for page in pages[:3]:
            page.write_text("stale\n", encoding="utf-8")
        for _ in range(2):
            self.assertEqual(self.copy.pack("--write")[0], 0)
            self.assertEqual([page.read_bytes() for page in pages], kept)

    def test_a_program_that_fails_leaves_the_page(self):
        program = self.copy.root / "docs/safety/tools/misra_page.py"
        page = self.copy.root / "docs/safety/misra.md"
        kept = program.read_bytes(), page.read_bytes()
        program.write_text("import sys\nsys.exit('no rows')\n", encoding="utf-8")
        failed = self.copy.root / "failed"
        code, said = self.copy.pack("--write", "--failed", str(failed))
        self.assertEqual((code, failed.read_text(encoding="utf-8")), (1, "misra"))
        self.assertIn("misra: docs/safety/tools/misra_page.py fails: no rows", said)
        self.assertEqual(page.read_bytes(), kept[1])
        program.write_bytes(kept[0])
        failed.unlink()


def page():
    """The gaps as Markdown."""
    lines = ["# Seeded gaps", "",
             f"Made of `{GAPS}` by `tests/gates/safety_pack_proof.py --page`; do not edit. The test",
             "`gates.safety_pack.proof` makes each of these gaps in a copy of the tree, or in the results of tests",
             "that the check is given. `tools/safety_pack.py --check` has to fail, by the part that is named",
             "here, with these words.", "", "| gap | where | part | what the check says |", "|---|---|---|---|"]
    for gap in read_gaps(ROOT):
        where = f"`{gap['file']}`" if "file" in gap else "results"
        lines.append(f"| {gap['name']} | {where} | {', '.join(gap['parts'])} | {gap['said']} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        print(page())
    else:
        unittest.main()
