#!/usr/bin/env python3
"""Fault trees of the safety goals, and their minimal cut sets.

  docs/safety/tools/fault_trees.py                                     what can be said without results
  docs/safety/tools/fault_trees.py --results build/*/test_results.xml  and whether what covers single points has passed
  docs/safety/tools/fault_trees.py --page > docs/safety/fault_trees.md

Trees are docs/safety/fault_trees.toml's. Fails on a goal of requirements.toml without a tree; a gate or event that is
not there, is there twice, or that no tree reaches; a cycle; an event that is of nothing; a row of fmea.csv with an
effect, or of dfa.toml, that no tree has; a cut set of one event that has neither a test that passed nor a recorded
campaign nor an assumption; single points, or a number of pairs, other than those that the tree states, so that a
changed gate is looked at; and a cut set of several events of which two are of the same row.
"""
import collections
import csv
import fnmatch
import sys
import tomllib

from evidence import argument_parser, is_current, passed_tests, wrapped
from trace import Trace  # pylint: disable=deprecated-module

PAGE = "docs/safety/fault_trees.md"
MOST_SETS = 10_000  # while cut sets are computed; a tree that needs more is to be cut in pieces


class FaultTrees:
    """The trees of a working tree, what their events are of, and what is wrong with them."""

    def __init__(self, root):
        self.root, self.findings = root, []
        table = read(root, "fault_trees")
        self.trees = {tree["goal"]: tree["top"] for tree in table["tree"]}
        self.orders = {tree["goal"]: (tree.get("single_points", []), tree.get("pairs")) for tree in table["tree"]}
        self.gates = {gate["id"]: gate for gate in table["gate"]}
        self.events = {event["id"]: event for event in table["event"]}
        count = collections.Counter(entry["id"] for entry in [*table["gate"], *table["event"]])
        count.update(tree["goal"] for tree in table["tree"])
        self.findings += [f"{name}: there are {number}" for name, number in count.items() if number > 1]
        with open(root / "docs/safety/fmea.csv", encoding="utf-8", newline="") as file:
            self.rows = {f"{row['element']},{row['guide_word']}": row["evidence"].split()
                         for row in csv.DictReader(file) if row["effect"] != "none" and row["evidence"] != "na"}
        self.failures = {row["id"]: row for row in read(root, "dfa")["failure"]}
        self.assumptions = {entry["id"] for entry in read(root, "assumptions")["assumption"]}
        self.trace = Trace(root)
        self.passed, self.verified = None, {}

    def take_results(self, paths):
        """From here on only tests that passed count."""
        self.passed, self.verified = passed_tests(paths), self.trace.check_results(paths)

    def check(self):
        """Everything but the cut sets; these where the trees are sound."""
        goals = {name for name, item in self.trace.items.items() if item.kind == "sg"}
        self.findings += [f"{goal}: no tree" for goal in sorted(goals - set(self.trees))]
        self.findings += [f"{goal}: a tree, and no such goal" for goal in sorted(set(self.trees) - goals)]
        self.check_gates()
        for event in self.events.values():
            if not event["of"]:
                self.findings.append(f"{event['id']}: of nothing")
            self.findings += [f"{event['id']}: there is no {link}" for link in event["of"] if not self.covers(link)]
        if not self.findings:
            self.check_rows()
            for goal, top in self.trees.items():
                self.findings += [f"{goal}: {finding}" for finding in self.cut_set_findings(goal, top)]

    def check_gates(self):
        """Gates are what they can be, and what they lead to ends at events."""
        for gate in self.gates.values():
            if gate["kind"] not in ("or", "and") or len(set(gate["inputs"])) < (2 if gate["kind"] == "and" else 1):
                self.findings.append(f"{gate['id']}: neither an or nor an and of two inputs at least")
            self.findings += [f"{gate['id']}: there is no {name}" for name in gate["inputs"]
                              if name not in self.gates and name not in self.events]
        reached = set()
        for goal, top in self.trees.items():
            if top not in self.gates:
                self.findings.append(f"{goal}: there is no {top}")
            else:
                self.findings += [f"{goal}: a cycle through {name}" for name in self.cycles(top)]
                reached |= self.below(top)
        self.findings += [f"{name}: in no tree" for name in [*self.gates, *self.events] if name not in reached]

    def below(self, top):
        """The gates and events that a gate leads to, itself among them."""
        found, todo = set(), [top]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.gates.get(name, {"inputs": []})["inputs"]
        return found

    def cycles(self, top):
        """Gates below `top` that lead to themselves."""
        return [name for name in sorted(self.below(top)) if name in self.gates and
                any(name in self.below(each) for each in self.gates[name]["inputs"])]

    def covers(self, link):
        """{what a link is of: its evidence}."""
        kind, _, what = link.partition(":")
        if kind == "fmea":
            return {row: evidence for row, evidence in self.rows.items() if fnmatch.fnmatchcase(row, what)}
        if kind == "dfa" and f"dfa~{what}" in self.failures:
            return {f"dfa~{what}": self.failures[f"dfa~{what}"].get("evidence", [])}
        if kind == "requirement" and what in self.trace.items and what.startswith(("swr~", "rule~")):
            return {what: ["verified"] if self.passed is None or what in self.verified else []}
        return {what: [link]} if kind == "aou" and f"aou~{what}" in self.assumptions else {}

    def of(self, event):
        """All that an event is of."""
        return {what for link in self.events[event]["of"] for what in self.covers(link)}

    def uncovered(self, event):
        """What an event is of that nothing covers."""
        for link in self.events[event]["of"]:
            for what, evidence in self.covers(link).items():
                # Of tests, those that passed; without results, gates.trace and its like say that there are some.
                if not any(self.passed is None or not piece.startswith("test:") or piece[5:] in self.passed
                           for piece in evidence):
                    yield what

    def is_assumed(self, event):
        """Whether all that covers an event are assumptions."""
        return all(piece.startswith("aou:") for link in self.events[event]["of"]
                   for evidence in self.covers(link).values() for piece in evidence)

    def check_rows(self):
        """Failure modes that have an effect are in a tree, dependent failures in that of each of their goals."""
        found = {goal: {what for name in self.below(top) if name in self.events for what in self.of(name)}
                 for goal, top in self.trees.items()}
        self.findings += [f"{row}: in no tree" for row in self.rows if not any(row in of for of in found.values())]
        self.findings += [f"{name}: not in the tree of {goal}" for name, row in self.failures.items()
                          for goal in row["goals"] if name not in found.get(goal, ())]

    def cut_set_findings(self, goal, top):
        """What is wrong with the minimal cut sets of a tree."""
        sets = self.cut_sets(top)
        if sets is None:
            yield f"more than {MOST_SETS} sets; cut the tree in pieces"
        else:
            yield from self.order_findings(goal, sets)
        for cut in sets or []:
            if len(cut) == 1:
                (event,) = cut
                yield from (f"{event} is a single point, and nothing covers {what}" for what in self.uncovered(event))
            else:
                count = collections.Counter(what for name in cut for what in self.of(name))
                yield from (f"{' and '.join(sorted(cut))}: both of {what}" for what in sorted(count) if count[what] > 1)

    def order_findings(self, goal, sets):
        """Whether single points and pairs are those that were looked at."""
        singles, pairs = self.orders[goal]
        found = {name for cut in sets if len(cut) == 1 for name in cut}
        yield from (f"{name} is no single point any more" for name in sorted(set(singles) - found))
        yield from (f"{name} is a single point, and not stated as one" for name in sorted(found - set(singles)))
        count = sum(len(cut) == 2 for cut in sets)
        if count != pairs:
            yield f"{count} pairs, {pairs} are stated"

    def cut_sets(self, top):
        """Minimal cut sets, smallest first, by MOCUS; None where there are too many on the way. No cycles."""
        ended, todo = set(), [frozenset((top,))]
        seen = set(todo)
        while todo:
            if len(seen) > MOST_SETS:
                return None
            cut = todo.pop()
            gate = next((name for name in sorted(cut) if name in self.gates), None)
            if gate is None:
                ended.add(cut)
                continue
            inputs, rest = self.gates[gate]["inputs"], cut - {gate}
            more = [rest | set(inputs)] if self.gates[gate]["kind"] == "and" else [rest | {name} for name in inputs]
            todo += [each for each in more if each not in seen]
            seen.update(more)
        minimal = []
        for cut in sorted(ended, key=lambda each: (len(each), sorted(each))):
            if not any(other <= cut for other in minimal):
                minimal.append(cut)
        return minimal


