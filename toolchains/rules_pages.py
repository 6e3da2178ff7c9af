#!/usr/bin/env python3
"""The pages of rules, from the lists in the sources: docs/reference/rules.md (what refuses a binary) and
docs/reference/host_rules.md (what refuses a call of the host API).

Without arguments compares the pages with the lists; --write writes them. No build is needed.
"""
import argparse
import pathlib
import re
import sys

RULES = "runtime/include/pianola/rules.inc"
STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
HEAD = """# Rules

Every reason for which a binary is refused, with its usual cause and remedy. Made from
`runtime/include/pianola/rules.inc`; do not edit. A verdict names the rule, the field
(`traces[0].commands[17].output`) and an offset in the file: that of the field, or of the table of the manifest that
has it. Host and target run the same checks in the same order, and stop at the first refusal. Ids are stable: none is
ever given a second meaning. [Refusals](../guide/refusals.md) says how to read a refusal.
"""
COLUMNS = "| rule | refused where | because | usual cause | what to do |\n|---|---|---|---|---|"
HOST_HEAD = """# Rules of the host API

The host side refuses calls by these rules in C++ and Python. A message begins with the id of its rule; in Python
`error.rule` has it. Binaries that the validator refuses have the rules of [rules.md](rules.md).
`toolchains/rules_pages.py` writes this page from the lists in the sources; the tests
`docs.rules_page_is_current`, `python.docs`, `Rules.AreDistinctAndInTheManual` and
`MeshRules.AreDistinctTestedAndInTheManual` compare it with them.
"""
# Heading, its page, the list of its rules.
HOST_LISTS = (("Devices, programs, traces and captures", "host_api", "host_rules.inc"),
              ("Meshes", "mesh", "mesh_rules.inc"),
              ("Tensors and operations", "python_tensors", "tensor_rules.inc"),
              ("Pipelines", "pipeline", "pipeline_rules.inc"))
HOST_FOLDER = "capture_host/include/pianola_host"
TEXTS = ("message", "reason", "cause", "remedy")


def rows(root, name, strings, found):
    """[(heading before the row, its strings)] of a list of macros with an enumerator and so many strings."""
    text = (root / name).read_text(encoding="utf-8")
    call = re.compile(r"^PIANOLA_(?:\w+_)?RULE\(\s*\w+" + rf",\s*({STRING})" * strings + r"\)", re.MULTILINE)
    made, end = [], 0
    for match in call.finditer(text):
        heading = re.findall(r"^// (.*)\.\n\Z", text[end:match.start()], re.MULTILINE)
        cells = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part)).replace('\\"', '"') for part in match.groups()]
        made.append((heading[-1] if heading else "", cells))
        end = match.end() + 1
    if len(made) != len(re.findall(r"^PIANOLA_(?:\w+_)?RULE\(", text, re.MULTILINE)) or not made:
        found.append(f"{name}: a rule that cannot be read")
    return made


def rules_page(root, found):
    """(docs/reference/rules.md, how many rules it has)."""
    page, listed = HEAD, rows(root, RULES, 5, found)
    for heading, (rule, *cells) in listed:
        if heading:
            page += f"\n## {heading}\n\n{COLUMNS}\n"
        found += [f"{rule}: no {what}" for what, cell in zip(TEXTS, cells) if not cell]
        page += f"| `{rule}` | " + " | ".join(cells) + " |\n"
    return page, len(listed)


def host_rules_page(root, found):
    """docs/reference/host_rules.md."""
    page = HOST_HEAD
    for title, guide, name in HOST_LISTS:
        page += f"\n## {title}\n\n[{guide}.md](../guide/{guide}.md)\n\n"
        page += "| rule | what holds where it is kept |\n|---|---|\n"
        page += "".join(f"| {rule} | {text} |\n" for _, (rule, text) in rows(root, f"{HOST_FOLDER}/{name}", 2, found))
    return page


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--write", action="store_true", help="write the pages")
    options = parser.parse_args()
    found = []
    page, count = rules_page(options.root, found)
    for name, made in (("docs/reference/rules.md", page),
                       ("docs/reference/host_rules.md", host_rules_page(options.root, found))):
        path = options.root / name
        if options.write and not found:
            path.write_text(made, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != made:
            found.append(f"{name} is not current: run toolchains/rules_pages.py --write")
    for finding in found:
        print(f"rules_pages: {finding}", file=sys.stderr)
    print(f"rules_pages: {count} rules, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
