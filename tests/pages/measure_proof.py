#!/usr/bin/env python3
"""measure.py finds what is seeded into pages, and nothing in pages that are right."""
import pathlib
import sys
import tempfile
import unittest

from browser import find_browser
from measure import SKIPPED, measure

LONG = "unbreakable" * 60
HEAD = '<!DOCTYPE html><meta name="viewport" content="width=device-width"><title>page</title>'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100" font-size="14">{}</svg>'
WRONG = {
    "page scrolls sideways": f"<p>{LONG}</p>",
    "text cut off": f'<div style="width:100px;overflow:hidden;white-space:nowrap">{LONG}</div>',
    "beyond the right edge": '<body style="overflow-x:hidden"><div style="width:3000px">wide</div>',
    "text outside its picture": SVG.format('<text x="280" y="50">far too long for this</text>'),
    "text over text": SVG.format('<text x="10" y="50">one label</text><text x="20" y="53">another</text>'),
}
RIGHT = {
    "prose": "<h1>Title</h1><p>Some words that are wrapped.</p>",
    "a box that scrolls": f'<div style="overflow-x:auto"><table><tr><td>{LONG}</td></tr></table></div>',
    "what nobody sees": f'<div style="display:none;width:9000px">{LONG}</div>',
    "a picture": SVG.format('<text x="10" y="30">one label</text><text x="10" y="60">another</text>'),
}


class Proof(unittest.TestCase):
    """All pages in one start of the browser."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        pages = []
        for number, body in enumerate([*WRONG.values(), *RIGHT.values()]):
            pages.append(pathlib.Path(folder.name) / f"page{number}.html")
            pages[-1].write_text(HEAD + body, encoding="utf-8")
        cls.pages = pages
        cls.seen, cls.found = measure(pages)

    def of(self, number):
        """What was found on one page."""
        return [each for each in self.found if each.startswith(f"page{number}.html ")]

    def test_each_seeded_defect_is_found_at_both_widths(self):
        for number, what in enumerate(WRONG):
            for width in (1400, 400):
                self.assertTrue(any(f"at {width}: {what}" in each for each in self.of(number)),
                                f"{what} at {width}: {self.of(number)}")

    def test_right_pages_have_no_findings(self):
        for number, what in enumerate(RIGHT, len(WRONG)):
            self.assertEqual(self.of(number), [], what)

    def test_something_was_looked_at(self):
        self.assertGreater(self.seen, 2 * len(self.pages))


if __name__ == "__main__":
    if find_browser() is None:
        print("no Chromium: skipped")
        sys.exit(SKIPPED)
    unittest.main()
