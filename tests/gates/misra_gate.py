#!/usr/bin/env python3
"""Gate: misra/guidelines.csv says of every guideline of MISRA C++:2023 how it is kept, and that is so.

- The table has the 179 guidelines with their categories, and each is enforced, vacuous, reviewed or deviated.
- What enforces a guideline, or counts that nothing is there, finds the violations of its snippet and nothing else.
- A reviewed guideline names the files that were looked at; they have not changed since.
- Deviation records and rows agree, both ways, with the right categories; of a mandatory guideline nothing deviates.
- The page docs/safety/misra.md is what docs/safety/tools/misra_page.py makes of them.
- Guidelines on text, and that every definition is one, hold in all target code. The rest is toolchains/lint.sh's.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import misra_text
from misra_snippets import Checker, one_definition, snippet_of, target_arguments
from own_sources import own_sources, report

# Of "<id> <category>" of all rows, by line: a guideline cannot go or change its category unseen.
ENUMERATION = "e5674191ff20e1aa61ec3e79c9d85df52dc185a6177c140b677a999b4addfa35"
STATUSES = ("enforced", "vacuous", "reviewed", "deviated")
HOST = re.compile(r"^hal/(host|registry|port_kit|devices/[^/]+/(sim|vulkan|host))/")
# Variants that take each other's place, one of which is in a program, and code for boards alone.
OTHER_VARIANTS = re.compile(
    r"^(runtime/(without|integrity/arm)/|hal/devices/refdev/kernels/(portable|dsp|mve)/|hal/(arch|boards|measure)/)")
RECORD = re.compile(r"^## (DEV-\d{3})\b.*?^- Guideline: (.+?)$", re.MULTILINE | re.DOTALL)
GUIDELINE = re.compile(r"(\d+\.\d+\.\d+)((?:, \d+\.\d+\.\d+)*) \((\w+)\)")


def read_rows(root):
    """The table's rows."""
    with open(root / "misra" / "guidelines.csv", encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table))


