#!/usr/bin/env python3
"""Gate: every suppression of a check names the check and a deviation record, and every record is needed.

Looks at NOLINT comments, at diagnostic pragmas, and at the checks that a .clang-tidy of target code switches off again;
there the reason is a comment line "check: DEV-nnn". A record is a heading "## DEV-nnn ..." in misra/deviations*.md with
a line "- Checks: name, name"; a NOLINT may name only checks that its record lists, and a listed check must be in use.
"- Checks: none; why" is of what the check admits by itself.
"""
import argparse
import pathlib
import re
import sys

import layering_gate
from own_sources import own_files, own_sources, report

RECORD = re.compile(r"^## (DEV-\d{3})\b", re.MULTILINE)
CHECKS = re.compile(r"^- Checks: (.+?)$(?=\n- |\Z)", re.MULTILINE | re.DOTALL)
NOLINT = re.compile(r"NOLINT(NEXTLINE|BEGIN|END)?\b(.*)")
WELL_FORMED = re.compile(r"^\(([a-z][\w.-]*(?:, [a-z][\w.-]*)*)\): (DEV-\d{3})\b")
PRAGMA = re.compile(r"#\s*pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored\s+\"(-W[\w-]+)\"(.*)|_Pragma\s*\((.*)")
PRAGMA_REASON = re.compile(r"^\s*// (DEV-\d{3})\b")
CONFIG_REASON = re.compile(r"^#\s+([a-z][\w.-]*): (DEV-\d{3})$", re.MULTILINE)
CONFIG_OFF = re.compile(r"^\s+-([a-z][\w.-]*),?$", re.MULTILINE)
TARGET_LAYERS = ("runtime", "hal")
# They switch off what is asked of target code, because theirs is none.
HOST_CONFIGS = {
    pathlib.Path(folder) / ".clang-tidy"
    for folder in (*layering_gate.TARGETS, layering_gate.SIMULATOR, layering_gate.VULKAN, "hal/host", "hal/registry",
                   "hal/port_kit")
}
FIELDS = ("Guideline", "Checks", "Scope", "Reason", "Risk", "Mitigation")


def read_records(text):
    """Deviation id -> set of checks, and what is wrong with the records themselves."""
    records, findings = {}, []
    headings = list(RECORD.finditer(text))
    for heading, following in zip(headings, [*headings[1:], None]):
        name = heading.group(1)
        body = text[heading.end() : following.start() if following else len(text)]
        if name in records:
            findings.append(f"{name}: recorded twice")
        for field in FIELDS:
            if not re.search(rf"^- {field}: \S", body, re.MULTILINE):
                findings.append(f"{name}: no {field}")
        checks = CHECKS.search(body)
        records[name] = {check.strip(" `\n") for check in checks.group(1).split(",")} if checks else set()
        if checks and checks.group(1).startswith("none; "):
            records[name] = {"none"}
    return records, findings


def suppressions(text):
    """(line number, checks, deviation, complaint) of every suppression in a source."""
    for number, line in enumerate(text.splitlines(), 1):
        match = NOLINT.search(line)
        if match:
            form = WELL_FORMED.match(match.group(2))
            if form:
                yield number, [check.strip() for check in form.group(1).split(",")], form.group(2), None
            else:
                yield number, [], None, "write NOLINT(check): DEV-nnn"
        pragma = PRAGMA.search(line)
        if pragma:
            reason = PRAGMA_REASON.match(pragma.group(2) or "")
            if reason:
                yield number, [pragma.group(1)], reason.group(1), None
            else:
                yield number, [], None, "write #pragma ... ignored \"-Wname\"  // DEV-nnn"


def config_suppressions(text):
    """The same for a .clang-tidy: every check that it switches off again."""
    reasons = dict(CONFIG_REASON.findall(text))
    for match in CONFIG_OFF.finditer(text):
        check = match.group(1)
        number = text.count("\n", 0, match.start(1)) + 1
        complaint = None if check in reasons else f"write # {check}: DEV-nnn"
        yield number, [check], reasons.get(check), complaint


def judge(root, names, records_text):
    """Findings over the sources `names` of `root` and the text of the records."""
    records, findings = read_records(records_text)
    used = {name: set() for name in records}
    for name in names:
        text = (root / name).read_text(encoding="utf-8")
        is_config = name.name == ".clang-tidy"
        for number, checks, deviation, complaint in (config_suppressions if is_config else suppressions)(text):
            where = f"{name}:{number}"
            if complaint:
                findings.append(f"{where}: {complaint}")
            elif deviation not in records:
                findings.append(f"{where}: {deviation} has no record")
            else:
                for check in checks:
                    used[deviation].add(check)
                    if check not in records[deviation]:
                        findings.append(f"{where}: {deviation} does not cover {check}")
    for name, checks in records.items():
        for check in sorted(checks - used[name] - {"none"}):
            findings.append(f"{name}: nothing suppresses {check} under this record any more")
        if not checks:
            findings.append(f"{name}: covers no check")
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    root = parser.parse_args().root
    sources = own_sources(root, (".h", ".cpp", ".inc"))
    configs = {n for n in own_files(root) if n.name == ".clang-tidy" and n.parts[0] in TARGET_LAYERS}
    sources += sorted(configs - HOST_CONFIGS)
    record_text = "".join((root / "misra" / f"deviations{kind}.md").read_text(encoding="utf-8")
                          for kind in ("", "_host"))
    sys.exit(report("deviations", len(sources), judge(root, sources, record_text)))
