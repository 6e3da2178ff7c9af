#!/usr/bin/env python3
"""Counts the validator's instructions on the worst files that are known, and holds them against the formula of
docs/evidence/worst_case.md.

The files are those of pianola_worst_case: accepted ones with something at its maximum, and hostile ones of 1 MiB that
look for the most instructions per byte. validate() is counted under callgrind; counts repeat exactly for the same
build, and no clock is involved. Checked: the instructions of each file are at most what the formula says of it; and
those of each hostile file of 1 MiB, and what the formula says of the largest counts in so many bytes, are per byte at
most four times those of the typical file, a captured model.

With --page the table of that page is held to what was measured as well: counts and verdicts as they are, instructions
to within a thousandth, because the place of a file in memory makes a few more or less, and the columns that follow from
them as they follow.

  --long        counts the files that take minutes, too
  --only NAME   only this case; may be repeated

Exit codes: 0 within the limits, 1 not, 2 something could not be measured.
"""
import argparse
import concurrent.futures
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from callgrind import collected, run  # noqa: E402  pylint: disable=wrong-import-position

MIB = 1024 * 1024
# What the formula counts, beside the constant: names in the output of pianola_worst_case, and in coefficients.json.
TERMS = ("file_bytes", "tables", "name_bytes", "work", "script_commands", "tensor_buffers")


def formula(coefficients, counts):
    """The most instructions that a file with these counts may take."""
    return coefficients["constant"] + sum(coefficients[term] * counts[term] for term in TERMS)


def make(program, folder, only, with_long):
    """Writes the cases' files, one after the other as they are asked for: (case, file, counts) each."""
    for case in json.loads(run(program, "list")[0]):
        if case["name"] in only if only else with_long or not case["long"]:
            file = folder / f"{case['name']}.ptb"
            yield case, file, json.loads(run(program, "make", case["name"], file)[0])


def count(options, file, *device):
    """The instructions of one validation, under callgrind."""
    _, counted = collected((options.program, "validate", file, *device), inside=("*pianola_counted_validate*", ),
                           valgrind=options.valgrind)
    if counted == 0:
        raise RuntimeError(f"{file}: nothing was counted")
    return counted


def judged(row, coefficients):
    """The row, with what the formula gives."""
    return {**row, "limit": formula(coefficients, row), "per_byte": round(row["instructions"] / row["file_bytes"], 1)}


def measure(options, coefficients):
    """All rows, the typical file's first."""
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        typical = json.loads(run(options.program, "describe", options.typical)[0])
        jobs = [({"name": "typical", "hostile": False, **typical}, pool.submit(count, options, options.typical))]
        for case, file, counts in make(options.program, pathlib.Path(name), options.only, options.long):
            jobs.append(({**case, **counts}, pool.submit(count, options, file, "worst")))
        return [judged({**row, "instructions": counted.result()}, coefficients) for row, counted in jobs]


def exceeded(rows):
    """Rows that take more than the formula gives, in words."""
    return [f"{row['name']}: {row['instructions']} instructions, the formula gives {row['limit']}"
            for row in rows if row["instructions"] > row["limit"]]


def violations(rows, coefficients, largest):
    """What exceeds a limit, in words; `largest` is what the formula gives for the largest counts of 1 MiB."""
    found = exceeded(rows)
    typical = rows[0]
    if largest * typical["file_bytes"] > coefficients["times_typical"] * typical["instructions"] * MIB:
        found.append(
            f"formula: {largest / MIB:.1f} instructions per byte of 1 MiB, the typical file takes {typical['per_byte']}"
        )
    for row in rows[1:]:
        # Hostile files are 1 MiB, or less: what is said of 1 MiB must hold with all that fits in one.
        if row["hostile"] and row["instructions"] * typical["file_bytes"] > \
                coefficients["times_typical"] * typical["instructions"] * max(row["file_bytes"], MIB):
            found.append(
                f"{row['name']}: {row['per_byte']} instructions per byte, the typical file takes {typical['per_byte']}")
    return found


