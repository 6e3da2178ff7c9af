#!/usr/bin/env python3
"""ISO 26262:2018, part 6, tables 1 to 15, and part 8, clauses 7 to 12, by entry: what is applied where, or why not.

  docs/safety/tools/clauses.py                                      every entry has a row, what rows name is there
  docs/safety/tools/clauses.py --results build/*/test_results.xml   and each test that is named has passed
  docs/safety/tools/clauses.py --page 6 > docs/safety/clauses_part6.md, --page 8 > docs/safety/clauses_part8.md

docs/safety/clauses.csv has the rows, in this project's own words. `evidence` is a list of names (safety_ids.py: ids of
requirements and assumptions, test:<name>) and of page:<file>. What is applied, or is partly, has evidence.
"""
import csv
import os
import pathlib
import sys

from evidence import argument_parser
from safety_ids import Ids

ROWS = "docs/safety/clauses.csv"
APPLIED = ("yes", "partly", "no")
# How many methods each table has: 1a, 1b, ...
TABLES = {1: 9, 2: 4, 3: 9, 4: 8, 5: 4, 6: 10, 7: 14, 8: 4, 9: 3, 10: 8, 11: 4, 12: 2, 13: 3, 14: 2, 15: 6}
TITLES = {
    1: "Coding guidelines: topics", 2: "Architecture: notations", 3: "Architecture: principles",
    4: "Architecture: verification", 5: "Units: notations", 6: "Units: design principles", 7: "Units: verification",
    8: "Units: derivation of test cases", 9: "Units: structural coverage", 10: "Integration: verification",
    11: "Integration: derivation of test cases", 12: "Integration: structural coverage",
    13: "Embedded software: test environments", 14: "Embedded software: tests",
    15: "Embedded software: derivation of test cases"}
# Requirements by clause. A number with several is followed by how many.
CLAUSES = {
    7: ("Configuration management", (("7.4", 5),)),
    8: ("Change management", (("8.4.1", 4), ("8.4.2", 2), ("8.4.3", 2), ("8.4.4", 2), ("8.4.5", 3))),
    9: ("Verification", (("9.4.1", 2), ("9.4.2", 4), ("9.4.3", 4))),
    10: ("Documentation management", (("10.4", 6),)),
    11: ("Confidence in the use of software tools",
         (("11.4", 3), ("11.4.4", 2), ("11.4.5", 4), ("11.4.6", 2), ("11.4.7", 4), ("11.4.8", 3), ("11.4.9", 2),
          ("11.4.10", 0))),
    12: ("Qualification of software components", (("12.4.1", 0), ("12.4.2", 5), ("12.4.3", 0)))}


def table_entries(number):
    """The entries of a table of part 6."""
    return [f"6 T{number} 1{chr(ord('a') + at)}" for at in range(TABLES[number])]


def clause_entries(number):
    """The entries of a clause of part 8."""
    return [f"8 {stem}.{at}" if count else f"8 {stem}" for stem, count in CLAUSES[number][1]
            for at in range(1, max(count, 1) + 1)]


class Clauses:
    """The rows of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / ROWS, encoding="utf-8", newline="") as table:
            self.rows = list(csv.DictReader(table))

    def check(self, ids):
        """Every entry has one row, in order, that is filled in; what rows name is there."""
        expected = [entry for number in TABLES for entry in table_entries(number)]
        expected += [entry for number in CLAUSES for entry in clause_entries(number)]
        found = [row["entry"] for row in self.rows]
        self.findings += [f"{entry}: no row" for entry in expected if entry not in found]
        self.findings += [f"{entry}: no entry of the standard's tables or clauses, or a second row"
                          for at, entry in enumerate(found) if entry not in expected or entry in found[:at]]
        if not self.findings and found != expected:
            self.findings.append("rows are not in the order of the standard")
        for row in self.rows:
            name = row["entry"]
            if row["applied"] not in APPLIED or not row["topic"] or not row["how"]:
                self.findings.append(f"{name}: not filled in")
            if row["applied"] != "no" and not row["evidence"]:
                self.findings.append(f"{name}: applied, and nothing shows it")
            complaints = [self.complaint(ids, evidence) for evidence in row["evidence"].split()]
            self.findings += [f"{name}: {complaint}" for complaint in complaints if complaint]

    def complaint(self, ids, evidence):
        """Why a piece of evidence is none; None where it is one."""
        if evidence.startswith("page:"):
            return None if (self.root / evidence[5:]).is_file() else f"there is no {evidence[5:]}"
        return ids.complaint(evidence)


def shown(evidence):
    """One piece of evidence, for the page."""
    if not evidence.startswith("page:"):
        return f"`{evidence}`"
    path = pathlib.PurePosixPath(evidence[5:])
    name = path.stem if path.parts[0] == "docs" else path.name
    return f"[{name}]({os.path.relpath(path, 'docs/safety')})"


def page(clauses, part):
    """The rows of a part as Markdown."""
    which, sections = {
        6: ("part 6, tables 1 to 15", {f"Table {number}. {TITLES[number]}": table_entries(number)
                                       for number in TABLES}),
        8: ("part 8, clauses 7 to 12", {f"Clause {number}. {CLAUSES[number][0]}": clause_entries(number)
                                        for number in CLAUSES})}[part]
    rows = {row["entry"]: row for row in clauses.rows}
    counts = {applied: sum(rows[entry]["applied"] == applied for entries in sections.values() for entry in entries)
              for applied in APPLIED}
    lines = [f"# ISO 26262:2018, {which}", "",
             f"Made of `{ROWS}` by `docs/safety/tools/clauses.py --page {part}`; do not edit. Numbers are those",
             "of the standard, topics and answers are this project's words: read them beside your copy. The numbers",
             "were compared with public mappings of other projects, not with the standard. No compliance is claimed;",
             "what is answered with no is not applied. `tools/safety_pack.py` fails where a test, id or page that",
             "is named here is not there, or has not passed.", "",
             f"Of {sum(counts.values())} entries {counts['yes']} are applied, {counts['partly']} are partly, "
             f"{counts['no']} are not."]
    for title, entries in sections.items():
        lines += ["", f"## {title}", "", "| entry | topic | applied | how, or why not | evidence |",
                  "|---|---|---|---|---|"]
        for entry in entries:
            row = rows[entry]
            lines.append(f"| {entry.split()[-1]} | {row['topic']} | {row['applied']} | {row['how']} | "
                         f"{', '.join(map(shown, row['evidence'].split()))} |")
    return "\n".join(lines)


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", type=int, choices=(6, 8))
    options = parser.parse_args()
    clauses = Clauses(options.root)
    if options.page:
        print(page(clauses, options.page))
        return 0
    clauses.check(Ids(options.root, options.results))
    for finding in clauses.findings:
        print(f"clauses: {finding}", file=sys.stderr)
    print(f"clauses: {len(clauses.rows)} rows, {len(clauses.findings)} findings")
    return 1 if clauses.findings else 0


if __name__ == "__main__":
    sys.exit(main())
