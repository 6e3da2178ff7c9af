#!/usr/bin/env python3
"""The safety package as a whole: runs every check of it, and makes every page of it that can be made.

  docs/safety/tools/safety_pack.py --check                                     what can be said without results
  docs/safety/tools/safety_pack.py --check --results build/*/test_results.xml  and what has to have passed
  docs/safety/tools/safety_pack.py --write                                     makes the pages anew
  docs/safety/tools/safety_pack.py --list                                      the parts, and what each holds

PARTS is the one list of what belongs to the package: a new part is a row of it. Ends with 1 where a part fails, after
the part's own words; --failed writes the names of these parts to a file. --only takes some parts. Works on the tree
that it stands in. Results count where one of them has the line "safety_pack: tree <digest>" of this tree, which the
test gates.safety_pack prints, and none of them is older than that one.
"""
import argparse
import dataclasses
import hashlib
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from evidence import passed_tests, result_findings

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/gates"))
from own_sources import own_files  # noqa: E402  pylint: disable=wrong-import-position


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of the package. Commands are words of Python programs of this tree."""
    name: str
    holds: str
    check: tuple = ()            # fails, and says why
    asks_results: bool = False   # the check takes --results
    pages: tuple = ()            # of (page, the command that prints it)
    tests: tuple = ()            # tests that hold what needs a build; asked of the results


PARTS = (
    Part("files", "files and tables: bytes, keys, widths of rows, texts that are none, what is there twice",
         ("docs/safety/tools/safety_files.py",)),
    Part("trace", "requirements: hierarchy, revisions, public functions, tests that verify",
         ("docs/safety/tools/trace.py",), True,
         (("docs/safety/requirements.md", ("docs/safety/tools/trace.py", "--page")),)),
    Part("analyses", "failure modes of the interfaces, assumptions of use, their evidence",
         ("docs/safety/tools/analyses.py",), True,
         (("docs/safety/analysis.md", ("docs/safety/tools/analyses.py", "--page")),)),
    Part("dfa", "dependent failures by coupling factors", ("docs/safety/tools/dfa.py",), True,
         (("docs/safety/dependent_failures.md", ("docs/safety/tools/dfa.py", "--page")),)),
    Part("fault_trees", "a fault tree for each goal, its cut sets, what covers single points",
         ("docs/safety/tools/fault_trees.py",), True,
         (("docs/safety/fault_trees.md", ("docs/safety/tools/fault_trees.py", "--page")),)),
    Part("tools", "tools and packages: faults, confidence, measures",
         ("docs/safety/tools/tools.py",), True, (("docs/safety/tools.md", ("docs/safety/tools/tools.py", "--page")),)),
    Part("components", "software of others: versions, symbols that images link, anomalies, tests; bill of materials",
         ("docs/safety/tools/components.py",), True,
         (("docs/safety/components.md", ("docs/safety/tools/components.py", "--page")),), ("gates.components.proof",)),
    Part("misra", "guidelines of MISRA C++:2023, reviews with the hashes of what was reviewed",
         ("tests/gates/misra_gate.py", "."), False, (("docs/safety/misra.md", ("docs/safety/tools/misra_page.py",)),),
         ("gates.misra", "gates.misra.proof")),
    Part("deviations", "suppressions of checks and their records",
         ("tests/gates/deviations_gate.py", "."), tests=("gates.deviations", "gates.deviations.proof")),
    Part("registered", "gates and proofs are tests", ("tests/gates/registered_gate.py", "."), True),
    Part("rules", "rules of refusal, each with its reason and remedy on the pages",
         ("toolchains/rules_pages.py",),
         tests=("docs.rules_page_is_current", "docs.remedies_proof")),
    Part("coverage", "statements, branches and MC/DC of the runtime", tests=("coverage.gate", "coverage.proof")),
    Part("measured", "sizes, stack and instructions of boards",
         pages=(("docs/evidence/measured.md", ("toolchains/measured_page.py",)),),
         tests=("docs.measured_page_is_current",)),
    Part("campaigns", "faults on purpose, as recorded",
         pages=(("docs/evidence/campaigns_boards.md", ("toolchains/campaigns_page.py", "--boards")),
                ("docs/evidence/campaigns.md", ("toolchains/campaigns_page.py",))),
         tests=("docs.campaigns_page", "docs.campaigns_boards_page", "docs.campaigns_page.proof")),
    Part("port_checks", "what an integrator's port can be asked", tests=("docs.port_checks_page_is_current",)),
    Part("worst_case", "the most that a validation takes", tests=("worst_case.instructions",)),
    Part("session_cost", "the most that each call of a session does, and the fault handling time",
         tests=("session_cost.counts", "session_cost.instructions", "cli.size_timing")),
    Part("contents", "version and digests of the sources that the package is about",
         pages=(("docs/safety/contents.md", ("docs/safety/tools/contents_page.py",)),)),
    Part("manual", "statements of the safety manual have ids; options, statuses and faults are all there",
         ("docs/safety/tools/safety_manual.py",)),
    Part("clauses", "ISO 26262, entry by entry, with evidence that is there", ("docs/safety/tools/clauses.py",), True,
         (("docs/safety/clauses_part6.md", ("docs/safety/tools/clauses.py", "--page", "6")),
          ("docs/safety/clauses_part8.md", ("docs/safety/tools/clauses.py", "--page", "8")))),
    Part("figures", "figures on hand-written pages, against what they count", ("docs/safety/tools/safety_figures.py",)),
    Part("pages", "pages are linked; ids and tests that they name are there",
         ("docs/safety/tools/safety_pages.py",), True),
    Part("seeded_gaps", "gaps that this program has to name",
         pages=(("docs/safety/seeded_gaps.md", ("tests/gates/safety_pack_proof.py", "--page")),),
         tests=("gates.safety_pack", "gates.safety_pack.proof")),
)


def run(words):
    """(exit code, what is printed, what is said) of a program of this tree."""
    done = subprocess.run([sys.executable, "-B", str(ROOT / words[0]), *words[1:]], cwd=ROOT, check=False,
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def page_findings(part):
    """Pages of a part that are not what their programs print."""
    for page, words in part.pages:
        code, made, said = run(words)
        path = ROOT / page
        if code != 0 or not made:
            yield f"{page}: {words[0]} fails: {said.strip()}"
        elif not path.exists() or path.read_bytes() != made.encode():
            yield f"{page}: not what {' '.join(words)} prints; docs/safety/tools/safety_pack.py --write"


def file_digests(root=ROOT):
    """{own file: its digest}."""
    return {name: hashlib.sha256((root / name).read_bytes()).hexdigest() for name in own_files(root)}


def tree_line(digests):
    """What says which tree this is: a digest over all own files."""
    lines = "".join(f"{name} {digests[name]}\n" for name in sorted(digests))
    return f"safety_pack: tree {hashlib.sha256(lines.encode()).hexdigest()[:16]}"


def tree_findings(results):
    """Whether results are of this tree: one says so, and the others are no older."""
    line, times = tree_line(file_digests()), {}
    for path in results:
        root = ElementTree.parse(path).getroot()
        is_of_it = any(line in (case.findtext("system-out") or "").splitlines() for case in root.iter("testcase"))
        times[path] = (min((suite.get("timestamp", "") for suite in root.iter("testsuite")), default=""), is_of_it)
    of_it = [time for time, is_of_it in times.values() if is_of_it]
    if results and not of_it:
        yield f"none is of this tree: {line}"
    yield from (f"{path.parent.name}/{path.name}: older than the results of this tree"
                for path, (time, _) in times.items() if of_it and time < min(of_it))


def findings_of(part, results, passed):
    """What is wrong with a part."""
    found = []
    if part.check:
        asked = ["--results", *(str(path) for path in results)] if part.asks_results and results else []
        code, printed, said = run([*part.check, *asked])
        if code != 0:
            found += (said + printed).strip().splitlines() or [f"{part.check[0]} fails"]
    found += page_findings(part)
    if results:
        found += [f"{test} has not passed" for test in part.tests if test not in passed]
    return found


def check(parts, results):
    """Prints what is wrong and returns the names of the parts that fail."""
    failed = []
    unread = list(result_findings(results)) or list(tree_findings(results))
    if unread:
        print("\n".join(f"results: {finding}" for finding in unread), file=sys.stderr)
        return ["results"]
    passed = passed_tests(results)
    for part in parts:
        found = findings_of(part, results, passed)
        for finding in found:
            said = "" if finding.startswith(f"{part.name}: ") else f"{part.name}: "
            print(f"{said}{finding}", file=sys.stderr)
        failed += [part.name] if found else []
    return failed


def write(parts):
    """Makes the pages; returns the names of the parts whose programs fail, whose pages stay as they are."""
    failed = []
    for part in parts:
        for page, words in part.pages:
            code, made, said = run(words)
            if code != 0 or not made:
                print(f"{part.name}: {words[0]} fails: {said.strip()}", file=sys.stderr)
                failed.append(part.name)
            else:
                (ROOT / page).write_bytes(made.encode())
    return failed


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    for flag in ("--check", "--write", "--list"):
        what.add_argument(flag, action="store_true")
    parser.add_argument("--results", type=lambda name: pathlib.Path(name).resolve(), nargs="+", default=[],
                        help="CTest's JUnit files of a whole run")
    parser.add_argument("--only", nargs="+", choices=[part.name for part in PARTS], metavar="PART")
    parser.add_argument("--failed", type=pathlib.Path, help="gets the names of the parts that fail")
    options = parser.parse_args()
    parts = [part for part in PARTS if not options.only or part.name in options.only]
    if options.list:
        print("\n".join(f"{part.name:12} {part.holds}" for part in parts))
        return 0
    failed = write(parts) if options.write else check(parts, options.results)
    if options.failed:
        options.failed.write_text(" ".join(failed), encoding="utf-8")
    if options.check and not options.results:
        print(tree_line(file_digests()))
    with_results = "with results" if options.results else "without results"
    print(f"safety_pack: {len(parts)} parts, {'written' if options.write else with_results}, "
          f"{len(failed)} failed{': ' if failed else ''}{' '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
