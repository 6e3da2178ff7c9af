#!/usr/bin/env python3
"""Traceability: safety goals, technical and software requirements, rules, public functions, and tests that passed.

  docs/safety/tools/trace.py                    what can be said without results: hierarchy, revisions, functions
  docs/safety/tools/trace.py --results build/*/test_results.xml
                                                    and whether a test that passed verifies each requirement
  docs/safety/tools/trace.py --renew            writes the digests of new revisions to docs/safety/revisions.csv
  docs/safety/tools/trace.py --page > docs/safety/requirements.md
  trace.py --needs FILE, --oft FILE  for sphinx-needs and OpenFastTrace, to be checked by others' tools

Requirements are docs/safety/requirements.toml's; each rule of rules.inc is one too. Tests say what they verify by id
and revision (tests/support/verifies.h). Fails, and names it, on: a requirement without a passing test; a test that
names an unknown id or another revision, or failed; a goal or requirement without children; a changed text without a
new revision, also where revisions.csv was changed with it since a commit; a public function of the runtime without a
requirement, or a requirement of one that is not there.
"""
import csv
import dataclasses
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import tomllib
import xml.etree.ElementTree as ElementTree

from evidence import argument_parser, has_passed, is_current

RULE = re.compile(r'^PIANOLA_RULE\(\w+,\s*"([^"]+)",\s*"((?:[^"\\]|\\.)*)",', re.MULTILINE)
ID = re.compile(r"^(sg|tsr|swr|rule)~[A-Za-z0-9-]+~[1-9]\d*$")
VERIFIES = re.compile(r"^verifies:((?: \S+)+)$", re.MULTILINE)
CHILDREN_OF = {"sg": ("tsr",), "tsr": ("swr", "rule")}


@dataclasses.dataclass
class Requirement:
    """One item; `name` is its id without the revision."""
    name: str
    revision: int
    text: str
    parents: list
    functions: list

    @property
    def id(self):
        """type~name~revision."""
        return f"{self.name}~{self.revision}"

    @property
    def kind(self):
        """sg, tsr, swr or rule."""
        return self.name.split("~")[0]

    @property
    def digest(self):
        """Of what a new revision is asked for."""
        return hashlib.sha256(" ".join(self.text.split()).encode()).hexdigest()[:16]


