#!/usr/bin/env python3
"""pianola timeline: the table's promises on real models, and pictures that are whole, in order and alone."""
import html.parser
import json
import re
import xml.etree.ElementTree

import cli_support
from cli_support import OPTIONS, REFUSED, USAGE, sealed

MODES = ["eager", "traced", "two-queues", "two-queues-split", "as-captured"]
VOID_TAGS = {"meta", "br", "hr", "img", "input", "link"}
SVG = "{http://www.w3.org/2000/svg}"
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
LARGEST_ERROR_US = 1e-6


class Page(html.parser.HTMLParser):
    """Notes tags that do not match, and every attribute and style that could load something."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.references, self.cells, self.data = [], [], [], [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in VOID_TAGS:
            self.open.append((tag, dict(attrs)))
        self.references += [value for name, value in attrs if name in ("src", "href", "action", "srcset", "data")]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop()[0] != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag in ("td", "th"):
            self.cells.append(data)
        if attributes.get("id") == "data":
            self.data += data


def lanes_of(text):
    """Slices of every lane of a Chrome trace, in order."""
    lanes = {}
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] == "X":
            lanes.setdefault((event["pid"], event["tid"]), []).append(event)
    return lanes


def groups_of(text):
    """Of a Chrome trace, each process's lanes by name: their slices as name, start, cycles and step."""
    events = json.loads(text)["traceEvents"]
    names = {(event["name"], event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and "name" in event["args"]}
    groups = {name: {} for (what, _, _), name in names.items() if what == "process_name"}
    for event in events:
        if event["ph"] == "X":
            lane = groups[names["process_name", event["pid"], 0]].setdefault(
                names["thread_name", event["pid"], event["tid"]], [])
            lane.append((event["name"], event["args"]["start_cycles"], event["args"]["cycles"], event["args"]["step"]))
    return groups


class Timeline(cli_support.CliTest):
    """Table and pictures."""

    def table(self, binary, *arguments):
        """The rows, by mode."""
        shown = json.loads(self.run_pianola("timeline", binary, "--json", *arguments).stdout)
        self.assertEqual([mode["mode"] for mode in shown["modes"]], MODES)
        return {mode["mode"]: mode for mode in shown["modes"]}

    def draw(self, binary, suffix, *arguments):
        """A picture's text."""
        output = self.folder / f"picture.{suffix}"
        self.run_pianola("timeline", binary, "-o", output, *arguments)
        return output.read_text(encoding="utf-8")

    def test_two_queues_keep_the_device_busy_and_hide_the_input(self):
        for model in ("kws_ref_model", "vww_96_int8"):
            rows = self.table(self.capture(model))
            for mode in ("two-queues", "two-queues-split"):
                self.assertGreaterEqual(rows[mode]["busy_share"], 0.98, model)
                self.assertGreaterEqual(rows[mode]["input_hidden_share"], 0.95, model)
            for mode in ("eager", "traced", "as-captured"):
                self.assertEqual(rows[mode]["input_hidden_share"], 0, model)

    def test_the_page_says_what_the_tool_says(self):
        page = (OPTIONS.source / "docs/guide/timeline.md").read_text(encoding="utf-8")
        lines = re.findall(rf"^\| (\w+) \| ({'|'.join(MODES)}) \| (.*) \|$", page, re.MULTILINE)
        self.assertEqual({model
                          for model, _, _ in lines}, {"kws_ref_model", "vww_96_int8", "hello_world_int8", "ad01_int8"})
        tables = {model: self.table(self.capture(model)) for model, _, _ in lines}
        for model, mode, figures in lines:
            row = tables[model][mode]
            shown = (
                f"{row['cycles_per_step']:.0f} | {100 * row['busy_share']:.2f} % | {row['bound_by']} | "
                f"{row['gain']:.2f} | "
                f"{100 * row['input_hidden_share']:.1f} %")
            self.assertEqual(figures, shown,
                             f"{model}, {mode}: write what `pianola timeline` prints into docs/guide/timeline.md")

    def test_a_model_of_small_operators_is_host_bound_and_gains_from_trace(self):
        rows = self.table(self.capture("hello_world_int8"))
        self.assertEqual(rows["eager"]["bound_by"], "host")
        self.assertGreaterEqual(rows["traced"]["gain"], 3)
        # Three operations of 9,300 ns, and write, read and completion record of 300, at 500 MHz.
        self.assertEqual(rows["eager"]["cycles_per_step"], (3 * 9300 + 3 * 300) / 2)
        self.assertEqual(rows["traced"]["cycles_per_step"], 4 * 300 / 2)

    def test_a_free_host_makes_the_model_the_simulator(self):
        for queues in (1, 2):
            binary = self.capture("hello_world_int8", "--queues", queues)
            rows = self.table(binary, "--dispatch-ns", 0, "--replay-ns", 0)
            proved = json.loads(self.run_pianola("inspect", binary, "--json").stdout)["budgets"]["step_cycles"]
            self.assertEqual(rows["as-captured"]["cycles_per_step"], proved)
            self.assertEqual({row["bound_by"] for row in rows.values()}, {"device"})
            if queues == 1:
                self.assertEqual(rows["traced"]["cycles_per_step"], proved)

    def test_shares_and_gains_are_of_one_table(self):
        for row in (rows := self.table(self.capture("ad01_int8"))).values():
            self.assertTrue(0 < row["busy_share"] <= 1 and 0 <= row["input_hidden_share"] <= 1, row)
            self.assertAlmostEqual(row["cycles_per_step"], row["cycles"] / row["steps"])
            self.assertAlmostEqual(row["gain"], rows["eager"]["cycles_per_step"] / row["cycles_per_step"])
        text = self.run_pianola("timeline", self.folder / "ad01_int8.ptb").stdout
        for mode in MODES:
            self.assertIn(mode, text)

    def test_chrome_lanes_are_in_order(self):
        text = self.draw(self.capture("hello_world_int8", "--queues", "2"), "json")
        lanes = lanes_of(text)
        self.assertEqual(len(lanes), 2 + 2 + 3 + 3 + 3)
        for slices in lanes.values():
            for left, right in zip(slices, slices[1:]):
                self.assertLessEqual(left["args"]["start_cycles"] + left["args"]["cycles"],
                                     right["args"]["start_cycles"])
                self.assertLessEqual(left["ts"] + left["dur"], right["ts"] + LARGEST_ERROR_US)
        names = {event["args"]["name"] for event in json.loads(text)["traceEvents"] if event["name"] == "process_name"}
        self.assertEqual(names, set(MODES))

    def test_svg_is_well_formed_and_alone(self):
        text = self.draw(self.capture("hello_world_int8"), "svg", "--mode", "two-queues")
        root = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(root.tag, SVG + "svg")
        slices = [rect for rect in root.iter(SVG + "rect") if rect.find(SVG + "title") is not None]
        self.assertGreater(len(slices), 20)
        self.assert_alone(text.replace(NAMESPACE, "", 1))

    def test_html_is_well_formed_and_alone(self):
        text = self.draw(self.capture("hello_world_int8"), "html")
        page = Page()
        page.feed(text)
        page.close()
        self.assertEqual((page.wrong, page.open, page.references), ([], [], []))
        self.assert_alone(text)
        for mode in MODES:
            self.assertIn(mode, page.cells)
        data = json.loads(page.data)
        self.assertEqual([panel["name"] for panel in data["panels"]], MODES)
        for panel in data["panels"]:
            for lane in panel["lanes"]:
                ends = [start + cycles for start, cycles, *_ in lane["slices"]]
                self.assertTrue(all(end <= later[0] for end, later in zip(ends, lane["slices"][1:])))
                self.assertTrue(all(name < len(data["names"]) and style < len(data["styles"])
                                    for _, _, style, _, name in lane["slices"]))

    def assert_alone(self, text):
        """Nothing that a browser would load."""
        self.assertIsNone(re.search(r"(?i)https?:|//[a-z]|url\(|@import|\bsrc=|href=|\bfetch\(|XMLHttpRequest", text))

    def test_the_same_arguments_give_the_same_bytes(self):
        binary = self.capture("hello_world_int8", "--queues", "2")
        for suffix in ("json", "svg", "html"):
            self.assertEqual(self.draw(binary, suffix), self.draw(binary, suffix))

    def test_one_mode_and_number_of_steps(self):
        binary = self.capture("hello_world_int8")
        for mode in MODES:
            lanes = lanes_of(self.draw(binary, "json", "--mode", mode, "--steps", 7))
            self.assertEqual({process for process, _ in lanes}, {1})
            self.assertEqual({event["args"]["step"] for event in lanes[1, 2]}, set(range(7)))

    def test_a_device_with_one_queue(self):
        spec = self.write("one.json", {"queue_count": 1})
        binary = self.capture("hello_world_int8", "--device", spec)
        shown = json.loads(self.run_pianola("timeline", binary, "--device", spec, "--json").stdout)
        self.assertEqual([mode["mode"] for mode in shown["modes"]], ["eager", "traced", "as-captured"])
        run = self.run_pianola("timeline", binary, "--device", spec, "--mode", "two-queues", code=USAGE)
        self.assertIn("2 queues", run.stderr)

    def test_lanes_of_a_mesh_are_those_of_each_device_alone(self):
        free = ("--dispatch-ns", 0, "--replay-ns", 0)
        for mesh in ((1, 2), (2, 2)):
            places = [f"({row}, {column})" for row in range(mesh[0]) for column in range(mesh[1])]
            for binary, _ in self.random_binaries(12, mesh=mesh)[0][::OPTIONS.each]:
                together = groups_of(self.draw(binary, "json", *free))
                self.assertEqual(set(together), {mode + group for mode in MODES
                                                 for group in ("", *(f", device {place}" for place in places))})
                for number, place in enumerate(places):
                    alone = groups_of(self.draw(binary.with_suffix(".alone") / f"{number}.ptb", "json", *free))
                    for mode in MODES:
                        alone[mode].pop("host", None)
                        self.assertEqual(together[f"{mode}, device {place}"], alone[mode], f"{binary} {mode}")
                        self.assertLessEqual(set(together[mode]), {"host"})

    def test_the_host_of_a_mesh_takes_its_devices_in_turn(self):
        (binary, _), *_ = self.random_binaries(6, mesh=(1, 2), most=1)[0]
        together = groups_of(self.draw(binary, "json", "--mode", "traced", "--replay-ns", 2000, "--steps", 1))
        alone = groups_of(self.draw(binary.with_suffix(".alone") / "0.ptb", "json", "--mode", "traced", "--replay-ns",
                                    2000, "--steps", 1))
        commands = [name for name, *_ in alone["traced"]["host"]]
        self.assertEqual([name for name, *_ in together["traced"]["host"]], [name for name in commands for _ in "01"])
        starts = {place: together[f"traced, device {place}"]["queue 0"][0][1] for place in ("(0, 0)", "(0, 1)")}
        self.assertEqual(starts, dict.fromkeys(starts, 2 * len(commands) * 1000), "one doorbell for a step")

    def test_the_table_of_a_mesh(self):
        (binary, _), *_ = self.random_binaries(6, mesh=(1, 2), most=1)[0]
        shown = json.loads(self.run_pianola("timeline", binary, "--json").stdout)["modes"]
        self.assertEqual([(row["mode"], row["device"]) for row in shown],
                         [(mode, {"row": 0, "column": column}) for mode in MODES for column in range(2)])
        for row, eager in zip(shown, 5 * shown[:2]):
            self.assertAlmostEqual(row["gain"], eager["cycles_per_step"] / row["cycles_per_step"])
        text = self.run_pianola("timeline", binary).stdout
        for mode in MODES:
            for column in range(2):
                self.assertIn(f"{mode} (0, {column})", text)
        for suffix in ("svg", "html"):
            picture = self.draw(binary, suffix)
            self.assertIn("two-queues-split, device (0, 1)", picture)
        contents = bytearray(binary.read_bytes())
        contents[len(contents) // 2] ^= 1
        self.run_pianola("timeline", self.write("bad.ptb", bytes(contents)), "-o", "p.html", code=REFUSED)
        self.assertFalse((self.folder / "p.html").exists())

    def test_wrong_arguments(self):
        binary = self.capture("hello_world_int8")
        for output in ("picture.png", "picture", "picture.JSON"):
            run = self.run_pianola("timeline", binary, "-o", output, code=USAGE)
            for suffix in (".json", ".svg", ".html"):
                self.assertIn(suffix, run.stderr)
        for arguments in (("--mode", "fast"), ("--steps", 0), ("--steps", 10001), ("--dispatch-ns", -1), ("--replay-ns",
                                                                                                          1000000001)):
            self.run_pianola("timeline", binary, *arguments, code=USAGE)
        run = self.run_pianola("timeline", self.capture("vww_96_int8"), "-o", "p.svg", "--steps", 10000, code=USAGE)
        self.assertIn("--steps", run.stderr)
        self.assert_no_leftovers("hello_world_int8.ptb", "vww_96_int8.ptb")

    def test_a_binary_that_is_refused_is_not_drawn(self):
        contents = bytearray(self.capture("hello_world_int8").read_bytes())
        contents[-70] ^= 0x5A
        for damaged in (bytes(contents), sealed(bytes(contents)), b"", bytes(4096)):
            file = self.write("damaged.ptb", damaged)
            run = self.run_pianola("timeline", file, "-o", "p.html", code=REFUSED)
            self.assertIn("refused", run.stderr)
        self.assert_no_leftovers("hello_world_int8.ptb", "damaged.ptb")


if __name__ == "__main__":
    cli_support.main()
