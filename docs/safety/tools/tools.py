#!/usr/bin/env python3
"""Tool confidence: what docs/safety/tools.toml says, and whether it is complete.

  docs/safety/tools/tools.py                          every package of set-up has a row, every row is filled in,
                                                          and packages here have the versions that rows state
  docs/safety/tools/tools.py --results build/*/test_results.xml  and every measure has passed
  docs/safety/tools/tools.py --page > docs/safety/tools.md
  docs/safety/tools/tools.py --versions FILE                     version and digest of each package here, as JSON
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib

from evidence import argument_parser, is_current, passed_areas


class Tools:
    """The rows of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        with open(root / "docs/safety/tools.toml", "rb") as file:
            self.rows = tomllib.load(file)["tool"]

    def check(self):
        """Packages and rows agree; rows are filled in."""
        text = (self.root / "toolchains/setup-debian.sh").read_text(encoding="utf-8")
        blocks = re.findall(r"^(?:all_)?packages=\(\n(.*?)^\)", text, re.MULTILINE | re.DOTALL)
        installed = set(re.sub(r"#.*", "", "".join(blocks)).split())
        named = [package for row in self.rows for package in row.get("packages", [])]
        self.findings += [f"{package}: set-up installs it, and no row names it"
                          for package in sorted(installed - set(named))]
        self.findings += [f"{package}: a row names it, and set-up does not install it"
                          for package in sorted(set(named) - installed)]
        self.findings += [f"{package}: in two rows" for package in sorted({p for p in named if named.count(p) > 1})]
        for row in self.rows:
            if not row.get("own") and not row.get("packages"):
                self.findings.append(f"{row['name']}: neither own nor a package")
            if row["impact"] not in (1, 2) or row["detection"] not in (1, 2, 3):
                self.findings.append(f"{row['name']}: TI{row['impact']}, TD{row['detection']}")
            if row["impact"] == 2 and row["detection"] == 1 and not row["measures"]:
                self.findings.append(f"{row['name']}: TD1 without a measure")

    def check_versions(self):
        """What a row says of a version is so on this machine, where the package is installed."""
        for row in self.rows:
            for package, version in row.get("versions", {}).items():
                found = installed_version(package)
                if package not in row.get("packages", []):
                    self.findings.append(f"{package}: {row['name']} states a version, and does not name the package")
                elif found and not re.match(rf"(?:\d+:)?{re.escape(version)}(?!\d)", found):
                    self.findings.append(f"{package}: version {found} is installed, the row is about {version}")

    def check_results(self, paths):
        """Measures have passed: the test of that name, or all below it."""
        passed = passed_areas(paths)
        for row in self.rows:
            self.findings += [f"{row['name']}: {measure} has not passed" for measure in row["measures"]
                              if measure not in passed]


def installed_version(package):
    """The version of a package on this machine; an empty text where it is not installed."""
    query = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True,
                           check=False)
    return query.stdout if query.returncode == 0 else ""


def confidence(row):
    """The tool confidence level."""
    return 1 if row["impact"] == 1 else row["detection"]


def page(tools):
    """The rows as Markdown."""
    lines = ["# Tools", "", "Made of `docs/safety/tools.toml` by `tools/tools.py --page`; do not edit. Terms are",
             "those of ISO 26262-8:2018, clause 11. No tool is qualified. Versions and digests of the packages on a",
             "machine: `docs/safety/tools/tools.py --versions FILE`.", "",
             "| tool | use | fault | TI | TD | TCL | measures | why |", "|---|---|---|---|---|---|---|---|"]
    for row in tools.rows:
        stated = row.get("versions", {})
        packages = ", ".join(f"`{package}` {stated.get(package, '')}".strip() for package in row.get("packages", []))
        name = f"{row['name']}: {packages}" if packages else row["name"]
        measures = ", ".join(f"`{measure}`" for measure in row["measures"])
        lines.append(f"| {name} | {row['use']} | {row['fault']} | {row['impact']} | {row['detection']} | "
                     f"{confidence(row)} | {measures} | {row['why']} |")
    return "\n".join(lines)


def list_of_files(package):
    """Bytes of the package database's list of a package's files, with the digest of each; None where there is none."""
    sums = [path for path in sorted(pathlib.Path("/var/lib/dpkg/info").glob(f"{package}*.md5sums"))
            if path.name.removesuffix(".md5sums").split(":")[0] == package]
    return b"".join(path.read_bytes() for path in sums) or None


def installed(package):
    """{version, architecture, sha256 of its list of files' digests} from the package database; None where it is not
    installed."""
    query = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}\t${Architecture}", package],
                           capture_output=True, text=True, check=False)
    if query.returncode != 0:
        return None
    version, architecture = query.stdout.split("\t")
    listed = list_of_files(package)
    digest = hashlib.sha256(listed).hexdigest() if listed else None
    return {"version": version, "architecture": architecture, "files_sha256": digest}


def versions(tools):
    """What is installed of each package, as JSON."""
    packages = sorted(package for row in tools.rows for package in row.get("packages", []))
    return json.dumps({package: installed(package) for package in packages}, indent=1, sort_keys=True) + "\n"


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--versions", type=pathlib.Path)
    options = parser.parse_args()
    tools = Tools(options.root)
    if options.page:
        print(page(tools))
        return 0
    if options.versions:
        options.versions.write_text(versions(tools), encoding="utf-8")
    tools.check()
    tools.check_versions()
    if not is_current(options.root, "docs/safety/tools.md", page(tools)):
        tools.findings.append("docs/safety/tools.md: not what docs/safety/tools/tools.py --page writes")
    if options.results:
        tools.check_results(options.results)
    for finding in tools.findings:
        print(f"tools: {finding}", file=sys.stderr)
    print(f"tools: {len(tools.rows)} rows, {len(tools.findings)} findings")
    return 1 if tools.findings else 0


if __name__ == "__main__":
    sys.exit(main())