class Trace:
    """All items of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / "docs/safety/requirements.toml", "rb") as file:
            self.source = tomllib.load(file)
        self.items = {}
        for entry in self.source["requirement"]:
            if not ID.match(entry["id"]):
                self.findings.append(f"{entry['id']}: not type~name~revision")
                continue
            name, revision = entry["id"].rsplit("~", 1)
            self.add(Requirement(name, int(revision), entry["text"], entry.get("parents", []),
                                 entry.get("functions", [])))
        self.add_rules()

    def add(self, item):
        """Adds an item that is not there yet."""
        if item.name in self.items:
            self.findings.append(f"{item.id}: {item.name} is there twice")
        self.items[item.name] = item

    def add_rules(self):
        """Every rule is a requirement: refuse what it is about, and say so."""
        parents = {group: entry["parent"] for entry in self.source["rules"] for group in entry["groups"]}
        revisions = self.source.get("rule_revisions", {})
        text = re.sub(r'"\s*\n\s*"', "", (self.root / "runtime/include/pianola/rules.inc").read_text(encoding="utf-8"))
        text = re.sub(r"\(\s*\n\s*", "(", re.sub(r",\s*\n\s*", ", ", text))
        for rule, message in RULE.findall(text):
            parent = parents.get(rule.split("-")[0])
            if parent is None:
                self.findings.append(f"rule~{rule}: no [[rules]] names its group")
            self.add(Requirement(f"rule~{rule}", revisions.get(rule, 1), f"A file is refused where {message}.",
                                 [parent] if parent else [], []))
        macros = text.count("\nPIANOLA_RULE(") - len(re.findall(r"\nPIANOLA_RULE\(kNot(Run|Known)", text))
        if macros > sum(item.kind == "rule" for item in self.items.values()):
            self.findings.append("rules.inc: a rule that cannot be read")

    def check_hierarchy(self):
        """Parents exist; goals and requirements above software have children."""
        for item in self.items.values():
            for parent in item.parents:
                if parent not in self.items or item.kind not in CHILDREN_OF.get(parent.split("~")[0], ()):
                    self.findings.append(f"{item.id}: {parent} is no parent for it")
            if not item.parents and item.kind != "sg":
                self.findings.append(f"{item.id}: no parent")
            if item.kind in CHILDREN_OF and not any(item.name in other.parents for other in self.items.values()):
                self.findings.append(f"{item.id}: nothing is derived from it")

    def recorded_revisions(self):
        """{id with revision: digest}."""
        path = self.root / "docs/safety/revisions.csv"
        if not path.exists():
            return {}
        with open(path, encoding="utf-8", newline="") as file:
            return {row["id"]: row["sha256"] for row in csv.DictReader(file)}

    def check_revisions(self):
        """A text is what its revision says."""
        recorded = self.recorded_revisions()
        for item in self.items.values():
            if item.id not in recorded:
                self.findings.append(f"{item.id}: a revision that is not recorded: docs/safety/tools/trace.py --renew")
            elif recorded[item.id] != item.digest:
                self.findings.append(f"{item.id}: the text has changed, and the revision has not")
        names = {identifier.rsplit("~", 1)[0] for identifier in recorded}
        self.findings += [f"{name}: recorded, and no longer there" for name in sorted(names - set(self.items))]

    def check_history(self):
        """A revision has had one text in all commits; without a repository there is nothing to compare with."""
        if not (self.root / ".git").exists():
            return
        log = subprocess.run(["git", "-C", str(self.root), "log", "--format=", "-p", "--", "docs/safety/revisions.csv"],
                             capture_output=True, text=True, check=False)
        if log.returncode != 0:
            self.findings.append(f"git cannot tell the history of revisions: {log.stderr.strip()}")
        recorded = self.recorded_revisions()
        committed = set(re.findall(r"^\+(\w+~[\w-]+~\d+),(\w+)$", log.stdout, re.MULTILINE))
        self.findings += [f"{identifier}: a commit has this revision with another text"
                          for identifier, digest in sorted(committed) if recorded.get(identifier, digest) != digest]

    def renew(self):
        """Adds new revisions; never changes one that is there."""
        recorded = self.recorded_revisions()
        for item in self.items.values():
            recorded.setdefault(item.id, item.digest)
        kept = {key: value for key, value in recorded.items() if key.rsplit("~", 1)[0] in self.items}
        with open(self.root / "docs/safety/revisions.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", "sha256"])
            writer.writerows(sorted(kept.items()))

    def check_functions(self):
        """Every public function of the runtime is named by a requirement, and there."""
        public = public_functions(self.root)
        named = {function: item for item in self.items.values() for function in item.functions}
        self.findings += [f"{name}: a public function that no requirement names"
                          for name in sorted(public - set(named))]
        self.findings += [f"{named[name].id}: there is no public function {name}"
                          for name in sorted(set(named) - public)]

    def check_results(self, paths):
        """Tests that passed verify every requirement; those that name what is not there are wrong. Returns who does."""
        verified, broken = {}, set()
        for path in paths:
            for test, passed, ids in verifications(path):
                for identifier in ids:
                    item = self.items.get(identifier.rsplit("~", 1)[0])
                    if item is None or item.id != identifier:
                        known = f", the requirement is {item.id}" if item else ""
                        self.findings.append(f"{test}: verifies {identifier}, which is not there{known}")
                    elif passed:
                        verified.setdefault(item.name, set()).add(test)
                    else:
                        broken.add((item.id, test))
        self.findings += [f"{identifier}: {test}, which verifies it, did not pass"
                          for identifier, test in sorted(broken)]
        self.findings += [f"{item.id}: no test that passed verifies it" for item in self.items.values()
                          if item.kind in ("swr", "rule") and item.name not in verified]
        return verified


def verifications(path):
    """(test, passed, ids) of each test of a CTest result file that says what it verifies."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        ids = [one for line in VERIFIES.findall(case.findtext("system-out") or "") for one in line.split()]
        if ids:
            yield case.get("name"), has_passed(case), ids


def public_functions(root):
    """Functions that runtime/include/pianola declares for others, by clang's syntax tree: without `pianola::`."""
    headers = sorted((root / "runtime/include/pianola").glob("*.h"))
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write("".join(f'#include "pianola/{header.name}"\n' for header in headers))
        source.flush()
        dump = subprocess.run(
            ["clang++-19", "-std=c++17", f"-I{root / 'runtime/include'}", f"-I{root}", "-fsyntax-only", "-Xclang",
             "-ast-dump=json", "-Xclang", "-ast-dump-filter=pianola", source.name],
            capture_output=True, text=True, check=True).stdout
    found, decoder, at, visitor = set(), json.JSONDecoder(), 0, _Functions()
    heading = re.compile(r"\s*(?:Dumping [^\n]*:\n)?")
    while (at := heading.match(dump, at).end()) < len(dump):
        node, at = decoder.raw_decode(dump, at)
        visitor.visit(node, [], "public")
        found |= visitor.found
    return found


