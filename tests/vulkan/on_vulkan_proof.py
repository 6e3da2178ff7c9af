#!/usr/bin/env python3
"""on_vulkan.py tells of each way in which a case can be other than its table has it."""
import contextlib
import io
import pathlib
import sys
import unittest

import on_vulkan

REFUSED = "C++ exception: API-DEVICE-OPTIONS: a Vulkan device has no threads of this process; leave out threaded"
PAGE = "text\n\n" + on_vulkan.HEAD + "| api | `Queues.*/1`, `Log.Times` | threads |\n| mesh | `A.B` | log |\n\nmore\n"


class Proof(unittest.TestCase):
    """Tables and failures that are made up."""

    def test_rows_of_an_area(self):
        self.assertEqual(on_vulkan.rows_of(PAGE, "api"), [("Queues.*/1", "threads"), ("Log.Times", "threads")])
        self.assertEqual(on_vulkan.rows_of(PAGE, "python.queues"), [])

    def test_what_is_as_the_table_has_it(self):
        rows = [("Queues.*/1", "threads")]
        self.assertEqual(on_vulkan.judge({"Queues.A/0": [], "Queues.A/1": [REFUSED], "Queues.B/1": []}, rows), [])
        self.assertEqual(on_vulkan.judge({"Queues.A/0": []}, []), [])

    def test_a_case_that_fails_and_is_not_in_the_table(self):
        self.assertEqual(len(on_vulkan.judge({"Queues.A": [REFUSED]}, [])), 1)

    def test_a_case_that_fails_for_another_reason(self):
        rows = [("Queues.A", "threads")]
        self.assertEqual(len(on_vulkan.judge({"Queues.A": ["3 is not 4"]}, rows)), 1)
        self.assertEqual(len(on_vulkan.judge({"Queues.A": [REFUSED, "3 is not 4"]}, rows)), 1)

    def test_a_row_without_a_failure(self):
        rows = [("Queues.A", "threads"), ("Queues.Gone", "threads")]
        self.assertEqual(len(on_vulkan.judge({"Queues.A": []}, rows)), 2)

    def test_failures_of_parts_are_kept(self):
        class Parts(unittest.TestCase):
            """Two of four fail."""

            def test_parts(self):
                for number in range(4):
                    with self.subTest(number=number):
                        self.assertEqual(number % 2, 0)

        with contextlib.redirect_stderr(io.StringIO()):
            runner = unittest.TextTestRunner(stream=sys.stderr, resultclass=on_vulkan.Result)
            result = runner.run(unittest.defaultTestLoader.loadTestsFromTestCase(Parts))
        self.assertEqual([len(texts) for texts in result.of_cases.values()], [2])

    def test_the_page_has_the_table(self):
        page = pathlib.Path(__file__).parents[2] / "docs/evidence/vulkan.md"
        self.assertTrue(on_vulkan.rows_of(page.read_text(encoding="utf-8"), "api"))


if __name__ == "__main__":
    unittest.main()