def read(root, name):
    """A table of docs/safety."""
    with open(root / f"docs/safety/{name}.toml", "rb") as file:
        return tomllib.load(file)


def page(trees):
    """Trees and cut sets as Markdown."""
    lines = ["# Fault trees", "",
             "Made of `docs/safety/fault_trees.toml` by `docs/safety/tools/fault_trees.py --page`; do not edit.", "",
             "One tree for each assumed safety goal of the [requirements](requirements.md). Events are failure modes",
             "of the [analysis](analysis.md), [dependent failures](dependent_failures.md), requirements that are not",
             "met, and assumptions that do not hold. Damaged and hostile files and faults of the device are taken as",
             "given, so that an order says how many things must fail besides. There are no rates: orders are",
             "structure, and an assumption that covers a single point is work for the integrator. The end of",
             "`toolchains/test.sh` fails where a single point is covered by neither a test that passed, nor a",
             "recorded campaign, nor an assumption.", ""]
    orders = {}
    for goal, top in trees.trees.items():
        sets = trees.cut_sets(top)
        for cut in reversed(sets):
            orders.update({(name, goal): len(cut) for name in cut})
        count = collections.Counter(len(cut) for cut in sets)
        lines += [f"## `{goal}`", "", *wrapped(trees.trace.items[goal].text), "",
                  "| order | minimal cut sets |", "|---:|---:|",
                  *(f"| {order} | {count[order]} |" for order in sorted(count)), "", *nested(trees, top), "",
                  *small_sets(trees, sets), ""]
    lines += ["## Events", "",
              "An order is that of the smallest cut set with the event; the goals are in the order of this page.", "",
              "| event | text | orders | of |", "|---|---|---|---|"]
    for name, event in trees.events.items():
        smallest = ", ".join(str(orders.get((name, goal), "-")) for goal in trees.trees)
        links = ", ".join(f"`{link}`" for link in event["of"])
        lines.append(f"| {name} | {event['text']} | {smallest} | {links} |")
    return "\n".join(lines)


