#!/usr/bin/env python3
"""What a board's builds measure is within the thresholds, as predicted, and what the documentation says.

measured/<board>.json is the record of which docs/evidence/measured.md is made. With PIANOLA_UPDATE_MEASURED=1 in the
environment this test writes the record instead of comparing it; toolchains/measured_page.py then prints the page.
"""
import json
import pathlib

import baremetal_support as support
import board_facts

FOLDER = pathlib.Path(__file__).resolve().parents[1]
LIMITS = json.loads((FOLDER / "thresholds.json").read_text(encoding="utf-8"))["sizes"]


class BoardFacts(support.BareMetalTest):
    """Sizes, RAM, heap, and the record."""

    def test_runtime_is_small(self):
        sizes = board_facts.sizes("Os")
        texts = {layer: sizes[layer]["text"] for layer in ("validator", "session")}
        print(f"{texts} bytes of text at -Os, {sum(texts.values())} together")
        self.assertGreater(min(texts.values()), 0)
        if support.board().architecture == "arm_m":
            self.assertLessEqual(sum(texts.values()), LIMITS["validator_and_session_text_on_cortex_m_at_Os"])

    def test_runtime_without_features_is_smaller(self):
        texts = board_facts.small_texts()
        self.assertGreater(min(texts.values()), 0)
        text = sum(texts.values())
        print(f"{text} bytes of text at -Os without the features that can be left out")
        if support.board().architecture == "arm_m":
            self.assertLessEqual(text, LIMITS["the_same_without_features"])

    def test_rom_of_a_binary_has_its_kernels_alone(self):
        # The image's own copy of the binary, captured by this build.
        binary = board_facts.OPTIONS.image.parents[2] / "board_sample" / "road_signs_unsigned.ptb"
        target = json.loads(support.checked(board_facts.OPTIONS.pianola, "inspect", "--json", binary))["target"]
        named = {f"compute_{kernel['name']}" for kernel in target["kernels"]}
        self.assertGreater(len(named), 1)
        for configuration in board_facts.CONFIGURATIONS:
            with self.subTest(configuration=configuration):
                self.assertEqual(board_facts.kernels(configuration, board_facts.SMALL), named)
                self.assertLess(named, board_facts.kernels(configuration, board_facts.EXAMPLE))

    def test_ram_is_small(self):
        for name, (measured, _) in board_facts.ram().items():
            if name in LIMITS["ram"]:
                with self.subTest(object=name):
                    self.assertLessEqual(measured, LIMITS["ram"][name])

    def test_signatures_are_small(self):
        sizes = board_facts.signature_sizes("Os")
        print(f"verifying a signature: {sizes} bytes at -Os")
        self.assertGreater(sizes["text"], 0)
        self.assertLessEqual(sizes["text"] + sizes["rodata"], LIMITS["signatures_text_and_rodata_at_Os"])
        self.assertEqual((sizes["data"], sizes["bss"]), (0, 0))

    def test_ram_is_as_predicted(self):
        for name, (measured, predicted) in board_facts.ram().items():
            with self.subTest(object=name):
                self.assertEqual(measured - predicted, 0)

    def test_no_image_has_a_heap(self):
        images = board_facts.images()
        self.assertGreaterEqual(len(images), 4)
        for image in images:
            with self.subTest(image=image.name):
                self.assertEqual(board_facts.heap_in(image), [])

    def test_only_kernels_have_loops_that_the_core_counts(self):
        for image in board_facts.images():
            with self.subTest(image=image.name):
                self.assertLessEqual(board_facts.layers_with_counted_loops(image), {"kernels"})

    def test_the_record_is_current(self):
        for name in board_facts.COUNTED_MODELS:
            self.model(name)
        kept, made = board_facts.kept_and_made(board_facts.collect(self.folder))
        self.assertEqual(kept, made, "the record is not current: see this file's head")


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}),
                  ("--objects", {"required": True, "type": pathlib.Path, "nargs": 2}))
    support.main()