class _Functions:
    """Collects public functions below namespace pianola. The tree says a file only where it changes."""
    KINDS = ("FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "FunctionTemplateDecl")

    def __init__(self):
        self.found, self.file = set(), ""

    def visit(self, node, scope, access):
        """A declaration and those within."""
        location = node.get("loc", {})
        for place in (location, location.get("expansionLoc", {}), node.get("range", {}).get("begin", {})):
            if "file" in place:
                self.file = place["file"]
                break
        kind, name = node.get("kind"), node.get("name", "")
        if node.get("isImplicit") or access != "public":
            return
        if kind in ("NamespaceDecl", "LinkageSpecDecl", "ClassTemplateDecl"):
            inner_scope = [*scope, name] if kind == "NamespaceDecl" and name not in ("", "pianola") else scope
            for inner in node.get("inner", []):
                self.visit(inner, inner_scope, "public")
        elif kind == "CXXRecordDecl":
            inner_access = "private" if node.get("tagUsed") == "class" else "public"
            for inner in node.get("inner", []):
                if inner.get("kind") == "AccessSpecDecl":
                    inner_access = inner["access"]
                else:
                    self.visit(inner, [*scope, name], inner_access)
        elif kind in self.KINDS and "runtime/include/pianola" in self.file:
            if not node.get("explicitlyDefaulted") and not node.get("explicitlyDeleted"):
                self.found.add("::".join([*scope, name]))


def page(trace):
    """The requirements as Markdown."""
    titles = {"sg": "Safety goals, assumed", "tsr": "Technical safety requirements", "swr": "Software requirements",
              "rule": "Rules"}
    lines = ["# Safety requirements", "",
             "Made of `docs/safety/requirements.toml` and the runtime's rules by `tools/trace.py --page`; do not "
             "edit. What",
             "verifies each of them is what tests said in a run: the last step of `toolchains/test.sh` fails where one "
             "has no test",
             "that passed.", ""]
    for key, title in (("assumed_use", "Assumed use"), ("safe_state", "Safe state"), ("ftti", "Time"),
                       ("integrity", "Integrity")):
        lines += [*textwrap.wrap(f"**{title}.** {trace.source['item'][key]}", 118), ""]
    for kind, title in titles.items():
        lines += [f"## {title}", "", "| requirement | text | from |", "|---|---|---|"]
        lines += [f"| `{item.id}` | {item.text} | {', '.join(parent.split('~')[1] for parent in item.parents)} |"
                  for item in trace.items.values() if item.kind == kind]
        lines.append("")
    return "\n".join(lines[:-1])


def needs(trace, verified):
    """The items as sphinx-needs imports them."""
    return json.dumps({"current_version": "1", "versions": {"1": {"needs": {
        item.id: {"id": item.id, "type": item.kind, "title": item.name.split("~")[1], "description": item.text,
                  "links": [trace.items[parent].id for parent in item.parents],
                  "verified_by": sorted(verified.get(item.name, ()))} for item in trace.items.values()}}}},
        indent=1, sort_keys=True) + "\n"


def oft(trace):
    """The items as OpenFastTrace reads them."""
    return "\n".join(f"### {item.name.split('~')[1]}\n`{item.id}`\n\n{item.text}\n" +
                     ("\nCovers:\n" + "".join(f"- `{trace.items[parent].id}`\n" for parent in item.parents)
                      if item.parents else "") for item in trace.items.values())


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--renew", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--needs", type=pathlib.Path)
    parser.add_argument("--oft", type=pathlib.Path)
    options = parser.parse_args()
    trace = Trace(options.root)
    if options.renew:
        trace.renew()
    if options.page:
        print(page(trace))
        return 0
    trace.check_hierarchy()
    trace.check_revisions()
    trace.check_history()
    trace.check_functions()
    if not is_current(options.root, "docs/safety/requirements.md", page(trace)):
        trace.findings.append("docs/safety/requirements.md: not what docs/safety/tools/trace.py --page writes")
    verified = trace.check_results(options.results) if options.results else {}
    if options.needs:
        options.needs.write_text(needs(trace, verified), encoding="utf-8")
    if options.oft:
        options.oft.write_text(oft(trace), encoding="utf-8")
    for finding in trace.findings:
        print(f"trace: {finding}", file=sys.stderr)
    tests = {test for names in verified.values() for test in names}
    print(f"trace: {len(trace.items)} requirements, {len(tests)} tests, {len(trace.findings)} findings")
    return 1 if trace.findings else 0


if __name__ == "__main__":
    sys.exit(main())
