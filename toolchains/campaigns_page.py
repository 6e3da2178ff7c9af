#!/usr/bin/env python3
"""Makes the tables of docs/evidence/campaigns.md and campaigns_boards.md from the records of the whole fault campaigns,
tests/campaign/recorded/*.json.

    toolchains/campaigns_page.py [--program build/release/bin/pianola_campaign] [--boards | --write]

Prints one page, or writes both; the pages' text between the tables stays. Also says which records are of the present
sources. Ends with 1, and says why, where

  - a campaign has no record, or a record no campaign
  - a script, or with --program that program, has a campaign that toolchains/campaigns.py does not have
  - a record is of a part of a campaign, does not add up, or has nothing that was injected
  - something was silent or crashed, and the record does not say why a session does not answer for it
"""
import argparse
import re
import subprocess
import sys

import campaigns
from campaign_record import COUNTS, FIELDS, ROOT, WRONG, digest_of_sources, kept, sums

PAGE, BOARDS_PAGE = ROOT / "docs/evidence/campaigns.md", ROOT / "docs/evidence/campaigns_boards.md"
# <!-- made: NAME of a record, NAME phases, or summary -->
PART = re.compile(r"(<!-- made: ([\w.-]+)( phases)? -->\n).*?(<!-- end -->)", re.S)
SHORT = 12  # digits of a digest


def problems(records, known, page):
    """What is wrong with the records themselves; `page` is the text of all pages."""
    found = [f"{name}: no record" for name in known if name not in records]
    found += [f"{name}: a record of no campaign" for name in records if name not in known]
    if "summary" not in (part[1] for part in PART.findall(page)):
        found.append("no page shows the summary")
    for name, record in records.items():
        if set(record) != {*FIELDS, "sources"}:
            found.append(f"{name}: other fields than a record has")
            continue
        kinds = record["kinds"]
        if not record["whole"]:
            found.append(f"{name}: a part of the campaign was left out")
        if sums(kinds)["injected"] == 0:
            found.append(f"{name}: nothing was injected")
        for each in [*kinds, *record["phases"]]:
            if each["injected"] != sum(each[count] for count in COUNTS[1:]):
                found.append(f"{name}: {each['kind']} does not add up")
        for each in kinds:
            if any(each[count] for count in WRONG) and not each["outside"]:
                found.append(f"{name}: {each['kind']}: {each['silent']} silent, {each['crashed']} crashed, "
                             "and nothing says what is outside")
        wanted, there = set(known[name].kinds if name in known else ()), {each["kind"] for each in kinds}
        if wanted and wanted != there:
            found.append(f"{name}: no counts of {sorted(wanted - there)}, "
                         f"counts of what is gone: {sorted(there - wanted)}")
    return found


def unknown_programs(known, program):
    """Campaigns that nobody records: of the program, and scripts that write records."""
    commands = " ".join(campaign.command for campaign in known.values()).split()
    names = []
    if program:
        names = subprocess.run([program, "campaigns"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    for script in sorted((ROOT / "tests").rglob("*.py")):
        if script.parent != ROOT / "tests/docs" and "import campaign_record" in script.read_text(encoding="utf-8"):
            names.append(script.relative_to(ROOT).as_posix())
    return [f"{name}: not in toolchains/campaigns.py" for name in names if name not in commands]


def counts_of(kinds):
    """The cells of a row."""
    return [f"{count:,}" for count in sums(kinds).values()]


def table(head, rows):
    """Markdown; numbers to the right."""
    numbers = ("samples", "seed", *COUNTS)
    rule = ["---:" if column in numbers else "---" for column in head]
    return "".join("| " + " | ".join(row) + " |\n" for row in (head, rule, *rows))


def summary(records):
    """All that was injected: what a session answers for first, then what is outside, then sums."""
    inside, outside, all_kinds = [], [], []
    for name, campaign in campaigns.CAMPAIGNS.items():
        record = records[name]
        all_kinds += record["kinds"]
        where = f"{record['where']}, {len(record['modes'])} modes" if record["modes"] else record["where"]
        front = [where, *(str(record[field]) if record[field] is not None else "" for field in ("samples", "seed"))]
        sources = record["sources"][:SHORT] or "not recorded"
        for reason in dict.fromkeys(each["outside"] for each in record["kinds"]):
            kinds = [each for each in record["kinds"] if each["outside"] == reason]
            if reason:
                names = ", ".join(each["kind"] for each in kinds)
                outside.append([f"*outside:* {names}: {reason}", *front, *counts_of(kinds), sources, ""])
            else:
                inside.append([campaign.title, *front, *counts_of(kinds), sources, campaign.ci])

    def all_of(text, kinds):
        return [f"**{text}**", "", "", "", *counts_of(kinds), "", ""]
    return table(["campaign", "where", "samples", "seed", *COUNTS, "sources", "in CI"],
                 [*inside, *outside,
                  all_of("what a session answers for", [each for each in all_kinds if not each["outside"]]),
                  all_of("outside", [each for each in all_kinds if each["outside"]]),
                  all_of("everything", all_kinds)])


def details(kinds):
    """A row for each kind of fault."""
    columns = [column for column in ("note", "outside") if any(each[column] for each in kinds)]
    used = [count for count in COUNTS if count not in ("false ok", "crashed") or any(each[count] for each in kinds)]

    def row(name, rows):
        texts = [rows[0][column] if len(rows) == 1 else "" for column in columns]
        return [name, *(f"{sums(rows)[count]:,}" for count in used), *texts]
    rows = [row(each["kind"], [each]) for each in kinds]
    return table(["", *used, *columns], rows + ([row("all", kinds)] if len(kinds) > 1 else []))


def made(page, records):
    """The page with its tables as the records have them."""
    def part(match):
        if match[2] == "summary":
            text = summary(records)
        else:
            text = details(records[match[2]]["phases" if match[3] else "kinds"])
        return f"{match[1]}{text}{match[4]}"
    return PART.sub(part, page)


def main(words):
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", help="pianola_campaign: whether all its campaigns are recorded")
    parser.add_argument("--boards", action="store_true", help="print the page on boards")
    parser.add_argument("--write", action="store_true", help="write the pages instead of printing one")
    options = parser.parse_args(words)
    records, pages = kept(), {path: path.read_text(encoding="utf-8") for path in (PAGE, BOARDS_PAGE)}
    found = unknown_programs(campaigns.CAMPAIGNS, options.program)
    found += problems(records, campaigns.CAMPAIGNS, "".join(pages.values()))
    for text in found:
        print(f"campaigns_page: {text}", file=sys.stderr)
    if any(name not in records for name in campaigns.CAMPAIGNS):
        return 1
    sources = digest_of_sources()
    for name, record in records.items():
        which = "the present" if record["sources"] == sources else "earlier"
        print(f"campaigns_page: {name}: {which} sources", file=sys.stderr)
    print(f"campaigns_page: the present sources are {sources[:SHORT]}", file=sys.stderr)
    if options.write:
        for path, page in pages.items():
            path.write_text(made(page, records), encoding="utf-8")
    else:
        sys.stdout.write(made(pages[BOARDS_PAGE if options.boards else PAGE], records))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
