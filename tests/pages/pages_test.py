#!/usr/bin/env python3
"""The pages of `timeline` and `inspect` in a browser: nothing overflows, is clipped, overlaps, fails, loads or is hard
to read, at 1400 and 400 pixels, in light and dark. Chrome traces of the same binaries obey their format's rules.

Pictures of all pages are left in the folder of --pictures.
"""
import html.parser
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cli"), str(HERE.parent / "timeline")]

import cli_support  # noqa: E402
import measure_page  # noqa: E402
import trace_events  # noqa: E402

VIEWS = ((1400, "light"), (400, "dark"))  # layout depends on the width, contrast on the scheme
# What a name would have to do to a page that does not escape it.
HOSTILE = b"<img src=x onerror='alert(1)'>\"><script>alert(2)</script>&lt;</title></svg>"


class Text(html.parser.HTMLParser):
    """Tags, and the text of cells of tables."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.cells, self.in_cell = {}, [], False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag in ("td", "th"):
            self.cells.append("")
            self.in_cell = True

    def handle_endtag(self, tag):
        self.in_cell = self.in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.in_cell:
            self.cells[-1] += data


def hostile(contents, names):
    """The binary with names of the same lengths that try to break out."""
    for name in names:
        contents = contents.replace(name.encode(), (HOSTILE * 2)[:len(name)])
    return cli_support.sealed(contents)


class Pages(cli_support.CliTest):
    def names_of(self, binary):
        """Names of the manifest that are long enough to do harm, and stand in the file as they are."""
        shown = json.loads(self.run_pianola("inspect", binary, "--json").stdout)
        names = [each["name"] for kind in ("regions", "buffers", "inputs", "outputs", "traces") for each in shown[kind]]
        names += [program["name"] for trace in shown["traces"] for program in trace["programs"]]
        return sorted(set(names), key=len, reverse=True)

    def subjects(self):
        """Binaries by what is special about them."""
        sample = self.make_sample()
        yield "sample", sample
        yield "long", self.write("n" * 196 + ".ptb", sample.read_bytes())
        yield "hostile", self.write("<b>'&.ptb", hostile(sample.read_bytes(), self.names_of(sample)))
        yield "mesh", self.random_binaries(6, mesh=(2, 2))[0][-1][0]
        if OPTIONS.models.is_dir():
            yield "small", self.capture("hello_world_int8")
            yield "large", self.capture("person_detect")
            yield "pipelined", self.capture("kws_ref_model", "--queues", 2, "--pipelined", "--in-flight", 2,
                                            "--deadline-us", 900)

    def make_pages(self, binary):
        """Each page's text and file; made twice, with the same bytes."""
        for command, option in (("timeline", "-o"), ("inspect", "--html")):
            files = [self.folder / f"{number}.html" for number in range(2)]
            for file in files:
                self.run_pianola(command, binary, option, file)
            texts = [file.read_text(encoding="utf-8") for file in files]
            self.assertEqual(*texts)
            yield command, texts[0], files[0]

    def test_pages_are_right_in_a_browser(self):
        with measure_page.Browser(measure_page.find_browser()) as browser:
            for name, binary in self.subjects():
                for command, _, file in self.make_pages(binary):
                    for width, scheme in VIEWS:
                        with self.subTest(binary=name, command=command, width=width, scheme=scheme):
                            found = measure_page.measure(browser, file.as_uri(), width, scheme, contrast=True,
                                                         self_contained=True, unfold=True)
                            picture = OPTIONS.pictures / f"{command}-{name}-{width}-{scheme}.png"
                            picture.write_bytes(browser.screenshot())
                            self.assertEqual(found, [])

    def test_still_pictures_are_right_too(self):
        """An SVG has one size: 1400 pixels."""
        with measure_page.Browser(measure_page.find_browser()) as browser:
            for name, binary in self.subjects():
                self.run_pianola("timeline", binary, "-o", "still.svg")
                svg = (self.folder / "still.svg").read_text(encoding="utf-8").partition("?>")[2]
                file = self.write("still.html", f"<meta name=viewport content=''><body style='margin:0'>{svg}")
                with self.subTest(binary=name):
                    found = measure_page.measure(browser, file.as_uri(), 1400, "light", contrast=True)
                    (OPTIONS.pictures / f"still-{name}.png").write_bytes(browser.screenshot())
                    self.assertEqual(found, [])

    def test_traces_obey_their_format(self):
        for name, binary in self.subjects():
            self.run_pianola("timeline", binary, "-o", "trace.json")
            text = (self.folder / "trace.json").read_text(encoding="utf-8")
            with self.subTest(binary=name):
                self.assertEqual(trace_events.violations(text), [])
                arrows = {event["name"] for event in json.loads(text)["traceEvents"] if event["ph"] == "s"}
                self.assertLessEqual({"enqueue", "event"}, arrows)

    def test_names_cannot_break_out(self):
        sample = self.make_sample()
        bad = self.write("bad.ptb", hostile(sample.read_bytes(), self.names_of(sample)))
        self.assertIn(HOSTILE.decode()[:8], "".join(self.names_of(bad)))
        good_pages = {command: Text(text) for command, text, _ in self.make_pages(sample)}
        for command, text, _ in self.make_pages(bad):
            page = Text(text)
            for tag in ("img", "script", "title", "b", "svg"):
                self.assertEqual(page.tags.get(tag), good_pages[command].tags.get(tag), f"{command}: {tag}")
            self.assertIn(self.names_of(bad)[0], page.cells)

    def test_the_page_of_inspect_says_what_inspect_says(self):
        binary = self.make_sample()
        shown = json.loads(self.run_pianola("inspect", binary, "--json").stdout)
        run = self.run_pianola("inspect", binary, "--html", "page.html")
        self.assertEqual(run.stdout, "")
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        cells = Text(text).cells
        for each in (*shown["regions"], *shown["buffers"]):
            self.assertIn(each["name"], cells)
            self.assertIn(f"{each['bytes']:,}", cells)
        for each in shown["regions"]:
            self.assertIn(f"0x{each['base']:08X}", cells)
        for program in shown["traces"][0]["programs"]:
            self.assertIn(program["name"], cells)
        self.assertIn("not signed", text)
        self.assertNotIn(">one refuses<", text)
        for option in ("--json", "--commands"):
            self.run_pianola("inspect", binary, "--html", "page.html", option, code=cli_support.USAGE)
        self.assertNotIn("Self-tests and state", text)
        self.run_pianola("inspect", self.make_sample("--self-test", "2"), "--html", "page.html")
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("self-tests 2: 0 with outputs as expected, 2 with captured outputs", text)
        self.assertRegex(text, r"AUT-\*.*?\d+ of \d+ applied")

    def test_a_binary_that_is_refused_is_shown_with_its_rule(self):
        contents = self.make_sample().read_bytes()
        step = json.loads(self.run_pianola("inspect", "road_signs.ptb", "--json").stdout)["budgets"]["step_cycles"]
        number = step.to_bytes(8, "little")
        self.assertEqual(contents.count(number), 1)
        file = self.write("bad.ptb", cli_support.sealed(contents.replace(number, (step + 1).to_bytes(8, "little"))))
        self.run_pianola("inspect", file, "--html", "page.html")
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        rule = json.loads(self.run_pianola("verify", file, "--json", code=cli_support.REFUSED).stdout)["rule"]
        self.assertIn(rule, text)
        self.assertEqual(text.count(">one refuses<"), 1)


OPTIONS = cli_support.OPTIONS

if __name__ == "__main__":
    if measure_page.find_browser() is None:
        print("skipped: no Chromium (Debian package chromium)")
        sys.exit(cli_support.SKIPPED)
    at = sys.argv.index("--pictures")
    OPTIONS.pictures = pathlib.Path(sys.argv[at + 1])
    OPTIONS.pictures.mkdir(parents=True, exist_ok=True)
    del sys.argv[at:at + 2]
    cli_support.main(needs_models=False)
