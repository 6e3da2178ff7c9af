#!/usr/bin/env python3
"""The bounds of the board's cost model hold: no launch, command or inference takes more instructions than its bound,
and no bound is far above. Beside CI, docs/evidence/costs.md."""
import pathlib
import unittest

import baremetal_support as support
import costs_page
import fit_costs
import launch_counts
from baremetal_support import OPTIONS

# Of each kernel: launches that were not among those that costs were fitted to.
LAUNCHES, SEED = 25, 53
# Regions of the protection unit before that of the operands: none, and as many as it has.
REGIONS = (0, launch_counts.MAX_REGIONS - 1)
MODELS = ("ad01_int8", "kws_ref_model")


class LaunchCosts(support.BareMetalTest):
    """Counts against bounds."""

    def setUp(self):
        super().setUp()
        self.costs = support.board().core["cost_model"]

    def assert_inside(self, rows):
        """No row is outside of the limits; the rows by kernel."""
        self.assertEqual(fit_costs.outside(rows), [])
        return {row["kernel"] for row in rows}

    def test_launches(self):
        launches = launch_counts.random(OPTIONS.board, launches=LAUNCHES, seed=SEED)
        for regions in REGIONS:
            with self.subTest(regions=regions):
                rows = fit_costs.with_bounds(self.costs, launch_counts.rows(OPTIONS.board, launches, regions))
                self.assertEqual(self.assert_inside(rows), set(launch_counts.kernel_names().values()))

    def test_commands(self):
        for regions in REGIONS:
            with self.subTest(regions=regions):
                by_name = fit_costs.command_rows(launch_counts.of_commands(OPTIONS.board, regions))
                self.assertEqual([name for name, rows in by_name.items() if not rows], ["launch"])
                counts = [row for rows in by_name.values() for row in rows]
                self.assert_inside(fit_costs.with_bounds(self.costs, counts))

    def test_models(self):
        if not OPTIONS.has_models:
            self.skipTest("no models; set PIANOLA_SHARED")
        for name in MODELS:
            for pack, most in ((None, costs_page.MOST), ("portable", costs_page.MOST_PORTABLE)):
                with self.subTest(model=name, pack=pack):
                    shown = costs_page.inference(OPTIONS.models / name / "model.tflite", self.folder, pack)
                    for layer in shown["layers"]:
                        self.assertLessEqual(layer["count"], layer["bound"], layer["name"])
                    print(f"{name}, {pack or 'packed'}: bound {shown['bound']}, {shown['instructions']} instructions, "
                          f"{shown['bound'] / shown['instructions']:.3f}")
                    self.assertLessEqual(shown["instructions"], shown["bound"])
                    self.assertLessEqual(shown["bound"], most * shown["instructions"])

    def test_a_bound_below_a_count_is_found(self):
        """With real counts: one instruction decides."""
        launches = launch_counts.random(OPTIONS.board, ("softmax",), 3, SEED)
        rows = launch_counts.rows(OPTIONS.board, launches)
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual(fit_costs.outside([{**row, "bound": row["instructions"]}]), [])
            self.assertEqual(len(fit_costs.outside([{**row, "bound": row["instructions"] - 1}])), 1)


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}),
                  ("--images", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
