"""docs/safety/components.md: components.toml and linked_symbols.csv as Markdown. components.py --page prints it."""
from evidence import wrapped

CLASSES = {
    "relied": "relied on: nothing on the target checks its results",
    "checked": "checked: a later check that shares no code with it notices",
    "host": "hosts only, no part of an item",
}
HEAD = """# Software components of others

Made of `docs/safety/components.toml` and `tests/baremetal/measured/linked_symbols.csv` by `components.py
--page`; do not edit. Terms are those of ISO 26262-8:2018, clause 12. No component is qualified: an integrator qualifies
what is relied on (`aou~components`), by the requirements and tests below and by measures of the item's own, or links
other libraries and repeats the tests.

The gate `<board>.components` compares the symbols with what every image of the board links, and the libraries with the
package's own files. Of headers only functions that are not inlined have a symbol; what is inlined is covered, mutated
and gated as the code around it. In a product it is the applications' column that counts."""


def joined(texts):
    """Markdown of a list of names."""
    return ", ".join(f"`{text}`" for text in texts)


def facts(row):
    """What identifies a component."""
    lines = [f"- {CLASSES[row['class']]}", f"- use: {row['use']}", f"- {row['linked']}; licence {row['license']}"]
    if "sources" in row:
        lines.append(f"- version {row['version']}, sources `{row['sources']}`, SHA-256 `{row['package_sha256']}`")
    elif row.get("hosts_only"):
        lines.append(f"- package `{row['package']}`, version {row['version']}; the distribution's updates are admitted")
    else:
        lines += [f"- package `{row['package']}`, version {row['version']} ({row['architecture']}), SHA-256 "
                  f"`{row['package_sha256']}`; of its files' digests `{row['files_sha256']}`"]
    lines += [f"- requires: {text}" for text in row["requirements"]]
    lines.append(f"- protection: {row['protection']}")
    if "held_by" in row:
        lines.append(f"- held by {joined(row['held_by'])}")
    lines.append(f"- anomalies were looked up on {row['looked_at']}: {row['looked_in']}")
    return [line for text in lines for line in wrapped(text)]


def anomalies(row):
    """The table of known anomalies."""
    lines = ["", "| anomaly | in this version | touched | protection |", "|---|---|---|---|"]
    for anomaly in row.get("anomaly", []):
        cells = [f"[{anomaly['what']}]({anomaly['source']})",
                 *("yes" if anomaly[field] else "no" for field in ("in_version", "touched")), anomaly["protection"]]
        lines.append(f"| {' | '.join(cells)} |")
    return lines if row.get("anomaly") else []


def symbols(components, row):
    """The tables of tests and of symbols."""
    groups = components.groups()
    lines = ["", "| symbols | tests |", "|---|---|"]
    for number, group in enumerate(row["symbols"]):
        names = sorted({key[2] for key in groups[row["id"], number]})
        lines.append(f"| {joined(names)} | {joined(group['tests']) or group['why']} |")
    lines += ["", "| symbol | member | linked by applications | by tests only |", "|---|---|---|---|"]
    for key in sorted(key for key in components.table if key[0] == row["id"]):
        fields = components.table[key]
        cells = [" ".join(sorted(fields[field])) for field in ("applications", "tests")]
        lines.append(f"| `{key[2]}` | {key[1]} | {cells[0]} | {cells[1]} |")
    return lines


def page(components):
    """The whole page."""
    lines = [HEAD, "", "| component | version | class | anomalies, touched |", "|---|---|---|---|"]
    for row in components.rows:
        found = row.get("anomaly", [])
        counts = f"{len(found)}, {sum(1 for anomaly in found if anomaly['touched'])}"
        lines.append(f"| {row['name']} | {row['version']} | {row['class']} | "
                     f"{'not looked up' if row['class'] == 'host' else counts} |")
    for row in components.rows:
        lines += ["", f"## {row['name']}", "", *facts(row), *anomalies(row)]
        if "symbols" in row:
            lines += symbols(components, row)
    return "\n".join(lines)
