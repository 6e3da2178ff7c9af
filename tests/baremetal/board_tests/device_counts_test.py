#!/usr/bin/env python3
"""What an inference costs a device on this board's kind of core, in instructions - its kernels and its front, nothing
of the session -, against device_counts.json in the board's folder, by what the weights are packed for."""
import json
import pathlib
import unittest

import baremetal_support as support
import device_counts
import launch_counts


class DeviceCounts(support.BareMetalTest):
    """Limits."""

    def test_inferences(self):
        limits = json.loads(
            (support.ROOT / "hal/boards" / support.board().name / "device_counts.json").read_text(encoding="utf-8"))
        for pack, of_models in limits.items():
            for name in device_counts.MODELS:
                with self.subTest(pack=pack, model=name):
                    section = device_counts.measure(self.model(name, pack=pack), self.folder)
                    print(f"{name}, packed for {pack}: {section.total} instructions, of these "
                          f"{section.of_layer('kernels')} in kernels")
                    self.assertGreater(section.of_layer("kernels"), section.of_layer("device side"))
                    self.assertLessEqual(section.total, of_models[name])

    def test_steps_are_the_whole(self):
        model = self.model(support.SAMPLE)
        rows, section = launch_counts.of_binary(support.OPTIONS.board, model.file, model.records(1))
        self.assertEqual(section, device_counts.measure(model, self.folder).total)
        names = [row["kernel"] for row in rows]
        self.assertIn("conv2d", names)
        self.assertEqual(names.count("command.end"), names.count("command.replay"))
        self.assertNotIn(0, [row["instructions"] for row in rows])

    def test_a_launch_takes_what_it_takes(self):
        launches = launch_counts.random(support.OPTIONS.board, launches=20)
        counts = launch_counts.count(support.OPTIONS.board, launches)
        self.assertEqual(counts, launch_counts.count(support.OPTIONS.board, launches[::-1])[::-1])
        refused = {launch["kernel"] for launch, taken in zip(launches, counts) if taken is None}
        self.assertLessEqual(refused, {"conv2d", "fully_connected"}, "what is refused is a packed layout")
        # A copy is a loop over its bytes.
        copy = {"id": 11, "words": [launch_counts.DRAM, launch_counts.DRAM + 0x10_0000, 0]}
        sizes = [{**copy, "words": [*copy["words"][:2], size]} for size in (64, 1024, 16384)]
        small, middle, large = launch_counts.count(support.OPTIONS.board, sizes)
        self.assertAlmostEqual((large - middle) / (middle - small), 16.0, delta=1.0)


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
