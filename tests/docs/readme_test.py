#!/usr/bin/env python3
"""README.md is short and true: at most 110 lines, one sentence before the picture, whose texts can be read where it is
400 pixels wide, at most 25 lines of code, and figures that docs/evidence/performance.md has too. docs/README.md names
every page of its folders.

Usage: readme_test.py SOURCE
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs/evidence/performance.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) \|$", re.MULTILINE)
BOARDS = re.compile(r"^\| (\w+)((?: \| [\d,.]+){8}) \|$", re.MULTILINE)
TFLM = re.compile(r"TFLM takes ([\d,\s]+ and [\d,]+) instructions on the M7, ([\d,\s]+ and\s+[\d,]+) on the M55")


class Readme(unittest.TestCase):
    """What a reader sees first."""

    def test_one_sentence_and_one_picture(self):
        beginning = README.split("\n\n")[1:3]
        self.assertEqual(len(re.findall(r"\.(?:\s|$)", beginning[0])), 1, beginning[0])
        picture = re.match(r"!\[[^\]]{20,}\]\(([^)]+)\)$", beginning[1])
        self.assertTrue(picture and (ROOT / picture[1]).is_file(), beginning[1])

    def test_it_has_110_lines(self):
        self.assertLessEqual(len(README.splitlines()), 110)

    def test_texts_of_the_picture_are_legible_at_400_pixels(self):
        picture = (ROOT / re.search(r"^!\[[^\]]+\]\(([^)]+)\)$", README, re.MULTILINE)[1]).read_text(encoding="utf-8")
        width = float(re.search(r"<svg[^>]* viewBox=\"0 0 ([\d.]+) ", picture)[1])
        sizes = [float(size) for size in re.findall(r"font-size=\"([\d.]+)\"", picture)]
        self.assertGreater(len(sizes), 10)
        self.assertGreaterEqual(min(sizes) * 400.0 / width, 9.0)

    def test_the_program_has_25_lines(self):
        code, = re.findall(r"^```cpp\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        self.assertLessEqual(len([line for line in code.splitlines() if line.strip()]), 25)

    def test_figures_are_those_of_the_performance_page(self):
        measured = {name: cells.split(" | ")[1:] for name, cells in BOARDS.findall(FIGURES)}
        m7, m55 = (re.findall(r"[\d,]*\d", each) for each in TFLM.search(FIGURES).groups())
        rows = ROW.findall(README)
        self.assertEqual([row[0] for row in rows], list(measured))
        for number, (name, *cells) in enumerate(rows):
            cells_there = measured[name]  # M7, ratio, packed, ratio, M55, ratio, packed, ratio
            self.assertEqual(cells, [cells_there[2], m7[number], cells_there[3],
                                     cells_there[6], m55[number], cells_there[7]])


class Contents(unittest.TestCase):
    """What a reader finds."""

    def test_every_page_is_in_the_contents(self):
        contents = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        pages = [path.relative_to(ROOT / "docs").as_posix()
                 for folder in ("guide", "reference", "evidence", "safety", "design")
                 for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
        self.assertGreater(len(pages), 50)
        self.assertEqual([page for page in pages if f"]({page})" not in contents], [])


if __name__ == "__main__":
    unittest.main()