def to_markdown(rows):
    """The table for people."""
    lines = ["| file | verdict | file bytes | tables | work | instructions | formula | used | per byte | to typical |",
             "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        lines.append(
            f"| {row['name']} | {row['rule'] or 'accepted'} | {row['file_bytes']:,} | {row['tables']:,} | "
            f"{row['work']:,} | "
            f"{row['instructions']:,} | {row['limit']:,} | {100 * row['instructions'] / row['limit']:.0f} % | "
            f"{row['per_byte']} | "
            f"{row['instructions'] / row['file_bytes'] / (rows[0]['instructions'] / rows[0]['file_bytes']):.2f} |"
        )
    return "\n".join(lines)


def table_of(page):
    """Rows of a page's first table of files, as dictionaries of cells by column."""
    columns, rows = [], {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not columns and cells[:2] == ["file", "verdict"]:
            columns = cells
        elif columns and not cells:
            break
        elif columns and not set(line) <= set("|-:"):
            rows[cells[0]] = dict(zip(columns, cells))
    return rows


def with_table(page, rows):
    """The page, its first table of files made anew."""
    lines = page.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("| file | verdict |"))
    behind = next(at for at in range(first, len(lines)) if not lines[at].startswith("|"))
    return "\n".join(lines[:first] + [to_markdown(rows)] + lines[behind:]) + "\n"


def largest_sentence(rows, largest):
    """What pages say of the largest case of 1 MiB, given what the formula has for it."""
    typical = rows[0]["instructions"] / rows[0]["file_bytes"]
    return (f"For 1 MiB the formula gives {largest / MIB:.1f} instructions per byte at most, "
            f"{largest / MIB / typical:.0f} times the sample's {rows[0]['per_byte']}.")


def page_differences(rows, page):
    """What a page's table says otherwise than the rows that were measured, in words."""
    listed = table_of(page)

    def number(name):
        return int(listed[name]["instructions"].replace(",", ""))

    missing = [row["name"] for row in rows if row["name"] not in listed]
    if missing:
        return [f"the page has no row for {name}" for name in missing]
    # The rows, with the page's own instructions: what follows from them has to be what the page says.
    paged = [
        {**row, "instructions": number(row["name"]), "per_byte": round(number(row["name"]) / row["file_bytes"], 1)}
        for row in rows
    ]
    found = [f"{row['name']}: {row['instructions']:,} instructions, the page says {number(row['name']):,}"
             for row in rows if abs(number(row["name"]) - row["instructions"]) * 1000 > row["instructions"]]
    for name, cells in table_of(to_markdown(paged)).items():
        found += [f"{name}: {column} is {cell}, the page says {listed[name][column]}"
                  for column, cell in cells.items() if listed[name][column] != cell]
    return found


def main(arguments):
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=pathlib.Path, help="the program pianola_worst_case")
    parser.add_argument("--typical", required=True, type=pathlib.Path,
                        help="a captured trace binary for the default device")
    parser.add_argument("--coefficients", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("coefficients.json"))
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--jobs", type=int, default=2, help="runs side by side")
    parser.add_argument("--only", action="append")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--page", type=pathlib.Path, help="a page whose first table of files is held to the measure")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    options = parser.parse_args(arguments)
    coefficients = json.loads(options.coefficients.read_text(encoding="utf-8"))
    try:
        rows = measure(options, coefficients)
        largest = formula(coefficients, json.loads(run(options.program, "largest", MIB)[0]))
    except (RuntimeError, OSError) as error:
        print(f"worst_case: {error}", file=sys.stderr)
        return 2
    found = violations(rows, coefficients, largest)
    if options.page:
        found += page_differences(rows, options.page.read_text(encoding="utf-8"))
    print(
        json.dumps({"rows": rows, "coefficients": coefficients, "violations": found}, indent=2) if options.
        json else to_markdown(rows))
    for line in found:
        print(f"EXCEEDED {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
