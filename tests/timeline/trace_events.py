#!/usr/bin/env python3
"""Whether JSON files obey the rules of the trace event format, as Chrome and Perfetto read it.

    trace_events.py FILE...

A violation is a line on standard output. Exit code 0: none; 1: some. The rules are those of the format's description
("Trace Event Format"), of which these readers skip or repair what breaks one without a word:

    json        strict JSON, no member twice, numbers finite; an object with the list traceEvents
    phase       ph is one that the format has, and every member is of its type
    time        ts and dur in microseconds, not negative; dur of complete events only
    track       each process and thread with slices has a name, once
    nesting     slices of a track lie in each other or apart, and B and E come in pairs, by name
    flow        an id has one start and one end, of one name and category, forward in time, each inside a slice of its
                track that takes time; the end binds to the slice that encloses it
"""
import json
import math
import pathlib
import sys

SLACK_US = 1e-6  # what sums of microseconds lose as floating-point numbers
PHASES = set("BEXiIMstfCbne")
METADATA = {"process_name": "name", "thread_name": "name", "process_labels": "labels",
            "process_sort_index": "sort_index", "thread_sort_index": "sort_index"}
ABOUT_THREADS = ("thread_name", "thread_sort_index")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


class Checker:
    """Violations of one trace."""

    def __init__(self, events):
        self.events, self.found = events, []
        self.slices, self.flows, self.names, self.begun = {}, {}, {}, {}

    def report(self, index, rule, what):
        self.found.append(f"event {index}: {rule}: {what}")

    def check(self):
        for index, event in enumerate(self.events):
            if not isinstance(event, dict):
                self.report(index, "json", "not an object")
            elif self.check_members(index, event):
                self.note(index, event)
        for track, names in self.begun.items():
            for index, name in names:
                self.report(index, "nesting", f"{name!r} on {track} never ends")
        self.check_tracks()
        for track, slices in self.slices.items():
            self.check_nesting(track, slices)
        for (_, _, number), ends in self.flows.items():
            self.check_flow(number, ends)
        return self.found

    def check_members(self, index, event):
        before, phase = len(self.found), event.get("ph")
        if phase not in PHASES:
            self.report(index, "phase", f"ph is {phase!r}")
            return False
        if phase != "E" and not (isinstance(event.get("name"), str) and event["name"]):
            self.report(index, "phase", "no name")
        for member in ("pid", "tid"):
            if not is_integer(event.get(member)):
                self.report(index, "phase", f"{member} is {event.get(member)!r}")
        if "cat" in event and not isinstance(event["cat"], str):
            self.report(index, "phase", f"cat is {event['cat']!r}")
        if "args" in event and not isinstance(event["args"], dict):
            self.report(index, "phase", "args is no object")
        if phase != "M" and not (is_number(event.get("ts")) and event["ts"] >= 0):
            self.report(index, "time", f"ts is {event.get('ts')!r}")
        if phase == "X" and not (is_number(event.get("dur")) and event["dur"] >= 0):
            self.report(index, "time", f"dur is {event.get('dur')!r}")
        if phase != "X" and "dur" in event:
            self.report(index, "time", f"dur of an event {phase!r}")
        if phase in "iI" and event.get("s", "t") not in ("g", "p", "t"):
            self.report(index, "phase", f"scope is {event['s']!r}")
        if phase in "stf" and not isinstance(event.get("id"), (int, str)):
            self.report(index, "flow", f"id is {event.get('id')!r}")
        return len(self.found) == before

    def note(self, index, event):
        phase, track = event["ph"], (event["pid"], event["tid"])
        if phase == "X":
            self.slices.setdefault(track, []).append((event["ts"], event["ts"] + event["dur"], index))
        elif phase == "M":
            self.note_metadata(index, event)
        elif phase == "B":
            self.begun.setdefault(track, []).append((index, event["name"]))
            self.slices.setdefault(track, [])
        elif phase == "E":
            self.note_end(index, event, track)
        elif phase in "stf":
            self.flows.setdefault((event.get("cat"), event["name"], event["id"]), []).append((index, event, track))

    def note_end(self, index, event, track):
        if not self.begun.get(track):
            self.report(index, "nesting", f"an end on {track} that nothing begins")
            return
        begin, name = self.begun[track].pop()
        if event.get("name", name) != name:
            self.report(index, "nesting", f"{event['name']!r} ends {name!r}")
        if event["ts"] < self.events[begin]["ts"]:
            self.report(index, "nesting", f"{name!r} ends before it begins")
        self.slices[track].append((self.events[begin]["ts"], event["ts"], begin))

    def note_metadata(self, index, event):
        name = event["name"]
        if name not in METADATA:
            self.report(index, "phase", f"metadata {name!r}")
            return
        value = event.get("args", {}).get(METADATA[name])
        is_right = is_integer(value) if METADATA[name] == "sort_index" else isinstance(value, str)
        if not is_right:
            self.report(index, "phase", f"{name} is {value!r}")
        about = (name, event["pid"], event["tid"] if name in ABOUT_THREADS else None)
        if about in self.names:
            self.report(index, "track", f"{name} of {about[1:]} twice")
        self.names[about] = index

    def check_tracks(self):
        for process, thread in self.slices:
            if ("process_name", process, None) not in self.names:
                self.report("-", "track", f"process {process} has no name")
            if ("thread_name", process, thread) not in self.names:
                self.report("-", "track", f"thread {thread} of process {process} has no name")

    def check_nesting(self, track, slices):
        around = []
        for start, end, index in sorted(slices, key=lambda each: (each[0], -each[1])):
            while around and around[-1] <= start + SLACK_US:
                around.pop()
            if around and end > around[-1] + SLACK_US:
                self.report(index, "nesting", f"overlaps another slice of {track}")
            around.append(end)

    def check_flow(self, number, ends):
        phases = [event["ph"] for _, event, _ in ends]
        index = ends[0][0]
        if phases.count("s") != 1 or phases.count("f") != 1:
            self.report(index, "flow", f"{number!r} has {phases.count('s')} starts and {phases.count('f')} ends")
            return
        order = sorted(ends, key=lambda each: "stf".index(each[1]["ph"]))
        times = [event["ts"] for _, event, _ in order]
        if times != sorted(times):
            self.report(index, "flow", f"{number!r} goes back in time")
        for place, event, track in ends:
            if not any(start < end and start - SLACK_US <= event["ts"] <= end + SLACK_US
                       for start, end, _ in self.slices.get(track, ())):
                self.report(place, "flow", f"{event['ph']} of {number!r} is in no slice")
            if event["ph"] == "f" and event.get("bp") != "e":
                self.report(place, "flow", f"the end of {number!r} binds to whatever comes next")


def no_member_twice(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member twice")
    return members


def not_finite(text):
    raise ValueError(f"{text} is no number of JSON")


def violations(text):
    """What is wrong with a trace, one text each."""
    try:
        trace = json.loads(text, object_pairs_hook=no_member_twice, parse_constant=not_finite)
    except ValueError as error:
        return [f"json: {error}"]
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["json: no list traceEvents"]
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        return [f"json: displayTimeUnit is {trace['displayTimeUnit']!r}"]
    return Checker(trace["traceEvents"]).check()


def main(files):
    found = [f"{file}: {each}" for file in files for each in violations(pathlib.Path(file).read_text(encoding="utf-8"))]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
