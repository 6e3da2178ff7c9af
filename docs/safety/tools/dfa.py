#!/usr/bin/env python3
"""Dependent failures: what can defeat several elements at once, and what stands against it.

  docs/safety/tools/dfa.py                                     what can be said without results
  docs/safety/tools/dfa.py --results build/*/test_results.xml  and whether each test that is named has passed
  docs/safety/tools/dfa.py --page > docs/safety/dependent_failures.md

Rows are docs/safety/dfa.toml's; evidence.py says what evidence is. Fails on a row that is not filled in, has
neither evidence nor a reason why not, or names an element, goal, kind or class of coupling factors that is not there;
on a kind or class without a row; on an element that no row names, or whose path is gone; on evidence that is not there
or did not pass.
"""
import collections
import sys
import tomllib

from evidence import Evidence, argument_parser, is_current, not_passed, passed_tests, wrapped

PAGE = "docs/safety/dependent_failures.md"
KINDS = {"shared_resource": "Shared resources", "common_cause": "Common causes", "cascading": "Cascading failures"}
# ISO 26262-9:2018, annex C.
COUPLINGS = ("shared resources", "shared information inputs", "insufficient environmental immunity",
             "systematic coupling", "components of identical type", "communication", "unintended interface")
FIELDS = ("kind", "coupling", "elements", "goals", "effect", "measure")


class Failures:
    """The rows of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / "docs/safety/dfa.toml", "rb") as file:
            table = tomllib.load(file)
        self.elements, self.rows = table["elements"], table["failure"]
        with open(root / "docs/safety/requirements.toml", "rb") as file:
            ids = [entry["id"] for entry in tomllib.load(file)["requirement"]]
        self.goals = {name.rsplit("~", 1)[0] for name in ids if name.startswith("sg~")}
        self.evidence = Evidence(root)

    def check(self):
        """Every row, and whether there is one for everything that needs one."""
        for row in self.rows:
            self.findings += [f"{row['id']}: {finding}" for finding in self.row_findings(row)]
        count = collections.Counter(row["id"] for row in self.rows)
        self.findings += [f"{name}: there are {number}" for name, number in count.items() if number > 1]
        for field, known in (("kind", KINDS), ("coupling", COUPLINGS)):
            named = {row.get(field) for row in self.rows}
            self.findings += [f"{one}: no row is of this {field}" for one in known if one not in named]
        named = {element for row in self.rows for element in row.get("elements", [])}
        for name, element in self.elements.items():
            if name not in named:
                self.findings.append(f"{name}: no row names this element")
            if "path" in element and not (self.root / element["path"]).exists():
                self.findings.append(f"{name}: there is no {element['path']}")

    def row_findings(self, row):
        """What is wrong with one row."""
        if not row["id"].startswith("dfa~"):
            yield "an id begins with dfa~"
        yield from (f"no {field}" for field in FIELDS if not row.get(field))
        for field, known in (("kind", KINDS), ("coupling", COUPLINGS)):
            if row.get(field) and row[field] not in known:
                yield f"{row[field]} is no {field}"
        yield from (f"there is no element {name}" for name in row.get("elements", []) if name not in self.elements)
        yield from (f"there is no {name}" for name in row.get("goals", []) if name not in self.goals)
        if not row.get("evidence") and not row.get("open"):
            yield "neither evidence nor what is open"
        for piece in row.get("evidence", []):
            yield from self.evidence.findings(piece)

    def check_results(self, paths):
        """Every test that a row names ran and passed."""
        passed = passed_tests(paths)
        for row in self.rows:
            self.findings += [f"{row['id']}: {finding}" for finding in not_passed(row.get("evidence", []), passed)]


def page(failures):
    """The rows as Markdown."""
    lines = ["# Dependent failures", "",
             "Made of `docs/safety/dfa.toml` by `docs/safety/tools/dfa.py --page`; do not edit. The end of",
             "`toolchains/test.sh` fails where a test that is named here has not passed.", "",
             "What can defeat several elements at once, or pass from one to the next. Coupling factors are the classes",
             "of ISO 26262-9:2018, annex C. Counts are of whole [campaigns](../evidence/campaigns.md): injected /",
             "detected / harmless. Assumptions are on [the page of the analysis](analysis.md#assumptions-of-use). What",
             "is open has no evidence here.", ""]
    for kind, title in KINDS.items():
        lines += [f"## {title}", ""]
        for row in (row for row in failures.rows if row["kind"] == kind):
            lines += shown(failures, row)
        lines.append("")
    lines += ["## Elements", "", "| element | is | where |", "|---|---|---|"]
    lines += [f"| {name} | {element['text']} | {element.get('path', 'the item')} |"
              for name, element in failures.elements.items()]
    return "\n".join(lines)


def shown(failures, row):
    """One row, for the page."""
    elements = "; ".join(failures.elements[name]["text"].split(":")[0] for name in row["elements"])
    yield from wrapped(f"- **`{row['id']}`**, {row['coupling']}: {elements}")
    yield from wrapped(f"- goals: {', '.join(f'`{goal}`' for goal in row['goals'])}", "  ")
    yield from wrapped(f"- effect: {row['effect']}", "  ")
    yield from wrapped(f"- measure: {row['measure']}", "  ")
    if row.get("evidence"):
        pieces = "; ".join(failures.evidence.shown(piece) for piece in row["evidence"])
        yield from wrapped(f"- shown by: {pieces}", "  ")
    if row.get("open"):
        yield from wrapped(f"- **open:** {row['open']}", "  ")


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    failures = Failures(options.root)
    if options.page:
        print(page(failures))
        return 0
    failures.check()
    if not failures.findings and not is_current(options.root, PAGE, page(failures)):
        failures.findings.append(f"{PAGE}: not what docs/safety/tools/dfa.py --page writes")
    if options.results:
        failures.check_results(options.results)
    for finding in failures.findings:
        print(f"dfa: {finding}", file=sys.stderr)
    print(f"dfa: {len(failures.rows)} rows, {sum(bool(row.get('open')) for row in failures.rows)} with something "
          f"open, {len(failures.findings)} findings")
    return 1 if failures.findings else 0


if __name__ == "__main__":
    sys.exit(main())
