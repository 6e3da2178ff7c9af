#!/usr/bin/env python3
"""Pages of the safety package, and what they and the tests name.

  docs/safety/tools/safety_pages.py                                      what can be said without results
  docs/safety/tools/safety_pages.py --results build/*/test_results.xml   and whether each test that is named has passed

Names are requirements, assumptions of use and tests, as in `swr~deadline`, `aou~clock`, `test:campaign.lies`
(safety_ids.py). Fails, and names it, on: a page of docs/safety that docs/safety/README.md or docs/README.md
does not link; a name on a page that is none; a requirement that a test's source names and that is not there in this
revision; a software requirement that no test's source names; a row of analyses, tools or components whose test no
source has; a link that leads nowhere; a test that docs/safety/README.md says holds a page, and that no source has; a
page of docs that says that it is made, and that neither safety_pack.py nor a test of CTest makes anew.
"""
import re
import subprocess
import sys

from analyses import Analyses
from components import Components
from dfa import Failures
from evidence import argument_parser
from safety_ids import NAMED, Ids
from safety_pack import PARTS
from tools import Tools

FOLDER, GAPS = "docs/safety", "seeded_gaps.md"
HOLDS = re.compile(r"`([a-z][a-z_]*(?:\.[a-z][a-z_]*)+)`")  # the name of a test, or of a file
FILES = (".toml", ".csv", ".inc", ".py", ".sh", ".md")
MADE = re.compile(r"^[^`]{0,120}(?:Made|Generated) (?:of|by|from) `", re.MULTILINE)
QUOTED = re.compile(r'"((?:sg|tsr|swr|rule|aou)~[A-Za-z0-9-]+~\d+)"')


class Pages:
    """The pages of a working tree, and what is wrong with them."""

    def __init__(self, root, results=()):
        self.root, self.findings, self.ids = root, [], Ids(root, results)
        self.pages = {path.name: path.read_text(encoding="utf-8") for path in sorted((root / FOLDER).glob("*.md"))}

    def check_links(self):
        """Each page is linked where an assessor, and any reader, begins; links lead somewhere."""
        for entry, prefix in ((f"{FOLDER}/README.md", ""), ("docs/README.md", "safety/")):
            text = (self.root / entry).read_text(encoding="utf-8")
            self.findings += [f"{FOLDER}/{name}: {entry} does not link it" for name in self.pages
                              if f"]({prefix}{name})" not in text and entry != f"{FOLDER}/{name}"]
        done = subprocess.run([sys.executable, "-B", str(self.root / "tests/docs/links.py"), str(self.root)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.findings += [f"{line}: is not there" for line in (done.stdout + done.stderr).splitlines()]

    def check_names(self):
        """What pages name is there, except on the page of gaps, which shows names that are not."""
        for name, text in self.pages.items():
            if name == GAPS:
                continue
            for named in sorted(set(NAMED.findall(text))):
                complaint = self.ids.complaint(named)
                if complaint:
                    self.findings.append(f"{FOLDER}/{name}: {complaint}")

    def check_tests(self):
        """Requirements that tests name are there in that revision, and each software requirement is named."""
        named = set()
        for path in sorted((self.root / "tests").rglob("*.cpp")):
            found = set(QUOTED.findall(path.read_text(encoding="utf-8")))
            complaints = filter(None, map(self.ids.complaint, sorted(found)))
            self.findings += [f"{path.relative_to(self.root)}: {complaint}" for complaint in complaints]
            named |= found
        self.findings += [f"{identifier}: no test's source names it" for name, identifier in
                          self.ids.revisions.items() if name.startswith("swr~") and identifier not in named]

    def check_tables(self):
        """Tests that rows of analyses and of tools name are in the sources, whatever was run."""
        named = {(f"{row['element']}, {row['guide_word']}", evidence[5:]) for row in Analyses(self.root).rows
                 for evidence in row["evidence"].split() if evidence.startswith("test:")}
        named |= {(row["id"], piece[5:]) for row in Failures(self.root).rows for piece in row.get("evidence", [])
                  if piece.startswith("test:")}
        named |= {(row["name"], measure) for row in Tools(self.root).rows for measure in row["measures"]}
        named |= {(name, test) for test, name in Components(self.root).tests().items()}
        self.findings += [f"{row}: no source has a test {test}" for row, test in sorted(named)
                          if not self.ids.is_written(test)]

    def check_holders(self):
        """Tests that the entry page names are there; what says that it is made is made anew and compared."""
        named = [name for name in HOLDS.findall(self.pages["README.md"]) if not name.endswith(FILES)]
        self.findings += [f"{FOLDER}/README.md: no source has a test {name}" for name in named
                          if not self.ids.is_written(name)]
        held = {page for part in PARTS for page, _ in part.pages}
        lists = "".join(path.read_text(encoding="utf-8") for pattern in ("CMakeLists.txt", "*.cmake")
                        for path in sorted((self.root / "tests").rglob(pattern)))
        for path in sorted((self.root / "docs").rglob("*.md")):
            name, head = str(path.relative_to(self.root)), path.read_text(encoding="utf-8")[:1000]
            if MADE.search(head) and name not in held and name not in lists:
                self.findings.append(f"{name}: made by a program, and nothing compares it")

    def check(self):
        """Everything."""
        self.check_holders()
        self.check_links()
        self.check_names()
        self.check_tests()
        self.check_tables()
        return self.findings


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    options = parser.parse_args()
    pages = Pages(options.root, options.results)
    findings = pages.check()
    for finding in findings:
        print(f"safety_pages: {finding}", file=sys.stderr)
    print(f"safety_pages: {len(pages.pages)} pages, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
