#!/usr/bin/env python3
"""Components of others: what docs/safety/components.toml says, and whether it is complete.

  docs/safety/tools/components.py                          rows are filled in, symbols have tests, versions agree
  docs/safety/tools/components.py --results build/*/test_results.xml  and every test that a row names has passed
  docs/safety/tools/components.py --page > docs/safety/components.md
  docs/safety/tools/components.py --spdx FILE [--board NAME ...]      a bill of materials, SPDX 2.3 in JSON

Which symbols images link is in tests/baremetal/measured/linked_symbols.csv: linked_symbols.py.
"""
import collections
import datetime
import hashlib
import pathlib
import re
import subprocess
import sys
import tomllib

import components_page
import linked_symbols
import sbom
import tools
from evidence import argument_parser, is_current, passed_areas

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "toolchains"))
import boards  # noqa: E402 pylint: disable=wrong-import-position

REQUIRED = ("id", "name", "supplier", "license", "version", "linked", "class", "use", "requirements", "protection",
            "looked_at", "looked_in")
ANOMALY = ("what", "source", "in_version", "touched", "protection")
LINKED = {"static", "headers", "dynamic"}
CLASSES = {"relied", "checked", "host"}
FETCH = "toolchains/fetch_bearssl.sh"
RELEASE = pathlib.Path("/etc/os-release")
WIDE = r"u?int64|u?long|double|float64"


class Components:
    """The rows of a working tree, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings, self.notes = root, [], []
        with open(root / linked_symbols.COMPONENTS, "rb") as file:
            content = tomllib.load(file)
        self.rows, self.distribution = content["component"], content["distribution"]
        self.table = linked_symbols.read_table(root)

    def check(self):
        """All that can be said without results and without a look at this machine's packages."""
        for row in self.rows:
            self.check_row(row)
        names = [row["id"] for row in self.rows]
        self.findings += [f"{name}: twice" for name in sorted({name for name in names if names.count(name) > 1})]
        self.check_symbols()
        self.check_sources()
        self.check_schema()

    def check_row(self, row):
        """One row is filled in, and so are its anomalies."""
        name = row.get("id", "a row without id")
        self.findings += [f"{name}: no {field}" for field in REQUIRED if not row.get(field)]
        if row.get("linked") not in LINKED or row.get("class") not in CLASSES:
            self.findings.append(f"{name}: linked {row.get('linked')}, class {row.get('class')}")
        if ("package" in row) == ("sources" in row):
            self.findings.append(f"{name}: neither a package nor sources, or both")
        if not row.get("hosts_only"):
            fields = ("package_sha256",) if "sources" in row else ("package_sha256", "files_sha256", "architecture")
            self.findings += [f"{name}: no {field}" for field in fields if not row.get(field)]
        elif not row.get("held_by"):
            self.findings.append(f"{name}: no test holds what is called of it")
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", row.get("looked_at", "")):
            self.findings.append(f"{name}: looked at {row.get('looked_at')}, which is no date")
        for anomaly in row.get("anomaly", []):
            self.findings += [f"{name}: an anomaly without {field}" for field in ANOMALY if field not in anomaly]
            if not anomaly.get("source", "").startswith(("https://", "http://")):
                self.findings.append(f"{name}: {anomaly.get('what')}: no public source")
            if not anomaly.get("protection"):
                self.findings.append(f"{name}: {anomaly.get('what')}: nothing protects the runtime")

    def groups(self):
        """{(component, number of group): keys of the table}."""
        found = collections.defaultdict(list)
        by_id = {row["id"]: row for row in self.rows}
        for key in self.table:
            for number, group in enumerate(by_id.get(key[0], {}).get("symbols", [])):
                if re.fullmatch(group["pattern"], key[2]):
                    found[key[0], number].append(key)
        return found

    def check_symbols(self):
        """Every symbol has one group, and every group tests and symbols."""
        groups = self.groups()
        covered = collections.Counter(key for keys in groups.values() for key in keys)
        self.findings += [f"{key[0]}: {key[2]}: in {covered[key]} groups of symbols, one is needed"
                          for key in self.table if covered[key] != 1]
        known = {*boards.names(self.root), *boards.mesh_presets()}
        self.findings += [f"{key[0]}: {key[2]}: {name} is no board" for key, fields in self.table.items()
                          for name in sorted(set().union(*fields.values()) - known)]
        for row in self.rows:
            for number, group in enumerate(row.get("symbols", [])):
                if not groups[row["id"], number]:
                    self.findings.append(f"{row['id']}: {group['pattern']}: no image links such a symbol")
                if not group.get("tests") and not group.get("why"):
                    self.findings.append(f"{row['id']}: {group['pattern']}: neither a test nor a reason")

    def check_sources(self):
        """Sources that boards compile are those that are fetched."""
        text = (self.root / FETCH).read_text(encoding="utf-8")
        for row in self.rows:
            if "sources" not in row:
                continue
            for field, pinned in (("sources", "upstream"), ("package_sha256", "sha256")):
                if not re.search(rf"^{pinned}={re.escape(row[field])}$", text, re.MULTILINE):
                    self.findings.append(f"{row['id']}: {field} is {row[field]}, and {FETCH} pins another one")

    def check_schema(self):
        """No list has elements of 8 bytes: FlatBuffers' verifier does not check their alignment."""
        for path in sorted((self.root / "schema").glob("*.fbs")):
            text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
            wide = [match[1] for match in re.finditer(r"struct\s+(\w+)[^{]*\{([^}]*)\}", text)
                    if re.search(rf":\s*({WIDE})\b", match[2])]
            self.findings += [f"{path.name}: a list of {name}: elements of 8 bytes, see flatbuffers, issue 8397"
                              for name in re.findall(rf"\[\s*({'|'.join([WIDE, *wide])})\s*[\]:]", text)]

    def check_packages(self):
        """Versions and digests are what the package database has, on the distribution that they were recorded on."""
        here = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', RELEASE.read_text(encoding="utf-8"), re.MULTILINE))
        if f"{here.get('ID', '').capitalize()} {here.get('VERSION_ID')}" != self.distribution:
            self.notes.append(f"versions are those of {self.distribution}; not compared on {here.get('PRETTY_NAME')}")
            return
        for row in self.rows:
            if "package" in row:
                self.check_package(row, tools.installed(row["package"]))

    def check_package(self, row, found):
        """One row against what is installed."""
        if found is None:
            self.findings.append(f"{row['id']}: {row['package']} is not installed")
        elif row.get("hosts_only"):
            if upstream(found["version"]) != upstream(row["version"]):
                self.findings.append(f"{row['id']}: version {found['version']} is installed, {row['version']} recorded")
        elif found["architecture"] != row.get("architecture"):
            self.notes.append(f"{row['id']}: recorded for {row.get('architecture')}; not compared")
        else:
            self.findings += [f"{row['id']}: {field} is {found[field]} here, {row.get(field)} is recorded"
                              for field in ("version", "files_sha256") if found[field] != row.get(field)]
            published = published_digest(row)
            if published is None:
                self.notes.append(f"{row['id']}: no list of packages has {row['version']}; package_sha256 not compared")
            elif published != row["package_sha256"]:
                self.findings.append(f"{row['id']}: package_sha256 is {published} in the lists of packages")
            if row["linked"] == "headers":
                self.findings += changed_headers(row)

    def tests(self):
        """{test: who names it}, with boards filled in."""
        found = {}
        groups = self.groups()
        for row in self.rows:
            for test in row.get("held_by", []):
                found.setdefault(test, row["id"])
            for number, group in enumerate(row.get("symbols", [])):
                linking = {name.removesuffix(linked_symbols.MESH) for key in groups[row["id"], number]
                           for names in self.table[key].values() for name in names}
                for test in group["tests"]:
                    for board in sorted(linking) if "{board}" in test else [""]:
                        found.setdefault(test.format(board=board), row["id"])
        return found

    def check_results(self, paths):
        """Tests have passed: the one of that name, or all below it."""
        passed = passed_areas(paths)
        self.findings += [f"{name}: {test} has not passed" for test, name in self.tests().items()
                          if test not in passed]


