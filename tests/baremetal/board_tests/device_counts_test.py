#!/usr/bin/env python3
"""What an inference costs a device on this board's kind of core, in instructions - its kernels and its front, nothing
of the session -, against device_counts.json in the board's folder, by what the weights are packed for."""
import json
import pathlib
import unittest

import baremetal_support as support
import device_counts


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


if __name__ == "__main__":
    support.parse(("--plugin", {"required": True, "type": pathlib.Path}))
    unittest.TestCase.maxDiff = None
    support.main()
