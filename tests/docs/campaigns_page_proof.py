#!/usr/bin/env python3
"""Proof that docs.campaigns_page can fail: on a page that differs, and on records that are missing, wrong or silent.
Also which kinds `campaigns.py --missing` tries anew."""
import copy
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "toolchains"))
import campaigns  # noqa: E402  (the path must be there first)
import campaigns_page  # noqa: E402
from campaign_record import kind  # noqa: E402
from campaigns import Campaign  # noqa: E402

PAGE = "before\n<!-- made: summary -->\n<!-- end -->\nbetween\n<!-- made: one -->\nold\n<!-- end -->\nafter\n"
KNOWN = {"one": Campaign("faults", "tests/one.py --all", (), kinds=("left", "right"))}
RECORD = {"campaign": "one", "where": "here", "seed": 1, "samples": 7, "whole": True, "modes": [], "phases": [],
          "sources": "", "kinds": [kind("left", {"injected": 7, "detected": 5, "harmless": 2}),
                    kind("right", {"injected": 7, "harmless": 4, "silent": 2, "crashed": 1}, "no copy")]}


class CampaignsPage(unittest.TestCase):
    """Each case changes one thing of a good record."""

    def setUp(self):
        self.record = copy.deepcopy(RECORD)

    def assert_finds(self, text, records=None, page=PAGE):
        """One problem, which says this."""
        found = campaigns_page.problems({"one": self.record} if records is None else records, KNOWN, page)
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])

    def test_a_good_record_is_good(self):
        self.assertEqual(campaigns_page.problems({"one": self.record}, KNOWN, PAGE), [])

    def test_silent_needs_a_reason(self):
        self.record["kinds"][1]["outside"] = ""
        self.assert_finds("right: 2 silent, 1 crashed")

    def test_a_missing_record(self):
        self.assert_finds("one: no record", {})

    def test_a_record_of_nothing(self):
        self.assert_finds("two: a record of no campaign", {"one": self.record, "two": {**self.record}})

    def test_a_kind_without_counts(self):
        self.record["kinds"].pop(0)
        self.assert_finds("no counts of ['left']")

    def test_counts_add_up(self):
        self.record["kinds"][0]["injected"] += 1
        self.assert_finds("left does not add up")

    def test_a_part_is_not_the_whole(self):
        self.record["whole"] = False
        self.assert_finds("a part of the campaign was left out")

    def test_nothing_injected(self):
        self.record["kinds"] = [kind("left", {}), kind("right", {})]
        self.assert_finds("nothing was injected")

    def test_other_fields(self):
        del self.record["seed"]
        self.assert_finds("other fields")

    def test_a_page_without_a_summary(self):
        self.assert_finds("no page shows the summary", page=PAGE.replace("summary", "one"))

    def test_unrecorded_campaigns(self):
        found = campaigns_page.unknown_programs(KNOWN, None)
        self.assertIn("tests/baremetal/campaigns/skips.py: not in toolchains/campaigns.py", found)
        self.assertEqual(campaigns_page.unknown_programs(campaigns_page.campaigns.CAMPAIGNS, None), [])
        # A program that names its campaign like its argument.
        self.assertIn("campaigns: not in toolchains/campaigns.py", campaigns_page.unknown_programs(KNOWN, "echo"))

    def test_what_is_tried_anew(self):
        known = Campaign("faults", "tests/one.py", (), kinds=("left", "right", "new"), choose="--only",
                         tried={"left": 16, "right": 8, "new": 4})
        self.record["kinds"][0]["note"], self.record["kinds"][1]["note"] = "2: 1, 0", "8: 4, 2, 0"
        with mock.patch.dict(campaigns.CAMPAIGNS, {"one": known}), \
                mock.patch.object(campaigns.campaign_record, "kept", return_value={"one": self.record}):
            self.assertEqual(campaigns.missing_kinds("one"), ["left", "new"])

    def test_tables_are_the_records(self):
        campaigns_page.campaigns.CAMPAIGNS, kept = KNOWN, campaigns_page.campaigns.CAMPAIGNS
        self.addCleanup(setattr, campaigns_page.campaigns, "CAMPAIGNS", kept)
        page = campaigns_page.made(PAGE, {"one": self.record})
        self.assertIn("| left | 7 | 5 | 2 | 0 | 0 |  |", page)
        self.assertIn("| faults | here | 7 | 1 | 7 | 5 | 2 | 0 | 0 | 0 | not recorded |  |", page)
        self.assertIn("| *outside:* right: no copy | here | 7 | 1 | 7 | 0 | 4 | 0 | 2 | 1 | not recorded |  |", page)
        self.assertIn("| **everything** |  |  |  | 14 | 5 | 6 | 0 | 2 | 1 |  |  |", page)
        self.assertTrue(page.startswith("before\n") and "\nbetween\n" in page and page.endswith("after\n"))
        self.assertEqual(campaigns_page.made(page, {"one": self.record}), page)
        self.record["kinds"][0]["detected"] += 1
        self.assertNotEqual(campaigns_page.made(page, {"one": self.record}), page)


if __name__ == "__main__":
    unittest.main()
