#!/usr/bin/env python3
"""Gate: tests execute every function and line of runtime/, take every branch both ways, and show every condition of
every decision to decide alone (MC/DC), or tests/coverage/justified.csv says why not.

Runs the programs of tests given, merges their profiles, and reads what llvm-cov exports. What must be there is listed
from the library's symbols, not from the profile: a function that no program links is missing, not covered. Whatever
llvm-cov says besides ends the gate; only a function that one program has in a header and does not use may be without
data there, and it must be measured in another program. docs/evidence/coverage.md is made here, with --write.

A row of justified.csv: function, hash of the line's text, kinds (function, line, branch, "condition 2" for the second
of a decision, joined by +), reason. A row whose line is not there, or that something covers by now, is a finding
itself. At most 20 rows. A condition that is a constant of this build has no other value to show: it is not counted.
"""
import argparse
import collections
import csv
import hashlib
import json
import pathlib
import re
import subprocess
import sys

MOST_ROWS = 20
KINDS = ("function", "line", "branch", "condition")
ROW_KIND = re.compile(r"function|line|branch|condition [1-9][0-9]*")
# What llvm-cov says of a function that a program has in a header and does not use: clang gives it the hash 0.
UNUSED = re.compile(r"hash-mismatch: No profile record found for '(?:.*[:;])?([^':;]+)' with hash = 0x0")
MISMATCHES = re.compile(r"warning: (\d+) functions have mismatched data")
# What toolchains/cmake/rules.cmake has the compiler call the project's root.
ROOT = "/pianola/"
SCOPE = "runtime/"
CODE_REGION = 0
PARTS = ("regions", "branches", "mcdc_records")
# Constructors and destructors have two names and one source; those that the compiler makes have none.
BASE_NAME = re.compile(r"([CD])1(?=E)")
MADE_BY_COMPILER = re.compile(r"[CD]\dE(?:v|O\w+|RK\w+)$")
Finding = collections.namedtuple("Finding", "file line function hash kind what")
Row = collections.namedtuple("Row", "function hash kinds reason")


def line_hash(text):
    """What a row knows its line by: moved lines keep it, changed ones do not."""
    return hashlib.sha256(text.strip().encode()).hexdigest()[:12]


def plain_name(demangled):
    """A function's name without its arguments."""
    name = demangled.replace("(anonymous namespace)::", "")
    depth = 0
    for at, letter in enumerate(name):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0 and not name.endswith("operator", 0, at):
            return name[:at]
    return name


class Sources:
    """Lines of the tree's files."""

    def __init__(self, root):
        self.root, self.lines = root, {}

    def line(self, file, number):
        if file not in self.lines:
            self.lines[file] = (self.root / file).read_text(encoding="utf-8").splitlines()
        return self.lines[file][number - 1]


def in_project(export):
    """The export, with the names of files as the project's."""
    for function in export["data"][0]["functions"]:
        function["filenames"] = [name.removeprefix(ROOT) for name in function["filenames"]]
    return export


def in_scope(function):
    return function["filenames"][0].startswith(SCOPE)


def shape(function):
    """What two instantiations of one template have in common."""
    return ([region[:4] for region in function["regions"]], [branch[:4] for branch in function["branches"]],
            [(record[:4], len(record[-1])) for record in function["mcdc_records"]])


def merged(functions):
    """The functions of the export by their place in the source: instantiations of one template count together."""
    places = {}
    for function in functions:
        place = (function["filenames"][0], *function["regions"][0][:4])
        if place not in places:
            places[place] = {**function, **{part: [list(entry) for entry in function[part]] for part in PARTS}}
            continue
        whole = places[place]
        if shape(function) != shape(whole):
            raise ValueError(f"{place[0]}:{place[1]}: instantiations of {function['name']} differ in shape: "
                             "they can not be counted together")
        whole["count"] += function["count"]
        for part, counters in (("regions", (4,)), ("branches", (4, 5))):
            for entry, other in zip(whole[part], function[part]):
                for counter in counters:
                    entry[counter] += other[counter]
        for entry, other in zip(whole["mcdc_records"], function["mcdc_records"]):
            entry[-1] = [one or another for one, another in zip(entry[-1], other[-1])]
    return list(places.values())


