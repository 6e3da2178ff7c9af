#!/usr/bin/env python3
"""Rules and remedies against the pages that are made from them, without a build: each rule of rules.inc stands on
docs/reference/rules.md with its reason, and on docs/guide/refusals.md with its cause and remedy; nothing else does.

The programs that make the pages are compared with them by docs.rules_page_is_current and
docs.refusals_page_is_current.
"""
import argparse
import pathlib
import re
import sys

RULES, REMEDIES = "runtime/include/pianola/rules.inc", "capture_host/binary/remedies.inc"
STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
ROW = re.compile(r"^\| `([A-Z]{3}-[A-Z0-9-]+)` \|.*\|$", re.MULTILINE)


def macros(text, macro, strings):
    """{enumerator: its strings} of each call of a macro that has so many."""
    pattern = re.compile(rf"^{macro}\(\s*(\w+)" + rf",\s*({STRING})" * strings + r"\)", re.MULTILINE)
    return {match[1]: ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part)).replace('\\"', '"') for part in
                       match.groups()[1:]] for match in pattern.finditer(text)}


def findings(root):
    """What the lists have and the pages do not, and the other way round; and how many rules there are."""
    listed = (root / RULES).read_text(encoding="utf-8")
    rules = macros(listed, "PIANOLA_RULE", 3)
    remedies = macros((root / REMEDIES).read_text(encoding="utf-8"), "PIANOLA_REMEDY", 2)
    found = [f"{RULES}: a rule that cannot be read"] * (len(re.findall(r"^PIANOLA_RULE\(", listed, re.MULTILINE)) !=
                                                        len(rules))
    found += [f"{strings[0]}: no remedy" for name, strings in rules.items() if name not in remedies]
    found += [f"{name}: a remedy of no rule" for name in remedies if name not in rules]
    expected = {
        "docs/reference/rules.md": {strings[0]: strings for strings in rules.values()},
        "docs/guide/refusals.md": {strings[0]: strings[:2] + remedies.get(name, [])
                                   for name, strings in rules.items()}}
    for page, rows in expected.items():
        lines = {match[1]: match[0] for match in ROW.finditer((root / page).read_text(encoding="utf-8"))}
        for rule, cells in rows.items():
            if lines.get(rule) != " | ".join([f"| `{rule}`", *cells[1:]]) + " |":
                found.append(f"{page}: {rule} is not as the list has it")
        found += [f"{page}: {rule} is no rule" for rule in lines if rule not in rows and page.endswith("rules.md")]
    return found, len(rules)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    found, count = findings(parser.parse_args().root)
    for finding in found:
        print(f"rules_pages: {finding}", file=sys.stderr)
    print(f"rules_pages: {count} rules, {len(found)} findings")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
