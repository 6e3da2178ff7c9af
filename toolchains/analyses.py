#!/usr/bin/env python3
"""Safety analyses: failure modes of the three interfaces, and assumptions of use.

  toolchains/analyses.py                                     what can be said without results
  toolchains/analyses.py --results build/*/test_results.xml  and whether each injection that is named has passed
  toolchains/analyses.py --page > docs/safety/analysis.md

docs/safety/fmea.csv has a row for every method of Device, Platform and CommandSet and each of seven guide words.
`evidence` of a row is a list of
  test:<name>                  a test that injects it, by its name in CTest's results
  record:<campaign>/<kind>     a kind of fault of a recorded campaign, whose counts the page shows
  aou:<name>                   an assumption of docs/safety/assumptions.toml
  na                           it cannot happen, or has no effect; `mechanism` says why
Fails on a method or guide word without a row, evidence that is not there or did not pass, a kind of fault that was
silent, an assumption that nobody uses or whose check the conformance kit does not have.
"""
import argparse
import collections
import csv
import json
import pathlib
import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

from trace import public_functions  # pylint: disable=deprecated-module

GUIDE_WORDS = ("not", "wrong", "early", "late", "repeated", "out_of_order", "never_ends")
INTERFACES = ("Device", "Platform", "CommandSet")


class Analyses:
    """The tables of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / "docs/safety/fmea.csv", encoding="utf-8", newline="") as table:
            self.rows = list(csv.DictReader(table))
        with open(root / "docs/safety/assumptions.toml", "rb") as file:
            self.assumptions = {entry["id"]: entry for entry in tomllib.load(file)["assumption"]}
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

    def check_evidence(self, name, evidence):
        """What a row names is there."""
        kind, _, what = evidence.partition(":")
        if kind == "aou":
            self.used.add(f"aou~{what}")
            if f"aou~{what}" not in self.assumptions:
                self.findings.append(f"{name}: there is no aou~{what}")
        elif kind == "record":
            counts = self.counts(what)
            if counts is None:
                self.findings.append(f"{name}: no campaign has recorded {what}")
            elif counts["injected"] == 0 or counts["silent"] or counts["crashed"]:
                self.findings.append(f"{name}: {what} was not injected, or was silent or crashed")
        elif kind not in ("test", "na"):
            self.findings.append(f"{name}: {evidence} is no evidence")

    def counts(self, what):
        """The counts of <campaign>/<kind>; None where there is none."""
        campaign, _, kind = what.partition("/")
        path = self.root / "tests/campaign/recorded" / f"{campaign}.json"
        kinds = json.loads(path.read_text(encoding="utf-8"))["kinds"] if path.exists() else []
        return next((entry for entry in kinds if entry["kind"].replace(" ", "_") == kind), None)

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
        passed = set()
        for path in paths:
            for case in ElementTree.parse(path).getroot().iter("testcase"):
                if case.get("status") == "run" and case.find("failure") is None:
                    passed.add(plain_name(case.get("name")))
        for row in self.rows:
            self.findings += [f"{row['element']}, {row['guide_word']}: {evidence[5:]} has not passed"
                              for evidence in row["evidence"].split()
                              if evidence.startswith("test:") and evidence[5:] not in passed]


def plain_name(name):
    """The name of a test without instance and parameter: area.Instance/Suite.Case/7 is area.Suite.Case."""
    return re.sub(r"^(\w+)\.\w+/(\w+\.\w+)", r"\1.\2", name).split("/", 1)[0]


def page(analyses):
    """The analyses as Markdown."""
    lines = ["# Safety analysis of the interfaces", "",
             "Made of `docs/safety/fmea.csv` and `docs/safety/assumptions.toml` by `toolchains/analyses.py --page`; do",
             "not edit. The last step of `toolchains/test.sh` fails where a test that is named here has not passed.",
             "",
             "What can go wrong with each method of the three interfaces that a port implements, what would come of",
             "it, what stands against it, and what shows that. Counts are of whole",
             "[campaigns](../evidence/campaigns.md): injected / detected / harmless; none was silent.", ""]
    for element in dict.fromkeys(row["element"] for row in analyses.rows):
        lines += [f"## {element}", "", "| guide word | effect | mechanism | shown by |", "|---|---|---|---|"]
        for row in (row for row in analyses.rows if row["element"] == element):
            lines.append(f"| {row['guide_word'].replace('_', ' ')} | {row['effect']} | {row['mechanism']} | "
                         f"{', '.join(shown(analyses, evidence) for evidence in row['evidence'].split())} |")
        lines.append("")
    lines += ["## Assumptions of use", "", "| assumption | text | checks of the kit |", "|---|---|---|"]
    for name, entry in analyses.assumptions.items():
        checks = ", ".join(f"`{check}`" for check in entry["checks"]) or entry.get("why", "")
        lines.append(f"| `{name}` | {entry['text']} | {checks} |")
    return "\n".join(lines)


def shown(analyses, evidence):
    """One piece of evidence, for the page."""
    kind, _, what = evidence.partition(":")
    if kind == "na":
        return "cannot apply"
    if kind == "aou":
        return f"`aou~{what}`"
    if kind == "record":
        counts = analyses.counts(what)
        return f"{counts['kind']}: {counts['injected']:,} / {counts['detected']:,} / {counts['harmless']:,}"
    return f"`{what}`"


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--results", type=pathlib.Path, nargs="+", default=[],
                        help="CTest's JUnit files of a whole run")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    analyses = Analyses(options.root)
    if options.page:
        print(page(analyses))
        return 0
    analyses.check_rows()
    analyses.check_assumptions()
    made = options.root / "docs/safety/analysis.md"
    if not made.exists() or made.read_text(encoding="utf-8") != page(analyses) + "\n":
        analyses.findings.append("docs/safety/analysis.md: not what toolchains/analyses.py --page writes")
    if options.results:
        analyses.check_results(options.results)
    for finding in analyses.findings:
        print(f"analyses: {finding}", file=sys.stderr)
    print(f"analyses: {len(analyses.rows)} rows, {len(analyses.assumptions)} assumptions, "
          f"{len(analyses.findings)} findings")
    return 1 if analyses.findings else 0


if __name__ == "__main__":
    sys.exit(main())