def constants(function, record):
    """Which conditions of a decision are constants of this build, from 1: the export has no branches for them."""
    def inside(entry, file_id):
        return record[:2] <= entry[:2] and entry[2:4] <= record[2:4] and entry[file_id] == record[4]

    branches = {tuple(branch[:2]) for branch in function["branches"] if inside(branch, 6)}
    if len(branches) >= len(record[-1]):
        return set()
    # Every condition but the first begins a region.
    regions = {tuple(region[:2]) for region in function["regions"] if region[7] == CODE_REGION and inside(region, 5)}
    operands = sorted({tuple(record[:2])} | regions)
    if len(operands) != len(record[-1]) or not branches <= set(operands):
        return set()
    return {number for number, operand in enumerate(operands, 1) if operand not in branches}


def uncovered(function):
    """(line, kind, what) of all that is missing in one function of the export."""
    def own(entry, file_id):
        return function["filenames"][entry[file_id]].startswith(SCOPE)

    if function["count"] == 0:
        yield function["regions"][0][0], "function", "not executed"
        return
    for region in function["regions"]:
        if region[7] == CODE_REGION and region[4] == 0 and own(region, 5):
            yield region[0], "line", f"column {region[1]}: not executed"
    for branch in function["branches"]:
        for taken, way in ((branch[4], "true"), (branch[5], "false")):
            if taken == 0 and own(branch, 6):
                yield branch[0], "branch", f"column {branch[1]}: never {way}"
    for record in function["mcdc_records"]:
        fixed = constants(function, record)
        for number, shown in enumerate(record[-1], 1):
            if not shown and number not in fixed:
                yield record[0], f"condition {number}", f"column {record[1]}: of {len(record[-1])}, never decides alone"


def findings_of(export, names, sources, symbols, defined):
    """Every finding of an export; `names` demangles, `symbols` are those that must be in it, `defined` those that the
    library has: an inline function of a header that it does not use itself is its callers'."""
    own = {BASE_NAME.sub(r"\g<1>2", symbol) for symbol in defined}
    for function in merged(filter(in_scope, export["data"][0]["functions"])):
        if function["count"] == 0 and BASE_NAME.sub(r"\g<1>2", function["name"].rpartition(":")[2]) not in own:
            continue
        name = plain_name(names(function["name"].rpartition(":")[2]))
        for line, kind, what in uncovered(function):
            file = function["filenames"][0]
            yield Finding(file, line, name, line_hash(sources.line(file, line)), kind, what)
    measured = export["data"][0]["functions"]
    known = {BASE_NAME.sub(r"\g<1>2", function["name"].rpartition(":")[2]) for function in measured}
    for symbol in sorted(symbols):
        if BASE_NAME.sub(r"\g<1>2", symbol) not in known and not MADE_BY_COMPILER.search(symbol):
            name = plain_name(names(symbol))
            yield Finding("the library", 0, name, "", "function", "in no program of tests, or not measured")


def read_rows(path):
    """The rows of justified.csv, and what is wrong with them."""
    rows, wrong = [], []
    with open(path, newline="", encoding="utf-8") as file:
        for number, fields in enumerate(csv.reader(file), 1):
            if number == 1:
                continue
            is_whole = len(fields) == 4 and all(field.strip() for field in fields)
            if not is_whole or not all(map(ROW_KIND.fullmatch, fields[2].split("+"))):
                wrong.append(f"{path.name}:{number}: not function, hash, kinds, reason")
            else:
                rows.append(Row(fields[0], fields[1], tuple(fields[2].split("+")), fields[3]))
    if len(rows) > MOST_ROWS:
        wrong.append(f"{path.name}: {len(rows)} rows, {MOST_ROWS} at most")
    counts = collections.Counter(rows)
    wrong += [f"{path.name}: {row.function} {row.hash} twice" for row, count in counts.items() if count > 1]
    return rows, wrong


