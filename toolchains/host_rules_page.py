#!/usr/bin/env python3
"""Prints docs/reference/host_rules.md from the lists of rules in the sources."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEAD = """# Rules of the host API

The host side refuses calls by these rules in C++ and Python. A message begins with the id of its rule; in Python
`error.rule` has it. Binaries that the validator refuses have the rules of [rules.md](rules.md).
`toolchains/host_rules_page.py` writes this page from the lists in the sources; the tests
`docs.host_rules_page_is_current`, `python.docs`, `Rules.AreDistinctAndInTheManual` and
`MeshRules.AreDistinctTestedAndInTheManual` compare it with them.
"""
# Heading, its page, the list of its rules.
LISTS = (("Devices, programs, traces and captures", "host_api", "capture_host/include/pianola_host/host_rules.inc"),
         ("Meshes", "mesh", "capture_host/include/pianola_host/mesh_rules.inc"),
         ("Tensors and operations", "python_tensors", "capture_host/include/pianola_host/tensor_rules.inc"),
         ("Pipelines", "pipeline", "capture_host/include/pianola_host/pipeline_rules.inc"))
RULE = re.compile(r'^PIANOLA_\w+_RULE\(\w+, "([A-Z0-9-]+)",\s+"(.*)"\)$', re.MULTILINE)


def main():
    """Prints the page. Every entry of a list has to be one that the pattern finds."""
    print(HEAD, end="")
    for title, page, name in LISTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        rules = RULE.findall(text)
        if len(rules) != len(re.findall(r"^PIANOLA_\w+_RULE\(", text, re.MULTILINE)) or not rules:
            raise SystemExit(f"{name}: an entry that this script does not read")
        print(f"\n## {title}\n\n[{page}.md](../guide/{page}.md)\n\n| rule | what holds where it is kept |\n|---|---|")
        for rule, said in rules:
            print(f"| {rule} | {said} |")


if __name__ == "__main__":
    main()