def enumeration(rows):
    """The digest of ids and categories."""
    text = "".join(f"{row['id']} {row['category']}\n" for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def recorded(text):
    """Deviation id -> {guideline: category}, from the records."""
    records = {}
    for match in RECORD.finditer(text):
        found = records.setdefault(match.group(1), {})
        for first, others, category in GUIDELINE.findall(match.group(2)):
            for number in (first, *others.split(", ")[1:]):
                found[number] = category
    return records


def check_row(root, row):
    """What is wrong with a row by itself."""
    name, status, checks = row["id"], row["status"], row["checks"].split()
    findings = []
    if status not in STATUSES:
        findings.append(f"{name}: status {status!r}")
    if not row["topic"]:
        findings.append(f"{name}: no topic")
    if status == "reviewed":
        findings += check_review(root, row)
    elif not [check for check in checks if not check.startswith("gates.")]:
        findings.append(f"{name}: {status} by nothing")
    if status == "vacuous" and not row["remark"]:
        findings.append(f"{name}: vacuous without a reason")
    if status == "deviated" and not row["deviations"]:
        findings.append(f"{name}: deviated without a record")
    if row["category"] == "mandatory" and (row["deviations"] or status == "deviated"):
        findings.append(f"{name}: mandatory, and deviated from")
    for check in checks:
        if check.startswith("gates.") and not (root / "tests/gates" / f"{check[6:]}_gate.py").exists():
            findings.append(f"{name}: there is no {check}")
    return findings


def check_review(root, row):
    """A review is a section of misra/reviews.md, with the files that were looked at and their digests."""
    text = (root / "misra" / "reviews.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(row['id'])} .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not section:
        return [f"{row['id']}: no review"]
    files = re.findall(r"^- `([^`]+)` ([0-9a-f]{16})$", section.group(), re.MULTILINE)
    stale = [f"{row['id']}: {name} has changed since it was reviewed" for name, digest in files
             if not (root / name).exists() or hashlib.sha256((root / name).read_bytes()).hexdigest()[:16] != digest]
    return stale if files else [f"{row['id']}: the review names no files"]


def check_records(rows, records):
    """Rows and deviation records name each other, with the row's category."""
    findings, by_id = [], {row["id"]: row for row in rows}
    for row in rows:
        for deviation in row["deviations"].split():
            if row["id"] not in records.get(deviation, {}):
                findings.append(f"{row['id']}: {deviation} does not name it")
    for deviation, guidelines in records.items():
        for number, category in guidelines.items():
            if number not in by_id:
                findings.append(f"{deviation}: there is no guideline {number}")
            elif category != by_id[number]["category"]:
                findings.append(f"{deviation}: {number} is {by_id[number]['category']}, not {category}")
            elif deviation not in by_id[number]["deviations"].split():
                findings.append(f"{deviation}: the row of {number} does not name it")
    return findings


def check_table(root, rows):
    """Everything that can be said without running a check."""
    findings = []
    if enumeration(rows) != ENUMERATION:
        findings.append(f"not the 179 guidelines with their categories: {enumeration(rows)}")
    for row in rows:
        findings += check_row(root, row)
    records = recorded((root / "misra" / "deviations.md").read_text(encoding="utf-8"))
    snippets = {path.stem.replace("_", ".") for path in (root / "misra" / "snippets").iterdir()}
    proved = {row["id"] for row in rows if row["status"] != "reviewed"}
    findings += [f"{name}: a snippet, and no row that needs it" for name in sorted(snippets - proved)]
    return findings + check_records(rows, records)


def switched_on(root, plugin, rows):
    """Every check of clang-tidy that a row names is on for hal as well, or a record of hal's switches it off."""
    listing = subprocess.run(["clang-tidy-19", f"--load={plugin}", "--list-checks", str(root / "hal/x.cpp"), "--"],
                             capture_output=True, text=True, check=True, cwd=root).stdout.split()
    off = (root / "hal/.clang-tidy").read_text(encoding="utf-8")
    named = {(row["id"], check) for row in rows for check in row["checks"].split()
             if not check.startswith(("gates.", "misra-text-", "sanitizer-", "link-", "clang-diagnostic-"))}
    return [f"{name}: {check} is off in hal" for name, check in sorted(named)
            if check not in listing and f"  -{check}," not in off]


def check_page(root):
    """The generated page is up to date."""
    made = subprocess.run([sys.executable, "-B", str(root / "docs/safety/tools/misra_page.py")], capture_output=True,
                          text=True, check=True).stdout
    page = root / "docs/safety/misra.md"
    is_right = page.exists() and page.read_text(encoding="utf-8") == made
    return [] if is_right else ["docs/safety/misra.md: not what docs/safety/tools/misra_page.py writes"]


def target_sources(root):
    """The target's own sources and headers."""
    return [name for name in own_sources(root, (".h", ".cpp", ".inc"))
            if name.parts[0] in ("runtime", "hal") and not HOST.match(str(name))]


def check_texts(root, names):
    """Guidelines on text, over target code."""
    findings = []
    for name in names:
        text = (root / name).read_text(encoding="utf-8")
        findings += [f"{name}:{line}: {check}" for line, check in misra_text.findings(text, name.suffix == ".h")]
    return findings


def check_definitions(root, names, commands):
    """6.2.1, 6.2.2: what becomes one program on a host has one definition of everything."""
    by_file = {str((pathlib.Path(entry["directory"]) / entry["file"]).resolve()): entry for entry in commands}
    sources = []
    for name in names:
        entry = by_file.get(str((root / name).resolve()))
        if name.suffix != ".cpp" or entry is None or OTHER_VARIANTS.match(str(name)):
            continue
        words = shlex.split(entry["command"])
        extra = [word for word in words if word.startswith(("-I", "-D", "-std"))]
        for at, word in enumerate(words):
            extra += ["-isystem", words[at + 1]] if word == "-isystem" else []
        sources.append((root / name, extra))
    if len(sources) < 50:
        return [f"only {len(sources)} sources were found to link"]
    with tempfile.TemporaryDirectory() as folder:
        code, output = one_definition(sources, [], pathlib.Path(folder))
    return [] if code == 0 else [f"definitions differ:\n{output}"]


def check_snippets(root, rows):
    """Each row that a check holds has its snippet; checks of this project on text find what theirs is about."""
    findings, checker = [], Checker(root, None, [])
    for row in rows:
        checks = row["checks"].split()
        if row["status"] == "reviewed":
            continue
        if snippet_of(root, row["id"]) is None:
            findings.append(f"{row['id']}: no snippet")
        elif all(check.startswith(("misra-text-", "gates.")) for check in checks):
            findings += checker.findings(row["id"], checks)
    return findings


def check_builds(root, rows, build):
    """What takes compilers and the plugin: checks that are on, every snippet, one definition of everything."""
    plugin = build.resolve() / "pianola_tidy_plugin.so"
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    findings = switched_on(root, plugin, rows)
    checker = Checker(root, plugin, target_arguments(commands))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found in pool.map(lambda row: checker.findings(row["id"], row["checks"].split()),
                              [row for row in rows if row["status"] != "reviewed"]):
            findings += found
    return findings + check_definitions(root, target_sources(root), commands)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, help="of the preset tidy; without it, what needs no build")
    options = parser.parse_args()
    root, rows = options.root.resolve(), read_rows(options.root)
    findings = check_table(root, rows) + check_page(root) + check_texts(root, target_sources(root))
    findings += check_builds(root, rows, options.build) if options.build else check_snippets(root, rows)
    return report("misra", len(rows), findings)


if __name__ == "__main__":
    sys.exit(main())