def judge(findings, rows):
    """What is neither covered nor justified, and which rows nothing needs."""
    used, complaints = set(), []
    for finding in findings:
        fitting = [row for row in rows if row[:2] == (finding.function, finding.hash) and finding.kind in row.kinds]
        used |= {(row, finding.kind) for row in fitting}
        if not fitting:
            what = f"{finding.kind} of {finding.function} ({finding.hash}): {finding.what}"
            complaints.append(f"{finding.file}:{finding.line}: {what}")
    for row in rows:
        for kind in row.kinds:
            if (row, kind) not in used:
                what = f"{row.function} {row.hash} {kind}"
                complaints.append(f"justified.csv: {what}: stale: no such line, or covered by now")
    return list(dict.fromkeys(complaints))


def counts_of(export):
    """{folder: Counter of what there is}; what several programs share counts once."""
    counts = collections.defaultdict(collections.Counter)
    for function in merged(filter(in_scope, export["data"][0]["functions"])):
        folder = counts["/".join(function["filenames"][0].split("/")[:2])]
        folder["function"] += 1
        folder["line"] += len({line for region in function["regions"] if region[7] == CODE_REGION
                               for line in range(region[0], region[2] + 1)})
        folder["branch"] += 2 * len(function["branches"])
        records = function["mcdc_records"]
        folder["condition"] += sum(len(record[-1]) - len(constants(function, record)) for record in records)
    return counts


def page_of(export, rows):
    """docs/evidence/coverage.md."""
    counts = counts_of(export)
    total = sum(counts.values(), collections.Counter())
    table = [f"| {name} | " + " | ".join(f"{count[kind]:,}" for kind in KINDS) + " |"
             for name, count in [*sorted(counts.items()), ("**all**", total)]]
    reasons = [f"| `{row.function}` | {', '.join(row.kinds)} | {row.reason} |" for row in rows] or ["| none | | |"]
    return "\n".join([
        "# Structural coverage of the runtime",
        "",
        "Made by `tests/coverage/coverage_gate.py`. To renew: `cmake --workflow --preset coverage`, then the",
        "command that the gate prints.",
        "",
        "Except for the rows below, unit tests on the host execute every function and line of `runtime/` (without",
        "`runtime/c`), take every branch both ways, and show for each condition of a decision a pair of executions",
        "in which it alone changes the outcome. (Unique-cause MC/DC as clang 19 counts it: what a short circuit",
        "leaves unevaluated is no difference.) The gate runs in `toolchains/test.sh`; its proof leaves one test out",
        "and expects the line to be named. A decision that clang cannot count does not compile. One of a single",
        "condition is covered by its two branches. Conditions that are constants of the host's build are not",
        "counted. The tools are not qualified; the user's safety plan must consider that.",
        "",
        "| folder | functions | lines | branches | conditions in decisions |",
        "|---|---:|---:|---:|---:|",
        *table,
        "",
        f"Not covered, with the reason (`tests/coverage/justified.csv`, at most {MOST_ROWS} rows; a row that nothing",
        "needs fails the gate):",
        "",
        "| function | what | why |",
        "|---|---|---|",
        *reasons,
        "",
    ])


