#!/usr/bin/env python3
"""What this board's builds measure is within the thresholds, and what the record says: ../measured/<board>.json, of
which docs/evidence/measured.md is made. With PIANOLA_UPDATE_MEASURED=1 in the environment this test writes the record
instead.

Sizes are those of the test application's parts that belong to the product. The counted program is the exchange
(tests/pl330/exchange.h). `pianola size` is not asked: what is measured of RAM is what the compiler says.
"""
import json
import pathlib

import baremetal_support as support
import board_facts
import instruction_counts
import stack_bounds
from baremetal_support import OPTIONS

IMAGE = "pianola_baremetal_pl330"
NOT_THE_PRODUCTS = ("application", "alignment")
LIMITS = json.loads((support.ROOT / "tests/baremetal/thresholds.json").read_text(encoding="utf-8"))
STEPS = 3
PARTS = 2  # of a step: input_view(), and the rest


def product_sizes(configuration):
    """{layer: {kind: bytes}}, without what is a test's."""
    sizes = board_facts.sizes(configuration, IMAGE)
    return {layer: row for layer, row in sizes.items() if layer not in NOT_THE_PRODUCTS}


class Facts(support.BareMetalTest):
    """Sizes, RAM, heap, instructions, and the record."""

    def setUp(self):
        super().setUp()
        support.checked(OPTIONS.binaries, self.folder)

    def sections(self, *mode):
        """(validation, load, steps, slices) of one run of the exchange."""
        sections, values = instruction_counts.counted(self.folder, "count", self.folder / "exchange.ptb", *mode)
        self.assertEqual((values["steps"], len(sections)), (STEPS, 2 + STEPS * PARTS))
        steps = [instruction_counts.merged(sections[first:first + PARTS]) for first in range(2, len(sections), PARTS)]
        return sections[0], sections[1], steps, values["slices"]

    def instructions(self):
        """Plain numbers, as on other boards."""
        validation, load, steps, slices = self.sections()
        _, _, verified, _ = self.sections("verified")
        highest = max(step.total for step in steps)
        return {"validation": instruction_counts.without_digest(validation), "digest": validation.of_layer("digest"),
                "load": instruction_counts.without_digest(load), "step": highest, "slices": slices,
                "slice": (max(step.total for step in verified) - highest) // slices}

    def test_validation_and_load(self):
        counts = self.instructions()
        print(counts)
        limits = LIMITS["instructions"]
        for name, limit in (("validation", "validation_without_digest"), ("load", "load_without_digest"),
                            ("slice", "verified_release_per_slice")):
            with self.subTest(count=name):
                self.assertGreater(counts[name], 0)
                self.assertLessEqual(counts[name], limits[limit][support.board().architecture])
        self.assertEqual(self.instructions(), counts, "counts repeat")

    def test_no_image_has_a_heap(self):
        images = board_facts.images()
        self.assertGreaterEqual(len(images), 2)
        for image in images:
            with self.subTest(image=image.name):
                self.assertEqual(board_facts.heap_in(image), [])

    def test_the_record_is_current(self):
        stack = {
            name: stack_bounds.bounds(objects)
            for name, objects in zip(board_facts.CONFIGURATIONS, OPTIONS.objects)
        }
        used = stack_bounds.painted_by("stack", self.folder / "exchange.ptb")
        kept, made = board_facts.kept_and_made({
            "sizes": {configuration: product_sizes(configuration) for configuration in board_facts.CONFIGURATIONS},
            "ram": support.Run("ram").require().values,
            "stack": {**stack, "used": used},
            "instructions": {"exchange": self.instructions()}})
        self.assertEqual(kept, made, "the record is not current: see this file's head")


if __name__ == "__main__":
    support.parse(("--binaries", {"required": True, "type": pathlib.Path}),
                  ("--plugin", {"required": True, "type": pathlib.Path}),
                  ("--objects", {"required": True, "type": pathlib.Path, "nargs": 2}))
    support.main()
