#!/usr/bin/env python3
"""What a validation costs the ECU core at most: the files of tests/worst_case, against the formula of
docs/evidence/worst_case.md.

The terms are those of the host, the coefficients the board's: worst_case.json in its folder. Files that the load area
has no room for are left out, and named. The part of the page about a board says of which one it is, and is held
to what is measured there; with PIANOLA_UPDATE_MEASURED=1 in the environment, its table of files is written instead.
"""
import json
import os
import pathlib
import re
import sys
import unittest

import baremetal_support as support
import instruction_counts
import link_map
from baremetal_support import OPTIONS

WORST_CASE = support.ROOT / "tests" / "worst_case"
sys.path.append(str(WORST_CASE))
import measure  # noqa: E402  pylint: disable=wrong-import-position

# Files that are counted, at least: a change of the load area must not leave the test without any.
FILES = 20
PAGE, HEADING = support.ROOT / "docs/evidence/worst_case.md", "\n## On a board\n"
DESCRIBED = re.compile(r"`hal/boards/(\w+)/worst_case\.json`")
COEFFICIENT = re.compile(r"^\| ([\d,]+) \| [^|]+ \|$", re.MULTILINE)


def counted(row, file, folder, *device):
    """The row, with the instructions of one validation on the board, which must have found the same work as the
    host."""
    (section,), values = instruction_counts.counted(folder, "validate", file, *device)
    assert (values["work"], bool(values["accepted"])) == (row["work"], not row["rule"]), f"{row}: {values}"
    return {**row, "instructions": section.total}


def load_area_bytes():
    """Room for a file."""
    symbols = link_map.symbols(OPTIONS.image, OPTIONS.board)
    return symbols["__load_area_end"][0] - symbols["__load_area_start"][0]


class WorstCase(support.BareMetalTest):
    """Every file is within the formula; and the check can fail."""

    def test_instructions_are_within_the_formula(self):
        coefficients = json.loads(
            (support.ROOT / "hal/boards" / OPTIONS.board / "worst_case.json").read_text(encoding="utf-8"))
        typical = self.model(support.SAMPLE).file
        counts = json.loads(measure.run(OPTIONS.worst_case, "describe", typical)[0])
        rows = [counted({"name": "typical", **counts}, typical, self.folder)]
        room = load_area_bytes()
        for case, file, counts in measure.make(OPTIONS.worst_case, self.folder, None, False):
            if counts["file_bytes"] <= room:
                rows.append(counted({**case, **counts}, file, self.folder, "worst"))
            else:
                print(f"{case['name']}: {counts['file_bytes']} bytes, the load area has {room}")
            file.unlink()
        rows = [measure.judged(row, coefficients) for row in rows]
        print(measure.to_markdown(rows))
        (self.folder / "rows.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        self.assertGreaterEqual(len(rows), FILES)
        self.assertEqual(measure.exceeded(rows), [])
        for term in ("file_bytes", "tables", "work"):
            smaller = {**coefficients, term: coefficients[term] * 3 // 4}
            self.assertNotEqual(measure.exceeded([measure.judged(row, smaller) for row in rows]), [], term)
        front, heading, part = PAGE.read_text(encoding="utf-8").partition(HEADING)
        (described,) = DESCRIBED.findall(part)
        self.assertTrue((support.ROOT / "hal/boards" / described / "worst_case.json").is_file(), described)
        if described == OPTIONS.board:
            self.check_page(rows, coefficients, front + heading, part)

    def check_page(self, rows, coefficients, front, part):
        """What the page says of this board."""
        largest = measure.formula(coefficients, json.loads(measure.run(OPTIONS.worst_case, "largest", measure.MIB)[0]))
        if os.environ.get("PIANOLA_UPDATE_MEASURED") == "1":
            PAGE.write_text(front + measure.with_table(part, rows), encoding="utf-8")
            return
        self.assertEqual([int(cell.replace(",", "")) for cell in COEFFICIENT.findall(part)],
                         [coefficients[term] for term in ("constant", *measure.TERMS)])
        self.assertIn(measure.largest_sentence(rows, largest), " ".join(part.split()))
        self.assertEqual(measure.page_differences(rows, part), [])
        wrong = [{**row, "instructions": row["instructions"] * 2} for row in rows]
        self.assertNotEqual(measure.page_differences(wrong, part), [])


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}),
                  ("--worst-case", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