class Tools:
    """The compiler's companions."""

    def __init__(self, suffix):
        self.suffix = suffix

    def call(self, tool, *arguments, text=None):
        """What the tool writes, and what it says of it."""
        command = [f"{tool}{self.suffix}", *map(str, arguments)]
        run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"coverage: {' '.join(command)}: ended with {run.returncode}\n{run.stderr}")
        return run.stdout, run.stderr

    def run(self, tool, *arguments, text=None):
        """What the tool writes; it says nothing."""
        written, said = self.call(tool, *arguments, text=text)
        if said:
            sys.exit(f"coverage: {tool}: {said}")
        return written

    def symbols(self, library):
        """The names of functions that the library defines and that are the project's."""
        lines = (line.split() for line in self.run("llvm-nm", "--defined-only", library).splitlines())
        functions = (words[2] for words in lines if len(words) == 3 and words[1] in "TtWw")
        return {name for name in functions if re.match(r"_ZN?K?\d*7pianola", name)}

    def demangler(self, export):
        """A function from mangled to plain names."""
        mangled = sorted({function["name"].rpartition(":")[2] for function in export["data"][0]["functions"]})
        table = dict(zip(mangled, self.run("llvm-cxxfilt", text="\n".join(mangled)).splitlines()))
        return lambda name: table.get(name) or self.run("llvm-cxxfilt", name).strip()

    def export(self, programs, profiles, work):
        """What the profiles say of the programs, and the functions that one of them has no data of."""
        merged = work / "merged.profdata"
        self.run("llvm-profdata", "merge", "-o", merged, *profiles)
        objects = [word for program in programs[1:] for word in ("-object", program)]
        # One thread: llvm-cov aborts where the machine has no more to give.
        arguments = ["-num-threads=1", f"-instr-profile={merged}", programs[0], *objects]
        written, said = self.call("llvm-cov", "export", *arguments)
        # Only this form names them.
        dumped = self.call("llvm-cov", "report", "-dump", *arguments)[1] if said else ""
        return in_project(json.loads(written)), unused(said, dumped)


def unused(said, dumped):
    """The functions that a program has in a header and does not use. Ends where llvm-cov says anything else."""
    found = [UNUSED.fullmatch(line) for line in dumped.splitlines() if not MISMATCHES.fullmatch(line)]
    counts = [int(match.group(1)) for match in map(MISMATCHES.fullmatch, said.splitlines()) if match]
    if not all(found) or (said and (len(said.splitlines()) != 1 or counts != [len(found)])):
        sys.exit(f"coverage: llvm-cov: {said}{dumped}")
    return {match.group(1) for match in found}


def execute(program, work, leave_out=None):
    """Runs a program of tests, without one of them where that is asked; where its profile lies."""
    profile = work / f"{program.name}{'.without' if leave_out else ''}.profraw"
    profile.unlink(missing_ok=True)
    arguments = [f"--gtest_filter=-{leave_out}"] if leave_out else []
    environment = {"LLVM_PROFILE_FILE": str(profile.resolve())}
    run = subprocess.run([program.resolve(), *arguments], env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"coverage: {program.name} failed\n{run.stdout[-4000:]}{run.stderr[-4000:]}")
    return profile


def parse(*more):
    """The command line that CMakeLists.txt gives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--root", "--library", "--work"):
        parser.add_argument(flag, type=pathlib.Path, required=True)
    parser.add_argument("--suffix", default="", help="of the tools' names: -19")
    parser.add_argument("--program", type=pathlib.Path, action="append", required=True)
    for flag, keywords in more:
        parser.add_argument(flag, **keywords)
    return parser.parse_args()


def main():
    """Returns the exit code."""
    options = parse(("--write", {"action": "store_true", "help": "renew docs/evidence/coverage.md"}))
    options.work.mkdir(parents=True, exist_ok=True)
    tools, page = Tools(options.suffix), options.root / "docs/evidence/coverage.md"
    profiles = [execute(program, options.work) for program in options.program]
    export, elsewhere = tools.export(options.program, profiles, options.work)
    rows, complaints = read_rows(pathlib.Path(__file__).with_name("justified.csv"))
    defined = tools.symbols(options.library)
    found = findings_of(export, tools.demangler(export), Sources(options.root), defined | elsewhere, defined)
    complaints += judge(list(found), rows)
    made = page_of(export, rows)
    if options.write:
        page.write_text(made, encoding="utf-8")
    elif not page.is_file() or page.read_text(encoding="utf-8") != made:
        complaints.append(f"{page.name} is not current: {' '.join(sys.argv)} --write")
    for complaint in complaints:
        print(f"coverage: {complaint}", file=sys.stderr)
    total = sum(counts_of(export).values(), collections.Counter())
    print(f"coverage: {dict(total)}, {len(rows)} rows of justified.csv, {len(complaints)} findings")
    return 1 if complaints or not total else 0


if __name__ == "__main__":
    sys.exit(main())