def upstream(version):
    """A version without epoch and without what the distribution has added."""
    return re.sub(r"^\d+:|[-+].*$", "", version)


def published_digest(row):
    """SHA-256 of a package's own file, from the lists of packages; None where they do not have this version."""
    run = subprocess.run(["apt-cache", "show", f"{row['package']}={row['version']}"], capture_output=True, text=True,
                         check=False)
    found = re.search(r"^SHA256: ([0-9a-f]{64})$", run.stdout, re.MULTILINE)
    return found[1] if found else None


def changed_headers(row):
    """Findings over headers that are not as the package has installed them."""
    findings = []
    for path, digest in linked_symbols.recorded_digests(row["package"]).items():
        if "/include/" in path:
            file = pathlib.Path(path)
            if not file.exists() or hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest() != digest:
                findings.append(f"{row['id']}: {path}: not the file that {row['package']} has installed")
    return findings


def commit_time(root):
    """When the commit was made that is checked out; None where there is no repository."""
    run = subprocess.run(["git", "-C", str(root), "log", "-1", "--format=%ct"], capture_output=True, text=True,
                         check=False)
    return int(run.stdout) if run.returncode == 0 and run.stdout.strip() else None


def write_sbom(components, path, chosen):
    """Writes the bill of materials; findings."""
    known = {name for fields in components.table.values() for names in fields.values() for name in names}
    unknown = sorted(set(chosen) - known)
    if unknown:
        return [f"{name}: no board of {linked_symbols.TABLE}" for name in unknown]
    seconds = sbom.epoch() or commit_time(components.root)
    if seconds is None:
        return ["no repository, and SOURCE_DATE_EPOCH is not set: when was this made?"]
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    document = sbom.document(components, sorted(chosen or known), not chosen, created)
    findings = [f"{path.name}: {violation}" for violation in sbom.violations(document)]
    if not findings:
        path.write_text(sbom.text(document), encoding="utf-8")
    return findings


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--spdx", type=pathlib.Path)
    parser.add_argument("--board", nargs="+", default=[], help="of --spdx: these boards alone, and no host")
    options = parser.parse_args()
    components = Components(options.root)
    if options.page:
        print(components_page.page(components))
        return 0
    components.check()
    components.check_packages()
    if not is_current(options.root, "docs/safety/components.md", components_page.page(components)):
        components.findings.append("docs/safety/components.md: not what docs/safety/tools/components.py --page writes")
    if options.results:
        components.check_results(options.results)
    if options.spdx and not components.findings:
        components.findings += write_sbom(components, options.spdx, options.board)
    for finding in components.findings:
        print(f"components: {finding}", file=sys.stderr)
    for note in components.notes:
        print(f"components: {note}")
    print(f"components: {len(components.rows)} rows, {len(components.table)} symbols, "
          f"{len(components.findings)} findings")
    return 1 if components.findings else 0


if __name__ == "__main__":
    sys.exit(main())
