#!/usr/bin/env python3
"""trace_events.py finds every violation that is seeded into a trace, by its rule."""
import copy
import json
import unittest

import trace_events


def metadata(name, value, process=1, thread=1):
    return {"ph": "M", "name": name, "pid": process, "tid": thread, "args": {trace_events.METADATA[name]: value}}


def piece(start, length, name="work", process=1, thread=1):
    return {"ph": "X", "name": name, "cat": "c", "pid": process, "tid": thread, "ts": start, "dur": length}


def flow(phase, time, thread, number=1, **more):
    return {"ph": phase, "name": "event", "cat": "flow", "id": number, "pid": 1, "tid": thread, "ts": time, **more}


GOOD = [
    metadata("process_name", "model", thread=0), metadata("thread_name", "queue 0"),
    metadata("thread_name", "queue 1", thread=2), metadata("thread_sort_index", 0),
    piece(0, 10), piece(2, 3, "inner"), piece(5.5, 4.5, "last inner"), piece(10, 0), piece(10, 5),
    piece(0, 4, thread=2), piece(8, 4, thread=2),
    {"ph": "B", "name": "outer", "pid": 1, "tid": 2, "ts": 20}, {"ph": "E", "pid": 1, "tid": 2, "ts": 30},
    {"ph": "i", "s": "p", "name": "deadline", "pid": 1, "tid": 1, "ts": 12},
    flow("s", 3, 2), flow("f", 11, 1, bp="e"),
]


def changed(index, **members):
    events = copy.deepcopy(GOOD)
    events[index].update(members)
    return [{name: value for name, value in event.items() if value is not None} for event in events]


# Rule, and events that break it.
SEEDED = [
    ("phase", changed(4, ph="Y")), ("phase", changed(4, ph=None)), ("phase", changed(4, name=None)),
    ("phase", changed(4, name=7)), ("phase", changed(4, pid="1")), ("phase", changed(4, tid=None)),
    ("phase", changed(4, tid=True)), ("phase", changed(4, cat=3)), ("phase", changed(4, args=[])),
    ("phase", changed(13, s="x")), ("phase", changed(0, args={"name": 5})), ("phase", changed(3, args={})),
    ("phase", changed(0, name="process_colour")),
    ("time", changed(4, ts="0")), ("time", changed(4, ts=-1)), ("time", changed(4, ts=None)),
    ("time", changed(4, dur=None)), ("time", changed(4, dur=-0.5)), ("time", changed(14, dur=1)),
    ("track", GOOD[1:]), ("track", GOOD[:2] + GOOD[3:]), ("track", GOOD + [GOOD[1]]),
    ("track", GOOD + [piece(0, 1, process=2)]),
    ("nesting", GOOD + [piece(4, 3, "crossing")]), ("nesting", GOOD + [piece(14.99, 1)]),
    ("nesting", GOOD + [{"ph": "B", "name": "open", "pid": 1, "tid": 1, "ts": 40}]),
    ("nesting", GOOD + [{"ph": "E", "pid": 1, "tid": 1, "ts": 40}]),
    ("nesting", changed(12, name="another")), ("nesting", changed(12, ts=19)),
    ("flow", GOOD[:-1]), ("flow", GOOD[:-2] + GOOD[-1:]), ("flow", GOOD + [GOOD[-1]]),
    ("flow", changed(14, id=2)), ("flow", changed(14, name="other")), ("flow", changed(14, cat="other")),
    ("flow", changed(14, id=None)), ("flow", changed(14, ts=6)), ("flow", changed(14, tid=9)),
    ("flow", changed(15, bp=None)), ("flow", changed(15, ts=16)), ("flow", changed(15, ts=2)),
    ("json", [7]),
]
TEXTS = ["", "[", "7", "{}", '{"traceEvents": 3}', '{"traceEvents": [], "traceEvents": []}',
         '{"traceEvents": [{"ph": "X", "ts": NaN}]}', '{"traceEvents": [], "displayTimeUnit": "us"}']


class TraceEvents(unittest.TestCase):
    def test_a_good_trace_is_good(self):
        self.assertEqual(trace_events.violations(json.dumps({"traceEvents": GOOD})), [])

    def test_every_seeded_violation_is_found(self):
        for rule, events in SEEDED:
            with self.subTest(rule=rule, events=[each for each in events if each not in GOOD]):
                found = trace_events.violations(json.dumps({"traceEvents": events}))
                self.assertTrue(any(f": {rule}: " in each for each in found), found)
        for text in TEXTS:
            with self.subTest(text=text):
                self.assertTrue(trace_events.violations(text)[0].startswith("json: "))


if __name__ == "__main__":
    unittest.main()
