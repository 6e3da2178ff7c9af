#!/usr/bin/env python3
"""README.md is short and true: at most 110 lines, one sentence before the picture, a picture whose texts can be read on
a telephone, and a program of 15 lines. Its figures are those of docs/evidence/performance.md. docs/README.md names
every page of docs/ and its folders.

Usage: readme_test.py SOURCE
"""
import pathlib
import re
import sys
import unittest
from xml.etree import ElementTree

ROOT = pathlib.Path(sys.argv.pop())
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIGURES = (ROOT / "docs/evidence/performance.md").read_text(encoding="utf-8")
BOARDS = re.compile(r"^\| (\w+)((?: \| [\d,.]+){8}) \|$", re.MULTILINE)
PEER = re.compile(r"^\| (\w+)(, release verified (?:\(default\)|within 100 ms))?((?: \| [\d,.]+){6}) \|$", re.MULTILINE)
PICTURE = re.compile(r"!\[[^\]]{20,}\]\(([^)]+)\)")
MOST_LINES, MOST_CODE = 110, 15
PAGE_WIDTH, LEAST_HEIGHT = 400, 9  # pixels


def small_texts(svg):
    """Texts of a picture that are too small where a page shows it PAGE_WIDTH wide, and those without a size."""
    scale = PAGE_WIDTH / float(svg.get("viewBox").split()[2])
    texts = [each for each in svg.iter() if each.tag.rpartition("}")[2] in ("text", "tspan")]
    return [each.text for each in texts if float(each.get("font-size", 0)) * scale < LEAST_HEIGHT]


def peer_rows(text):
    """Rows that toolchains/compare_cmsis_nn.py has written."""
    region, = re.findall(r"<!-- made by toolchains/compare_cmsis_nn\.py -->\n(.*?)<!-- end -->", text, re.DOTALL)
    return PEER.findall(region)


class Readme(unittest.TestCase):
    """What a reader sees first."""

    def test_it_is_short(self):
        self.assertLessEqual(len(README.splitlines()), MOST_LINES)

    def test_one_sentence_and_one_picture(self):
        beginning = README.split("\n\n")[1:3]
        self.assertEqual(len(re.findall(r"\.(?:\s|$)", beginning[0])), 1, beginning[0])
        picture = PICTURE.fullmatch(beginning[1])
        self.assertTrue(picture and (ROOT / picture[1]).is_file(), beginning[1])

    def test_the_picture_is_legible_on_a_telephone(self):
        text = (ROOT / PICTURE.search(README)[1]).read_text(encoding="utf-8")
        self.assertNotIn("scale(", text)
        svg = ElementTree.fromstring(text)
        self.assertGreater(len(list(svg.iter("{http://www.w3.org/2000/svg}text"))), 10)
        self.assertEqual(small_texts(svg), [])

    def test_small_texts_are_found(self):
        svg = ElementTree.fromstring('<svg viewBox="0 0 800 300"><text font-size="18">a</text><text>b</text>'
                                     '<text font-size="20"><tspan font-size="17.9">c</tspan></text></svg>')
        self.assertEqual(small_texts(svg), ["b", "c"])

    def test_the_program_has_15_lines(self):
        """Without includes and closing braces."""
        code, = re.findall(r"^```cpp\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        lines = [line for line in code.splitlines() if line.strip() not in ("", "}")]
        self.assertLessEqual(len(lines), 25)
        self.assertLessEqual(len([line for line in lines if not line.startswith("#include")]), MOST_CODE)

    def test_figures_are_those_of_the_performance_page(self):
        rows = peer_rows(README)
        self.assertEqual([row for row in rows if row not in peer_rows(FIGURES)], [])
        on_boards = FIGURES.split("## Kernels on boards")[1]
        measured = {name: cells.split(" | ")[1:] for name, cells in BOARDS.findall(on_boards)}
        kernels = {name: cells.split(" | ")[1:] for name, released, cells in rows if not released}
        self.assertEqual(list(kernels), list(measured))
        for name, cells in kernels.items():  # there: M7, ratio, packed, ratio, M55, ratio, packed, ratio
            self.assertEqual([cells[0], cells[3]], [measured[name][2], measured[name][6]])

    def test_each_model_has_a_row_with_release_and_ratios_that_are_right(self):
        for text in (README, FIGURES):
            rows = peer_rows(text)
            self.assertGreater(len(rows), 0)
            self.assertEqual([row[:2] for row in rows],
                             [(name, text) for name, _, _ in rows[::3]
                              for text in ("", ", release verified (default)", ", release verified within 100 ms")])
            for name, _, cells in rows:
                numbers = [float(cell.replace(",", "")) for cell in cells.split(" | ")[1:]]
                for ours, theirs, ratio in (numbers[:3], numbers[3:]):
                    self.assertAlmostEqual(ours / theirs, ratio, delta=0.005001, msg=name)

    def test_it_links_the_features(self):
        self.assertIn("](docs/features.md)", README)


class Contents(unittest.TestCase):
    """What a reader finds."""

    def test_every_page_is_in_the_contents(self):
        contents = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        pages = [path.relative_to(ROOT / "docs").as_posix()
                 for folder in (".", "guide", "reference", "evidence", "safety", "design")
                 for path in sorted((ROOT / "docs" / folder).glob("*.md")) if path != ROOT / "docs/README.md"]
        self.assertGreater(len(pages), 50)
        self.assertEqual([page for page in pages if f"]({page})" not in contents], [])


if __name__ == "__main__":
    unittest.main()
