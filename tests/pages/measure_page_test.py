#!/usr/bin/env python3
"""measure_page.py finds every defect that is seeded into a page, and nothing in the page that does it right."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import measure_page

LONG = "A label of many words that nobody has made room for, and then a few more words."
HEAD = "<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>t</title><body>"


def picture(inside, attributes=""):
    return (f"<svg viewBox='0 0 300 100' width=300 height=100 {attributes}><style>text{{font:12px sans-serif}}</style>"
            f"{inside}</svg>")


# kind: (page with the defect, the same without), whole or what follows HEAD.
SEEDED = {
    "scrolls sideways": ("<div style='width:2000px;height:9px'></div>",
                         "<div style='overflow-x:auto'><div style='width:2000px;height:9px'></div></div>"),
    "no viewport": ("<!doctype html><title>t</title><p>text", HEAD + "<p>text"),
    "beyond the edge": (f"<p style='position:absolute;left:-40px'>{LONG}",
                        f"<p style='position:fixed;left:-40px'>{LONG}"),
    "clipped": (f"<div style='width:120px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis'>{LONG}</div>",
                f"<div style='width:120px;overflow-x:auto;white-space:nowrap'>{LONG}</div>"),
    "outside its picture": (picture("<text x=250 y=50>beyond the picture</text>"),
                            picture("<text x=290 y=50 text-anchor=end>within the picture</text>")),
    "wider than its box": (picture("<rect x=10 y=30 width=30 height=30 fill=#eee /><text x=12 y=50>too wide</text>"),
                           picture("<rect x=10 y=30 width=90 height=30 fill=#eee /><text x=12 y=50>narrow</text>")),
    "labels overlap": (picture("<text x=10 y=50>one label</text><text x=40 y=54>another</text>"),
                       picture("<text x=10 y=50>one label</text><text x=80 y=54>another</text>")),
    "script fails": ("<script>missing()</script><p>text", "<script>void 0</script><p>text"),
    "loads": ("<p>text<img src='other.png' alt=''>",
              "<p>text<img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='>"),
    "low contrast": ("<p style='color:#888'>grey", "<p style='color:#555'>grey"),
}
def canvas(script):
    return ("<canvas width=300 height=100></canvas><script>const pen = document.querySelector('canvas')"
            f".getContext('2d'); pen.font = '12px sans-serif'; {script}</script>")


CLIP = "pen.beginPath(); pen.rect(10, 0, 60, 100); pen.clip(); "
MORE = [  # other ways to the same kinds, and mended pages
    ("clipped", f"<div style='width:120px;height:18px;overflow:hidden'>{LONG}</div>", "<p>text"),
    ("beyond the edge", f"<p style='width:2000px;text-align:right'>{LONG}", "<p>text"),
    ("low contrast", picture("<rect width=300 height=100 fill=#036 /><text x=10 y=50 fill=#222>dark</text>"),
     picture("<rect width=300 height=100 fill=#036 /><text x=10 y=50 fill=#eee>light</text>")),
    ("script fails", "<script>Promise.reject(new Error('late'))</script><p>text", "<p>text"),
    ("clipped", canvas("pen.fillText('beyond the canvas', 250, 50);"), canvas("pen.fillText('within', 250, 50);")),
    ("clipped", canvas(CLIP + "pen.fillText('beyond the clip', 12, 50);"),
     canvas(f"pen.save(); {CLIP} pen.restore(); pen.fillText('beyond the clip', 12, 50);")),
    ("labels overlap", canvas("pen.fillText('one label', 10, 50); pen.fillText('another', 40, 54);"),
     canvas("pen.fillText('one label', 10, 50); pen.canvas.width = 300; pen.fillText('another', 40, 54);")),
]


def page(text):
    return text if text.startswith("<!doctype") else HEAD + text


class MeasurePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(measure_page.Browser(measure_page.find_browser()))

    def kinds(self, text, width=1400, scheme="light", **options):
        file = self.folder / "page.html"
        file.write_text(page(text), encoding="utf-8")
        options = {"contrast": True, "self_contained": True, **options}
        return {kind for kind, _, _ in measure_page.measure(self.browser, file.as_uri(), width, scheme, **options)}

    def test_every_seeded_defect_is_found_and_its_mended_page_is_clean(self):
        for kind, wrong, right in [*((kind, *pages) for kind, pages in SEEDED.items()), *MORE]:
            with self.subTest(kind=kind, page=wrong):
                self.assertIn(kind, self.kinds(wrong))
                self.assertEqual(self.kinds(right), set())

    def test_the_window_and_the_scheme_are_those_asked_for(self):
        wide = "<div style='width:700px;height:9px'></div>"
        self.assertEqual(self.kinds(wide, width=1400), set())
        self.assertEqual(self.kinds(wide, width=400), {"scrolls sideways"})
        schemes = "<style>@media (prefers-color-scheme:dark){body{background:#000;color:#333}}</style><p>text"
        self.assertEqual(self.kinds(schemes, scheme="light"), set())
        self.assertEqual(self.kinds(schemes, scheme="dark"), {"low contrast"})

    def test_what_is_allowed_or_not_asked_for_is_left_out(self):
        clipped = SEEDED["clipped"][0].replace("<div", "<div class=known")
        self.assertEqual(self.kinds(clipped, allow=[".known"]), set())
        self.assertEqual(self.kinds(SEEDED["low contrast"][0], contrast=False), set())
        self.assertNotIn("loads", self.kinds(SEEDED["loads"][0], self_contained=False))
        folded = f"<details><summary>more</summary>{SEEDED['clipped'][0]}</details>"
        self.assertEqual(self.kinds(folded), set())
        self.assertEqual(self.kinds(folded, unfold=True), {"clipped"})

    def test_the_command_line(self):
        wrong, right = self.folder / "wrong.html", self.folder / "right.html"
        wrong.write_text(page(SEEDED["labels overlap"][0]), encoding="utf-8")
        right.write_text(page(SEEDED["labels overlap"][1]), encoding="utf-8")
        run = self.run_tool(wrong, right, "--screenshots", self.folder / "shots", "--scheme", "dark", "--contrast")
        self.assertEqual(run.returncode, measure_page.FOUND, run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual([line.split(": ")[:2] for line in lines],
                         [[f"{wrong} [{width} dark]", "labels overlap"] for width in (1400, 400)])
        shots = sorted(each.name for each in (self.folder / "shots").iterdir())
        self.assertEqual(shots, ["right-1400-dark.png", "right-400-dark.png", "wrong-1400-dark.png",
                                 "wrong-400-dark.png"])
        self.assertEqual(self.run_tool(right).returncode, measure_page.CLEAN)
        missing = self.run_tool(self.folder / "none.html")
        self.assertEqual(missing.returncode, measure_page.FAILED)
        self.assertIn("no such file", missing.stderr)

    @staticmethod
    def run_tool(*arguments):
        return subprocess.run([sys.executable, "-B", measure_page.__file__, *map(str, arguments)], check=False,
                              capture_output=True, encoding="utf-8")


if __name__ == "__main__":
    if measure_page.find_browser() is None:
        print("skipped: no Chromium (Debian package chromium)")
        sys.exit(measure_page.SKIPPED)
    unittest.main()