def small_sets(trees, sets):
    """Cut sets of one event and of two, for the page."""
    singles = [name for cut in sets if len(cut) == 1 for name in cut]
    alone = [name for name in singles if trees.is_assumed(name)]
    pairs = {}
    for cut in sets:
        if len(cut) == 2:
            first, second = sorted(cut)
            pairs.setdefault(first, []).append(second)
    shown = ", ".join(name for name in singles if name not in alone)
    yield from wrapped(f"Single points with a test or campaign, beside an assumption or without one: {shown}.")
    yield ""
    yield from wrapped(f"Single points that rest on assumptions alone: {', '.join(alone) or 'none'}.")
    yield ""
    yield "Pairs:"
    yield ""
    for first, others in pairs.items():
        yield from wrapped(f"- {first}, with {', '.join(others)}")


def nested(trees, top):
    """A tree as nested lists; a gate that comes again is named only."""
    lines, told, todo = [], set(), [(top, 0)]
    while todo:
        name, depth = todo.pop()
        indent = "  " * depth
        if name in trees.events:
            lines.append(f"{indent}- {name}")
        elif name in told:
            lines.append(f"{indent}- **{name}**, see above")
        else:
            gate = trees.gates[name]
            told.add(name)
            lines += wrapped(f"- **{name}**, {gate['kind'].upper()}: {gate['text']}", indent)
            todo += [(each, depth + 1) for each in reversed(gate["inputs"])]
    return lines


def main():
    """Returns the exit code."""
    parser = argument_parser(__doc__)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    trees = FaultTrees(options.root)
    if options.results:
        trees.take_results(options.results)
    trees.check()
    if options.page and not trees.findings:
        print(page(trees))
        return 0
    if not trees.findings and not is_current(options.root, PAGE, page(trees)):
        trees.findings.append(f"{PAGE}: not what docs/safety/tools/fault_trees.py --page writes")
    for finding in trees.findings:
        print(f"fault_trees: {finding}", file=sys.stderr)
    if not options.page:
        print(f"fault_trees: {len(trees.trees)} trees, {len(trees.gates)} gates, {len(trees.events)} events, "
              f"{len(trees.findings)} findings")
    return 1 if trees.findings else 0


if __name__ == "__main__":
    sys.exit(main())
