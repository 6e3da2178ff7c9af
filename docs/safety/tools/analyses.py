#!/usr/bin/env python3
"""Safety analyses: failure modes of the three interfaces, and assumptions of use.

  docs/safety/tools/analyses.py                                     what can be said without results
  docs/safety/tools/analyses.py --results build/*/test_results.xml  and whether each injection that is named has passed
  docs/safety/tools/analyses.py --page > docs/safety/analysis.md

docs/safety/fmea.csv has a row for every method of Device, Platform and CommandSet and each of seven guide words.
`evidence` of a row is a list of what evidence.py knows, or `na`: it cannot happen, and `mechanism` says why.
A call that is left out, goes wrong or never ends can happen; what has an effect does.
Fails on a method or guide word without a row, an `na` of what can happen, a row with neither a test nor an assumption
that the kit checks, evidence that is not there or did not pass, a kind of fault that was silent, an assumption that
nobody uses or whose check the conformance kit does not have.
"""
import collections
import csv
import itertools
import operator
import re
import sys

from evidence import Evidence, argument_parser, is_current, not_passed, passed_tests
from trace import public_functions  # pylint: disable=deprecated-module

GUIDE_WORDS = ("not", "wrong", "early", "late", "repeated", "out_of_order", "never_ends")
ALWAYS_POSSIBLE = ("not", "wrong", "never_ends")
INTERFACES = ("Device", "Platform", "CommandSet")


class Analyses:
    """The tables of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / "docs/safety/fmea.csv", encoding="utf-8", newline="") as table:
            self.rows = list(csv.DictReader(table))
        self.evidence = Evidence(root)
        self.assumptions = self.evidence.assumptions
        self.used = set()

    def check_rows(self):
        """Every method has a row for each guide word, and each row says something."""
        methods = {name for name in public_functions(self.root) if name.split("::")[0] in INTERFACES}
        found = collections.Counter((row["element"], row["guide_word"]) for row in self.rows)
        for method in sorted(methods):
            for word in GUIDE_WORDS:
                if found[method, word] != 1:
                    self.findings.append(f"{method}, {word}: {found[method, word]} rows")
        for row in self.rows:
            name = f"{row['element']}, {row['guide_word']}"
            if row["element"] not in methods or row["guide_word"] not in GUIDE_WORDS:
                self.findings.append(f"{name}: there is no such method or guide word")
            if not row["effect"] or not row["mechanism"] or not row["evidence"]:
                self.findings.append(f"{name}: not filled in")
            for evidence in row["evidence"].split():
                self.check_evidence(name, evidence)
            self.findings += [f"{name}: {finding}" for finding in self.weight_findings(row)]

    def weight_findings(self, row):
        """Whether what a row names is enough: a test, an assumption that the kit checks, or that it cannot happen."""
        pieces = row["evidence"].split()
        if "na" in pieces:
            if len(pieces) > 1 or row["effect"] != "none" or row["guide_word"] in ALWAYS_POSSIBLE:
                yield "na, and it can happen"
        elif not any(piece.startswith("test:") or self.assumptions.get(f"aou~{piece[4:]}", {}).get("checks")
                     for piece in pieces):
            yield "neither a test nor an assumption that the kit checks"

    def check_evidence(self, name, evidence):
        """What a row names is there."""
        if evidence.startswith("aou:"):
            self.used.add(f"aou~{evidence[4:]}")
        if evidence != "na":
            self.findings += [f"{name}: {finding}" for finding in self.evidence.findings(evidence)]

    def check_assumptions(self):
        """Assumptions have checks of the kit, or a reason; each is of use, or about the whole item."""
        page = (self.root / "docs/evidence/port_checks.md").read_text(encoding="utf-8")
        offered = set(re.findall(r"^\| `(PORT-[A-Z-]+)`", page, re.MULTILINE))
        for name, entry in self.assumptions.items():
            self.findings += [f"{name}: the kit has no {check}" for check in entry["checks"] if check not in offered]
            if not entry["checks"] and not entry.get("why"):
                self.findings.append(f"{name}: neither a check nor a reason")
            if entry["checks"] and name not in self.used and not entry.get("beside"):
                self.findings.append(f"{name}: no row relies on it")

    def check_results(self, paths):
        """Every test that a row names ran and passed."""
        passed = passed_tests(paths)
        for row in self.rows:
            self.findings += [f"{row['element']}, {row['guide_word']}: {finding}"
                              for finding in not_passed(row["evidence"].split(), passed)]


def page(analyses):
    """The analyses as Markdown."""
    lines = ["# Safety analysis of the interfaces", "",
             "Made of `docs/safety/fmea.csv` and `docs/safety/assumptions.toml` by `tools/analyses.py --page`; do",
             "not edit. The last step of `toolchains/test.sh` fails where a test that is named here has not passed.",
             "",
             "What can go wrong with each method of the three interfaces that a port implements, what would come of",
             "it, what stands against it, and what shows that. Counts are of whole",
             "[campaigns](../evidence/campaigns.md): injected / detected / harmless; none was silent.", ""]
    for element in dict.fromkeys(row["element"] for row in analyses.rows):
        lines += [f"## {element}", "", "| guide word | effect | mechanism | shown by |", "|---|---|---|---|"]
        own = [row for row in analyses.rows if row["element"] == element]
        for said, rows in itertools.groupby(own, operator.itemgetter("effect", "mechanism", "evidence")):
            effect, mechanism, evidence = said
            words = ", ".join(row["guide_word"].replace("_", " ") for row in rows)
            lines.append(f"| {words} | {effect} | {mechanism} | "
                         f"{', '.join(shown(analyses, piece) for piece in evidence.split())} |")
        lines.append("")
    lines += ["## Assumptions of use", "", "| assumption | text | checks of the kit |", "|---|---|---|"]
    for name, entry in analyses.assumptions.items():
        checks = ", ".join(f"`{check}`" for check in entry["checks"]) or entry.get("why", "")
        lines.append(f"| `{name}` | {entry['text']} | {checks} |")
    return "\n".join(lines)


def shown(analyses, evidence):
    """One piece of evidence, for the page."""
    return "cannot apply" if evidence == "na" else analyses.evidence.shown(evidence)


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    analyses = Analyses(options.root)
    if options.page:
        print(page(analyses))
        return 0
    analyses.check_rows()
    analyses.check_assumptions()
    if not is_current(options.root, "docs/safety/analysis.md", page(analyses)):
        analyses.findings.append("docs/safety/analysis.md: not what docs/safety/tools/analyses.py --page writes")
    if options.results:
        analyses.check_results(options.results)
    for finding in analyses.findings:
        print(f"analyses: {finding}", file=sys.stderr)
    print(f"analyses: {len(analyses.rows)} rows, {len(analyses.assumptions)} assumptions, "
          f"{len(analyses.findings)} findings")
    return 1 if analyses.findings else 0


if __name__ == "__main__":
    sys.exit(main())
