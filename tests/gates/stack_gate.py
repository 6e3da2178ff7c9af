#!/usr/bin/env python3
"""Gate: the stack that target code needs is bounded, known and small.

Reads the call graphs with frame sizes that g++ -fcallgraph-info=su,da writes beside each object. Fails on recursion, on
a frame without a fixed bound, on an indirect call whose targets stack_calls.txt does not name, on a called function of
unknown size, and on a frame or chain above thresholds.json, which may also name functions ("roots") with a limit for
the chains from each. The sum along the deepest chain is an upper bound: a call that reuses its caller's frame is
counted in full.
"""
import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

from own_sources import report

NODE = re.compile(r'^node: \{ title: "([^"]+)" label: "([^"]*)"(.*)\}$')
EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"(?: label: "([^"]*):(\d+):\d+")?')
FRAME = re.compile(r"(\d+) bytes \(([a-z,]+)\)")
DYNAMIC_OBJECTS = re.compile(r"([1-9]\d*) dynamic objects")
INDIRECT = "__indirect_call"
RULE = re.compile(r"^(?:indirect (\S.*) -> (\S.*)|boundary (\S.*) -> (\S.*) (\d+)|external (\S+) (\d+))$")
# "dynamic,bounded" is a frame that pushes arguments; its size is the compiler's own upper bound.
BOUNDED = {"static", "dynamic,bounded"}


class Rules:
    """The committed annotations, see stack_calls.txt."""

    def __init__(self, text):
        self.indirect, self.boundary, self.external, self.findings = [], [], {}, []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("#")[0].strip()
            match = RULE.match(line)
            if not line:
                continue
            if not match:
                self.findings.append(f"stack_calls.txt:{number}: not a rule: {line}")
                continue
            call, callee, port_call, port, port_bytes, symbol, symbol_bytes = match.groups()
            if call:
                self.indirect.append((call, callee))
            elif port_call:
                self.boundary.append((port_call, port, int(port_bytes)))
            else:
                self.external[symbol] = int(symbol_bytes)


class Graph:
    """Functions with frames, and who calls whom."""

    def __init__(self):
        self.frame_bytes, self.calls, self.unbounded, self.names = {}, {}, set(), {}
        self.indirect_calls = {}  # caller -> places (file, line) of its indirect calls

    def read(self, text):
        """Adds what one .ci file says."""
        for line in text.splitlines():
            node, edge = NODE.match(line), EDGE.match(line)
            if node:
                title, label = node.group(1), node.group(2)
                frame = FRAME.search(label)
                self.names.setdefault(title, title)
                if frame:
                    self.frame_bytes[title] = max(int(frame.group(1)), self.frame_bytes.get(title, 0))
                    if frame.group(2) not in BOUNDED or DYNAMIC_OBJECTS.search(label):
                        self.unbounded.add(title)
            elif edge:
                caller, callee, file, line = edge.groups()
                self.names.setdefault(callee, callee)
                if callee == INDIRECT:
                    self.indirect_calls.setdefault(caller, set()).add((file, line))
                else:
                    self.calls.setdefault(caller, set()).add(callee)

    def demangle(self):
        """Gives every function the name that rules and reports use: qualified, without parameters."""
        titles = list(self.names)
        mangled = "\n".join(title.rsplit(":", 1)[-1] for title in titles)
        result = subprocess.run(["c++filt", "-p"], input=mangled, capture_output=True, text=True, check=True)
        self.names = dict(zip(titles, result.stdout.splitlines()))

    def resolve(self, title):
        """The title under which a function's frame is known: complete and base constructors are one function."""
        if title in self.frame_bytes:
            return title
        for one, other in (("C1", "C2"), ("D1", "D2"), ("C2", "C1"), ("D2", "D1")):
            twin = title.replace(one + "E", other + "E")
            if twin in self.frame_bytes:
                return twin
        return title


def source_line(place):
    """The text at a place (file, line) of a call, or an empty one where the compiler gave none that exists."""
    file, line = place
    path = pathlib.Path(file or "")
    if not path.is_file():
        return ""
    return path.read_text(encoding="utf-8").splitlines()[int(line) - 1].strip()


class Analysis:
    """Longest chains over a graph; `findings` says why a bound would not hold."""

    def __init__(self, graph, rules):
        self.graph, self.rules = graph, rules
        self.findings = list(rules.findings)
        self.depth, self.next_in_chain = {}, {}
        self.outside, self.used_rules = {}, set()  # outside: what is called beyond the target code, and its bytes
        for title in sorted(graph.unbounded):
            self.findings.append(f"{graph.names[title]}: frame of variable size")
        for _, callee in rules.indirect:
            if not self.matching(callee):
                self.findings.append(f"stack_calls.txt: no function matches {callee}")
        for title in sorted(graph.frame_bytes):
            self.visit(title)
        for call in [rule[0] for rule in (*rules.indirect, *rules.boundary)]:
            if call not in self.used_rules:
                self.findings.append(f"stack_calls.txt: no indirect call contains {call}")

    def matching(self, pattern):
        """The functions with frames whose name matches."""
        return [t for t in self.graph.frame_bytes if fnmatch.fnmatchcase(self.graph.names[t], pattern)]

    def targets(self, title):
        """(callee or None, its name, bytes below the caller where there is no callee to follow)."""
        name = self.graph.names[title]
        for callee in sorted(self.graph.calls.get(title, ())):
            resolved = self.graph.resolve(callee)
            if resolved in self.graph.frame_bytes:
                yield resolved, self.graph.names[resolved], 0
            elif callee in self.rules.external:
                self.outside[callee] = self.rules.external[callee]
                yield None, callee, self.rules.external[callee]
            else:
                self.findings.append(f"{name}: calls {self.graph.names[callee]}, whose stack is not known")

        for place in sorted(self.graph.indirect_calls.get(title, ()), key=str):
            yield from self.indirect_targets(name, place)

    def indirect_targets(self, name, place):
        """The same for one indirect call, by the text of its source line, which inlining does not change."""
        text = source_line(place)
        known = False
        for call, pattern in self.rules.indirect:
            if call in text:
                known = True
                self.used_rules.add(call)
                yield from ((title, self.graph.names[title], 0) for title in self.matching(pattern))
        for call, what, size_bytes in self.rules.boundary:
            if call in text:
                known = True
                self.used_rules.add(call)
                self.outside[what] = size_bytes
                yield None, what, size_bytes
        if not known:
            where = f"{pathlib.Path(place[0] or 'unknown').name}:{place[1]}"
            self.findings.append(f"{name}: indirect call without a rule in stack_calls.txt: {where}: {text}")

    def visit(self, root):
        """Depth-first and without Python recursion, so that a deep graph cannot end the gate early."""
        if root in self.depth:
            return
        path, on_path, pending = [root], {root}, {root: list(self.targets(root))}
        best = {root: (0, None)}
        while path:
            title = path[-1]
            if pending[title]:
                callee, name, size_bytes = pending[title].pop()
                if callee is None:
                    best[title] = max(best[title], (size_bytes, name), key=lambda pair: pair[0])
                elif callee in on_path:
                    cycle = path[path.index(callee) :] + [callee]
                    self.findings.append("recursion: " + " -> ".join(self.graph.names[t] for t in cycle))
                elif callee in self.depth:
                    best[title] = max(best[title], (self.depth[callee], callee), key=lambda pair: pair[0])
                else:
                    path.append(callee)
                    on_path.add(callee)
                    pending[callee] = list(self.targets(callee))
                    best[callee] = (0, None)
                    pending[title].append((callee, name, 0))
                continue
            below, follower = best[title]
            self.depth[title] = self.graph.frame_bytes[title] + below
            self.next_in_chain[title] = follower
            on_path.discard(title)
            path.pop()

    def chain(self, title):
        """(name, frame) from `title` down its deepest chain."""
        while title is not None:
            if title not in self.graph.frame_bytes:
                yield title, self.outside[title]
                return
            yield self.graph.names[title], self.graph.frame_bytes[title]
            title = self.next_in_chain.get(title)


def analyse(graph_texts, rules_text):
    """The Analysis of call graphs under rules."""
    graph = Graph()
    for text in graph_texts:
        graph.read(text)
    graph.demangle()
    return Analysis(graph, Rules(rules_text))


def root_depths(analysis, roots):
    """{root: (bytes of the deepest chain from any function of that name, its title)}; (0, None) where there is none."""
    return {root: max(((analysis.depth[title], title) for title in analysis.matching(root)), default=(0, None))
            for root in roots}


def judge_roots(analysis, limits):
    """(findings, lines of the report) about the chains from the functions that the limits name."""
    findings, lines = [], []
    for root, (depth, title) in root_depths(analysis, limits).items():
        if title is None:
            findings.append(f"{root}: no such function")
            continue
        lines.append(f"from {root}: {depth} of at most {limits[root]} bytes")
        lines += [f"    {size_bytes:6} {name}" for name, size_bytes in analysis.chain(title)]
        if depth > limits[root]:
            findings.append(f"{root}: chain of {depth} bytes is above the threshold")
    return findings, lines


def judge(graph_texts, rules_text, limits):
    """(findings, lines of the report, number of functions)."""
    analysis = analyse(graph_texts, rules_text)
    graph = analysis.graph
    findings = list(analysis.findings)
    lines = []
    if graph.frame_bytes:
        largest = sorted(graph.frame_bytes.items(), key=lambda item: (-item[1], graph.names[item[0]]))
        deepest = max(analysis.depth, key=lambda title: (analysis.depth[title], graph.names[title]))
        lines.append(f"largest frame: {largest[0][1]} of at most {limits['largest_frame_bytes']} bytes")
        lines += [f"    {size_bytes:6} {graph.names[title]}" for title, size_bytes in largest[:10]]
        lines.append(f"deepest chain: {analysis.depth[deepest]} of at most {limits['deepest_chain_bytes']} bytes")
        lines += [f"    {size_bytes:6} {name}" for name, size_bytes in analysis.chain(deepest)]
        lines += ["assumed of what the target code calls outside:"]
        lines += [f"    {size_bytes:6} {name}" for name, size_bytes in sorted(analysis.outside.items())]
        if largest[0][1] > limits["largest_frame_bytes"]:
            findings.append(f"{graph.names[largest[0][0]]}: frame of {largest[0][1]} bytes is above the threshold")
        if analysis.depth[deepest] > limits["deepest_chain_bytes"]:
            findings.append(f"{graph.names[deepest]}: chain of {analysis.depth[deepest]} bytes is above the threshold")
    root_findings, root_lines = judge_roots(analysis, limits.get("roots", {}))
    return sorted({*findings, *root_findings}), lines + root_lines, len(graph.frame_bytes)


def graphs_of(object_list):
    """The texts of the call graphs beside the objects that a file lists."""
    objects = [line for line in object_list.read_text(encoding="utf-8").splitlines() if line]
    return [pathlib.Path(line).with_suffix(".ci").read_text(encoding="utf-8") for line in objects]


def rules_of(files):
    """The text of several files of rules."""
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=pathlib.Path, required=True, help="file that lists one object per line")
    parser.add_argument("--rules", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--thresholds", type=pathlib.Path, required=True)
    parser.add_argument("--report", type=pathlib.Path, required=True)
    options = parser.parse_args()
    limits = json.loads(options.thresholds.read_text())["stack"]
    findings, lines, count = judge(graphs_of(options.objects), rules_of(options.rules), limits)
    options.report.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return report("stack", count, findings)


if __name__ == "__main__":
    sys.exit(main())
