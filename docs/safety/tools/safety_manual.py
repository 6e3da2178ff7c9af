#!/usr/bin/env python3
"""The safety manual: each statement says what it rests on, and nothing that an integrator meets is left out.

Fails, and names it, on: an item or row of docs/safety/safety_manual.md, outside of LINKED sections, without a name
(`swr~deadline`, `aou~clock`, `test:campaign.lies`); a technical requirement or assumption that it does not name; a
status, stage of a fault, option, capacity or left-out feature that it does not name; a sentence or cell of a table, on
any page, that claims compliance, a certificate or an ASIL. That names are there is docs/safety/tools/safety_pages.py's.
"""
import argparse
import pathlib
import re
import sys

from safety_ids import NAMED, Ids

MANUAL = "docs/safety/safety_manual.md"
GAPS = "seeded_gaps.md"  # which shows what the check says
LINKED = ("Identity", "Known anomalies")
HEADERS = "runtime/include/pianola"
# What an integrator meets: header, the block's head, and its members.
ENUMERATOR, MEMBER = r"^ {4}(k\w+) =", r"^ {4}[^/\n]*?(\w+)(?:\{[^;]*\})?;"
MET = (("status.h", r"enum class \[\[nodiscard\]\] Status\b", ENUMERATOR),
       ("fault.h", r"enum class FaultStage\b", r"^ {4}(k(?!None)\w+)\b"),
       ("session_config.h", r"enum class Release\b", ENUMERATOR),
       ("session_config.h", r"enum class Evidence\b", ENUMERATOR),
       ("session_config.h", r"struct SessionConfig\b", MEMBER), ("trust.h", r"enum class KeyState\b", ENUMERATOR),
       ("trust.h", r"enum class SignaturePolicy\b", ENUMERATOR), ("trust.h", r"struct Trust\b", MEMBER),
       ("config.h", r"struct Capacities\b", r"^ {4}std::uint32_t (?!number)(\w+);"))
CLAIM = re.compile(r"\b(complian\w+|compl(?:ies|y)|conforms to|certified|certificates?|certification|ASIL(?:[- ][A-D])?"
                   r"(?!\w))", re.IGNORECASE)
# What denies a claim stands in front of it, or follows at once.
DENIAL = re.compile(r"\b(no|not|nor|nobody|none|nothing|never|without)\b", re.IGNORECASE)
DENIED_AFTER = re.compile(r"\W*(?:(?:for|by|to)\s+)?(?:no|nothing|nobody|none)\b", re.IGNORECASE)
NAMES = re.compile(r"MISRA Compliance:2020|ca-certificates|unpacking and certificates|module's own certificate")


def met(root):
    """Names of what an integrator meets, from headers and from the folder of what can be left out."""
    for header, head, member in MET:
        text = (root / HEADERS / header).read_text(encoding="utf-8")
        block = re.search(head + r"[^;{]*\{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL)
        names = re.findall(member, block[1], re.MULTILINE) if block else []
        if not names:
            yield f"{header}: {head} cannot be read"
        yield from names
    for path in sorted((root / "runtime/without").glob("*.cpp")):
        yield f"pianola_without_{path.stem}"


def statements(text):
    """(section, item or row) of a page; an item includes the lines that go on with it."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        for block in re.findall(r"^(?:- |\d+\. )(?:.*\n?)(?: +\S.*\n?)*", body, re.MULTILINE):
            yield title, " ".join(block.split())
        rows = [line for line in body.splitlines() if line.startswith("|")]
        yield from ((title, row) for at, row in enumerate(rows)
                    if not row.startswith("|---") and not (at + 1 < len(rows) and rows[at + 1].startswith("|---")))


def claims(text):
    """Sentences and cells that claim what this package does not."""
    text = NAMES.sub("", text)
    rows = [row.replace("|", "\n\n") for row in re.findall(r"^\|.*$", text, re.MULTILINE)]
    prose = "\n\n".join([re.sub(r"^\|.*$", "", text, flags=re.MULTILINE), *rows])
    for sentence in re.split(r"(?<=[.:;])\s+|\n\n", prose):
        if any(not DENIAL.search(sentence[:claim.start()]) and not DENIED_AFTER.match(sentence[claim.end():])
               for claim in CLAIM.finditer(sentence)):
            yield " ".join(sentence.split())


def findings(root):
    """What is wrong with the manual, and how many statements it makes."""
    text = (root / MANUAL).read_text(encoding="utf-8")
    ids, made = Ids(root), list(statements(text))
    found = [f"{title}: nothing that it rests on: {statement[:70]}" for title, statement in made
             if title not in LINKED and not NAMED.search(statement)]
    named = {name if name.count("~") == 1 else name.rsplit("~", 1)[0] for name in NAMED.findall(text)}
    wanted = {name for name in ids.revisions if name.startswith("tsr~")} | ids.assumptions
    found += [f"{name} is not named" for name in sorted(wanted - named)]
    found += [f"`{name}` is not named" for name in met(root) if f"`{name}`" not in text]
    for path in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        if path.name != GAPS:
            found += [f"{path.relative_to(root)}: claims what nobody has shown: {claim[:70]}"
                      for claim in claims(path.read_text(encoding="utf-8"))]
    return found, len(made)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3])
    found, count = findings(parser.parse_args().root)
    for finding in found:
        print(f"safety_manual: {finding}", file=sys.stderr)
    print(f"safety_manual: {count} statements, {len(found)} findings")
    return 1 if found or not count else 0


if __name__ == "__main__":
    sys.exit(main())
